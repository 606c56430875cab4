package io.mayflymq.server.management;

import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.Counts;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counters as RabbitMQ's management shows them: {@code publish} beside {@code publish_details} with
 * its rate. Below RabbitMQ's are ours, which tell how messages died.
 */
final class Statistics {
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

  private static final List<Field> DIED =
      List.of(
          new Field("dead_lettered", Counter.DEAD_LETTERED),
          new Field("dropped", Counter.DROPPED),
          new Field("expired", Counter.EXPIRED),
          new Field("purged", Counter.PURGED),
          new Field("refused", Counter.REFUSED),
          new Field("rejected", Counter.REJECTED));

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

  /** What a queue counts; null if nothing happened yet. */
  static Map<String, Object> ofQueue(Counts counts) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, HANDED_OUT);
    add(stats, counts, List.of(new Field("publish", Counter.PUBLISHED)));
    add(stats, counts, DIED);
    return nonZero(stats);
  }

  /** What a channel counts; null if nothing happened yet. */
  static Map<String, Object> ofChannel(Counts counts) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, HANDED_OUT);
    add(stats, counts, PUBLISHED);
    return nonZero(stats);
  }

  /** What went through an exchange; null if nothing did. */
  static Map<String, Object> ofExchange(Counts counts) {
    if (counts == null) {
      return null;
    }
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, THROUGH_EXCHANGE);
    return nonZero(stats);
  }

  /** What happened in virtual hosts together: publishes by channels, everything else by queues. */
  static Map<String, Object> ofVhosts(List<Counts> channels, List<Counts> queues) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, Totals.of(channels), PUBLISHED);
    Counts ofQueues = Totals.of(queues);
    add(stats, ofQueues, HANDED_OUT);
    add(stats, ofQueues, DIED);
    return stats;
  }

  /** Sums of several. */
  record Totals(List<Counts> all) implements Counts {
    static Counts of(List<Counts> all) {
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

  /** What came and went. */
  static Map<String, Object> ofChurn(Churn churn) {
    Map<String, Object> rates = new LinkedHashMap<>();
    for (Churn.Event event : Churn.Event.values()) {
      put(rates, event.toString(), churn.get(event), churn.rate(event));
    }
    return rates;
  }

  /**
   * How many messages there are, and how fast that changes: the rates follow from those of what
   * comes in and goes out.
   */
  static void putMessages(Map<String, Object> object, long ready, long unacked, Counts counts) {
    double in = counts.rate(Counter.PUBLISHED);
    double handedOut = counts.rate(Counter.DELIVERED) + counts.rate(Counter.GOT);
    double settled = counts.rate(Counter.ACKED) + counts.rate(Counter.REJECTED);
    double leftUnseen =
        counts.rate(Counter.DELIVERED_NO_ACK)
            + counts.rate(Counter.GOT_NO_ACK)
            + counts.rate(Counter.EXPIRED)
            + counts.rate(Counter.DROPPED)
            + counts.rate(Counter.PURGED);
    double unackedRate = handedOut - settled - counts.rate(Counter.REQUEUED);
    double total = in - settled - leftUnseen;
    put(object, "messages", ready + unacked, total);
    put(object, "messages_ready", ready, total - unackedRate);
    put(object, "messages_unacknowledged", unacked, unackedRate);
  }

  /** Since when nothing has been counted, if so, to the interval of samples. */
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

  /** A number, and beside it how fast it grows. */
  static void put(Map<String, Object> object, String name, long value, double rate) {
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
