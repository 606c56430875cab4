package io.mayflymq.server.metrics;

import io.mayflymq.core.security.LoginAttempts;
import io.mayflymq.core.security.LoginAttempts.Protocol;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Logins by protocol. */
record LoginMetrics(LoginAttempts attempts, Protocol protocol) implements Metric.Labelled {
  private static final List<Metric<LoginMetrics>> METRICS =
      List.of(
          Metric.counter(
              "auth_attempts_total",
              "Logins, accepted and refused ones.",
              logins -> logins.succeeded() + logins.failed()),
          Metric.counter(
              "auth_attempts_succeeded_total",
              "Logins that were accepted.",
              LoginMetrics::succeeded),
          Metric.counter(
              "auth_attempts_failed_total", "Logins that were refused.", LoginMetrics::failed));

  /** Returns the families. */
  static Stream<MetricFamily> all(String prefix, LoginAttempts attempts) {
    return MetricFamily.all(
        prefix,
        METRICS,
        Arrays.stream(Protocol.values())
            .map(protocol -> new LoginMetrics(attempts, protocol))
            .toList());
  }

  private double succeeded() {
    return (double) attempts.succeeded(protocol);
  }

  private double failed() {
    return (double) attempts.failed(protocol);
  }

  @Override
  public Labels labels() {
    return Labels.of("protocol", protocol.wireName());
  }
}
