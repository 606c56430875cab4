package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands of {@code rabbitmq-upgrade}, and those that do not apply to MayflyMQ's queues. */
final class UpgradeCommands {
  private static final long AWAIT_SECONDS = 120;

  private UpgradeCommands() {}

  public static List<Command> all() {
    List<Command> commands = new ArrayList<>();
    commands.add(
        Command.named("drain", "Puts the node into maintenance mode: it serves no clients")
            .noting(
                "Client connections are closed, and none are accepted. Other nodes of its cluster"
                    + " still reach its queues. The mode ends with revive, or with the process.")
            .forecasting()
            .shownAs(OutputFormat.STRING)
            .action(Drain::run));
    commands.add(
        Command.named("revive", "Ends the maintenance mode of the node")
            .action(UpgradeCommands::revive));
    commands.add(
        Command.named("post_upgrade", "Does nothing: there is nothing to do after an upgrade")
            .action(
                invocation -> {
                  invocation.banner("Executing post upgrade tasks...");
                  invocation.api().isBrokerRunning();
                  return new Result.Done("There is nothing to do");
                }));
    commands.add(
        Command.named(
                "await_online_quorum_plus_one",
                "Waits until the cluster would go on if any one node was stopped, 120 s unless told"
                    + " otherwise")
            .noting(
                "Quorum queues with three members or more would go on without this one. Others need"
                    + " each of their members, so they are not waited for.")
            .action(UpgradeCommands::awaitQuorumPlusOne));
    commands.add(
        Command.named("await_online_synchronized_mirror", "Does not wait: queues have no mirrors")
            .action(
                invocation -> {
                  invocation.banner(
                      "Will wait for a synchronised mirror be online for all classic mirrored"
                          + " queues for %d seconds...",
                      invocation.timeoutSeconds());
                  invocation.api().isBrokerRunning();
                  return new Result.Done("There are no mirrored queues");
                }));
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put("peek", "use browse_queue.");
    refused.put("consume_event_stream", "use the event exchange, or log_tail_stream.");
    refused.put("coordinator_status", "streams have no coordinator; use cluster_status.");
    refused.put("restart_stream", "use transfer_leadership, or stream_status.");
    refused.put("force_checkpoint", "quorum queues have no checkpoints.");
    refused.put(
        "reconcile_vhosts", "a node has all virtual hosts once it has the cluster's metadata.");
    for (String name :
        List.of(
            "remove_classic_queue_mirroring_from_policies",
            "list_policies_with_classic_queue_mirroring",
            "list_operator_policies_with_classic_queue_mirroring",
            "check_if_cluster_has_classic_queue_mirroring_policy")) {
      refused.put(name, "queues have no mirrors; ha-mode has no effect.");
    }
    for (String name :
        List.of("enable_auth_attempt_source_tracking", "disable_auth_attempt_source_tracking")) {
      refused.put(name, "logins are not counted by source.");
    }
    for (String name :
        List.of("activate_free_disk_space_monitoring", "deactivate_free_disk_space_monitoring")) {
      refused.put(name, "use set_disk_free_limit.");
    }
    refused.put("reclaim_quorum_memory", "quorum queues have no log of their own in memory.");
    refused.forEach((name, reason) -> commands.add(NotApplicable.command(name, reason)));
    return commands;
  }

  private static Result revive(Invocation invocation) {
    invocation.banner(
        "Will put node %s back into regular operating mode. The node will again serve client"
            + " traffic.",
        invocation.node());
    invocation.api().control("PUT", "maintenance", Json.object("drained", false));
    return Result.DONE;
  }

  private static Result awaitQuorumPlusOne(Invocation invocation) {
    long seconds = invocation.number(GlobalOptions.TIMEOUT, AWAIT_SECONDS);
    invocation.banner(
        "Will wait for a quorum + 1 of nodes to be online for all quorum queues for %d seconds...",
        seconds);
    RunningNodes nodes =
        RunningNodes.await(
            invocation,
            seconds,
            now -> now.all() == 1 || (now.canLoseOne() && waiting(invocation).isEmpty()));
    if (nodes.all() == 1) {
      return new Result.Done(
          "Target node seems to be the only one in a single node cluster, the command does not"
              + " apply");
    }
    if (!nodes.canLoseOne()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "time is up, %d of %d nodes are running: without one they would be no majority"
              .formatted(nodes.running(), nodes.all()));
    }
    List<String> queues = nodes.all() == 1 ? List.of() : waiting(invocation);
    if (!queues.isEmpty()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "time is up, %d quorum queues would lose their majority without this node, such as %s"
              .formatted(queues.size(), queues.get(0)));
    }
    return Result.DONE;
  }

  /** Returns the queues that need this node until another member of theirs is in sync. */
  private static List<String> waiting(Invocation invocation) {
    try {
      invocation.api().get("health/checks/node-is-quorum-critical");
      return List.of();
    } catch (ApiError e) {
      if (e.status() != HttpURLConnection.HTTP_UNAVAILABLE) {
        throw e;
      }
      return e.objects("queues").stream()
          .filter(queue -> queue.get("members") instanceof Long members && members > 2)
          .map(queue -> String.valueOf(queue.get("readable_name")))
          .toList();
    }
  }
}
