package io.mayflymq.server.metrics;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counts;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * A metric that objects of one kind have.
 *
 * @param name without prefix; that of a counter ends with {@code _total}
 * @param help a sentence
 * @param value reads the value of an object; NaN if the object has none
 */
record Metric<T extends Metric.Labelled>(
    String name, Type type, String help, ToDoubleFunction<? super T> value) {
  private static final String TOTAL = "_total";

  /** An object with metrics, or the sum of all. */
  public interface Labelled {
    /** Returns the labels of its samples. */
    Labels labels();
  }

  /** An object with counters, or the sum of all. */
  public interface Counted extends Labelled {
    /** Returns its counters. */
    Counts counts();
  }

  /** The types, and how the library represents a family of them. */
  public enum Type {
    COUNTER {
      @Override
      MetricSnapshot snapshot(String name, String help, List<Point> points) {
        return new CounterSnapshot(
            new MetricMetadata(name.substring(0, name.length() - TOTAL.length()), help),
            convert(
                points, point -> new CounterDataPointSnapshot(point.value, point.labels, null, 0)));
      }
    },
    GAUGE {
      @Override
      MetricSnapshot snapshot(String name, String help, List<Point> points) {
        return new GaugeSnapshot(
            new MetricMetadata(name, help),
            convert(points, point -> new GaugeDataPointSnapshot(point.value, point.labels, null)));
      }
    },
    UNTYPED {
      @Override
      MetricSnapshot snapshot(String name, String help, List<Point> points) {
        return new UnknownSnapshot(
            new MetricMetadata(name, help),
            convert(
                points, point -> new UnknownDataPointSnapshot(point.value, point.labels, null)));
      }
    };

    abstract MetricSnapshot snapshot(String name, String help, List<Point> points);

    private static <D> List<D> convert(List<Point> points, Function<Point, D> converter) {
      return points.stream().map(converter).toList();
    }
  }

  private record Point(Labels labels, double value) {}

  public static <T extends Labelled> Metric<T> gauge(
      String name, String help, ToDoubleFunction<? super T> value) {
    return new Metric<>(name, Type.GAUGE, help, value);
  }

  public static <T extends Labelled> Metric<T> counter(
      String name, String help, ToDoubleFunction<? super T> value) {
    return new Metric<>(name, Type.COUNTER, help, value);
  }

  public static <T extends Labelled> Metric<T> untyped(
      String name, String help, ToDoubleFunction<? super T> value) {
    return new Metric<>(name, Type.UNTYPED, help, value);
  }

  /** Returns a metric that is the sum of counters. */
  public static <T extends Counted> Metric<T> counter(
      String name, String help, Counter... counters) {
    return counter(
        name, help, object -> Arrays.stream(counters).mapToLong(object.counts()::get).sum());
  }

  /** Returns the values of these objects. */
  public MetricSnapshot snapshot(String prefix, List<? extends T> objects) {
    return type.snapshot(
        prefix + name,
        help,
        objects.stream()
            .map(object -> new Point(object.labels(), value.applyAsDouble(object)))
            .filter(point -> !Double.isNaN(point.value))
            .toList());
  }
}
