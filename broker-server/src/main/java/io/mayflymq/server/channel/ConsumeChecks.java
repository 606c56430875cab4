package io.mayflymq.server.channel;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.stream.OffsetSpec;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;

/**
 * Checks the arguments of {@code basic.consume} by the type of the queue. The error texts are those
 * of RabbitMQ 3.13 and 4.3.6, by the dialect.
 */
final class ConsumeChecks {
  private ConsumeChecks() {}

  /**
   * Checks a new consumer.
   *
   * @param prefetch its prefetch limit; 0 for none
   * @param dialect of its virtual host, for the texts
   * @param deprecated what may be used though RabbitMQ took it away
   * @throws ChannelException 406 if an argument is not valid or not for queues of this type, or a
   *     stream's consumer has no prefetch limit
   * @throws io.mayflymq.protocol.types.ConnectionException 540 if a stream's consumer does not
   *     acknowledge
   */
  static void check(
      Queue queue,
      BasicMethod.Consume consume,
      int prefetch,
      Dialect dialect,
      DeprecatedFeatures deprecated) {
    FieldTable arguments = consume.arguments();
    String where = dialect == Dialect.V3_13 ? "" : " for " + queue;
    checkTimeout(queue, arguments, where, deprecated);
    if (!queue.isStream()) {
      requireAbsent(StreamOffset.HEADER, queue, arguments);
      requireInteger(Consumer.PRIORITY, arguments, where);
      requireBoolean(Consumer.TIME_LEFT, arguments, where);
      return;
    }
    requireAbsent(Consumer.PRIORITY, queue, arguments);
    if (OffsetSpec.of(arguments).isEmpty()) {
      throw precondition(
          "invalid arg '%s' for %s: {invalid_stream_offset_arg,%s}"
              .formatted(StreamOffset.HEADER, queue, term(arguments.get(StreamOffset.HEADER))));
    }
    if (prefetch == 0) {
      throw precondition(
          (dialect == Dialect.V3_13
                  ? "consumer prefetch count is not set for '%s'"
                  : "consumer prefetch count is not set for stream %s")
              .formatted(queue));
    }
    if (consume.noAck()) {
      throw queue.streamsLack("automatic acknowledgement");
    }
  }

  private static void checkTimeout(
      Queue queue, FieldTable arguments, String where, DeprecatedFeatures deprecated) {
    FieldValue timeout = arguments.get(Consumer.TIMEOUT);
    if (timeout == null) {
      return;
    }
    if (queue.definition().settings().type() != QueueType.QUORUM
        && !deprecated.use(DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT)) {
      requireAbsent(Consumer.TIMEOUT, queue, arguments);
    }
    requireInteger(Consumer.TIMEOUT, arguments, where);
    if (timeout.longValue() < 0) {
      throw precondition(
          "invalid arg '%s'%s: {value_negative,%d}"
              .formatted(Consumer.TIMEOUT, where, timeout.longValue()));
    }
  }

  /**
   * @param where names the queue, as RabbitMQ 4.3 does and 3.13 does not
   */
  private static void requireInteger(String argument, FieldTable arguments, String where) {
    FieldValue value = arguments.get(argument);
    if (value != null && !value.isInteger()) {
      throw precondition(
          "invalid arg '%s'%s: \"expected integer, got %s\""
              .formatted(argument, where, value.rabbitTypeName()));
    }
  }

  private static void requireBoolean(String argument, FieldTable arguments, String where) {
    FieldValue value = arguments.get(argument);
    if (value != null && !(value instanceof FieldValue.Bool)) {
      throw precondition(
          "invalid arg '%s'%s: \"expected bool, got %s\""
              .formatted(argument, where, value.rabbitTypeName()));
    }
  }

  private static void requireAbsent(String argument, Queue queue, FieldTable arguments) {
    if (arguments.containsKey(argument)) {
      throw precondition(
          "invalid arg '%s' for %s of queue type %s"
              .formatted(argument, queue, queue.definition().settings().type().module()));
    }
  }

  private static String term(FieldValue value) {
    return value instanceof FieldValue.LongString text
        ? "{longstr,<<\"%s\">>}".formatted(text.string())
        : "{%s,%s}".formatted(value.rabbitTypeName(), value);
  }

  private static ChannelException precondition(String text) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, text);
  }
}
