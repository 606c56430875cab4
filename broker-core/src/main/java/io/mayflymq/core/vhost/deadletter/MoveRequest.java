package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.queue.MessageChoice;

/**
 * Which ready messages of a queue are moved, and where.
 *
 * @param choice which of them
 * @param queue the queue that they go to; null if they go to an exchange
 * @param exchange the exchange that they are published to; null if they go to a queue
 * @param routingKey the key that they are published by; null for that of each message
 * @param user who asks, for the death journal
 * @param dryRun whether they are only counted
 */
public record MoveRequest(
    MessageChoice choice,
    String queue,
    String exchange,
    String routingKey,
    String user,
    boolean dryRun) {}
