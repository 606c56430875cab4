package io.mayflymq.core.message;

import io.mayflymq.protocol.types.Int64Header;
import java.time.InstantSource;

/**
 * Tells consumers when their messages were sent to them, in a header of 64 bits with the time in ms
 * since the epoch. It replaces one of the same name that the publisher has set. Immutable.
 *
 * <p>Source: RabbitMQ 4.3, {@code rabbit_msg_interceptor_timestamp}, and 4.3.6 as it was seen to
 * run: deliveries, messages that were got by AMQP or HTTP, and direct replies have it, returned
 * messages do not.
 */
public final class SentTime {
  /** The name of the header. */
  public static final String HEADER = "x-opt-rabbitmq-sent-time";

  private static final Int64Header TIME = new Int64Header(HEADER);

  private final InstantSource clock;

  public SentTime(InstantSource clock) {
    this.clock = clock;
  }

  /** Returns a message with the present time. The original is not changed. Any thread may call. */
  public Message tell(Message message) {
    return message.with(TIME, clock.millis());
  }
}
