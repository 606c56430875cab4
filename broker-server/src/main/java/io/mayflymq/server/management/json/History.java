package io.mayflymq.server.management.json;

import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.PastCounts;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;

/**
 * Which samples of the past a request asks for: {@code msg_rates_age} and {@code msg_rates_incr},
 * the same with {@code lengths} and {@code data_rates}, in seconds.
 *
 * <p>Source: RabbitMQ, "HTTP API", section "Historical samples": {@code samples} beside each rate,
 * the newest first, {@code avg} and {@code avg_rate}.
 *
 * @param messages for counts of messages and of churn; null if they are not wanted
 * @param lengths for lengths of queues; null if they are not wanted
 * @param data for bytes of connections; null if they are not wanted
 */
public record History(Moments messages, Moments lengths, Moments data) {
  /** No samples. */
  public static final History NONE = new History(null, null, null);

  /** For how many seconds samples are kept: the same for all kinds of object. */
  public static final Map<String, List<Integer>> RETENTION =
      Map.of(
          "global", List.of(600, 3_600, 28_800, 86_400),
          "basic", List.of(600, 3_600, 28_800, 86_400),
          "detailed", List.of(600, 3_600, 28_800, 86_400));

  private static final int MOST_SECONDS = 86_400;
  private static final int MOST_SAMPLES = 2_000;

  /**
   * Returns what a request asks for.
   *
   * @throws ApiException 400 if a step is not positive, or if these are too many samples; what is
   *     given without the other, or is no number, is ignored, as in RabbitMQ
   */
  public static History of(Request request) {
    return new History(
        moments(request, "msg_rates"), moments(request, "lengths"), moments(request, "data_rates"));
  }

  private static Moments moments(Request request, String kind) {
    String ageName = kind + "_age";
    String stepName = kind + "_incr";
    OptionalLong given = number(request.query(ageName));
    OptionalLong by = number(request.query(stepName));
    if (given.isEmpty() || by.isEmpty()) {
      return null;
    }
    long age = given.getAsLong();
    long step = by.getAsLong();
    if (age < 1 || age > MOST_SECONDS || step < 1 || age / step > MOST_SAMPLES) {
      throw new ApiException(
          400,
          "invalid_range_parameters",
          "Invalid range parameters: age %d, incr %d".formatted(age, step)
              + ": expected for %s 1 to %d seconds, and with %s at most %d samples"
                  .formatted(ageName, MOST_SECONDS, stepName, MOST_SAMPLES));
    }
    return Moments.before(System.currentTimeMillis(), System.nanoTime(), age, step);
  }

  private static OptionalLong number(String text) {
    try {
      return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Moments of the past, in ascending order.
   *
   * @param nanos as {@link System#nanoTime} had them
   * @param millis since 1970
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Moments(long[] nanos, long[] millis) {
    static Moments before(long nowMillis, long nowNanos, long ageSeconds, long stepSeconds) {
      long stepMillis = TimeUnit.SECONDS.toMillis(stepSeconds);
      int count = (int) (ageSeconds / stepSeconds) + 1;
      long last = nowMillis - nowMillis % stepMillis;
      long[] nanos = new long[count];
      long[] millis = new long[count];
      for (int i = 0; i < count; i++) {
        millis[i] = last - (count - 1 - i) * stepMillis;
        nanos[i] = nowNanos - TimeUnit.MILLISECONDS.toNanos(nowMillis - millis[i]);
      }
      return new Moments(nanos, millis);
    }

    /** Returns the counts of these moments. */
    PastCounts of(Counts counts) {
      return counts.at(nanos);
    }

    /** Adds the samples of a number, as far as these counts are known. */
    void addTo(Map<String, Object> details, PastCounts counts, long now, IntToLongFunction past) {
      addTo(details, counts.unknown(), now, past);
    }

    /**
     * Adds the samples of a number, by the index of the moment, and their averages. There is none
     * of a moment that nothing is known of: RabbitMQ says 0 there, and a chart would show that.
     * Only the latest moment always has one, as clients expect: if nothing is known of any, it has
     * the number of now.
     *
     * @param unknown how many of the first moments nothing is known of
     * @param now the number of now
     */
    void addTo(Map<String, Object> details, int unknown, long now, IntToLongFunction past) {
      if (unknown == nanos.length) {
        addTo(details, unknown - 1, moment -> now);
      } else {
        addTo(details, unknown, past);
      }
    }

    private void addTo(Map<String, Object> details, int unknown, IntToLongFunction number) {
      int known = nanos.length - unknown;
      List<Map<String, Object>> samples = new ArrayList<>(known);
      double sum = 0;
      for (int i = nanos.length - 1; i >= unknown; i--) {
        long sample = number.applyAsLong(i);
        sum += sample;
        Map<String, Object> one = new LinkedHashMap<>(4);
        one.put("sample", sample);
        one.put("timestamp", millis[i]);
        samples.add(one);
      }
      int last = nanos.length - 1;
      double grown = 0;
      if (known > 1) {
        double seconds = (millis[last] - millis[unknown]) / 1e3;
        grown = ((double) number.applyAsLong(last) - number.applyAsLong(unknown)) / seconds;
      }
      details.put("samples", samples);
      details.put("avg_rate", Math.round(grown * 10) / 10.0);
      details.put("avg", Math.round(sum / known * 10) / 10.0);
    }
  }
}
