package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real Prometheus scrapes a broker under load: it accepts the metrics, answers the queries of the
 * dashboards, and evaluates the alerting rules. Skipped where Debian's package prometheus is not
 * installed, unless the environment variable {@code CI} is set.
 */
@BlackBox
@OwnBroker
class RealPrometheusIT {
  private static final int SCRAPES = 8;

  @TempDir static Path directory;

  private static EmbeddedBroker broker;
  private static BusyBroker busy;
  private static PrometheusProcess prometheus;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    PrometheusTools.requireInstalled();
    port = Broker.freePort();
    broker =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .start();
    busy = BusyBroker.start(broker.factory());
    prometheus = PrometheusProcess.start(directory, List.of(port));
  }

  @AfterAll
  static void stop() throws Exception {
    if (prometheus != null) {
      prometheus.close();
    }
    if (busy != null) {
      busy.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/metrics",
        "/metrics/per-object",
        "/metrics/detailed?family=queue_metrics&family=channel_metrics&family=exchange_metrics"
      })
  void promtoolHasNothingToSayAboutTheMetrics(String path) throws Exception {
    Path scrape = Files.createTempFile(directory, "scrape", ".txt");
    Files.write(scrape, ScrapedText.of(port, path, "text/plain;version=0.0.4").lines());
    PrometheusTools.promtool(scrape, "check", "metrics");
  }

  @Test
  void alertingRulesAreValidAndFireWhenTheyShould() throws Exception {
    Path rules = directory.resolve("mayflymq-alerts.yml");
    Files.copy(PrometheusTools.CONFIG.resolve("prometheus/mayflymq-alerts.yml"), rules);
    Path tests = directory.resolve("alerts-test.yml");
    Files.copy(RealPrometheusIT.class.getResourceAsStream("alerts-test.yml"), tests);
    PrometheusTools.promtool(null, "check", "rules", rules.toString());
    PrometheusTools.promtool(null, "test", "rules", tests.toString());
  }

  @Test
  void queriesOfRabbitMqsOverviewDashboardFindData() throws Exception {
    prometheus.awaitScrapes(SCRAPES);
    JsonNode identity = prometheus.query("rabbitmq_identity_info");
    assertThat(identity).hasSize(1);
    String cluster = identity.get(0).get("metric").get("rabbitmq_cluster").asText();
    prometheus.awaitData(
        DashboardQuery.ofOverview().stream()
            .map(query -> query.with("rabbitmq_cluster", cluster))
            .toList());
  }

  /** The operator lets Prometheus scrape two endpoints of a broker. */
  @Test
  void queriesOfRabbitMqsOperatorFindData(@TempDir Path own) throws Exception {
    try (PrometheusProcess both =
        PrometheusProcess.start(
            own, List.of(port), List.of("queue_coarse_metrics", "queue_consumer_count"))) {
      both.awaitScrapes(SCRAPES);
      String cluster =
          both.query("rabbitmq_identity_info{rabbitmq_endpoint=\"detailed\"}")
              .get(0)
              .get("metric")
              .get("rabbitmq_cluster")
              .asText();
      both.awaitData(
          DashboardQuery.ofOperator().stream()
              .map(query -> query.with("rabbitmq_cluster", cluster))
              .toList());
    }
  }

  /** {@link ReplicaDashboardIT} does the same with the rest of it. */
  @Test
  void queriesOfOurOwnDashboardFindData() throws Exception {
    prometheus.awaitScrapes(SCRAPES);
    Map<String, List<DashboardQuery>> rows = DashboardQuery.ofOwnByRow();
    assertThat(rows.remove(ReplicaDashboardIT.ROW)).isNotNull();
    List<DashboardQuery> queries = rows.values().stream().flatMap(List::stream).toList();
    assertThat(queries).hasSizeGreaterThan(50);
    prometheus.awaitData(
        queries.stream().map(query -> query.with("instance", "127.0.0.1:" + port)).toList());
  }

  /** A slow machine may have long bursts and forced writes. */
  @Test
  void noAlertIsRaisedByLoadAlone() throws Exception {
    prometheus.awaitScrapes(SCRAPES);
    assertThat(prometheus.firingAlerts())
        .extracting(alert -> alert.get("labels").get("alertname").asText())
        .isSubsetOf("MayflyMQEventLoopStalls", "MayflyMQEventLoopBusy", "MayflyMQDiskSlow");
  }
}
