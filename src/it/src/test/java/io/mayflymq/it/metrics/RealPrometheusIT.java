package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
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
  /** As Grafana chooses it: four times the interval of scrapes, at least. */
  private static final String RATE_INTERVAL = "8s";

  private static final int SCRAPES = 8;

  @TempDir static Path directory;

  private static BrokerProcess broker;
  private static BusyBroker busy;
  private static PrometheusProcess prometheus;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    PrometheusTools.requireInstalled();
    port = BrokerProcess.freePort();
    broker =
        BrokerProcess.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .start();
    busy = BusyBroker.start(broker.factory());
    prometheus = PrometheusProcess.start(directory, port);
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
    awaitData(
        DashboardQuery.ofOverview().stream()
            .map(query -> query.with("rabbitmq_cluster", cluster))
            .toList());
  }

  @Test
  void queriesOfOurOwnDashboardFindData() throws Exception {
    prometheus.awaitScrapes(SCRAPES);
    JsonNode dashboard =
        new ObjectMapper()
            .readTree(PrometheusTools.CONFIG.resolve("grafana/mayflymq.json").toFile());
    List<DashboardQuery> queries = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        queries.add(
            new DashboardQuery(panel.get("title").asText(), target.get("expr").asText())
                .with("instance", "127.0.0.1:" + port));
      }
    }
    assertThat(queries).hasSizeGreaterThan(50);
    awaitData(queries);
  }

  /** A rate needs two scrapes, and a quotient something that has happened between them. */
  private static void awaitData(List<DashboardQuery> queries) {
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> {
              SoftAssertions softly = new SoftAssertions();
              for (DashboardQuery query : queries) {
                String text =
                    query.with("__rate_interval", RATE_INTERVAL).with("__range", "1m").text();
                JsonNode found = prometheus.query(text);
                softly
                    .assertThat(found)
                    .as("%s: %s", query.panel(), text)
                    .isNotEmpty()
                    .noneMatch(sample -> sample.get("value").get(1).asText().equals("NaN"));
              }
              softly.assertAll();
            });
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
