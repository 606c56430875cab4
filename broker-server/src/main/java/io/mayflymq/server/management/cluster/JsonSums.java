package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums of what several nodes have counted, as JSON has it. Numbers are added, and those in objects;
 * samples of the past are added by their moments. Anything else is as the first node has it.
 */
final class JsonSums {
  private static final String SAMPLE = "sample";
  private static final String TIMESTAMP = "timestamp";

  private JsonSums() {}

  /** Returns the sum of an object of this node and those of others. */
  public static Map<String, Object> of(
      Map<String, Object> first, Collection<? extends Map<String, Object>> others) {
    Map<String, Object> sum = first;
    for (Map<String, Object> other : others) {
      sum = add(sum, other);
    }
    return sum;
  }

  private static Map<String, Object> add(Map<String, Object> a, Map<String, Object> b) {
    Map<String, Object> sum = new LinkedHashMap<>(a);
    b.forEach((name, value) -> sum.merge(name, value, JsonSums::add));
    return sum;
  }

  private static Object add(Object a, Object b) {
    if (a instanceof Number x && b instanceof Number y) {
      return add(x, y);
    }
    if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
      return add(Json.asObject(x), Json.asObject(y));
    }
    return a instanceof List<?> x && b instanceof List<?> y ? samples(x, y) : a;
  }

  private static Number add(Number a, Number b) {
    if (isWhole(a) && isWhole(b)) {
      return a.longValue() + b.longValue();
    }
    // Rates have one decimal.
    return Math.round((a.doubleValue() + b.doubleValue()) * 10) / 10.0;
  }

  private static boolean isWhole(Number number) {
    return !(number instanceof Double) && !(number instanceof Float);
  }

  private static List<?> samples(List<?> a, List<?> b) {
    Map<Long, Number> byMoment = new HashMap<>();
    for (Object each : b) {
      if (each instanceof Map<?, ?> sample
          && sample.get(TIMESTAMP) instanceof Number at
          && sample.get(SAMPLE) instanceof Number value) {
        byMoment.put(at.longValue(), value);
      }
    }
    List<Object> sums = new ArrayList<>(a.size());
    for (Object each : a) {
      sums.add(
          each instanceof Map<?, ?> sample
                  && sample.get(TIMESTAMP) instanceof Number at
                  && sample.get(SAMPLE) instanceof Number value
              ? Json.object(
                  SAMPLE,
                  add(value, byMoment.getOrDefault(at.longValue(), 0L)),
                  TIMESTAMP,
                  at.longValue())
              : each);
    }
    return sums;
  }
}
