package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The deaths of a message, the most recent first: the {@code x-death} header. Entries that are not
 * well formed are left out.
 *
 * @param deaths one entry for each queue and reason, the most recent first
 */
public record DeathHistory(List<Death> deaths) {
  /** The name of the header. */
  public static final String HEADER = "x-death";

  private static final DeathHistory NONE = new DeathHistory(List.of());

  /** Copies the list. */
  public DeathHistory {
    deaths = List.copyOf(deaths);
  }

  /** Reads the history that a message has here: none as long as its header is its publisher's. */
  public static DeathHistory of(Message message) {
    return of(message, message.headers());
  }

  /**
   * Reads the history that a message has here: none as long as its header is its publisher's.
   *
   * @param headers its headers, decoded
   */
  static DeathHistory of(Message message, FieldTable headers) {
    return message.hasPublishedDeaths() ? NONE : of(headers);
  }

  /** Reads the history from headers, also those of a publisher. */
  public static DeathHistory of(FieldTable headers) {
    if (!(headers.get(HEADER) instanceof FieldValue.Array array)) {
      return NONE;
    }
    List<Death> deaths = new ArrayList<>(array.values().size());
    for (FieldValue entry : array.values()) {
      if (entry instanceof FieldValue.Table table) {
        parse(table.table()).ifPresent(deaths::add);
      }
    }
    return deaths.isEmpty() ? NONE : new DeathHistory(deaths);
  }

  /**
   * Returns this history with one more death: a new entry in front, or the existing entry with its
   * count incremented and moved to the front.
   */
  public DeathHistory with(Death death) {
    List<Death> next = new ArrayList<>(deaths.size() + 1);
    next.add(death);
    for (Death old : deaths) {
      if (old.isOf(death.queue(), death.reason())) {
        next.set(0, old.again());
      } else {
        next.add(old);
      }
    }
    return new DeathHistory(next);
  }

  /**
   * Whether dead-lettering to this queue now would be a cycle: the message has died there before,
   * and no consumer has rejected it since. A rejection is a decision of a consumer, so it is never
   * taken for a cycle.
   *
   * <p>To be called after the current death was added. Source: RabbitMQ, "Dead Letter Exchanges",
   * "Dead-Lettered Message Cycles".
   */
  public boolean isCycle(String targetQueue) {
    for (Death death : deaths) {
      if (death.reason() == DeathReason.REJECTED) {
        return false;
      }
      if (death.queue().equals(targetQueue)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the value of the header. */
  public FieldValue toFieldValue() {
    List<FieldValue> entries = new ArrayList<>(deaths.size());
    for (Death death : deaths) {
      entries.add(new FieldValue.Table(toTable(death)));
    }
    return new FieldValue.Array(entries);
  }

  private static FieldTable toTable(Death death) {
    FieldTable.Builder table = FieldTable.builder();
    if (death.originalExpiration() != null) {
      table.put("original-expiration", FieldValue.of(death.originalExpiration()));
    }
    List<FieldValue> keys = new ArrayList<>(death.routingKeys().size());
    for (String key : death.routingKeys()) {
      keys.add(FieldValue.of(key));
    }
    return table
        .put("count", new FieldValue.Int64(death.count()))
        .put("reason", FieldValue.of(death.reason().wireName()))
        .put("queue", FieldValue.of(death.queue()))
        .put("time", new FieldValue.Timestamp(death.timeSeconds()))
        .put("exchange", FieldValue.of(death.exchange()))
        .put("routing-keys", new FieldValue.Array(keys))
        .build();
  }

  private static Optional<Death> parse(FieldTable entry) {
    if (entry.get("queue") instanceof FieldValue.LongString queue
        && entry.get("exchange") instanceof FieldValue.LongString exchange
        && entry.get("reason") instanceof FieldValue.LongString reason
        && entry.get("routing-keys") instanceof FieldValue.Array keys
        && entry.get("time") instanceof FieldValue.Timestamp time
        && entry.get("count") != null
        && entry.get("count").isInteger()) {
      List<String> routingKeys = new ArrayList<>(keys.values().size());
      for (FieldValue key : keys.values()) {
        if (!(key instanceof FieldValue.LongString text)) {
          return Optional.empty();
        }
        routingKeys.add(text.string());
      }
      String expiration =
          entry.get("original-expiration") instanceof FieldValue.LongString text
              ? text.string()
              : null;
      long count = entry.get("count").longValue();
      return DeathReason.ofWireName(reason.string())
          .map(
              known ->
                  new Death(
                      queue.string(),
                      known,
                      count,
                      time.seconds(),
                      exchange.string(),
                      List.copyOf(routingKeys),
                      expiration));
    }
    return Optional.empty();
  }
}
