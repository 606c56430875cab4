package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.metrics.DashboardQuery.Selector;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * RabbitMQ's dashboard RabbitMQ-Overview, of 4.3 and 3.13, finds data for every panel in a scrape
 * of a busy broker. All of its panels have a meaning here.
 */
@BlackBox
@OwnBroker
class OverviewDashboardIT {
  private static final Pattern CLUSTER = Pattern.compile("rabbitmq_cluster=\"([^\"]*)\"");

  private static EmbeddedBroker broker;
  private static BusyBroker busy;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    port = Broker.freePort();
    broker =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .start();
    busy = BusyBroker.start(broker.factory());
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      busy.close();
    } finally {
      broker.close();
    }
  }

  private static ScrapedText scrape() throws Exception {
    return ScrapedText.of(port, "/metrics", "application/openmetrics-text;version=1.0.0");
  }

  private static String cluster(ScrapedText scrape) {
    return scrape.samples("rabbitmq_identity_info").stream()
        .map(CLUSTER::matcher)
        .filter(label -> label.find())
        .map(label -> label.group(1))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyQueryOfRabbitMqsOverviewDashboardFindsData() {
    List<DashboardQuery> queries = DashboardQuery.ofOverview();
    assertThat(queries).hasSizeGreaterThan(50);
    await().atMost(Patience.TIME).untilAsserted(() -> assertAllFindData(queries, scrape()));
  }

  private static void assertAllFindData(List<DashboardQuery> queries, ScrapedText scrape) {
    SoftAssertions softly = new SoftAssertions();
    for (DashboardQuery query : queries) {
      for (Selector selector : query.with("rabbitmq_cluster", cluster(scrape)).selectors()) {
        softly
            .assertThat(scrape.values(selector.metric(), selector.labels()))
            .as("%s of panel %s", selector, query.panel())
            .isNotEmpty()
            .anyMatch(value -> value > 0);
      }
    }
    softly.assertAll();
  }

  /** Sums and rates of several counters show nothing if one of them has no sample. */
  @Test
  void countersOfARestedBrokerAreThereToo() throws Exception {
    int otherPort = Broker.freePort();
    try (EmbeddedBroker rested =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", otherPort)
            .start()) {
      assertThat(rested.isAlive()).isTrue();
      ScrapedText scrape =
          ScrapedText.of(otherPort, "/metrics", "application/openmetrics-text;version=1.0.0");
      for (DashboardQuery query : DashboardQuery.ofOverview()) {
        for (Selector selector : query.with("rabbitmq_cluster", cluster(scrape)).selectors()) {
          assertThat(scrape.values(selector.metric(), selector.labels()))
              .as("%s of panel %s", selector, query.panel())
              .isNotEmpty();
        }
      }
    }
  }
}
