package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;

/**
 * The result of {@code basic.get}.
 *
 * @param sequence the message's number, to settle it by; -1 if it needs no settlement
 * @param message the message
 * @param redelivered whether it may have been delivered before
 * @param remaining how many ready messages are left
 */
public record GetResult(long sequence, Message message, boolean redelivered, long remaining) {}
