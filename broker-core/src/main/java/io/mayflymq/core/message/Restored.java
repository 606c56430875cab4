package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;

/** The header of a message that had left its queue and was brought back. */
public final class Restored {
  /** A table with {@code reason}, why it had left, and {@code time}, when. */
  public static final String HEADER = "x-restored";

  private Restored() {}

  /**
   * Returns the message with the header, which replaces that of an earlier time.
   *
   * @param reason the word for why it had left
   * @param removedAtMillis when, in ms since the epoch
   */
  public static Message mark(Message message, String reason, long removedAtMillis) {
    FieldTable headers =
        message
            .headers()
            .with(
                HEADER,
                new FieldValue.Table(
                    FieldTable.builder()
                        .put("reason", FieldValue.of(reason))
                        .put("time", new FieldValue.Timestamp(Math.floorDiv(removedAtMillis, 1000)))
                        .build()));
    return message.publishedAs(
        message.exchange(),
        message.routingKey(),
        message.properties().toBuilder().headers(headers).build());
  }
}
