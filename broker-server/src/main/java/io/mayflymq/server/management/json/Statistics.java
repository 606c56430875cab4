package io.mayflymq.server.management.json;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.PastCounts;
import io.mayflymq.core.metrics.QueueLengths;
import io.mayflymq.core.queue.QueueSizes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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

  private static final List<Field> HANDED_OUT =
      List.of(
          new Field("ack", Counter.ACKED),
          new Field("deliver", Counter.DELIVERED),
          new Field(
              "deliver_get",
              Counter.DELIVERED,
              Counter.DELIVERED_NO_ACK,
              Counter.GOT,
              Counter.GOT_NO_ACK),
          new Field("deliver_no_ack", Counter.DELIVERED_NO_ACK),
          new Field("get", Counter.GOT),
          new Field("get_empty", Counter.GOT_EMPTY),
          new Field("get_no_ack", Counter.GOT_NO_ACK),
          new Field("redeliver", Counter.REDELIVERED));

  /** The counters of deaths: first by reason, then by the outcome for the messages. */
  private static final List<Field> DIED =
      Stream.of(
              Arrays.stream(DeathReason.values())
                  .map(reason -> new Field(reason.wireName(), Counter.of(reason))),
              Stream.of(new Field("expired_by_deadline", Counter.EXPIRED_BY_DEADLINE)),
              Arrays.stream(DropOutcome.values())
                  .map(fate -> new Field(name(fate), Counter.of(fate))))
          .flatMap(Function.identity())
          .toList();

  private static final List<Field> GONE_OTHERWISE =
      List.of(
          new Field("purged", Counter.PURGED),
          new Field("moved", Counter.MOVED),
          new Field("redriven", Counter.REDRIVEN),
          new Field("refused", Counter.REFUSED));

  private static final List<Field> PUBLISHED =
      List.of(
          new Field("confirm", Counter.CONFIRMED),
          new Field("drop_unroutable", Counter.UNROUTABLE),
          new Field("publish", Counter.PUBLISHED),
          new Field("return_unroutable", Counter.RETURNED));

  private static final List<Field> ON_DISK =
      List.of(
          new Field("disk_reads", Counter.DISK_READS),
          new Field("disk_writes", Counter.DISK_WRITES));

  private static final List<Field> OF_QUEUE =
      Stream.of(
              HANDED_OUT,
              List.of(new Field("publish", Counter.PUBLISHED)),
              ON_DISK,
              DIED,
              GONE_OTHERWISE)
          .flatMap(List::stream)
          .toList();

  private static final List<Field> OF_CHANNEL =
      Stream.concat(HANDED_OUT.stream(), PUBLISHED.stream()).toList();

  private static final List<Field> THROUGH_EXCHANGE =
      List.of(new Field("publish_in", Counter.PUBLISHED), new Field("publish_out", Counter.ROUTED));

  private static final DateTimeFormatter IDLE_SINCE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSxxx").withZone(ZoneOffset.UTC);

  private static final long START_MILLIS = System.currentTimeMillis();
  private static final long START_NANOS = System.nanoTime();

  private Statistics() {}

  /**
   * Returns what reads a rate among the statistics of a queue; null if the path is that of no rate.
   *
   * @param path such as {@code message_stats.publish_details.rate}
   */
  static Function<Counters, Object> rateOfQueue(String path) {
    for (Field field : OF_QUEUE) {
      if (path.equals("message_stats." + field.name + "_details.rate")) {
        return counters -> field.sum.stream().mapToDouble(counters::rate).sum();
      }
    }
    return null;
  }

  /** Returns the names of the statistics that count deaths. */
  static List<String> deathNames() {
    return DIED.stream().map(Field::name).toList();
  }

  /** Returns the statistics of a queue; null if all counters are 0. */
  static Map<String, Object> ofQueue(Counts counts, History history) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, OF_QUEUE, history);
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
  static Map<String, Object> ofChannel(Counts counts, History history) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, OF_CHANNEL, history);
    return nonZero(stats);
  }

  /** Returns the statistics of an exchange; null if all counters are 0. */
  public static Map<String, Object> ofExchange(Counts counts, History history) {
    if (counts == null) {
      return null;
    }
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, counts, THROUGH_EXCHANGE, history);
    return nonZero(stats);
  }

  /**
   * Returns the statistics of several virtual hosts together: publishes counted by channels,
   * everything else by queues.
   */
  public static Map<String, Object> ofVhosts(
      List<Counts> channels, List<Counts> queues, History history) {
    Map<String, Object> stats = new LinkedHashMap<>();
    add(stats, Totals.of(channels), PUBLISHED, history);
    Counts ofQueues = Totals.of(queues);
    add(stats, ofQueues, HANDED_OUT, history);
    add(stats, ofQueues, ON_DISK, history);
    add(stats, ofQueues, DIED, history);
    add(stats, ofQueues, GONE_OTHERWISE, history);
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

    @Override
    public PastCounts at(long[] nanos) {
      return PastCounts.sum(all, nanos);
    }
  }

  /** Returns the counts of connections, channels and queues that were created and closed. */
  public static Map<String, Object> ofChurn(Churn churn, History history) {
    Map<String, Object> rates = new LinkedHashMap<>();
    for (Churn.Event event : Churn.Event.values()) {
      Map<String, Object> details =
          put(rates, event.toString(), churn.get(event), churn.rate(event));
      if (history.messages() != null) {
        long[] nanos = history.messages().nanos();
        long[] past = churn.at(event, nanos);
        history
            .messages()
            .addTo(details, churn.unknown(nanos), churn.get(event), moment -> past[moment]);
      }
    }
    return rates;
  }

  /**
   * Adds what the queues of virtual hosts have together.
   *
   * @param sizes their sum
   */
  public static void putQueueTotals(
      Map<String, Object> object, QueueSizes sizes, Counts counts, History history) {
    putMessages(object, sizes, counts, history);
    object.put("messages_delayed", sizes.delayed());
    object.put("messages_dlx", sizes.waiting().messages());
  }

  /**
   * Adds the numbers of messages and the rates at which they change, computed from the rates of
   * messages added and removed; so are the numbers of earlier moments, which no one has counted.
   */
  static void putMessages(
      Map<String, Object> object, QueueSizes sizes, Counts counts, History history) {
    long all = sizes.messages();
    long ready = sizes.totals().ready();
    long unacked = sizes.totals().unacked();
    double unackedRate = QueueLengths.unacked(counts::rate);
    double total = QueueLengths.all(counts::rate);
    Map<String, Object> ofAll = put(object, "messages", all, total);
    Map<String, Object> ofReady = put(object, "messages_ready", ready, total - unackedRate);
    Map<String, Object> ofUnacked = put(object, "messages_unacknowledged", unacked, unackedRate);
    History.Moments moments = history.lengths();
    if (moments != null) {
      PastCounts past = moments.of(counts);
      // What is not in the counts was there as long as they.
      double allElse = all - QueueLengths.all(counts::get);
      double unackedElse = unacked - QueueLengths.unacked(counts::get);
      double readyElse = ready + QueueLengths.unacked(counts::get) - QueueLengths.all(counts::get);
      moments.addTo(
          ofAll,
          past,
          all,
          at -> length(allElse + QueueLengths.all(counter -> past.get(counter, at))));
      moments.addTo(
          ofUnacked,
          past,
          unacked,
          at -> length(unackedElse + QueueLengths.unacked(counter -> past.get(counter, at))));
      moments.addTo(
          ofReady,
          past,
          ready,
          at ->
              length(
                  readyElse
                      + QueueLengths.all(counter -> past.get(counter, at))
                      - QueueLengths.unacked(counter -> past.get(counter, at))));
    }
  }

  private static long length(double computed) {
    return Math.max(0, Math.round(computed));
  }

  /**
   * Returns the time since which no counter has changed, with the precision of the sampling
   * interval; null if a counter has just changed.
   */
  static String idleSince(Counters counters) {
    OptionalLong nanos = counters.stillSinceNanos();
    return nanos.isEmpty()
        ? null
        : IDLE_SINCE.format(
            Instant.ofEpochMilli(
                START_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - START_NANOS)));
  }

  /** Adds a number and its rate of change; returns the object that has the rate. */
  private static Map<String, Object> put(
      Map<String, Object> object, String name, long value, double rate) {
    Map<String, Object> details = details(rate);
    object.put(name, value);
    object.put(name + "_details", details);
    return details;
  }

  private static Map<String, Object> details(double rate) {
    Map<String, Object> details = new LinkedHashMap<>(8);
    details.put("rate", Math.round(rate * 10) / 10.0);
    return details;
  }

  /** Adds the bytes that connections received or sent, and their rate. */
  public static void putBytes(
      Map<String, Object> object, String name, Counter counter, Counts counts, History history) {
    object.put(name, counts.get(counter));
    object.put(name + "_details", bytesDetails(counter, counts, history));
  }

  /** Returns the rate of the bytes that a connection, or several, received or sent. */
  static Map<String, Object> bytesDetails(Counter counter, Counts counts, History history) {
    Map<String, Object> details = details(counts.rate(counter));
    if (history.data() != null) {
      PastCounts past = history.data().of(counts);
      history.data().addTo(details, past, counts.get(counter), moment -> past.get(counter, moment));
    }
    return details;
  }

  private static void add(
      Map<String, Object> stats, Counts counts, List<Field> fields, History history) {
    PastCounts past = history.messages() == null ? null : history.messages().of(counts);
    for (Field field : fields) {
      long now = field.sum.stream().mapToLong(counts::get).sum();
      Map<String, Object> details =
          put(stats, field.name, now, field.sum.stream().mapToDouble(counts::rate).sum());
      if (past != null) {
        history
            .messages()
            .addTo(
                details,
                past,
                now,
                moment -> field.sum.stream().mapToLong(counter -> past.get(counter, moment)).sum());
      }
    }
  }

  private static Map<String, Object> nonZero(Map<String, Object> stats) {
    return stats.values().stream().anyMatch(value -> value instanceof Long n && n != 0)
        ? stats
        : null;
  }
}
