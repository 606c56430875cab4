package io.mayflymq.server.ctl.maintenance;

import io.mayflymq.server.ctl.client.Api;
import io.mayflymq.server.ctl.client.ApiError;
import io.mayflymq.server.ctl.client.ControlException;
import io.mayflymq.server.ctl.client.Option;
import io.mayflymq.server.ctl.command.Command;
import io.mayflymq.server.ctl.command.Invocation;
import io.mayflymq.server.ctl.format.Columns;
import io.mayflymq.server.ctl.format.Result;
import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/** Commands of {@code rabbitmq-queues} for the replicas of quorum queues. */
public final class ReplicaCommands {
  private static final Columns STATUS =
      Columns.of().withAtom("Node Name").withAtom("Raft State").with("In Sync").with("Term");

  private static final Columns CHANGED = Columns.of("vhost", "name").with("size").with("result");
  private static final List<String> STRATEGIES = List.of("all", "even");
  private static final String PATTERN = "<pattern>";
  private static final String VHOST_PATTERN = "--vhost-pattern";
  private static final String QUEUE_PATTERN = "--queue-pattern";
  private static final String ERRORS_ONLY = "--errors-only";

  private ReplicaCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("quorum_status", "Shows the nodes that keep a quorum queue")
            .inVhost()
            .takes("queue")
            .noting(
                "In sync are those that have everything that was confirmed, so each of them can"
                    + " lead the queue. The term is how often the queue was given a leader.")
            .does(ReplicaCommands::status),
        Command.named("transfer_leadership", "Has another node lead a quorum queue")
            .inVhost()
            .takes("queue", "node")
            .noting(
                "The node has to have the queue in sync. Queues share partitions: it leads all"
                    + " queues of the partition then. Clients notice a delay.")
            .does(ReplicaCommands::transfer),
        Command.named("add_member", "Has a further node keep a quorum queue")
            .inVhost()
            .takes("queue", "node")
            .noting(
                "Queues share partitions: the node keeps all queues of the partition then. It takes"
                    + " over their messages while they are in use; quorum_status tells when it is in"
                    + " sync.")
            .does(ReplicaCommands::add),
        Command.named("delete_member", "Has a node keep a quorum queue no more")
            .inVhost()
            .takes("queue", "node")
            .noting(
                "Queues share partitions: the node keeps no queue of the partition any more, and"
                    + " deletes their messages. If it leads them, another node leads first. Refused if"
                    + " no majority of the other members is in sync.")
            .does(ReplicaCommands::delete),
        Command.named("grow", "Has a node keep quorum queues that it does not keep")
            .takes("node", "strategy")
            .option(Option.text(PATTERN, "only in virtual hosts that match", VHOST_PATTERN))
            .option(Option.text(PATTERN, "only queues whose names match", QUEUE_PATTERN))
            .option(Option.flag("prints only what was not done", ERRORS_ONLY))
            .noting(
                "The strategy is all, or even: only those with an even number of members. Queues"
                    + " share partitions: with a queue the node keeps all others of its partition.")
            .does(ReplicaCommands::grow),
        Command.named("shrink", "Has a node keep no quorum queue any more")
            .takes("node")
            .option(Option.flag("prints only what was not done", ERRORS_ONLY))
            .noting(
                "Where the node leads, another node leads first. Where no majority of the other"
                    + " members is in sync, the node stays a member.")
            .does(ReplicaCommands::shrink));
  }

  /** A queue, and a node that is to do something with it. */
  private record Asked(String vhost, String queue, String node) {
    static Asked of(Invocation invocation) {
      return new Asked(invocation.vhost(), invocation.argument(0), invocation.argument(1));
    }

    String path(String... rest) {
      return Api.path("queues", "quorum", vhost, queue) + "/" + Api.path(rest);
    }

    Map<String, Object> body() {
      return Json.object("node", node);
    }
  }

  /** A request of the API. */
  private interface Change {
    Object request(Api api);
  }

  private static Result change(Invocation invocation, Asked asked, Change change) {
    if (!invocation.dryRun()) {
      try {
        change.request(invocation.api());
      } catch (ApiError e) {
        boolean isUnknown =
            e.isNotFound()
                && invocation.api().find(Api.path("queues", asked.vhost, asked.queue)) == null;
        throw isUnknown ? ControlException.noSuchQueue(asked.queue, asked.vhost) : e;
      }
    }
    return Result.DONE;
  }

  private static Result transfer(Invocation invocation) {
    Asked asked = Asked.of(invocation);
    invocation.banner(
        "Transferring leadership of queue %s, and of the queues that share its partition, to node %s...",
        asked.queue, asked.node);
    return change(invocation, asked, api -> api.post(asked.path("leader"), asked.body()));
  }

  private static Result add(Invocation invocation) {
    Asked asked = Asked.of(invocation);
    invocation.banner(
        "Adding a replica for queue %s, and for the queues that share its partition, on node %s...",
        asked.queue, asked.node);
    return change(invocation, asked, api -> api.post(asked.path("replicas", "add"), asked.body()));
  }

  private static Result delete(Invocation invocation) {
    Asked asked = Asked.of(invocation);
    invocation.banner(
        "Removing a replica of queue %s, and of the queues that share its partition, on node %s...",
        asked.queue, asked.node);
    return change(
        invocation, asked, api -> api.deleteOf(asked.path("replicas", "delete"), asked.body()));
  }

  private static Result grow(Invocation invocation) {
    String node = invocation.argument(0);
    String strategy = invocation.argument(1);
    if (!STRATEGIES.contains(strategy)) {
      throw ControlException.usage(
          "strategy '%s': expected %s".formatted(strategy, String.join(" or ", STRATEGIES)));
    }
    Map<String, Object> body = Json.object("strategy", strategy);
    if (invocation.option(VHOST_PATTERN) != null) {
      body.put("vhost_pattern", invocation.option(VHOST_PATTERN));
    }
    if (invocation.option(QUEUE_PATTERN) != null) {
      body.put("queue_pattern", invocation.option(QUEUE_PATTERN));
    }
    invocation.banner("Growing %s quorum queues on %s...", strategy, node);
    return invocation.dryRun()
        ? Result.DONE
        : changed(invocation, invocation.api().post(on(node, "grow"), body));
  }

  private static Result shrink(Invocation invocation) {
    String node = invocation.argument(0);
    invocation.banner("Shrinking quorum queues on %s...", node);
    return invocation.dryRun()
        ? Result.DONE
        : changed(invocation, invocation.api().delete(on(node, "shrink")));
  }

  private static String on(String node, String operation) {
    return Api.path("queues", "quorum", "replicas", "on", node, operation);
  }

  private static Result changed(Invocation invocation, Object rows) {
    return CHANGED.rows(
        Api.objects(rows).stream()
            .filter(row -> !invocation.flag(ERRORS_ONLY) || !"ok".equals(row.get("result")))
            .toList());
  }

  private static Result status(Invocation invocation) {
    String queue = invocation.argument(0);
    invocation.banner("Status of quorum queue %s on node %s ...", queue, invocation.node());
    try {
      return STATUS.rows(
          Api.objects(
              invocation
                  .api()
                  .get(Api.path("queues", "quorum", invocation.vhost(), queue, "status"))));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
  }
}
