package io.mayflymq.server.management.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The overview of a cluster, from those of its nodes. */
public final class ClusterOverview {
  /** The names of the nodes whose counters are missing in the totals. */
  public static final String INCOMPLETE = "totals_without_nodes";

  private static final List<String> SUMS =
      List.of("message_stats", "churn_rates", "queue_totals", "object_totals");

  /** Every node knows all of these. */
  private static final List<String> COMMON = List.of("exchanges", "queues");

  private static final List<String> LISTS = List.of("listeners", "contexts");

  private ClusterOverview() {}

  /**
   * Returns it.
   *
   * @param here of this node
   * @param others of those that have answered
   * @param missing the names of those that have not
   */
  @SuppressWarnings("unchecked") // these fields are objects of JSON
  public static Map<String, Object> of(
      Map<String, Object> here, List<Map<String, Object>> others, List<String> missing) {
    Map<String, Object> all = new LinkedHashMap<>(here);
    for (String field : SUMS) {
      if (here.get(field) instanceof Map<?, ?> own) {
        all.put(
            field,
            JsonSums.of(
                (Map<String, Object>) own,
                others.stream()
                    .map(other -> other.get(field))
                    .filter(Map.class::isInstance)
                    .map(other -> (Map<String, Object>) other)
                    .toList()));
      }
    }
    if (here.get("object_totals") instanceof Map<?, ?> own) {
      Map<String, Object> totals = (Map<String, Object>) all.get("object_totals");
      COMMON.forEach(kind -> totals.put(kind, own.get(kind)));
    }
    for (String field : LISTS) {
      if (here.get(field) instanceof List<?> own) {
        List<Object> together = new ArrayList<>(own);
        others.forEach(
            other -> together.addAll(other.get(field) instanceof List<?> list ? list : List.of()));
        all.put(field, together);
      }
    }
    if (!missing.isEmpty()) {
      all.put(INCOMPLETE, missing);
    }
    return all;
  }
}
