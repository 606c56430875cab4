package io.mayflymq.server.metrics.family;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import java.util.List;

/** What a histogram has, with its labels. */
public record Distribution(Labels labels, Histogram.Reading values) {
  /** Returns a histogram with one set of labels. */
  public static MetricFamily histogram(
      String name, String help, Labels labels, Histogram.Reading values) {
    return histogram(name, help, List.of(new Distribution(labels, values)));
  }

  /** Returns a histogram with several sets of labels. */
  public static MetricFamily histogram(String name, String help, List<Distribution> parts) {
    return MetricFamily.of(
        new HistogramSnapshot(
            new MetricMetadata(name, help), parts.stream().map(Distribution::point).toList()));
  }

  private HistogramDataPointSnapshot point() {
    return new HistogramDataPointSnapshot(
        ClassicHistogramBuckets.of(values.bounds(), values.counts()),
        values.sum(),
        labels,
        Exemplars.EMPTY,
        0);
  }
}
