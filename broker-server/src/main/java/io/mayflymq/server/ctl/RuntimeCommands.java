package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a node's process uses and is made of, and the counts that it keeps. */
final class RuntimeCommands {
  private static final String UNIT = "--unit";

  /** How many bytes a unit has. */
  private static final Map<String, Double> UNITS = Map.of("bytes", 1.0, "mb", 1e6, "gb", 1e9);

  private static final String VARIABLE = "MAYFLY_";
  private static final String SIZE = "Message Size";
  private static final String COUNT = "Count";
  private static final String PERCENTAGE = "Percentage";

  /** RabbitMQ's names for the buckets of sizes. */
  private static final List<String> SIZES =
      List.of(
          "below 100B",
          "between 100B and 1KB",
          "between 1KB and 10KB",
          "between 10KB and 100KB",
          "between 100KB and 1MB",
          "between 1MB and 10MB",
          "between 10MB and 50MB",
          "between 50MB and 100MB",
          "above 100MB");

  private RuntimeCommands() {}

  public static List<Command> all() {
    return Stream.of(own(), TlsCommands.all()).flatMap(List::stream).toList();
  }

  private static List<Command> own() {
    return List.of(
        Command.named("memory_breakdown", "Tells what takes the memory of the node")
            .option(Option.text("<unit>", "bytes, mb or gb; gb if not given", UNIT))
            .shownAs(OutputFormat.STRING)
            .action(RuntimeCommands::memory),
        Command.named("message_size_stats", "Counts messages by the size of their bodies")
            .noting(
                "Those that clients have published to the nodes that answer, since their start.")
            .shownAs(OutputFormat.PRETTY_TABLE)
            .action(RuntimeCommands::sizes),
        Command.named(
                "os_env", "Lists the environment variables that set keys of the configuration")
            .shownAs(OutputFormat.STRING)
            .action(RuntimeCommands::variables),
        Command.named("list_channel_interceptors", "Lists interceptors of channels: there are none")
            .action(RuntimeCommands::interceptors),
        Command.named("command_line_arguments", "Lists the arguments of the node's Java")
            .shownAs(OutputFormat.STRING)
            .action(RuntimeCommands::arguments),
        Command.named("discover_peers", "Lists the nodes of the cluster")
            .shownAs(OutputFormat.STRING)
            .action(RuntimeCommands::peers),
        Command.named(
                "reset_stats_db", "Forgets the samples of the past; counters keep their values")
            .option(Option.flag("of all nodes", "--all"))
            .action(RuntimeCommands::resetSamples),
        Command.named(
                "reset_node_auth_attempt_metrics", "Sets the counts of logins at the API to zero")
            .action(RuntimeCommands::resetAttempts));
  }

  private static Result memory(Invocation invocation) {
    String given = invocation.option(UNIT);
    String unit = given == null ? "gb" : given.toLowerCase(Locale.ROOT);
    if (!UNITS.containsKey(unit)) {
      throw ControlException.usage(
          "unit '%s' is not supported. Please use one of: bytes, mb, gb".formatted(given));
    }
    invocation.banner("Reporting memory breakdown on node %s...", invocation.node());
    Map<String, Object> memory =
        Api.object(
            Api.object(invocation.api().get(Api.path("nodes", invocation.node(), "memory")))
                .get("memory"));
    double all = ((Number) Api.object(memory.get("total")).get("rss")).doubleValue();
    Map<String, Object> parts = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    parts(memory)
        .forEach(
            part -> {
              double bytes = ((Number) part.getValue()).doubleValue();
              double percent = Math.round(10_000 * bytes / all) / 100.0;
              parts.put(
                  part.getKey(), Json.object("bytes", part.getValue(), "percentage", percent));
              lines.add(
                  "%s: %s %s (%s%%)".formatted(part.getKey(), in(bytes, unit), unit, percent));
            });
    return new Result.Value(parts, String.join("\n", lines));
  }

  /** Returns the parts, the largest first; what Java alone has is contained in others. */
  private static List<Map.Entry<String, Object>> parts(Map<String, Object> memory) {
    return memory.entrySet().stream()
        .filter(part -> part.getValue() instanceof Number && !part.getKey().startsWith("heap_"))
        .sorted(
            Collections.reverseOrder(
                Comparator.comparingLong(part -> ((Number) part.getValue()).longValue())))
        .toList();
  }

  private static String in(double bytes, String unit) {
    return unit.equals("bytes")
        ? String.valueOf((long) bytes)
        : String.valueOf(Math.round(bytes / UNITS.get(unit) * 10_000) / 10_000.0);
  }

  private static Result arguments(Invocation invocation) {
    invocation.banner("Command line arguments of node %s ...", invocation.node());
    Object arguments = Api.object(invocation.api().control("GET", "jvm", null)).get("arguments");
    return new Result.Value(
        arguments,
        ((List<?>) arguments).stream().map(String::valueOf).collect(Collectors.joining("\n")));
  }

  private static Result sizes(Invocation invocation) {
    invocation.banner(
        "Gathering message size statistics across the cluster using node %s ...",
        invocation.node());
    List<Long> counts =
        ((List<?>) Api.object(invocation.api().control("GET", "message-sizes", null)).get("counts"))
            .stream().map(count -> ((Number) count).longValue()).toList();
    long all = counts.stream().mapToLong(Long::longValue).sum();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < counts.size(); i++) {
      double percent = all == 0 ? 0 : 100.0 * counts.get(i) / all;
      rows.add(
          Json.object(
              SIZE,
              SIZES.get(i),
              COUNT,
              counts.get(i),
              PERCENTAGE,
              String.format(Locale.ROOT, "%.2f", percent)));
    }
    return new Result.Rows(List.of(SIZE, COUNT, PERCENTAGE), rows);
  }

  private static Result variables(Invocation invocation) {
    invocation.banner(
        "Listing environment variables that set keys of node %s...", invocation.node());
    Map<String, Object> variables = new TreeMap<>();
    for (Object each : (List<?>) invocation.api().control("GET", "environment", null)) {
      Map<String, Object> setting = Api.object(each);
      String source = String.valueOf(setting.get("source"));
      if (source.startsWith(VARIABLE)) {
        variables.put(source, setting.get("value"));
      }
    }
    return new Result.Value(
        Json.object("node", invocation.node(), "result", "ok", "variables", variables),
        variables.entrySet().stream()
            .map(variable -> variable.getKey() + "=" + variable.getValue())
            .collect(Collectors.joining("\n")));
  }

  private static Result interceptors(Invocation invocation) {
    invocation.banner("Listing channel interceptors ...");
    invocation.api().isBrokerRunning();
    return new Result.Rows(List.of("name", "priority"), List.of());
  }

  private static Result peers(Invocation invocation) {
    invocation.banner("Discovering peers nodes ...");
    List<String> names =
        invocation.api().list("nodes?columns=name").stream()
            .map(node -> String.valueOf(node.get("name")))
            .toList();
    return new Result.Value(names, Term.erlang(Term.atoms(names)));
  }

  private static Result resetSamples(Invocation invocation) {
    boolean all = invocation.flag("--all");
    invocation.banner(
        all
            ? "Resetting statistics database in all nodes"
            : "Resetting statistics database on node %s",
        invocation.node());
    invocation.api().delete(all ? "reset" : Api.path("reset", invocation.node()));
    return Result.DONE;
  }

  private static Result resetAttempts(Invocation invocation) {
    invocation.banner("Reset auth attempt metrics on node %s ...", invocation.node());
    invocation.api().delete(Api.path("auth", "attempts", invocation.node()));
    return Result.DONE;
  }
}
