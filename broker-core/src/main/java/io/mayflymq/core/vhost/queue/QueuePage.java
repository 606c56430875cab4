package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.queue.BrowsedMessage;
import java.util.List;

/**
 * Some of the ready messages of a queue, as a browser sees them.
 *
 * @param messages in the order in which they would be served
 * @param next the position to go on at; -1 if there was nothing behind the last one
 * @param ready how many messages were ready
 */
public record QueuePage(List<BrowsedMessage> messages, long next, long ready) {}
