package io.mayflymq.it.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A query of a dashboard.
 *
 * @param panel the title of the panel that shows it
 * @param text in the query language of Prometheus, with the variables of Grafana
 */
record DashboardQuery(String panel, String text) {
  private static final Pattern LISTS = Pattern.compile("\\b(on|by|group_left) *\\([^)]*\\)");
  private static final Pattern METRIC = Pattern.compile("(rabbitmq_\\w+)(\\{[^}]*})?");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  private static final String IDENTITY =
      "rabbitmq_identity_info{rabbitmq_cluster=\"$rabbitmq_cluster\", namespace=\"$namespace\","
          + " rabbitmq_endpoint=\"$endpoint\"}";
  private static final String JOIN =
      "on(instance, job) group_left(rabbitmq_cluster, rabbitmq_node) " + IDENTITY;

  /**
   * A metric that a query reads.
   *
   * @param labels that its samples must have; an empty value stands for a label that is absent
   */
  record Selector(String metric, Map<String, String> labels) {}

  /** Returns the queries of RabbitMQ's dashboard RabbitMQ-Overview, of 4.3 and of 3.13. */
  static List<DashboardQuery> ofOverview() {
    return of("overview-dashboard.txt");
  }

  /** Returns the queries of RabbitMQ's dashboard RabbitMQ-Quorum-Queues-Raft, of 4.3 and 3.13. */
  static List<DashboardQuery> ofRaft() {
    return of("raft-dashboard.txt");
  }

  /** Returns what a dashboard and the alerting rules of RabbitMQ's cluster operator read. */
  static List<DashboardQuery> ofOperator() {
    return of("operator-queries.txt");
  }

  private static List<DashboardQuery> of(String resource) {
    try (InputStream file = DashboardQuery.class.getResourceAsStream(resource);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\t", 2))
          .map(parts -> new DashboardQuery(parts[0], parts[1]))
          .map(
              query ->
                  query
                      .replace("\\bIDENTITY\\b", IDENTITY)
                      .replace("\\bID\\b", JOIN)
                      .replace("\\$namespace\\b", "")
                      .replace("\\$endpoint\\b", "aggregated"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the queries of our own dashboard, by the title of the row that they are in. */
  static Map<String, List<DashboardQuery>> ofOwnByRow() {
    Map<String, List<DashboardQuery>> rows = new LinkedHashMap<>();
    List<DashboardQuery> row = new ArrayList<>();
    for (JsonNode panel : ownDashboard().get("panels")) {
      String title = panel.get("title").asText();
      if (panel.get("type").asText().equals("row")) {
        row = new ArrayList<>();
        rows.put(title, row);
      }
      for (JsonNode target : panel.path("targets")) {
        row.add(new DashboardQuery(title, target.get("expr").asText()));
      }
    }
    return rows;
  }

  private static JsonNode ownDashboard() {
    try {
      return new ObjectMapper()
          .readTree(PrometheusTools.CONFIG.resolve("grafana/mayflymq.json").toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the query with this value of a variable. */
  DashboardQuery with(String variable, String value) {
    return replace(Pattern.quote("$" + variable) + "\\b", value);
  }

  private DashboardQuery replace(String pattern, String by) {
    return new DashboardQuery(panel, text.replaceAll(pattern, Matcher.quoteReplacement(by)));
  }

  /** Returns what it reads. */
  List<Selector> selectors() {
    return METRIC
        .matcher(LISTS.matcher(text).replaceAll(" "))
        .results()
        .map(found -> new Selector(found.group(1), labels(found.group(2))))
        .distinct()
        .toList();
  }

  private static Map<String, String> labels(String text) {
    return text == null
        ? Map.of()
        : LABEL
            .matcher(text)
            .results()
            .collect(Collectors.toMap((MatchResult label) -> label.group(1), l -> l.group(2)));
  }
}
