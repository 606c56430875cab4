package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.List;

/** Messages that bear a number, by which tests know them again. */
public final class NumberedMessage {
  private NumberedMessage() {}

  /**
   * Returns a message.
   *
   * @param ttlMillis its own TTL, or {@link Message#NO_TTL}
   * @param padding how many bytes it has besides its number
   */
  public static Message of(int number, boolean persistent, long ttlMillis, int padding) {
    return of(number, persistent, ttlMillis, padding, null);
  }

  /**
   * Makes one with headers.
   *
   * @param headers null for none
   */
  public static Message of(
      int number, boolean persistent, long ttlMillis, int padding, FieldTable headers) {
    byte[] properties =
        BasicProperties.builder()
            .headers(headers)
            .deliveryMode(persistent ? 2 : 1)
            .expiration(ttlMillis == Message.NO_TTL ? null : Long.toString(ttlMillis))
            .build()
            .encode();
    byte[] content = new byte[properties.length + Integer.BYTES + padding];
    System.arraycopy(properties, 0, content, 0, properties.length);
    ByteBuffer.wrap(content).putInt(properties.length, number);
    return new Message(
        ShortString.of(""),
        ShortString.of("key"),
        content,
        properties.length,
        ttlMillis,
        0,
        persistent,
        List.of());
  }

  /** Returns the number that a message bears, however often it has died. */
  public static int numberOf(Message message) {
    return ByteBuffer.wrap(message.content()).getInt(message.propertiesLength());
  }
}
