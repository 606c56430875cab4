package io.mayflymq.server.ctl;

import io.mayflymq.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Shows the effective settings of a queue or an exchange, and where each comes from. */
final class Explanation {
  private Explanation() {}

  static Command command() {
    return Command.named(
            "explain_policy",
            "Tells which settings count for a queue or exchange, where each came from, and why"
                + " other policies do not apply")
        .inVhost()
        .arguments("kind", "name")
        .suggesting(List.of("queue", "exchange"))
        .noting("The kind is queue or exchange.")
        .shownAs(OutputFormat.STRING)
        .action(Explanation::explain);
  }

  private static Result explain(Invocation invocation) {
    String kind = invocation.argument(0);
    String name = invocation.argument(1);
    if (!kind.equals("queue") && !kind.equals("exchange")) {
      throw ControlException.usage(
          "Bad argument: kind '%s' should be queue or exchange".formatted(kind));
    }
    String vhost = invocation.vhost();
    invocation.banner("Explaining the settings of %s '%s' in vhost '%s' ...", kind, name, vhost);
    Object answer = invocation.api().find(Api.path(kind + "s", vhost, name, "effective"));
    if (answer == null) {
      throw invocation.api().hasVhost(vhost)
          ? ControlException.error(
              Sysexits.DATA, "There is no %s '%s' in vhost '%s'".formatted(kind, name, vhost))
          : ControlException.noSuchVhost(vhost);
    }
    Map<String, Object> effective = Api.object(answer);
    return new Result.Value(effective, text(effective));
  }

  private static String text(Map<String, Object> effective) {
    List<String> lines = new ArrayList<>();
    lines.add("policy: " + orNone(effective.get("policy")));
    lines.add("operator policy: " + orNone(effective.get("operator_policy")));
    lines.add("\nSettings");
    List<Map<String, Object>> settings = objects(effective.get("settings"));
    settings.forEach(setting -> lines.addAll(setting(setting)));
    if (settings.isEmpty()) {
      lines.add("  (none)");
    }
    Map<String, Object> mistyped = Api.object(effective.get("mistyped_arguments"));
    if (mistyped != null) {
      mistyped.forEach(
          (name, meant) ->
              lines.add(
                  "  unknown argument %s, which has no effect: did you mean %s?"
                      .formatted(name, meant)));
    }
    lines.add("\nPolicies of the virtual host");
    List<Map<String, Object>> candidates = objects(effective.get("candidates"));
    candidates.forEach(candidate -> lines.add(candidate(candidate)));
    if (candidates.isEmpty()) {
      lines.add("  (none)");
    }
    Map<String, Object> deaths = Api.object(effective.get("deaths"));
    if (deaths != null && !deaths.isEmpty()) {
      lines.add("\nMessages that died so far");
      deaths.forEach((name, count) -> lines.add("  " + name + ": " + count));
    }
    return String.join("\n", lines);
  }

  private static List<Map<String, Object>> objects(Object list) {
    return ((List<?>) list).stream().map(Api::object).toList();
  }

  private static Object orNone(Object name) {
    return name == null ? "(none)" : name;
  }

  private static List<String> setting(Map<String, Object> setting) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "  %s = %s, from %s%s"
            .formatted(
                setting.get("key"),
                JsonWriter.text(setting.get("value")),
                origin(setting),
                Boolean.FALSE.equals(setting.get("effect")) ? " (without effect here)" : ""));
    for (Map<String, Object> loser : objects(setting.get("losers"))) {
      lines.add(
          "      %s %s, from %s: %s"
              .formatted(
                  Boolean.TRUE.equals(loser.get("counts")) ? "with" : "not",
                  JsonWriter.text(loser.get("value")),
                  origin(loser),
                  loser.get("reason")));
    }
    return lines;
  }

  private static String origin(Map<String, Object> value) {
    Object policy = value.get("policy");
    return policy == null
        ? "the " + value.get("origin")
        : "%s '%s'%s".formatted(value.get("origin"), policy, ofMany(value));
  }

  private static String ofMany(Map<String, Object> policy) {
    Object vhosts = policy.get("vhosts");
    return vhosts == null ? "" : " for virtual hosts '%s'".formatted(vhosts);
  }

  private static String candidate(Map<String, Object> candidate) {
    Object reason = candidate.get("reason");
    return "  %s '%s'%s (pattern '%s', apply-to %s, priority %s): %s"
        .formatted(
            String.valueOf(candidate.get("kind")).replace('_', ' '),
            candidate.get("name"),
            ofMany(candidate),
            candidate.get("pattern"),
            candidate.get("apply-to"),
            candidate.get("priority"),
            switch ((String) candidate.get("verdict")) {
              case "applies" -> "applies";
              case "added-to" -> "applies " + reason;
              default -> "does not apply: " + reason;
            });
  }
}
