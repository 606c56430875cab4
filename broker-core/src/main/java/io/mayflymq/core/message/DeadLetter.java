package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * A message that has died, made ready for its dead letter exchange: the same body and properties
 * but for {@code expiration}, which moves into its history so that it does not die of it again, and
 * the headers that tell what happened to it.
 *
 * <p>Source: RabbitMQ, "Dead Letter Exchanges", "Effects on Messages". Headers go out sorted by
 * name, as RabbitMQ's do.
 *
 * @param message what is published to the dead letter exchange
 * @param routingKeys the keys to route it by
 * @param history its deaths, this one included
 */
public record DeadLetter(Message message, List<String> routingKeys, DeathHistory history) {

  /**
   * Lets a message die.
   *
   * @param message the message as it stood in the queue
   * @param queue the queue it died in
   * @param reason why
   * @param nowMillis when, in ms since the epoch
   * @param deadLetterExchange where it goes now
   * @param deadLetterRoutingKey the key to use in place of the message's own ones, or null
   * @param serviceBusHeaders whether it is told in Azure Service Bus's headers too
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
    List<String> ownKeys = new ArrayList<>();
    ownKeys.add(message.routingKey().value());
    ownKeys.addAll(SenderSelectedKeys.carbonCopies(headers));

    Death death =
        new Death(
            queue,
            reason,
            1,
            Math.floorDiv(nowMillis, 1000),
            message.exchange().value(),
            List.copyOf(ownKeys),
            properties.expiration());
    DeathHistory history = DeathHistory.of(headers).with(death);

    List<String> routingKeys;
    if (deadLetterRoutingKey != null) {
      routingKeys = List.of(deadLetterRoutingKey);
    } else if (message.blindKeys().isEmpty()) {
      routingKeys = death.routingKeys();
    } else {
      ownKeys.addAll(message.blindKeys());
      routingKeys = List.copyOf(ownKeys);
    }
    byte[] propertyBytes =
        properties.toBuilder()
            .expiration(null)
            .headers(withDeath(headers, history, death, serviceBusHeaders))
            .build()
            .encode();
    int bodyLength = message.bodyLength();
    byte[] content = new byte[propertyBytes.length + bodyLength];
    System.arraycopy(propertyBytes, 0, content, 0, propertyBytes.length);
    System.arraycopy(
        message.content(), message.propertiesLength(), content, propertyBytes.length, bodyLength);
    Message letter =
        new Message(
            ShortString.of(deadLetterExchange),
            ShortString.of(routingKeys.get(0)),
            content,
            propertyBytes.length,
            Message.NO_TTL,
            message.priority(),
            message.persistent(),
            deadLetterRoutingKey == null ? message.blindKeys() : List.of());
    return new DeadLetter(letter, routingKeys, history);
  }

  private static FieldTable withDeath(
      FieldTable headers, DeathHistory history, Death death, boolean serviceBusHeaders) {
    TreeMap<String, FieldValue> sorted = new TreeMap<>();
    headers.forEach(sorted::put);
    sorted.put(DeathHistory.HEADER, history.toFieldValue());
    boolean first = !(headers.get("x-first-death-queue") instanceof FieldValue.LongString);
    if (first || (history.deaths().size() == 1 && history.deaths().get(0).count() == 1)) {
      putDeath(sorted, "x-first-death-", death);
    }
    putDeath(sorted, "x-last-death-", death);
    if (serviceBusHeaders) {
      ServiceBusHeaders.put(sorted, death.reason(), death.queue());
    }
    FieldTable.Builder table = FieldTable.builder();
    sorted.forEach(table::put);
    return table.build();
  }

  private static void putDeath(TreeMap<String, FieldValue> headers, String prefix, Death death) {
    headers.put(prefix + "queue", FieldValue.of(death.queue()));
    headers.put(prefix + "reason", FieldValue.of(death.reason().wireName()));
    headers.put(prefix + "exchange", FieldValue.of(death.exchange()));
  }
}
