package io.mayflymq.server.ctl;

import io.mayflymq.server.config.Secrets;
import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Commands for the nodes of a cluster, and those of RabbitMQ for clusters and Erlang that are
 * refused or do nothing.
 */
final class ClusterCommands {
  private static final String BY_CONFIGURATION =
      "a node of MayflyMQ joins by its configuration, keeps its name and its data.";
  private static final long AWAIT_SECONDS = 300;
  private static final String NO_MIRRORS = "queues have no mirrors in MayflyMQ.";
  private static final String NO_ERLANG = "MayflyMQ does not run on Erlang.";

  private static final int UNKNOWN_FLAG = 400;
  private static final Columns FLAGS =
      Columns.of()
          .withAtom("name")
          .withAtom("state")
          .withAtom("stability")
          .withAtom("provided_by")
          .with("desc")
          .with("doc_url");
  private static final Columns DEPRECATED =
      Columns.of()
          .withAtom("name")
          .withAtom("deprecation_phase")
          .withAtom("state")
          .withAtom("provided_by")
          .with("uses")
          .with("desc")
          .with("doc_url");

  private ClusterCommands() {}

  public static List<Command> all() {
    List<Command> commands = new ArrayList<>();
    commands.add(
        Command.named("cluster_status", "Displays the nodes of the cluster")
            .shownAs(OutputFormat.STRING)
            .action(ClusterCommands::status));
    commands.add(
        Command.named("generate_secret", "Makes a secret for cluster.secret: 32 random bytes")
            .noting("No broker is asked. All nodes of a cluster need the same one.")
            .action(ClusterCommands::generateSecret));
    commands.add(
        Command.named("set_cluster_name", "Sets the cluster name, which clients are told")
            .arguments("name")
            .action(ClusterCommands::setName));
    commands.add(
        Command.named(
                "await_online_nodes",
                "Waits until <count> nodes are running, 300 s unless told otherwise")
            .arguments("count")
            .action(ClusterCommands::awaitNodes));
    commands.add(
        Command.named(
                "forget_cluster_node", "Ends the membership of a node that is gone, and its queues")
            .arguments("node")
            .option(
                Option.flag(
                    "on a stopped node, when the others are lost for ever and those that are left"
                        + " are no majority",
                    "--offline"))
            .action(ClusterCommands::forget));
    commands.add(
        Command.named("join_cluster", "Lets a stopped node join the cluster of another node")
            .arguments("node")
            .option(Option.flag("has no effect: each node has all metadata on its disk", "--disc"))
            .option(Option.flag("has no effect: each node has all metadata on its disk", "--ram"))
            .noting(
                "The node is stopped by stop_app and emptied by reset before, and joins when"
                    + " start_app starts it. NODE has a port unless its cluster.listener is on"
                    + " 25672, such as a@host:25681.")
            .action(ClusterCommands::join));
    commands.add(
        Command.named("list_feature_flags", "Lists feature flags")
            .takesMany("column")
            .noting(FLAGS.note())
            .action(ClusterCommands::listFlags));
    commands.add(
        Command.named(
                "enable_feature_flag", "Enables a feature flag, or all: all are, from the start")
            .arguments("feature_flag")
            .option(Option.flag("RabbitMQ wants it for experimental ones", "-e", "--experimental"))
            .action(ClusterCommands::enableFlag));
    commands.add(
        Command.named("list_deprecated_features", "Lists deprecated features")
            .takesMany("column")
            .option(Option.flag("those that were used since the start of the node", "--used"))
            .noting(DEPRECATED.note())
            .action(ClusterCommands::listDeprecated));
    for (String name :
        List.of("change_cluster_node_type", "update_cluster_nodes", "rename_cluster_node")) {
      commands.add(NotApplicable.command(name, BY_CONFIGURATION));
    }
    commands.add(
        NotApplicable.command(
            "force_boot", "a node of MayflyMQ starts without waiting for the others."));
    for (String name : List.of("sync_queue", "cancel_sync_queue")) {
      commands.add(NotApplicable.command(name, NO_MIRRORS));
    }
    commands.add(
        Command.named("suspend_listeners", "Accepts no new client connections until resumed")
            .action(
                invocation ->
                    setSuspended(
                        invocation,
                        true,
                        "Will suspend client connection listeners on node %s. The node will no"
                            + " longer accept client connections!")));
    commands.add(
        Command.named("resume_listeners", "Accepts new client connections again")
            .action(
                invocation ->
                    setSuspended(
                        invocation,
                        false,
                        "Will resume client connection listeners on node %s. The node will now"
                            + " accept client connections")));
    commands.add(
        NotApplicable.command(
            "restart_vhost", "a virtual host of MayflyMQ does not stop by itself."));
    for (String name : List.of("eval", "eval_file", "exec", "force_gc", "schema_info")) {
      commands.add(NotApplicable.command(name, NO_ERLANG));
    }
    return commands;
  }

  private static Result status(Invocation invocation) {
    invocation.banner("Cluster status of node %s ...", invocation.node());
    return Status.ofCluster(invocation);
  }

  private static Result join(Invocation invocation) {
    String node = invocation.argument(0);
    invocation.banner("Clustering node %s with %s", invocation.node(), node);
    invocation.api().control("PUT", "cluster-seed", Json.object("node", node));
    return Result.DONE;
  }

  private static Result setSuspended(Invocation invocation, boolean suspended, String banner) {
    invocation.banner(banner, invocation.node());
    invocation.api().control("PUT", "listeners", Json.object("suspended", suspended));
    return Result.DONE;
  }

  private static Result generateSecret(Invocation invocation) {
    String secret = Secrets.generate();
    return new Result.Value(Json.object("secret", secret), secret);
  }

  private static Result setName(Invocation invocation) {
    String name = invocation.argument(0);
    invocation.banner("Setting cluster name to %s ...", name);
    invocation.api().put("cluster-name", Json.object("name", name));
    return Result.DONE;
  }

  private static Result awaitNodes(Invocation invocation) {
    int count = count(invocation.argument(0));
    long seconds = invocation.number(GlobalOptions.TIMEOUT, AWAIT_SECONDS);
    invocation.banner(
        "Will wait for at least %d nodes to join the cluster of %s. Timeout: %d seconds.",
        count, invocation.node(), seconds);
    RunningNodes last = RunningNodes.await(invocation, seconds, nodes -> nodes.running() >= count);
    if (last.running() < count) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "%d nodes are running: expected %d".formatted(last.running(), count));
    }
    return Result.DONE;
  }

  private static int count(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw ControlException.usage(
          "count '%s': expected a number up to %d".formatted(text, Integer.MAX_VALUE));
    }
  }

  private static Result forget(Invocation invocation) {
    String node = invocation.argument(0);
    boolean runs = invocation.api().isBrokerRunning();
    boolean offline = invocation.flag("--offline");
    if (offline && runs) {
      throw ControlException.error(
          Sysexits.SOFTWARE, "You set the --offline flag, but the current node is online");
    }
    if (!offline && !runs) {
      throw ControlException.error(
          Sysexits.SOFTWARE,
          "You are trying to remove a node from an offline node. That is dangerous, but can be"
              + " done with the --offline flag. Please consult the manual for more information.");
    }
    invocation.banner("Removing node %s from the cluster", node);
    if (offline) {
      return goOnWithout(invocation, node);
    }
    invocation.api().delete(Api.path("nodes", node));
    return Result.DONE;
  }

  private static Result goOnWithout(Invocation invocation, String node) {
    Map<String, Object> loss =
        Api.object(invocation.api().control("POST", "lost-nodes", Json.object("node", node)));
    List<?> others = (List<?>) loss.get("others");
    return new Result.Done(
        ("Node %s goes on without node %s%s. What was agreed upon without node %1$s is lost; the"
                + " queues of node %2$s, %s, are deleted at the next start. Node %2$s is refused from"
                + " now on, should it run: empty it by force_reset then.")
            .formatted(
                invocation.node(),
                node,
                others.isEmpty()
                    ? " and alone"
                    : ", once a majority of %s and itself is running".formatted(join(others)),
                loss.get("queues")));
  }

  private static String join(List<?> names) {
    return names.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static Result listFlags(Invocation invocation) {
    invocation.banner("Listing feature flags ...");
    return FLAGS
        .chosen(invocation.arguments(), "name", "state")
        .rows(invocation.api().list("feature-flags"));
  }

  private static Result enableFlag(Invocation invocation) {
    String flag = invocation.argument(0);
    if (flag.equals("all")) {
      invocation.banner("Enabling all feature flags ...");
      invocation.api().get("whoami");
      return Result.DONE;
    }
    invocation.banner("Enabling feature flag \"%s\" ...", flag);
    try {
      invocation.api().put(Api.path("feature-flags", flag, "enable"), null);
      return Result.DONE;
    } catch (ApiError e) {
      throw e.status() == UNKNOWN_FLAG
          ? ControlException.error(
              Sysexits.USAGE, "This feature flag is not supported by node " + invocation.node())
          : e;
    }
  }

  private static Result listDeprecated(Invocation invocation) {
    boolean used = invocation.flag("--used");
    invocation.banner("Listing deprecated features%s ...", used ? " in use" : "");
    return DEPRECATED
        .chosen(invocation.arguments(), "name", "deprecation_phase", "state")
        .rows(invocation.api().list(used ? "deprecated-features/used" : "deprecated-features"));
  }
}
