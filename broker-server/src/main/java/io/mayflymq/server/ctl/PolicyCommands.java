package io.mayflymq.server.ctl;

import io.mayflymq.core.policy.ApplyTo;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Policies and operator policies. */
final class PolicyCommands {
  private static final String MERGE = "--merge";
  private static final String OBJECT_TYPE = "--object-type";

  private static final List<String> COLUMNS =
      List.of("vhost", "name", "pattern", "apply-to", "definition", "priority");

  /** The two kinds: where the API has them, and what RabbitMQ says of them. */
  private enum Kind {
    USER("policies", "policy", "policy", "policies"),
    OPERATOR(
        "operator-policies",
        "operator policy override",
        "operator policy",
        "operator policy overrides");

    private final String path;
    private final String set;
    private final String cleared;
    private final String listed;

    Kind(String path, String set, String cleared, String listed) {
      this.path = path;
      this.set = set;
      this.cleared = cleared;
      this.listed = listed;
    }
  }

  private PolicyCommands() {}

  public static List<Command> all() {
    return List.of(
        setter("set_policy", "Sets or updates a policy", Kind.USER),
        clearer("clear_policy", "Clears (removes) a policy", Kind.USER),
        lister("list_policies", "Lists all policies in a virtual host", Kind.USER),
        setter(
            "set_operator_policy",
            "Sets an operator policy that overrides a subset of arguments in user policies",
            Kind.OPERATOR),
        clearer("clear_operator_policy", "Clears an operator policy", Kind.OPERATOR),
        lister(
            "list_operator_policies",
            "Lists operator policy overrides for a virtual host",
            Kind.OPERATOR),
        Command.named(
                "list_policies_that_match",
                "Lists the policies that match a queue or exchange; the first one applies")
            .inVhost()
            .arguments("name")
            .option(Option.text("<type>", "queue or exchange; queue if not given", OBJECT_TYPE))
            .noting("explain_policy tells what each of them sets, and why others do not match.")
            .action(PolicyCommands::listMatching),
        Explanation.command());
  }

  private static Command setter(String name, String description, Kind kind) {
    return Command.named(name, description)
        .forecasting()
        .inVhost()
        .option(
            Option.number(
                "<priority>", "of several policies that match the highest applies", "--priority"))
        .option(
            Option.text(
                    "<apply-to>",
                    "all, queues, classic_queues, quorum_queues, streams or exchanges",
                    "--apply-to")
                .suggesting(Arrays.stream(ApplyTo.values()).map(ApplyTo::wireName).toList()))
        .option(
            Option.flag(
                "adds the keys to those of policies with lower priority, rather than to replace"
                    + " them",
                MERGE))
        .arguments("name", "pattern", "definition")
        .noting(
            "It tells how many queues and exchanges match, and to how many of them it applies: others"
                + " may keep another policy. With --dry-run nothing changes: it tells what would"
                + " change, and what would become of messages and queues.")
        .action(invocation -> set(invocation, kind));
  }

  private static Command clearer(String name, String description, Kind kind) {
    return Command.named(name, description)
        .forecasting()
        .inVhost()
        .arguments("name")
        .action(invocation -> clear(invocation, kind));
  }

  private static Command lister(String name, String description, Kind kind) {
    return Command.named(name, description).inVhost().action(invocation -> list(invocation, kind));
  }

  private static Result set(Invocation invocation, Kind kind) {
    String name = invocation.argument(0);
    String pattern = invocation.argument(1);
    String definition = invocation.argument(2);
    long priority = invocation.number("--priority", 0L);
    String vhost = invocation.vhost();
    invocation.banner(
        "Setting %s \"%s\" for pattern \"%s\" to \"%s\" with priority \"%d\" for vhost \"%s\" ...",
        kind.set, name, pattern, definition, priority, vhost);
    String applyTo = invocation.option("--apply-to");
    Map<String, Object> body =
        Json.object(
            "pattern",
            pattern,
            "definition",
            ControlValues.parseObject("definition", definition),
            "priority",
            priority,
            "apply-to",
            applyTo == null ? "all" : applyTo);
    if (invocation.flag(MERGE)) {
      body.put("merge", true);
    }
    String path = Api.path(kind.path, vhost, name);
    try {
      if (invocation.dryRun()) {
        return DryRun.of(invocation.api().put(path + "/dry-run", body));
      }
      invocation.api().put(path, body);
      return effect(invocation, path);
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  /** Tells what the policy matches, and to what of that it applies. An earlier broker does not. */
  private static Result effect(Invocation invocation, String path) {
    Object effect = invocation.hushed() ? null : invocation.api().find(path + "/effect");
    return effect == null
        ? Result.DONE
        : new Result.Done("The policy " + Api.text(effect, "summary"));
  }

  private static Result clear(Invocation invocation, Kind kind) {
    String name = invocation.argument(0);
    invocation.banner(
        "Clearing %s \"%s\" on vhost \"%s\" ...", kind.cleared, name, invocation.vhost());
    String path = Api.path(kind.path, invocation.vhost(), name);
    try {
      if (invocation.dryRun()) {
        return DryRun.of(invocation.api().delete(path + "/dry-run"));
      }
      invocation.api().delete(path);
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound()
          ? ControlException.error(Sysexits.UNAVAILABLE, "Parameter does not exist")
          : e;
    }
  }

  private static Result list(Invocation invocation, Kind kind) {
    String vhost = invocation.vhost();
    invocation.banner("Listing %s for vhost \"%s\" ...", kind.listed, vhost);
    try {
      return new Result.Rows(
          COLUMNS,
          invocation.api().list(Api.path(kind.path, vhost)).stream()
              .sorted(Comparator.comparingLong(policy -> (Long) policy.get("priority")))
              .map(PolicyCommands::row)
              .collect(Collectors.toList()));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result listMatching(Invocation invocation) {
    String given = invocation.option(OBJECT_TYPE);
    String kind = given == null ? "queue" : given;
    if (!List.of("queue", "exchange").contains(kind)) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: %s '%s': expected queue or exchange".formatted(OBJECT_TYPE, given));
    }
    String name = invocation.argument(0);
    String vhost = invocation.vhost();
    invocation.banner("Listing policies that match %s '%s' in vhost '%s' ...", kind, name, vhost);
    Object found = invocation.api().find(Api.path(kind + "s", vhost, name, "effective"));
    if (found == null) {
      throw invocation.api().hasVhost(vhost)
          ? ControlException.error(
              Sysexits.DATA, "There is no %s '%s' in vhost '%s'".formatted(kind, name, vhost))
          : ControlException.noSuchVhost(vhost);
    }
    Map<String, Map<String, Object>> policies = new HashMap<>();
    invocation
        .api()
        .list(Api.path(Kind.USER.path, vhost))
        .forEach(policy -> policies.put(Api.text(policy, "name"), policy));
    return new Result.Rows(
        COLUMNS,
        Api.objects(Api.object(found).get("candidates")).stream()
            .filter(PolicyCommands::matches)
            .map(candidate -> policies.get(Api.text(candidate, "name")))
            .filter(Objects::nonNull)
            .map(PolicyCommands::row)
            .toList());
  }

  /** The broker lists the candidates in order of precedence. */
  private static boolean matches(Map<String, Object> candidate) {
    return candidate.get("kind").equals("policy")
        && List.of("applies", "added-to", "priority").contains(Api.text(candidate, "verdict"));
  }

  private static Map<String, Object> row(Map<String, Object> policy) {
    Map<String, Object> row = ControlValues.only(policy, COLUMNS);
    row.put("definition", JsonWriter.text(policy.get("definition")));
    return row;
  }
}
