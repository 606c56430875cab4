package io.mayflymq.server.ctl;

import io.mayflymq.core.security.Limits;
import io.mayflymq.server.definitions.LimitsJson;
import io.mayflymq.server.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Virtual hosts and their limits. */
final class VhostCommands {
  private static final String DESCRIPTION = "--description";
  private static final String TAGS = "--tags";
  private static final String DEFAULT_QUEUE_TYPE = "--default-queue-type";
  private static final String PROTECTED = "--protected-from-deletion";

  private static final List<String> LIMITS = Limits.keys(Limits.OF_VHOSTS);
  private static final Columns COLUMNS =
      Columns.of("name", "description")
          .with("tags", vhost -> Term.atoms(vhost.get("tags")), "tags")
          .with("default_queue_type")
          .with("compatibility")
          .with("protected_from_deletion")
          .with("tracing")
          .with("cluster_state", VhostCommands::state, "cluster_state")
          .with("metadata");

  /** For the number of all queues of a virtual host. */
  private static final String ONE_QUEUE = "?page=1&page_size=1&columns=name";

  private VhostCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("add_vhost", "Creates a virtual host")
            .arguments("vhost")
            .option(Option.text("<description>", "what it is for", DESCRIPTION))
            .option(Option.text("<tags>", "words, between commas", TAGS))
            .option(
                Option.text(
                    "<type>",
                    "of queues that do not say: classic, quorum or stream",
                    DEFAULT_QUEUE_TYPE))
            .option(
                Option.text(
                    "<release>",
                    "of RabbitMQ whose rules it follows: 4.3 or 3.13",
                    "--compatibility"))
            .action(VhostCommands::add),
        Command.named("delete_vhost", "Deletes a virtual host")
            .arguments("vhost")
            .action(VhostCommands::delete),
        Command.named(
                "enable_vhost_deletion_protection",
                "Protects a virtual host from deletion (until the protection is removed)")
            .arguments("vhost")
            .action(invocation -> protect(invocation, true)),
        Command.named(
                "disable_vhost_deletion_protection",
                "Removes deletion protection from a virtual host (so that it can be deleted)")
            .arguments("vhost")
            .action(invocation -> protect(invocation, false)),
        Command.named("update_vhost_metadata", "Changes what is said of a virtual host")
            .arguments("vhost")
            .option(Option.text("<description>", "what it is for", DESCRIPTION))
            .option(Option.text("<tags>", "words, between commas", TAGS))
            .option(
                Option.text(
                    "<type>",
                    "of queues that do not say: classic, quorum or stream",
                    DEFAULT_QUEUE_TYPE))
            .option(Option.text("<true or false>", "whether it cannot be deleted", PROTECTED))
            .noting("What is not given stays as it is.")
            .action(VhostCommands::update),
        Command.named("set_vhost_tags", "Sets virtual host tags")
            .arguments("vhost")
            .takesMany("tag")
            .action(VhostCommands::setTags),
        Command.named(
                "set_vhost_compatibility",
                "Sets the release of RabbitMQ whose rules a virtual host follows")
            .arguments("vhost")
            .arguments("release")
            .noting("The release is 4.3 or 3.13.")
            .action(VhostCommands::setCompatibility),
        Command.named(
                "clear_vhost_compatibility",
                "Makes a virtual host follow the rules that the configuration names")
            .arguments("vhost")
            .action(VhostCommands::clearCompatibility),
        Command.named("list_vhosts", "Lists virtual hosts")
            .takesMany("column")
            .noting(COLUMNS.note())
            .action(VhostCommands::list),
        Command.named("trace_on", "Enables tracing")
            .inVhost()
            .noting("Messages are copied to amq.rabbitmq.trace until trace_off or a restart.")
            .action(invocation -> trace(invocation, true)),
        Command.named("trace_off", "Disables tracing")
            .inVhost()
            .action(invocation -> trace(invocation, false)),
        Command.named("set_vhost_limits", "Sets virtual host limits")
            .inVhost()
            .arguments("definition")
            .noting(
                "The definition is JSON with one or several of: " + String.join(", ", LIMITS) + ".")
            .action(VhostCommands::setLimits),
        Command.named("clear_vhost_limits", "Clears virtual host limits")
            .inVhost()
            .action(VhostCommands::clearLimits),
        Command.named("list_vhost_limits", "Displays configured virtual host limits")
            .inVhost()
            .option(Option.flag("the limits of all virtual hosts", "--global"))
            .action(VhostCommands::listLimits));
  }

  private static Object state(Map<String, Object> vhost) {
    return vhost.get("cluster_state") instanceof Map<?, ?> nodes && nodes.containsValue("running")
        ? Term.atom("running")
        : Term.atom("stopped");
  }

  /** One that is there stays as it is, as with RabbitMQ's command. */
  private static Result add(Invocation invocation) {
    String vhost = invocation.argument(0);
    invocation.banner("Adding vhost \"%s\" ...", vhost);
    Map<String, Object> body = Json.object();
    putIfGiven(body, "description", invocation.option(DESCRIPTION));
    putIfGiven(body, "tags", invocation.option(TAGS));
    putIfGiven(body, "default_queue_type", invocation.option(DEFAULT_QUEUE_TYPE));
    putIfGiven(body, "compatibility", invocation.option("--compatibility"));
    if (!invocation.api().hasVhost(vhost)) {
      invocation.api().put(Api.path("vhosts", vhost), body);
    }
    return Result.DONE;
  }

  private static void putIfGiven(Map<String, Object> body, String field, String value) {
    if (value != null) {
      body.put(field, value);
    }
  }

  private static Result delete(Invocation invocation) {
    String vhost = invocation.argument(0);
    invocation.banner("Deleting vhost \"%s\" ...", vhost);
    try {
      if (invocation.dryRun()) {
        return wouldDelete(invocation, vhost);
      }
      invocation.api().delete(Api.path("vhosts", vhost));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result wouldDelete(Invocation invocation, String vhost) {
    Object counts = invocation.api().get(Api.path("vhosts", vhost) + "?columns=messages");
    Object queues = invocation.api().get(Api.path("queues", vhost) + ONE_QUEUE);
    return new Result.Done(
        "Would be lost: %d queues with %d messages"
            .formatted(
                ControlValues.number(Api.object(queues), "total_count"),
                ControlValues.number(Api.object(counts), "messages")));
  }

  private static Result protect(Invocation invocation, boolean wanted) {
    String vhost = invocation.argument(0);
    invocation.banner(
        wanted
            ? "Protecting virtual host \"%s\" from removal by updating its metadata..."
            : "Removing deletion protection from virtual host \"%s\" by updating its metadata...",
        vhost);
    try {
      requireVhost(invocation, vhost);
      setProtection(invocation, vhost, wanted);
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  /** A dry run sends no change that could be refused. */
  private static void requireVhost(Invocation invocation, String vhost) {
    if (invocation.dryRun()) {
      invocation.api().get(Api.path("vhosts", vhost) + "?columns=name");
    }
  }

  private static void setProtection(Invocation invocation, String vhost, boolean wanted) {
    String path = Api.path("vhosts", vhost, "deletion", "protection");
    if (wanted) {
      invocation.api().post(path, Json.object());
    } else {
      invocation.api().delete(path);
    }
  }

  private static Result update(Invocation invocation) {
    String vhost = invocation.argument(0);
    String description = invocation.option(DESCRIPTION);
    String tags = invocation.option(TAGS);
    String type = invocation.option(DEFAULT_QUEUE_TYPE);
    String wanted = invocation.option(PROTECTED);
    if (Stream.of(description, tags, type, wanted).allMatch(Objects::isNull)) {
      throw ControlException.usage("not enough arguments.");
    }
    if (wanted != null && !List.of("true", "false").contains(wanted)) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: %s '%s': expected true or false".formatted(PROTECTED, wanted));
    }
    invocation.banner("Updating metadata of vhost \"%s\" ...", vhost);
    Object found = invocation.api().find(Api.path("vhosts", vhost));
    if (found == null) {
      throw ControlException.noSuchVhost(vhost);
    }
    Map<String, Object> body = metadata(found);
    putIfGiven(body, "description", description);
    putIfGiven(body, "tags", tags);
    putIfGiven(body, "default_queue_type", type);
    invocation.api().put(Api.path("vhosts", vhost), body);
    if (wanted != null) {
      setProtection(invocation, vhost, Boolean.parseBoolean(wanted));
    }
    return Result.DONE;
  }

  /** Returns what is set of a virtual host: a PUT resets what it does not give. */
  private static Map<String, Object> metadata(Object vhost) {
    Map<String, Object> metadata = Api.object(Api.object(vhost).get("metadata"));
    Map<String, Object> set = Json.object();
    for (String key : List.of("description", "tags", "default_queue_type")) {
      if (metadata.containsKey(key)) {
        set.put(key, metadata.get(key));
      }
    }
    return set;
  }

  private static Result setTags(Invocation invocation) {
    String vhost = invocation.argument(0);
    List<String> tags = invocation.arguments().subList(1, invocation.arguments().size());
    invocation.banner(
        "Setting tags for virtual host \"%s\" to [%s] ...", vhost, String.join(", ", tags));
    Object found = invocation.api().find(Api.path("vhosts", vhost));
    if (found == null) {
      throw ControlException.error(
          Sysexits.DATA, "Virtual host \"%s\" does not exist".formatted(vhost));
    }
    Map<String, Object> body = metadata(found);
    body.put("tags", String.join(",", tags));
    invocation.api().put(Api.path("vhosts", vhost), body);
    return Result.DONE;
  }

  private static Result setCompatibility(Invocation invocation) {
    String vhost = invocation.argument(0);
    String release = invocation.argument(1);
    invocation.banner("Setting compatibility of virtual host \"%s\" to \"%s\" ...", vhost, release);
    try {
      invocation
          .api()
          .put(Api.path("vhosts", vhost, "compatibility"), Json.object("value", release));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result clearCompatibility(Invocation invocation) {
    String vhost = invocation.argument(0);
    invocation.banner("Clearing compatibility of virtual host \"%s\" ...", vhost);
    try {
      requireVhost(invocation, vhost);
      invocation.api().delete(Api.path("vhosts", vhost, "compatibility"));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result trace(Invocation invocation, boolean on) {
    String vhost = invocation.vhost();
    invocation.banner("%s tracing for vhost \"%s\" ...", on ? "Starting" : "Stopping", vhost);
    try {
      requireVhost(invocation, vhost);
      invocation.api().put(Api.path("vhosts", vhost, "tracing"), Json.object("enabled", on));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
    return new Result.Done("Trace %s for vhost %s".formatted(on ? "enabled" : "disabled", vhost));
  }

  private static Result list(Invocation invocation) {
    Columns columns = COLUMNS.chosen(invocation.arguments(), "name");
    invocation.banner("Listing vhosts ...");
    return columns.rows(invocation.api().list("vhosts"));
  }

  // Limits

  private static Result setLimits(Invocation invocation) {
    String definition = invocation.argument(0);
    String vhost = invocation.vhost();
    invocation.banner("Setting vhost limits to \"%s\" for vhost \"%s\" ...", definition, vhost);
    Map<String, Object> limits = ControlValues.parseObject("definition", definition);
    Set<String> others = existingLimits(invocation, vhost);
    LimitOptions.check(
        limits,
        LIMITS,
        "Validation failed\n\nUnrecognised terms %s in limits\n",
        LimitsJson::ofVhost,
        "Validation failed\n\n%s");
    limits.forEach(
        (name, value) ->
            invocation
                .api()
                .put(Api.path("vhost-limits", vhost, name), Json.object("value", value)));
    // A definition is the whole of the limits: those that it does not name are no more.
    others.removeAll(limits.keySet());
    others.forEach(name -> invocation.api().delete(Api.path("vhost-limits", vhost, name)));
    return Result.DONE;
  }

  private static Set<String> existingLimits(Invocation invocation, String vhost) {
    try {
      Set<String> names = new HashSet<>();
      for (Map<String, Object> limits : invocation.api().list(Api.path("vhost-limits", vhost))) {
        names.addAll(Api.object(limits.get("value")).keySet());
      }
      return names;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result clearLimits(Invocation invocation) {
    String vhost = invocation.vhost();
    invocation.banner("Clearing vhost \"%s\" limits ...", vhost);
    Set<String> names =
        invocation.api().hasVhost(vhost) ? existingLimits(invocation, vhost) : Set.of();
    if (names.isEmpty()) {
      throw ControlException.error(Sysexits.UNAVAILABLE, "Parameter does not exist");
    }
    names.forEach(name -> invocation.api().delete(Api.path("vhost-limits", vhost, name)));
    return Result.DONE;
  }

  private static Result listLimits(Invocation invocation) {
    if (invocation.flag("--global")) {
      invocation.banner("Listing limits for all vhosts ...");
      return LimitOptions.rows("vhost", invocation.api().list("vhost-limits"));
    }
    String vhost = invocation.vhost();
    invocation.banner("Listing limits for vhost \"%s\" ...", vhost);
    try {
      return LimitOptions.one(
          invocation.api().list(Api.path("vhost-limits", vhost)),
          "",
          text -> Json.object("node", invocation.node(), "value", text, "result", "ok"));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }
}
