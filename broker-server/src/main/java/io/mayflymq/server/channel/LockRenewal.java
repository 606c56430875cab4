package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;

/**
 * What a client asks that publishes to {@value #NAME}: more time for a delivery that its channel
 * holds. There is no such exchange, and none can be declared, as the prefix is reserved.
 *
 * @param tag the delivery's tag, which is the routing key
 * @param mostMillis for how long at most, in ms: the header {@value #DURATION}
 */
record LockRenewal(long tag, long mostMillis) {
  static final String NAME = "amq.lock";
  static final ShortString EXCHANGE = ShortString.of(NAME);
  static final String DURATION = "x-lock-duration";

  /** No text of so many digits is more than the largest tag. */
  private static final int MOST_DIGITS = 18;

  /**
   * Reads what is asked.
   *
   * @throws ChannelException 406 if the routing key is no tag, or the header no time
   */
  static LockRenewal of(Message asked) {
    return new LockRenewal(tag(asked.routingKey().value()), duration(asked.headers()));
  }

  private static long tag(String routingKey) {
    if (routingKey.length() > MOST_DIGITS || !routingKey.matches("[1-9][0-9]*")) {
      throw precondition(
          "invalid routing key '%s' for exchange '%s': expected a delivery tag, 1 or more"
              .formatted(routingKey, NAME));
    }
    return Long.parseLong(routingKey);
  }

  private static long duration(FieldTable headers) {
    FieldValue given = headers.get(DURATION);
    if (given == null) {
      return Long.MAX_VALUE;
    }
    if (!given.isInteger() || given.longValue() < 1) {
      throw precondition(
          "invalid header '%s' for exchange '%s': expected a number of ms, 1 or more, got %s"
              .formatted(
                  DURATION, NAME, given.isInteger() ? given.longValue() : given.rabbitTypeName()));
    }
    return given.longValue();
  }

  private static ChannelException precondition(String text) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, text);
  }

  /** Returns what a message has asked for that no exchange routes. */
  static Message message(
      ShortString routingKey, byte[] content, int propertiesLength, boolean immediate) {
    if (immediate) {
      throw new ConnectionException(ReplyCode.NOT_IMPLEMENTED, "immediate=true");
    }
    return new Message(
        EXCHANGE, routingKey, content, propertiesLength, Message.NO_TTL, 0, false, List.of());
  }

  /** Returns what comes in front of a mandatory one, as it comes back: there is no delivery. */
  BasicMethod.Return inVain() {
    return returned(
        ReplyCode.NOT_FOUND,
        "NOT_FOUND - this channel holds no delivery %d: its lock has ended, it is settled, its queue was deleted, or there was none"
            .formatted(tag));
  }

  /** Returns the same for a delivery whose lock may not be renewed once more. */
  BasicMethod.Return tooOften(Queue queue, long most) {
    return returned(
        ReplyCode.PRECONDITION_FAILED,
        "PRECONDITION_FAILED - the lock of delivery %d was renewed as often as %s allows: lock-renewals-max is %d"
            .formatted(tag, queue, most));
  }

  private BasicMethod.Return returned(ReplyCode code, String text) {
    return new BasicMethod.Return(code.code(), text, NAME, Long.toString(tag));
  }
}
