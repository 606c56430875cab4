package io.mayflymq.server.metrics;

import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.List;

/**
 * A summary without quantiles.
 *
 * @param count how many values there were
 * @param sum their sum
 */
record Summary(Labels labels, long count, double sum) {
  /** Returns a summary with several sets of labels. */
  public static MetricFamily of(String name, String help, List<Summary> points) {
    return MetricFamily.of(
        new SummarySnapshot(
            new MetricMetadata(name, help),
            points.stream()
                .map(
                    point ->
                        new SummaryDataPointSnapshot(
                            point.count,
                            point.sum,
                            Quantiles.EMPTY,
                            point.labels,
                            Exemplars.EMPTY,
                            0))
                .toList()));
  }
}
