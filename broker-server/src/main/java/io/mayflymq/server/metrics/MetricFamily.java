package io.mayflymq.server.metrics;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** One metric with its samples, which are read in slices. */
@FunctionalInterface
interface MetricFamily {
  /** How many objects a slice has. */
  int SLICE = 256;

  /** Returns the slices in order; at least one, and all of the same name and type. */
  Stream<MetricSnapshot> slices();

  /** Returns a family that is short. */
  static MetricFamily of(MetricSnapshot whole) {
    return () -> Stream.of(whole);
  }

  /** Returns the family of a metric of these objects. */
  static <T extends Metric.Labelled> MetricFamily of(
      String prefix, Metric<? super T> metric, List<T> objects) {
    return () -> slices(objects).map(slice -> metric.snapshot(prefix, slice));
  }

  /** Returns a list in slices; at least one, which may be empty. */
  static <T> Stream<List<T>> slices(List<T> objects) {
    int slices = Math.max(1, (objects.size() + SLICE - 1) / SLICE);
    return IntStream.range(0, slices)
        .map(slice -> slice * SLICE)
        .mapToObj(from -> objects.subList(from, Math.min(from + SLICE, objects.size())));
  }

  /** Returns the families of metrics of these objects. */
  static <T extends Metric.Labelled> Stream<MetricFamily> all(
      String prefix, List<? extends Metric<? super T>> metrics, List<T> objects) {
    return metrics.stream().map(metric -> of(prefix, metric, objects));
  }
}
