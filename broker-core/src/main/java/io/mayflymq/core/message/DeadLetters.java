package io.mayflymq.core.message;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.RawHeaders;
import io.mayflymq.protocol.types.RawProperties;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Makes the dead letters of a shard. Used by its thread only.
 *
 * <p>Does the same as DeadLetter.of, but faster: messages that die at the same time mostly have the
 * same death headers.
 *
 * <p>The death headers follow from the queue, the reason, the second, the exchange and routing key
 * of the message, and its expiration. So the headers of the latest kinds of dead letters are
 * cached, and a message that died in the same way gets a copy of them among its own headers: its
 * encoded properties are cut and joined, and never decoded. A message that has died before, or has
 * CC keys, takes the slow path. Kinds are found by a hash in a table of fixed size; of two kinds
 * with the same slot the later one is kept.
 */
public final class DeadLetters {
  private static final int SIZE = 256;
  private static final byte[] CC = SenderSelectedKeys.CC.getBytes(StandardCharsets.US_ASCII);

  private final Model[] models = new Model[SIZE];
  private final RawHeaders headers = new RawHeaders();

  /** What dead letters must have in common to have the same headers and routing keys. */
  private record Kind(
      ShortString exchange,
      ShortString routingKey,
      ShortString expiration,
      String queue,
      DeathReason reason,
      long seconds,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean serviceBusHeaders) {

    static Kind of(
        Message message,
        String queue,
        DeathReason reason,
        long nowMillis,
        String deadLetterExchange,
        String deadLetterRoutingKey,
        boolean serviceBusHeaders) {
      return new Kind(
          message.exchange(),
          message.routingKey(),
          RawProperties.expiration(message.content()),
          queue,
          reason,
          Math.floorDiv(nowMillis, 1000),
          deadLetterExchange,
          deadLetterRoutingKey,
          serviceBusHeaders);
    }

    boolean isOf(Message message) {
      return exchange.equals(message.exchange())
          && routingKey.equals(message.routingKey())
          && RawProperties.hasExpiration(message.content(), expiration);
    }

    boolean isOf(String otherQueue, DeathReason otherReason, long otherMillis) {
      return seconds == Math.floorDiv(otherMillis, 1000)
          && reason == otherReason
          && queue.equals(otherQueue);
    }

    boolean goesTo(String otherExchange, String otherKey, boolean otherHeaders) {
      return deadLetterExchange.equals(otherExchange)
          && Objects.equals(deadLetterRoutingKey, otherKey)
          && serviceBusHeaders == otherHeaders;
    }

    /**
     * Returns the dead letter of a message that has no other properties than those of this kind.
     */
    DeadLetter deadLetter() {
      BasicProperties.Builder properties = BasicProperties.builder();
      if (!expiration.isEmpty()) {
        properties.expiration(expiration.value());
      }
      byte[] content = properties.build().encode();
      Message bare =
          new Message(
              exchange, routingKey, content, content.length, Message.NO_TTL, 0, false, List.of());
      return DeadLetter.of(
          bare,
          queue,
          reason,
          seconds * 1000,
          deadLetterExchange,
          deadLetterRoutingKey,
          serviceBusHeaders);
    }
  }

  /** A dead letter template: without the message's own properties and body. */
  private static final class Model {
    private final Kind kind;
    private final ShortString exchange;
    private final ShortString routingKey;
    private final List<String> routingKeys;
    private final DeathHistory history;
    private final byte[] headers;

    Model(Kind kind) {
      DeadLetter deadLetter = kind.deadLetter();
      this.kind = kind;
      this.exchange = deadLetter.message().exchange();
      this.routingKey = deadLetter.message().routingKey();
      this.routingKeys = deadLetter.routingKeys();
      this.history = deadLetter.history();
      this.headers = RawProperties.headers(deadLetter.message().content());
    }

    DeadLetter deadLetter(Message message, byte[] content) {
      Message deadLetter =
          new Message(
              exchange,
              routingKey,
              content,
              content.length - message.bodyLength(),
              Message.NO_TTL,
              message.priority(),
              message.persistent(),
              List.of());
      return new DeadLetter(deadLetter, routingKeys, history);
    }
  }

  /** Makes the dead letter of a message. Parameters as in {@link DeadLetter#of}. */
  public DeadLetter of(
      Message message,
      String queue,
      DeathReason reason,
      long nowMillis,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean serviceBusHeaders) {
    if (message.blindKeys().isEmpty()) {
      int place = placeOf(message, queue);
      Model model = models[place];
      if (model == null
          || !model.kind.isOf(queue, reason, nowMillis)
          || !model.kind.goesTo(deadLetterExchange, deadLetterRoutingKey, serviceBusHeaders)
          || !model.kind.isOf(message)) {
        model =
            new Model(
                Kind.of(
                    message,
                    queue,
                    reason,
                    nowMillis,
                    deadLetterExchange,
                    deadLetterRoutingKey,
                    serviceBusHeaders));
        models[place] = model;
      }
      byte[] content = withHeaders(message.content(), model.headers);
      if (content != null) {
        return model.deadLetter(message, content);
      }
    }
    return DeadLetter.of(
        message,
        queue,
        reason,
        nowMillis,
        deadLetterExchange,
        deadLetterRoutingKey,
        serviceBusHeaders);
  }

  /** Merges headers; null if there are headers whose values have to be examined. */
  private byte[] withHeaders(byte[] content, byte[] added) {
    return RawProperties.hasHeaders(content)
        ? headers.withForExpiration(content, added, CC)
        : RawProperties.withHeadersForExpiration(content, added);
  }

  private static int placeOf(Message message, String queue) {
    int hash =
        31 * (31 * queue.hashCode() + message.routingKey().hashCode())
            + RawProperties.hashOfExpiration(message.content());
    return (hash ^ hash >>> 16 ^ hash >>> 8) & SIZE - 1;
  }
}
