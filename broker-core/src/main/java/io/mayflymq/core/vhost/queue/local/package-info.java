/** Queues on this node: what does the work behind a {@link io.mayflymq.core.vhost.queue.Queue}. */
package io.mayflymq.core.vhost.queue.local;
