package io.mayflymq.core.store.segment.record;

import io.mayflymq.core.store.QueueName;

/**
 * What a log is to tell of a queue beside its id.
 *
 * @param name what it is called
 * @param metadataSeen the sequence number of metadata of this moment: they know the queue
 */
public record QueueNote(QueueName name, long metadataSeen) {}
