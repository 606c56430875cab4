/**
 * Queues as routing tables, connections and administrators know them: an immutable {@link
 * io.mayflymq.core.vhost.queue.Queue} and the interfaces behind it.
 */
package io.mayflymq.core.vhost.queue;
