package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.SoftAssertions;

/** A Prometheus that scrapes brokers each second, with our alerting rules. */
final class PrometheusProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** As Grafana chooses it: four times the interval of scrapes, at least. */
  private static final String RATE_INTERVAL = "8s";

  private final Process process;
  private final int port;
  private final int targets;
  private final Path log;

  private PrometheusProcess(Process process, int port, int targets, Path log) {
    this.process = process;
    this.port = port;
    this.targets = targets;
    this.log = log;
  }

  /**
   * Starts it.
   *
   * @param directory an empty one
   * @param scraped the ports where brokers are scraped
   */
  static PrometheusProcess start(Path directory, List<Integer> scraped) throws IOException {
    return start(directory, scraped, List.of());
  }

  /**
   * Starts it, and lets it scrape detailed metrics, too, as RabbitMQ's cluster operator does: under
   * the same labels.
   *
   * @param families the families of these
   */
  static PrometheusProcess start(Path directory, List<Integer> scraped, List<String> families)
      throws IOException {
    int port = Broker.freePort();
    Path config =
        Files.writeString(
            directory.resolve("prometheus.yml"),
            String.join(
                "\n",
                "global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}",
                "rule_files:",
                "  - " + PrometheusTools.CONFIG.resolve("prometheus/mayflymq-alerts.yml"),
                "scrape_configs:",
                "  - job_name: mayfly",
                "    scrape_timeout: 1s",
                "    static_configs:",
                "      - targets: " + scraped.stream().map(PrometheusProcess::target).toList(),
                families.isEmpty() ? "" : detailed(scraped, families)));
    Path log = directory.resolve("prometheus.log");
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port,
                "--log.level=warn")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new PrometheusProcess(process, port, scraped.size(), log);
  }

  private static String detailed(List<Integer> scraped, List<String> families) {
    return String.join(
        "\n",
        "  - job_name: detailed",
        "    scrape_timeout: 1s",
        "    metrics_path: /metrics/detailed",
        "    params: {family: " + families + "}",
        "    relabel_configs: [{target_label: job, replacement: mayfly}]",
        "    static_configs:",
        "      - targets: " + scraped.stream().map(PrometheusProcess::target).toList(),
        "");
  }

  private static String target(int scraped) {
    return "'127.0.0.1:" + scraped + "'";
  }

  /** Waits until it has scraped each broker this many times with success. */
  void awaitScrapes(int count) {
    await()
        .atMost(Patience.TIME)
        .ignoreExceptionsInstanceOf(IOException.class)
        .untilAsserted(
            () -> {
              assertThat(process.isAlive()).as(() -> log()).isTrue();
              JsonNode found = query("sum_over_time(up{job=\"mayfly\"}[10m])");
              assertThat(found)
                  .hasSize(targets)
                  .allMatch(sample -> sample.get("value").get(1).asInt() >= count);
            });
  }

  /**
   * Waits until all of these queries find something. A rate needs two scrapes, and a quotient
   * something that has happened between them.
   */
  void awaitData(List<DashboardQuery> queries) {
    await()
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> {
              SoftAssertions softly = new SoftAssertions();
              for (DashboardQuery query : queries) {
                String text =
                    query.with("__rate_interval", RATE_INTERVAL).with("__range", "1m").text();
                softly
                    .assertThat(query(text))
                    .as("%s: %s", query.panel(), text)
                    .isNotEmpty()
                    .noneMatch(sample -> sample.get("value").get(1).asText().equals("NaN"));
              }
              softly.assertAll();
            });
  }

  private String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** Returns the samples that a query finds now. */
  JsonNode query(String query) throws IOException, InterruptedException {
    return get("query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)).get("result");
  }

  /** Returns the alerts that are firing now. */
  List<JsonNode> firingAlerts() throws IOException, InterruptedException {
    List<JsonNode> firing = new ArrayList<>();
    for (JsonNode alert : get("alerts").get("alerts")) {
      if (alert.get("state").asText().equals("firing")) {
        firing.add(alert);
      }
    }
    return firing;
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response =
        CLIENT.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/" + path))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
    return JSON.readTree(response.body()).get("data");
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
