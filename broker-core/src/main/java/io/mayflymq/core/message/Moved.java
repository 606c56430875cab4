package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;

/**
 * A message that an operator has moved to other queues. Its body, its properties and its headers
 * stay as they are. Its own time to live goes on: what it has lived is taken from its {@code
 * expiration}.
 */
public final class Moved {
  /** The header that says where it was moved from last: a table of a {@link Mark}. */
  public static final String HEADER = "x-moved";

  private Moved() {}

  /**
   * Says where a message was, and under which number: the same for it alone. So a program can tell
   * that two messages are one that was moved twice, as a process has ended in the middle.
   *
   * @param queue the queue
   * @param sequence its number in that
   * @param timeMillis when it was moved, in ms since the epoch
   */
  public record Mark(String queue, long sequence, long timeMillis) {}

  /**
   * Returns the message as it goes to other queues.
   *
   * @param exchange the exchange that it counts as published to
   * @param routingKey the routing key that it counts as published with
   * @param livedMillis how long it has been in its queue while time went on there, in ms
   */
  public static Message of(
      Message message, ShortString exchange, ShortString routingKey, Mark mark, long livedMillis) {
    FieldTable.Builder headers = FieldTable.builder();
    message
        .headers()
        .forEach(
            (name, value) -> {
              if (!name.equals(HEADER)) {
                headers.put(name, value);
              }
            });
    headers.put(
        HEADER,
        new FieldValue.Table(
            FieldTable.builder()
                .put("queue", mark.queue())
                .put("sequence", new FieldValue.Int64(mark.sequence()))
                .put("time", new FieldValue.Int64(mark.timeMillis()))
                .build()));
    BasicProperties.Builder properties = message.properties().toBuilder().headers(headers.build());
    long left = message.ttlMillis() - livedMillis;
    // Where it is over, another rule keeps the message alive: it begins anew.
    if (message.ttlMillis() == Message.NO_TTL || left <= 0) {
      return message.publishedAs(exchange, routingKey, properties.build());
    }
    properties.expiration(Long.toString(left));
    return message.publishedAs(exchange, routingKey, properties.build()).withTtl(left);
  }
}
