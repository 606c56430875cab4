package io.mayflymq.server.metrics;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.stream.Stream;

/** The metrics of the Java virtual machine and of its process. Registered by the first scrape. */
final class Jvm {
  private static final PrometheusRegistry REGISTRY = new PrometheusRegistry();

  static {
    JvmMetrics.builder().register(REGISTRY);
  }

  private Jvm() {}

  public static Stream<MetricFamily> families() {
    return REGISTRY.scrape().stream().map(MetricFamily::of);
  }
}
