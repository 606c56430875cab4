package io.mayflymq.server.ctl;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/**
 * The commands of {@code rabbitmq-plugins}. MayflyMQ has no plugins: what the listed ones do in
 * RabbitMQ is built in and always there.
 */
final class PluginCommands {
  private static final String NOTHING_CHANGES =
      "They are built in and always enabled. Nothing was changed.";

  private static final String EVENTS = "rabbitmq_event_exchange";
  private static final String EVENTS_NEED_A_KEY =
      "\nEvents are published if the configuration names a virtual host for them:"
          + " event_exchange.vhost.";

  private PluginCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("list", "Lists RabbitMQ's plugins whose function is built in")
            .optionalArgument("pattern")
            .option(Option.flag("those that are enabled: all are", "-E"))
            .option(Option.flag("the same", "-e"))
            .option(Option.flag("only the names", "--minimal", "-m"))
            .option(Option.flag("means nothing here", "--verbose", "-v"))
            .option(Option.flag("means nothing here", "--offline"))
            .option(Option.flag("means nothing here", "--online"))
            .shownAs(OutputFormat.STRING)
            .action(PluginCommands::list),
        Command.named("is_enabled", "Checks that the function of plugins is built in")
            .arguments("plugin")
            .takesMany("plugin")
            .option(Option.flag("means nothing here", "--offline"))
            .option(Option.flag("means nothing here", "--online"))
            .action(PluginCommands::isEnabled),
        changing("enable", "Enables nothing: what is there is built in and always enabled"),
        changing("set", "Enables nothing, and disables nothing"),
        changing("disable", "Refused: what is built in cannot be disabled"),
        Command.named("directories", "Tells that there are no directories of plugins")
            .action(
                invocation ->
                    new Result.Done("MayflyMQ has no plugins, and no directories of plugins")));
  }

  private static Command changing(String name, String description) {
    return Command.named(name, description)
        .takesMany("plugin")
        .option(Option.flag("all", "--all"))
        .option(Option.flag("means nothing here", "--offline"))
        .option(Option.flag("means nothing here", "--online"))
        .action(name.equals("disable") ? PluginCommands::disable : PluginCommands::enable);
  }

  private static Result list(Invocation invocation) {
    String text = invocation.arguments().isEmpty() ? ".*" : invocation.argument(0);
    Pattern pattern;
    try {
      pattern = Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw ControlException.usage(
          Sysexits.DATA,
          "'%s' is not a regular expression: %s".formatted(text, e.getDescription()));
    }
    List<String> names =
        BuildInfo.PLUGINS.stream().filter(name -> pattern.matcher(name).find()).toList();
    invocation.banner("Listing plugins with pattern \"%s\" ...", text);
    List<Map<String, Object>> plugins =
        names.stream()
            .map(
                name ->
                    Json.object(
                        "name",
                        name,
                        "version",
                        BuildInfo.version(),
                        "enabled",
                        "enabled",
                        "running",
                        true))
            .toList();
    List<String> lines = new ArrayList<>();
    if (!invocation.flag("--minimal")) {
      invocation.banner(" Configured: B = built in, cannot be disabled");
      invocation.banner(" | Status: * = running on %s", invocation.node());
      invocation.banner(" |/");
    }
    int width = names.stream().mapToInt(String::length).max().orElse(0);
    for (String name : names) {
      lines.add(
          invocation.flag("--minimal")
              ? name
              : "[B*] " + name + " ".repeat(width - name.length() + 1) + BuildInfo.version());
    }
    return new Result.Value(Map.of("plugins", plugins), String.join("\n", lines));
  }

  private static Result isEnabled(Invocation invocation) {
    List<String> wanted = invocation.arguments();
    String all = String.join(", ", wanted);
    boolean one = wanted.size() == 1;
    invocation.banner(
        one
            ? "Asking node %s if plugin %s is enabled..."
            : "Asking node %s if plugins %s are enabled...",
        invocation.node(),
        all);
    List<String> missing = missing(wanted);
    if (!missing.isEmpty()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "Plugin %s is not enabled on node %s. Enabled plugins and dependencies: %s"
              .formatted(
                  String.join(", ", missing),
                  invocation.node(),
                  String.join(", ", BuildInfo.PLUGINS)));
    }
    return new Result.Done(
        (one ? "Plugin %s is enabled on node %s" : "Plugins %s are enabled on node %s")
            .formatted(all, invocation.node()));
  }

  private static List<String> missing(List<String> wanted) {
    return wanted.stream().filter(name -> !BuildInfo.PLUGINS.contains(name)).toList();
  }

  private static Result enable(Invocation invocation) {
    requireKnown(invocation, "enabled");
    return new Result.Done(
        "The following plugins were asked for:\n%s\n%s"
            .formatted(
                invocation.arguments().stream()
                    .map(name -> "  " + name)
                    .collect(Collectors.joining("\n")),
                invocation.arguments().contains(EVENTS)
                    ? NOTHING_CHANGES + EVENTS_NEED_A_KEY
                    : NOTHING_CHANGES));
  }

  private static Result disable(Invocation invocation) {
    requireKnown(invocation, "disabled");
    throw ControlException.error(
        Sysexits.SOFTWARE, "what is built in cannot be disabled: nothing was changed");
  }

  private static void requireKnown(Invocation invocation, String done) {
    List<String> missing = missing(invocation.arguments());
    if (!missing.isEmpty()) {
      throw ControlException.error(
          Sysexits.SOFTWARE,
          "MayflyMQ has no plugin %s: nothing was %s".formatted(String.join(", ", missing), done));
    }
  }
}
