package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.QueueName;

/**
 * The note that a log contains about a queue.
 *
 * @param name the queue's name
 * @param metadataSeen the present sequence number of metadata, which know the queue
 */
public record QueueNote(QueueName name, long metadataSeen) {}
