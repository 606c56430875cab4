package io.mayflymq.server.ctl;

import io.mayflymq.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shows what a change of policies would do, from the dry run of the API. */
final class DryRun {
  private static final List<String> COUNTS =
      List.of("expiring", "overflowing", "dead_lettered", "dropped");

  private DryRun() {}

  static Result of(Object answer) {
    Map<String, Object> forecast = Api.object(answer);
    List<String> lines = new ArrayList<>();
    if (forecast.get("effect") != null) {
      lines.add("The policy " + Api.text(forecast.get("effect"), "summary"));
    }
    lines.add("");
    lines.add("messages that would expire: " + forecast.get("expiring"));
    lines.add("messages over the length limit: " + forecast.get("overflowing"));
    lines.add("  of both, dead-lettered: " + forecast.get("dead_lettered"));
    lines.add("  of both, dropped: " + forecast.get("dropped"));
    lines.add("queues that would begin to expire: " + forecast.get("starting_to_expire"));
    lines.add("queues that would be gone at once: " + forecast.get("expiring_queues"));
    List<Map<String, Object>> queues = objects(forecast.get("queues"));
    lines.add("\nQueues that would change: " + queues.size());
    queues.forEach(queue -> lines.add(line(queue)));
    List<Map<String, Object>> exchanges = objects(forecast.get("exchanges"));
    lines.add("\nExchanges that would change: " + exchanges.size());
    exchanges.forEach(
        exchange ->
            lines.add(
                "  %s: alternate-exchange %s -> %s"
                    .formatted(
                        name(exchange),
                        orNone(exchange.get("before")),
                        orNone(exchange.get("after")))));
    return new Result.Value(forecast, String.join("\n", lines));
  }

  private static List<Map<String, Object>> objects(Object list) {
    return ((List<?>) list).stream().map(Api::object).toList();
  }

  private static Object orNone(Object value) {
    return value == null ? "(none)" : value;
  }

  /** In which virtual host, if there are many. */
  private static String name(Map<String, Object> object) {
    Object vhost = object.get("vhost");
    return vhost == null
        ? String.valueOf(object.get("name"))
        : "%s in vhost '%s'".formatted(object.get("name"), vhost);
  }

  private static String line(Map<String, Object> queue) {
    List<String> effects = new ArrayList<>();
    for (String count : COUNTS) {
      if (ControlValues.number(queue, count) > 0) {
        effects.add(queue.get(count) + " " + count.replace('_', '-'));
      }
    }
    if (Boolean.TRUE.equals(queue.get("expires_now"))) {
      effects.add("gone at once");
    } else if (Boolean.TRUE.equals(queue.get("starts_to_expire"))) {
      Object left = queue.get("expires_in");
      effects.add("begins to expire" + (left == null ? "" : ", in %s ms".formatted(left)));
    }
    return "  %s: %s -> %s%s"
        .formatted(
            name(queue),
            JsonWriter.text(queue.get("before")),
            JsonWriter.text(queue.get("after")),
            effects.isEmpty() ? "" : " (" + String.join(", ", effects) + ")");
  }
}
