package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;

/**
 * A reply on its way to who waits for it.
 *
 * @param name the name that it was sent to
 * @param deadlineMillis from when on it is too late and is dropped, in ms since the epoch; {@link
 *     io.mayflymq.core.queue.index.Deadlines#NEVER} for never
 */
public record DirectReply(String name, Message message, long deadlineMillis) {}
