/**
 * How long things stay: deadlines of messages, the lease of a queue, limits on its length. Pure;
 * time comes in with each call.
 */
package io.mayflymq.core.retention;
