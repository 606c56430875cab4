package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;

/**
 * What a queue begins with: all but the definition never changes.
 *
 * @param id the number under which its messages are kept, never given to another queue
 * @param definition what was declared first
 * @param owner the connection that it is exclusive to, or null
 * @param place where it is by the metadata. A node has its own numbers of partitions: a queue of
 *     this node may be in another one
 */
public record QueueIdentity(long id, QueueDefinition definition, Object owner, QueuePlace place) {}
