package io.mayflymq.core.vhost.queue;

/**
 * What {@code queue.declare-ok} tells.
 *
 * @param queue the queue's name
 * @param messages how many are ready
 * @param consumers how many there are
 */
public record DeclaredQueue(String queue, long messages, int consumers) {}
