package io.mayflymq.server.management.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests how the overviews of nodes become one. */
class ClusterOverviewTest {
  private static Map<String, Object> rate(double rate) {
    return Json.object("rate", rate);
  }

  @Test
  void countsOfAllNodesAreAddedAndWhatAllKnowIsNot() {
    Map<String, Object> here =
        Json.object(
            "node", "a",
            "message_stats", Json.object("publish", 3L, "publish_details", rate(0.1)),
            "object_totals", Json.object("connections", 1, "queues", 7, "exchanges", 8),
            "listeners", List.of("la"));
    Map<String, Object> there =
        Json.object(
            "node", "b",
            "message_stats", Json.object("publish", 4L, "publish_details", rate(0.2), "ack", 2L),
            "object_totals", Json.object("connections", 5L, "queues", 7L, "exchanges", 8L),
            "listeners", List.of("lb"));
    assertThat(ClusterOverview.of(here, List.of(there), List.of("c")))
        .isEqualTo(
            Json.object(
                "node", "a",
                "message_stats",
                    Json.object("publish", 7L, "publish_details", rate(0.3), "ack", 2L),
                "object_totals", Json.object("connections", 6L, "queues", 7, "exchanges", 8),
                "listeners", List.of("la", "lb"),
                "totals_without_nodes", List.of("c")));
  }

  @Test
  void samplesAreAddedByTheirMoments() {
    Map<String, Object> here =
        Json.object(
            "samples",
            List.of(
                Json.object("sample", 5L, "timestamp", 20_000L),
                Json.object("sample", 1L, "timestamp", 10_000L)));
    Map<String, Object> there =
        Json.object(
            "samples",
            List.of(
                Json.object("sample", 7L, "timestamp", 30_000L),
                Json.object("sample", 3L, "timestamp", 20_000L)));
    assertThat(JsonSums.of(here, List.of(there)))
        .isEqualTo(
            Json.object(
                "samples",
                List.of(
                    Json.object("sample", 8L, "timestamp", 20_000L),
                    Json.object("sample", 1L, "timestamp", 10_000L))));
  }
}
