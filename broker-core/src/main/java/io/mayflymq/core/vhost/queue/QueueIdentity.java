package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.QueueDefinition;

/**
 * What never changes of a queue.
 *
 * @param id the number under which its messages are kept, never given to another queue
 * @param definition what was declared
 * @param owner the connection that it is exclusive to, or null
 */
public record QueueIdentity(long id, QueueDefinition definition, Object owner) {}
