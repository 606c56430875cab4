package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
import java.util.stream.Stream;

/**
 * A dead message, prepared for its dead letter exchange: the same body and properties except {@code
 * expiration}, which moves into the {@code x-death} header so that the message does not expire
 * again, and the headers that describe its death.
 *
 * <p>Source: RabbitMQ, "Dead Letter Exchanges", "Effects on Messages". Headers are sorted by name,
 * as in RabbitMQ.
 *
 * @param message what is published to the dead letter exchange
 * @param routingKeys the keys to route it by
 * @param history its deaths, this one included
 */
public record DeadLetter(Message message, List<String> routingKeys, DeathHistory history) {

  /**
   * Makes the dead letter of a message.
   *
   * @param message the message as it was in the queue
   * @param queue the queue it died in
   * @param reason why
   * @param nowMillis when it died, in ms since the epoch
   * @param deadLetterExchange the exchange that it is published to now
   * @param deadLetterRoutingKey the key to use in place of the message's own ones, or null
   * @param serviceBusHeaders whether to add Azure Service Bus's headers, too
   */
  public static DeadLetter of(
      Message message,
      String queue,
      DeathReason reason,
      long nowMillis,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean serviceBusHeaders) {
    BasicProperties properties = message.properties();
    FieldTable headers = properties.headers() == null ? FieldTable.EMPTY : properties.headers();
    Death death =
        new Death(
            queue,
            reason,
            1,
            Math.floorDiv(nowMillis, 1000),
            message.exchange().value(),
            joined(List.of(message.routingKey().value()), message.carbonCopies(headers)),
            properties.expiration());
    DeathHistory history = DeathHistory.of(message, headers).with(death);

    List<String> routingKeys =
        deadLetterRoutingKey != null
            ? List.of(deadLetterRoutingKey)
            : joined(death.routingKeys(), message.blindKeys());
    byte[] content =
        properties.toBuilder()
            .expiration(null)
            .headers(withDeath(headers, history, death, serviceBusHeaders))
            .build()
            .encodeBefore(message.content(), message.propertiesLength());
    Message deadLetter =
        new Message(
            ShortString.of(deadLetterExchange),
            ShortString.of(routingKeys.get(0)),
            content,
            content.length - message.bodyLength(),
            Message.NO_TTL,
            message.priority(),
            message.persistent(),
            deadLetterRoutingKey == null ? message.blindKeys() : List.of());
    boolean hasOneKey =
        headers.containsKey(SenderSelectedKeys.CC)
            && (deadLetterRoutingKey != null || message.hasOneKey());
    return new DeadLetter(deadLetter.withOneKey(hasOneKey), routingKeys, history);
  }

  private static FieldTable withDeath(
      FieldTable headers, DeathHistory history, Death death, boolean serviceBusHeaders) {
    FieldTable.Builder sorted =
        FieldTable.sortedBuilder().putAll(headers).put(DeathHistory.HEADER, history.toFieldValue());
    FieldValue queue = FieldValue.of(death.queue());
    FieldValue reason = FieldValue.of(death.reason().wireName());
    FieldValue exchange = FieldValue.of(death.exchange());
    boolean first = !(headers.get("x-first-death-queue") instanceof FieldValue.LongString);
    if (first || (history.deaths().size() == 1 && history.deaths().get(0).count() == 1)) {
      sorted
          .put("x-first-death-queue", queue)
          .put("x-first-death-reason", reason)
          .put("x-first-death-exchange", exchange);
    }
    sorted
        .put("x-last-death-queue", queue)
        .put("x-last-death-reason", reason)
        .put("x-last-death-exchange", exchange);
    if (serviceBusHeaders) {
      ServiceBusHeaders.put(sorted, death.reason(), death.queue());
    }
    return sorted.build();
  }

  private static List<String> joined(List<String> keys, List<String> further) {
    return further.isEmpty() ? keys : Stream.concat(keys.stream(), further.stream()).toList();
  }
}
