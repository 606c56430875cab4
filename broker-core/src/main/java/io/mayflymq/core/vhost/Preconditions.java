package io.mayflymq.core.vhost;

import io.mayflymq.core.queue.MessageSource;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;

/** What is wrong with a queue or exchange of some name, in RabbitMQ's words. */
record Preconditions(String vhost) {
  static final String RESERVED_PREFIX = "amq.";

  ChannelException noQueue(String queue) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "no queue '%s' in vhost '%s'".formatted(queue, vhost));
  }

  ChannelException noExchange(String exchange) {
    return new ChannelException(
        ReplyCode.NOT_FOUND, "no exchange '%s' in vhost '%s'".formatted(exchange, vhost));
  }

  /**
   * Checks whether the virtual host may have one more queue.
   *
   * @throws ChannelException 406 if not
   */
  void requireRoom(Limits limits, int queues, String queue) {
    if (!limits.allow(Limit.MAX_QUEUES, queues)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "cannot declare queue '%s': queue limit in vhost '%s' (%d) is reached"
              .formatted(queue, vhost, limits.get(Limit.MAX_QUEUES)));
    }
  }

  static ChannelException inExclusiveUse(Queue queue) {
    return new ChannelException(ReplyCode.ACCESS_REFUSED, queue + " in exclusive use");
  }

  static ChannelException precondition(Queue queue, String why) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, queue + " " + why);
  }

  static ConnectionException streamsLack(String what, Queue stream) {
    return new ConnectionException(
        ReplyCode.NOT_IMPLEMENTED, "%s not supported by stream queues %s".formatted(what, stream));
  }

  /**
   * Checks whether messages can be removed from a queue.
   *
   * @throws ConnectionException 540 if it is a stream
   */
  static MessageSource requireSource(Queue queue, QueueMachine machine, String method) {
    if (machine instanceof MessageSource messages) {
      return messages;
    }
    throw streamsLack(method, queue);
  }

  static void requireNoRedrive(Queue queue) {
    Redrive last = queue.lastRedrive();
    if (last != null && !last.report().state().isEnd()) {
      throw precondition(queue, "is being redriven");
    }
  }

  /**
   * Checks whether a queue's type knows {@code basic.get}.
   *
   * @throws ConnectionException 540 if it is a stream
   * @throws ChannelException 405 if it is a quorum queue with a single active consumer
   */
  static MessageSource requireGet(Queue queue, QueueMachine machine) {
    MessageSource messages = requireSource(queue, machine, "basic.get");
    QueueSettings declared = queue.definition().settings();
    if (declared.type() == QueueType.QUORUM && declared.singleActiveConsumer()) {
      throw new ChannelException(
          ReplyCode.RESOURCE_LOCKED,
          ("cannot obtain access to locked %s. basic.get operations are not supported by quorum"
                  + " queues with single active consumer")
              .formatted(queue));
    }
    return messages;
  }

  ChannelException locked(String queue) {
    return new ChannelException(
        ReplyCode.RESOURCE_LOCKED,
        ("cannot obtain exclusive access to locked queue '%s' in vhost '%s'. It could be originally"
                + " declared on another connection or the exclusive property value does not match"
                + " that of the original declaration.")
            .formatted(queue, vhost));
  }

  void requireDeletable(String exchange) {
    if (exchange.startsWith(RESERVED_PREFIX)) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "deletion of system exchange '%s' in vhost '%s' not allowed".formatted(exchange, vhost));
    }
  }

  static void requireUnreserved(String kind, String name) {
    if (name.startsWith(RESERVED_PREFIX)) {
      throw new ChannelException(
          ReplyCode.ACCESS_REFUSED,
          "%s name '%s' contains reserved prefix 'amq.*'".formatted(kind, name));
    }
  }
}
