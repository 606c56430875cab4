package io.mayflymq.test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a broker has, for a person who looks for the reason of a failure. */
final class Report {
  private static final int MOST_LINES = 50;

  private final StringBuilder text = new StringBuilder();

  private Report() {}

  static String of(MayflyBroker broker) {
    Report report = new Report();
    Json clock = Json.of(broker.api("GET", "clock", null));
    report.text.append("The broker at ").append(clock.text("now")).append('\n');
    clock.time("next_ms").ifPresent(next -> report.text.append("  next due: " + next + "\n"));
    report.part("queues", broker.queues());
    report.part("bindings", bindings(broker));
    report.part("not acknowledged", unacknowledged(broker));
    report.part("deaths", broker.deaths());
    return report.text.toString().stripTrailing();
  }

  /** The last lines of a list; lists grow at their ends. */
  private void part(String title, List<?> lines) {
    text.append(title).append(lines.isEmpty() ? ": none\n" : ":\n");
    int left = Math.max(0, lines.size() - MOST_LINES);
    if (left > 0) {
      text.append("  (").append(left).append(" more)\n");
    }
    lines.subList(left, lines.size()).forEach(line -> text.append("  ").append(line).append('\n'));
  }

  private static List<String> bindings(MayflyBroker broker) {
    return Json.list(broker.api("GET", "bindings", null)).stream()
        .filter(binding -> !binding.text("source").isEmpty())
        .map(
            binding ->
                "exchange '%s' to %s '%s' by '%s'%s"
                    .formatted(
                        binding.text("source"),
                        binding.text("destination_type"),
                        binding.text("destination"),
                        binding.text("routing_key"),
                        binding.object("arguments").isEmpty()
                            ? ""
                            : " " + binding.object("arguments")))
        .toList();
  }

  private static List<String> unacknowledged(MayflyBroker broker) {
    Map<String, TreeSet<String>> consumers = new TreeMap<>();
    for (Json consumer : Json.list(broker.api("GET", "consumers", null))) {
      consumers
          .computeIfAbsent(
              new Json(consumer.object("channel_details")).text("name"), any -> new TreeSet<>())
          .add(
              "%s of queue '%s'"
                  .formatted(
                      consumer.text("consumer_tag"),
                      new Json(consumer.object("queue")).text("name")));
    }
    List<String> lines = new ArrayList<>();
    for (Json channel : Json.list(broker.api("GET", "channels", null))) {
      long count = channel.number("messages_unacknowledged");
      if (count > 0) {
        lines.add(
            "%d by channel %s, user %s, consumers: %s"
                .formatted(
                    count,
                    channel.text("name"),
                    channel.text("user"),
                    String.join(
                        ", ",
                        consumers.getOrDefault(
                            channel.text("name"), new TreeSet<>(List.of("none, by basic.get"))))));
      }
    }
    return lines;
  }
}
