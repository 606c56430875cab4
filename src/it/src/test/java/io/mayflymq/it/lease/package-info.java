/** Leases: queues, exchanges and bindings that are deleted when they are not used. */
package io.mayflymq.it.lease;
