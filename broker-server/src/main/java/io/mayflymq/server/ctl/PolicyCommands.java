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
  private static final String VHOSTS = "--vhosts";
  private static final String OBJECT_TYPE = "--object-type";

  private static final List<String> COLUMNS =
      List.of("vhost", "name", "pattern", "apply-to", "definition", "priority");

  private static final List<String> COLUMNS_OF_MANY =
      List.of("vhosts", "name", "pattern", "apply-to", "definition", "priority");

  private static final List<String> COLUMNS_WITH_ORIGIN =
      List.of("vhost", "name", "pattern", "apply-to", "definition", "priority", "vhosts");

  /** The two kinds: where the API has them, and what RabbitMQ says of them. */
  private enum Kind {
    USER("policies", "vhost-policies", "policy", "policy", "policies"),
    OPERATOR(
        "operator-policies",
        "vhost-operator-policies",
        "operator policy override",
        "operator policy",
        "operator policy overrides");

    private final String path;

    /** Where those for many virtual hosts are. */
    private final String pathOfMany;

    private final String set;
    private final String cleared;
    private final String listed;

    Kind(String path, String pathOfMany, String set, String cleared, String listed) {
      this.path = path;
      this.pathOfMany = pathOfMany;
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
        .option(
            Option.text(
                "<pattern>",
                "for all virtual hosts whose names match this regular expression, also for later"
                    + " ones",
                VHOSTS))
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
        .option(Option.flag("the one for many virtual hosts", VHOSTS))
        .arguments("name")
        .action(invocation -> clear(invocation, kind));
  }

  private static Command lister(String name, String description, Kind kind) {
    return Command.named(name, description)
        .inVhost()
        .option(Option.flag("those for many virtual hosts, whichever these are", VHOSTS))
        .action(invocation -> list(invocation, kind));
  }

  private static Result set(Invocation invocation, Kind kind) {
    String name = invocation.argument(0);
    String pattern = invocation.argument(1);
    String definition = invocation.argument(2);
    long priority = invocation.number("--priority", 0L);
    String vhost = invocation.vhost();
    String vhosts = invocation.option(VHOSTS);
    requireOneOf(invocation, vhosts != null);
    invocation.banner(
        "Setting %s \"%s\" for pattern \"%s\" to \"%s\" with priority \"%d\" for %s \"%s\" ...",
        kind.set,
        name,
        pattern,
        definition,
        priority,
        vhosts == null ? "vhost" : "vhosts that match",
        vhosts == null ? vhost : vhosts);
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
    if (vhosts != null) {
      body.put("vhosts", vhosts);
    }
    String path =
        vhosts == null ? Api.path(kind.path, vhost, name) : Api.path(kind.pathOfMany, name);
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

  private static void requireOneOf(Invocation invocation, boolean many) {
    if (many && invocation.option(GlobalOptions.VHOST) != null) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: --vhosts and --vhost '%s': expected one of them"
              .formatted(invocation.option(GlobalOptions.VHOST)));
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
    boolean many = invocation.flag(VHOSTS);
    requireOneOf(invocation, many);
    if (many) {
      invocation.banner("Clearing %s \"%s\" for many vhosts ...", kind.cleared, name);
    } else {
      invocation.banner(
          "Clearing %s \"%s\" on vhost \"%s\" ...", kind.cleared, name, invocation.vhost());
    }
    String path =
        many ? Api.path(kind.pathOfMany, name) : Api.path(kind.path, invocation.vhost(), name);
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
    boolean many = invocation.flag(VHOSTS);
    requireOneOf(invocation, many);
    if (many) {
      invocation.banner("Listing %s for many vhosts ...", kind.listed);
      return new Result.Rows(
          COLUMNS_OF_MANY,
          invocation.api().list(Api.path(kind.pathOfMany)).stream()
              .sorted(Comparator.comparingLong(policy -> (Long) policy.get("priority")))
              .map(policy -> row(policy, COLUMNS_OF_MANY))
              .collect(Collectors.toList()));
    }
    invocation.banner("Listing %s for vhost \"%s\" ...", kind.listed, vhost);
    try {
      return rows(
          invocation.api().list(Api.path(kind.path, vhost)).stream()
              .sorted(Comparator.comparingLong(policy -> (Long) policy.get("priority")))
              .toList());
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
    Map<List<Object>, Map<String, Object>> policies = new HashMap<>();
    invocation
        .api()
        .list(Api.path(Kind.USER.path, vhost))
        .forEach(policy -> policies.put(identity(policy), policy));
    return rows(
        Api.objects(Api.object(found).get("candidates")).stream()
            .filter(PolicyCommands::matches)
            .map(candidate -> policies.get(identity(candidate)))
            .filter(Objects::nonNull)
            .toList());
  }

  /** The broker lists the candidates in order of precedence. */
  private static boolean matches(Map<String, Object> candidate) {
    return candidate.get("kind").equals("policy")
        && List.of("applies", "added-to", "priority").contains(Api.text(candidate, "verdict"));
  }

  /** A policy for many virtual hosts may have the name of one of the virtual host. */
  private static List<Object> identity(Map<String, Object> policy) {
    return Arrays.asList(policy.get("name"), policy.get("vhosts"));
  }

  /** There is a column more if some of the policies are for many virtual hosts. */
  private static Result rows(List<Map<String, Object>> policies) {
    boolean many = policies.stream().anyMatch(policy -> policy.get("vhosts") != null);
    List<String> columns = many ? COLUMNS_WITH_ORIGIN : COLUMNS;
    return new Result.Rows(columns, policies.stream().map(policy -> row(policy, columns)).toList());
  }

  private static Map<String, Object> row(Map<String, Object> policy, List<String> columns) {
    Map<String, Object> row = ControlValues.only(policy, columns);
    if (columns.contains("vhosts")) {
      row.putIfAbsent("vhosts", "");
    }
    row.put("definition", JsonWriter.text(policy.get("definition")));
    return row;
  }
}
