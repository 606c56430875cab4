/**
 * Deadlines of messages, the leases of queues, exchanges and bindings, and length limits. Pure:
 * each call carries the current time.
 */
package io.mayflymq.core.expiry;

import io.mayflymq.core.queue.index.Deadlines;
