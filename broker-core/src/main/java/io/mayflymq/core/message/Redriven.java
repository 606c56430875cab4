package io.mayflymq.core.message;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.List;

/**
 * A dead letter that is sent back to its queue: as it was before it died, with the same body and
 * properties. Its expiration, which dead-lettering removed, is not restored, so it does not expire
 * again.
 */
public final class Redriven {
  /** The header that counts how often the message was redriven: an integer of 64 bits. */
  public static final String COUNT_HEADER = "x-redrive-count";

  private static final List<String> DEATH_HEADERS =
      List.of(DeathHistory.HEADER, "x-first-death-", "x-last-death-");

  private Redriven() {}

  /**
   * Returns where a message died first, as {@link #origin(FieldTable)} does.
   *
   * @return null also if its headers are its publisher's, who must not choose where it is sent
   */
  public static Death origin(Message message) {
    return message.hasPublishedDeaths() ? null : origin(message.headers());
  }

  /**
   * Returns where a message died first: the entry that {@code x-first-death-queue} and {@code
   * x-first-death-reason} name, else the oldest one.
   *
   * @return null if the headers do not tell, or name what no exchange or queue can be called
   */
  static Death origin(FieldTable headers) {
    List<Death> deaths = DeathHistory.of(headers).deaths();
    if (deaths.isEmpty()) {
      return null;
    }
    String queue = text(headers, "x-first-death-queue");
    String reason = text(headers, "x-first-death-reason");
    Death first = deaths.get(deaths.size() - 1);
    for (Death death : deaths) {
      if (death.queue().equals(queue) && death.reason().wireName().equals(reason)) {
        first = death;
      }
    }
    return ShortString.fits(first.exchange())
            && !first.routingKeys().isEmpty()
            && first.routingKeys().stream().allMatch(ShortString::fits)
        ? first
        : null;
  }

  private static String text(FieldTable headers, String name) {
    return headers.get(name) instanceof FieldValue.LongString text ? text.string() : null;
  }

  /**
   * Returns the message as it is sent back.
   *
   * @param dead the message in the dead letter queue
   * @param origin where it died first: it gets that exchange and routing key again; null to keep
   *     its present ones
   * @param keepsHistory whether the headers keep the history of its deaths, which then also counts
   *     for the detection of cycles
   */
  public static Message of(Message dead, Death origin, boolean keepsHistory) {
    FieldTable headers = dead.headers();
    FieldValue count = headers.get(COUNT_HEADER);
    long times = count != null && count.isInteger() ? count.longValue() : 0;
    FieldTable.Builder changed = FieldTable.builder();
    headers.forEach(
        (name, value) -> {
          if (!name.equals(COUNT_HEADER) && (keepsHistory || !isOfDeath(name))) {
            changed.put(name, value);
          }
        });
    changed.put(COUNT_HEADER, new FieldValue.Int64(times + 1));
    Message back =
        dead.publishedAs(
            origin == null ? dead.exchange() : ShortString.of(origin.exchange()),
            origin == null ? dead.routingKey() : ShortString.of(origin.routingKeys().get(0)),
            dead.properties().toBuilder().headers(changed.build()).build());
    return back.withOneKey(
        dead.hasOneKey() && (origin == null || origin.routingKeys().size() == 1));
  }

  private static boolean isOfDeath(String header) {
    return DEATH_HEADERS.stream().anyMatch(header::startsWith);
  }
}
