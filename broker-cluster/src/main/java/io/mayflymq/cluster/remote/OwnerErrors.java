package io.mayflymq.cluster.remote;

import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;

/** Errors of queues whose node cannot be asked, in RabbitMQ's words. */
final class OwnerErrors {
  private OwnerErrors() {}

  /**
   * Returns the error for a queue whose node cannot be reached: 404.
   *
   * <p>Source: RabbitMQ 3.10, {@code rabbit_amqqueue:not_found_or_absent}.
   */
  static ChannelException unreachable(Queue queue, String node) {
    String text =
        queue.definition().durable()
            ? "home node '%s' of durable queue '%s' in vhost '%s' is down or inaccessible"
            : "home node '%s' of queue '%s' in vhost '%s' is down or inaccessible";
    return new ChannelException(
        ReplyCode.NOT_FOUND, text.formatted(node, queue.name(), queue.vhost().name()));
  }

  /**
   * Returns the error for a replicated queue without a leader that can be reached and reaches a
   * majority: 404.
   */
  static ChannelException leaderless(Queue queue) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "%s has no leader at present".formatted(queue));
  }

  /** Returns the error for what only the node of a queue can do: 540. */
  static ChannelException onlyAtHome(String what, Queue queue, String node) {
    return new ChannelException(
        ReplyCode.NOT_IMPLEMENTED,
        "%s of %s is possible on its node '%s' only".formatted(what, queue, node));
  }
}
