package io.mayflymq.core.message;

import io.mayflymq.protocol.types.RawProperties;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;
import java.util.Objects;

/*
 * Makes dead letters as DeadLetter.of does, and faster: what dies together mostly dies alike.
 *
 * If a message had no headers, those of its letter follow from the queue, the reason, the second, where it had been published and its
 * expiration. So the last letters are kept, and a message that died like one of them gets the same headers: its properties are cut and pasted,
 * and never decoded. Any other letter is made the long way. The kept ones are found by a hash in a table of fixed size; where two have the same place, the
 * later one stays.
 */
/** The dead letters of a shard. By its thread only. */
public final class DeadLetters {
  private static final int SIZE = 256;

  private final Model[] models = new Model[SIZE];

  /** What letters must have in common to have the same headers, and go the same way. */
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

    boolean isOf(Message message) {
      return exchange.equals(message.exchange())
          && routingKey.equals(message.routingKey())
          && RawProperties.hasExpiration(message.content(), expiration);
    }

    boolean isOf(String otherQueue, DeathReason otherReason, long otherSeconds) {
      return seconds == otherSeconds && reason == otherReason && queue.equals(otherQueue);
    }

    boolean goesTo(String otherExchange, String otherKey, boolean otherHeaders) {
      return deadLetterExchange.equals(otherExchange)
          && Objects.equals(deadLetterRoutingKey, otherKey)
          && serviceBusHeaders == otherHeaders;
    }
  }

  /** A letter without what is its own. */
  private static final class Model {
    private final Kind kind;
    private final ShortString exchange;
    private final ShortString routingKey;
    private final List<String> routingKeys;
    private final DeathHistory history;
    private final byte[] headers;

    Model(Kind kind, DeadLetter letter) {
      this.kind = kind;
      this.exchange = letter.message().exchange();
      this.routingKey = letter.message().routingKey();
      this.routingKeys = letter.routingKeys();
      this.history = letter.history();
      this.headers = RawProperties.headers(letter.message().content());
    }

    DeadLetter letter(Message message) {
      byte[] content = RawProperties.withHeadersForExpiration(message.content(), headers);
      Message copy =
          new Message(
              exchange,
              routingKey,
              content,
              content.length - message.bodyLength(),
              Message.NO_TTL,
              message.priority(),
              message.persistent(),
              List.of());
      return new DeadLetter(copy, routingKeys, history);
    }
  }

  /** Lets a message die. Parameters as those of {@link DeadLetter#of}. */
  public DeadLetter of(
      Message message,
      String queue,
      DeathReason reason,
      long nowMillis,
      String deadLetterExchange,
      String deadLetterRoutingKey,
      boolean serviceBusHeaders) {
    boolean bare = !RawProperties.hasHeaders(message.content()) && message.blindKeys().isEmpty();
    long seconds = Math.floorDiv(nowMillis, 1000);
    int place = bare ? placeOf(message, queue) : 0;
    if (bare) {
      Model model = models[place];
      if (model != null
          && model.kind.isOf(queue, reason, seconds)
          && model.kind.goesTo(deadLetterExchange, deadLetterRoutingKey, serviceBusHeaders)
          && model.kind.isOf(message)) {
        return model.letter(message);
      }
    }
    DeadLetter letter =
        DeadLetter.of(
            message,
            queue,
            reason,
            nowMillis,
            deadLetterExchange,
            deadLetterRoutingKey,
            serviceBusHeaders);
    if (bare) {
      Kind kind =
          new Kind(
              message.exchange(),
              message.routingKey(),
              RawProperties.expiration(message.content()),
              queue,
              reason,
              seconds,
              deadLetterExchange,
              deadLetterRoutingKey,
              serviceBusHeaders);
      models[place] = new Model(kind, letter);
    }
    return letter;
  }

  private static int placeOf(Message message, String queue) {
    int hash =
        31 * (31 * queue.hashCode() + message.routingKey().hashCode())
            + RawProperties.hashOfExpiration(message.content());
    return (hash ^ hash >>> 16 ^ hash >>> 8) & SIZE - 1;
  }
}
