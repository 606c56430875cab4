package io.mayflymq.server.management.json;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.Counts;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Counters as RabbitMQ's management shows them: {@code publish} beside {@code publish_details} with
 * its rate. In addition to RabbitMQ's fields there are fields that count dropped and dead-lettered
 * messages by reason.
 */
public final class Statistics {
  private record Field(String name, List<Counter> sum) {
    Field(String name, Counter... sum) {
      this(name, List.of(sum));
    }
  }

  private static final Field DELIVER_GET =
      new Field(
          "deliver_get",
          Counter.DELIVERED,
          Counter.DELIVERED_NO_ACK,
          Counter.GOT,
          Counter.GOT_NO_ACK);

  private static final List<Field> HANDED_OUT =
      List.of(
          new Field("ack", Counter.ACKED),
          new Field("deliver", Counter.DELIVERED),
          DELIVER_GET,
          new Field("deliver_no_ack", Counter.DELIVERED_NO_ACK),
          new Field("get", Counter.GOT),
          new Field("get_empty", Counter.GOT_EMPTY),
          new Field("get_no_ack", Counter.GOT_NO_ACK),
          new Field("redeliver", Counter.REDELIVERED));

  /** The counters of deaths: first by reason, then by the outcome for the messages. */
  private static final List<Field> DIED =
      Stream.concat(
              Arrays.stream(DeathReason.values())
                  .map(reason -> new Field(reason.wireName(), Counter.of(reason))),
              Arrays.stream(DropOutcome.values())
                  .map(fate -> new Field(name(fate), Counter.of(fate))))
          .toList();

  private static final List<Field> GONE_OTHERWISE =
      List.of(
          new Field("purged", Counter.PURGED),
          new Field("redriven", Counter.REDRIVEN),
          new Field("refused", Counter.REFUSED));

  private static final List<Field> PUBLISHED =
      List.of(
          new Field("confirm", Counter.CONFIRMED),
          new Field("drop_unroutable", Counter.UNROUTABLE),
          new Field("publish", Counter.PUBLISHED),
          new Field("return_unroutable", Counter.RETURNED));

  private static final List<Field> THROUGH_EXCHANGE =
      List.of(new Field("publish_in", Counter.PUBLISHED), new Field("publish_out", Counter.ROUTED));

  private static final DateTimeFormatter IDLE_SINCE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

  private static final long START_MILLIS = System.currentTimeMillis();
  private static final long START_NANOS = System.nanoTime();

  private Statistics() {}

  /** Returns the statistics of a queue; null if all counters are 0. */
  static Map<String, Object> ofQueue(Counts counts) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, HANDED_OUT);
    add(stats, counts, List.of(new Field("publish", Counter.PUBLISHED)));
    add(stats, counts, DIED);
    add(stats, counts, GONE_OTHERWISE);
    return nonZero(stats);
  }

  /**
   * Returns the deaths of a queue by reason and by the outcome for the messages, without counters
   * that are 0.
   */
  public static Map<String, Object> deaths(Counts counts) {
    Map<String, Object> deaths = new LinkedHashMap<>();
    for (Field field : DIED) {
      long count = field.sum.stream().mapToLong(counts::get).sum();
      if (count > 0) {
        deaths.put(field.name, count);
      }
    }
    return deaths;
  }

  private static String name(DropOutcome fate) {
    return switch (fate) {
      case DEAD_LETTERED -> fate.wireName();
      case WAITING -> "dead_letters_waited";
      default -> "dropped_" + fate.wireName();
    };
  }

  /** Returns the statistics of a channel; null if all counters are 0. */
  static Map<String, Object> ofChannel(Counts counts) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, HANDED_OUT);
    add(stats, counts, PUBLISHED);
    return nonZero(stats);
  }

  /** Returns the statistics of an exchange; null if all counters are 0. */
  public static Map<String, Object> ofExchange(Counts counts) {
    if (counts == null) {
      return null;
    }
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, THROUGH_EXCHANGE);
    return nonZero(stats);
  }

  /**
   * Returns the statistics of several virtual hosts together: publishes counted by channels,
   * everything else by queues.
   */
  public static Map<String, Object> ofVhosts(List<Counts> channels, List<Counts> queues) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, Totals.of(channels), PUBLISHED);
    Counts ofQueues = Totals.of(queues);
    add(stats, ofQueues, HANDED_OUT);
    add(stats, ofQueues, DIED);
    add(stats, ofQueues, GONE_OTHERWISE);
    return stats;
  }

  /** The sum of several counters. */
  public record Totals(List<Counts> all) implements Counts {
    public static Counts of(List<Counts> all) {
      return new Totals(all);
    }

    @Override
    public long get(Counter counter) {
      return all.stream().mapToLong(counts -> counts.get(counter)).sum();
    }

    @Override
    public double rate(Counter counter) {
      return all.stream().mapToDouble(counts -> counts.rate(counter)).sum();
    }
  }

  /** Returns the counts of connections, channels and queues that were created and closed. */
  public static Map<String, Object> ofChurn(Churn churn) {
    Map<String, Object> rates = new LinkedHashMap<>();
    for (Churn.Event event : Churn.Event.values()) {
      put(rates, event.toString(), churn.get(event), churn.rate(event));
    }
    return rates;
  }

  /**
   * Adds the numbers of messages and the rates at which they change, computed from the rates of
   * messages added and removed.
   */
  public static void putMessages(
      Map<String, Object> object, long ready, long unacked, Counts counts) {
    double in = counts.rate(Counter.PUBLISHED);
    double handedOut = counts.rate(Counter.DELIVERED) + counts.rate(Counter.GOT);
    double settled =
        counts.rate(Counter.ACKED)
            + counts.rate(Counter.REJECTED)
            + counts.rate(Counter.DELIVERY_LIMIT);
    double leftUnseen =
        counts.rate(Counter.DELIVERED_NO_ACK)
            + counts.rate(Counter.GOT_NO_ACK)
            + counts.rate(Counter.EXPIRED)
            + counts.rate(Counter.MAXLEN)
            + counts.rate(Counter.PURGED)
            + counts.rate(Counter.REDRIVEN);
    double unackedRate = handedOut - settled - counts.rate(Counter.REQUEUED);
    double total = in - settled - leftUnseen;
    put(object, "messages", ready + unacked, total);
    put(object, "messages_ready", ready, total - unackedRate);
    put(object, "messages_unacknowledged", unacked, unackedRate);
  }

  /**
   * Adds the time since which no counter has changed, with the precision of the sampling interval;
   * nothing if a counter has just changed.
   */
  static void putIdleSince(Map<String, Object> object, Counters counters) {
    counters
        .stillSinceNanos()
        .ifPresent(
            nanos ->
                object.put(
                    "idle_since",
                    IDLE_SINCE.format(
                        Instant.ofEpochMilli(
                            START_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos - START_NANOS)))));
  }

  /** Adds a number and its rate of change. */
  public static void put(Map<String, Object> object, String name, long value, double rate) {
    object.put(name, value);
    object.put(name + "_details", Map.of("rate", Math.round(rate * 10) / 10.0));
  }

  private static void add(Map<String, Object> stats, Counts counts, List<Field> fields) {
    for (Field field : fields) {
      put(
          stats,
          field.name,
          field.sum.stream().mapToLong(counts::get).sum(),
          field.sum.stream().mapToDouble(counts::rate).sum());
    }
  }

  private static Map<String, Object> nonZero(Map<String, Object> stats) {
    return stats.values().stream().anyMatch(value -> value instanceof Long n && n != 0)
        ? stats
        : null;
  }
}
