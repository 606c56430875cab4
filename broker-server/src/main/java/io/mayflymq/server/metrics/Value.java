package io.mayflymq.server.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/** A single value with its labels. */
public record Value(Labels labels, double value) implements Metric.Labelled {
  /** Returns a gauge without labels. */
  public static MetricFamily gauge(String name, String help, double value) {
    return gauge(name, help, List.of(new Value(Labels.EMPTY, value)));
  }

  /** Returns a gauge of several values. */
  public static MetricFamily gauge(String name, String help, List<Value> values) {
    return MetricFamily.of("", Metric.gauge(name, help, Value::value), values);
  }

  /** Returns a counter without labels. */
  public static MetricFamily counter(String name, String help, double value) {
    return counter(name, help, List.of(new Value(Labels.EMPTY, value)));
  }

  /** Returns a counter of several values. */
  public static MetricFamily counter(String name, String help, List<Value> values) {
    return MetricFamily.of("", Metric.counter(name, help, Value::value), values);
  }

  /** Returns what is always 1, for its labels. */
  public static MetricFamily info(String name, String help, Labels labels) {
    return MetricFamily.of(
        "", Metric.untyped(name, help, Value::value), List.of(new Value(labels, 1)));
  }
}
