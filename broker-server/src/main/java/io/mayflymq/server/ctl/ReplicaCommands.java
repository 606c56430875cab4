package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/**
 * Commands of {@code rabbitmq-queues} and {@code rabbitmq-streams} for the replicas of queues and
 * streams.
 */
final class ReplicaCommands {
  private static final Columns QUORUM_STATUS =
      Columns.of()
          .withAtom("Node Name")
          .withAtom("Raft State")
          .withAtom("Membership")
          .with("Last Log Index")
          .with("Last Written")
          .with("Last Applied")
          .with("Commit Index")
          .with("Snapshot Index")
          .with("Term")
          .with("Machine Version")
          .with("In Sync");
  private static final Columns STREAM_STATUS =
      Columns.of().withAtom("role").withAtom("node").with("epoch").with("in_sync");

  private static final Columns CHANGED = Columns.of("vhost", "name").with("size").with("result");
  private static final Columns GIVEN_UP =
      Columns.of("vhost", "name").with("in_sync").with("given_up");
  private static final List<String> STRATEGIES = List.of("all", "even");
  private static final String PATTERN = "<pattern>";
  private static final String VHOST_PATTERN = "--vhost-pattern";
  private static final String QUEUE_PATTERN = "--queue-pattern";
  private static final String ERRORS_ONLY = "--errors-only";
  private static final String FORCE = "--force";
  private static final String ALL = "--all";

  private static final String ADD_NOTE =
      "Queues share partitions: the node keeps all queues of the partition then. It takes over their"
          + " messages while they are in use; %s tells when it is in sync.";
  private static final String DELETE_NOTE =
      "Queues share partitions: the node keeps no queue of the partition any more, and deletes their"
          + " messages. If it leads them, another node leads first. Refused if no majority of the"
          + " other members is in sync.";

  private ReplicaCommands() {}

  public static List<Command> all() {
    return List.of(
        status("quorum_status", "quorum queue", QUORUM_STATUS)
            .noting(
                "In sync are those that have everything that was confirmed, so each of them can"
                    + " lead the queue. The term is how often the queue was given a leader."),
        status("stream_status", "stream", STREAM_STATUS)
            .noting(
                "The writer leads the stream. In sync are those that have everything that was"
                    + " confirmed. The epoch is how often the stream was given a leader."),
        Change.TRANSFER
            .command("transfer_leadership", "Has another node lead a quorum queue")
            .noting(
                "The node has to have the queue in sync. Queues share partitions: it leads all"
                    + " queues of the partition then. Clients notice a delay."),
        Change.ADD
            .command("add_member", "Has a further node keep a quorum queue")
            .noting(ADD_NOTE.formatted("quorum_status")),
        Change.DELETE
            .command("delete_member", "Has a node keep a quorum queue no more")
            .noting(DELETE_NOTE),
        Change.ADD_TO_STREAM
            .command("add_replica", "Has a further node keep a stream")
            .noting(ADD_NOTE.formatted("stream_status")),
        Change.DELETE_OF_STREAM
            .command("delete_replica", "Has a node keep a stream no more")
            .noting(DELETE_NOTE),
        growing("grow", "Has a node keep quorum queues that it does not keep")
            .arguments("node", "strategy")
            .noting(
                "The strategy is all, or even: only those with an even number of members. Queues"
                    + " share partitions: with a queue the node keeps all others of its partition.")
            .action(ReplicaCommands::grow),
        growing("grow_to_count", "Has further nodes keep quorum queues with fewer members")
            .arguments("count", "strategy")
            .noting(
                "Members are added to each queue until it has so many, or there is no further node"
                    + " that runs. The strategy is all, or even: only queues with an even number of"
                    + " members. Queues share partitions, and have the same members then.")
            .action(ReplicaCommands::growToCount),
        Command.named("shrink", "Has a node keep no quorum queue any more")
            .arguments("node")
            .option(Option.flag("prints only what was not done", ERRORS_ONLY))
            .noting(
                "Where the node leads, another node leads first. Where no majority of the other"
                    + " members is in sync, the node stays a member.")
            .action(ReplicaCommands::shrink),
        Command.named(
                "force_shrink_member_to_current_member",
                "Has this node go on alone with a quorum queue whose other members are lost for ever")
            .inVhost()
            .optionalArgument("queue")
            .option(
                Option.flag("all queues whose members that can be reached are no majority", ALL))
            .option(Option.flag("does it; without this it is only told what is given up", FORCE))
            .noting(
                "What this node does not have is given up, also if it was confirmed: nothing if the"
                    + " node is in sync. Queues share partitions: it is done to all queues of the"
                    + " partition. Refused as long as a majority of the members can be reached, and on"
                    + " a node that has less than another one that can be reached.")
            .forecasting()
            .action(ReplicaCommands::forceShrink));
  }

  // One queue

  private static Command status(String name, String what, Columns columns) {
    return Command.named(name, "Shows the nodes that keep a %s".formatted(what))
        .inVhost()
        .arguments("queue")
        .action(invocation -> status(invocation, what, columns));
  }

  private static Result status(Invocation invocation, String what, Columns columns) {
    Asked asked = new Asked(invocation.vhost(), invocation.argument(0));
    invocation.banner("Status of %s %s on node %s ...", what, asked.queue, invocation.node());
    String type = columns == STREAM_STATUS ? "stream" : "quorum";
    return columns.rows(
        Api.objects(asked.of(invocation, api -> api.get(asked.path(type, "status")))));
  }

  /** A queue that a command is about. */
  private record Asked(String vhost, String queue) {
    String path(String type, String... rest) {
      return Api.path("queues", type, vhost, queue) + "/" + Api.path(rest);
    }

    /** Sends a request about it. A queue that does not exist is said to be none. */
    Object of(Invocation invocation, ApiRequest request) {
      try {
        return request.of(invocation.api());
      } catch (ApiError e) {
        boolean isUnknown =
            e.isNotFound() && invocation.api().find(Api.path("queues", vhost, queue)) == null;
        throw isUnknown ? ControlException.noSuchQueue(queue, vhost) : e;
      }
    }
  }

  /** A request of the API. */
  private interface ApiRequest {
    Object of(Api api);
  }

  /** What a node is to do with a queue, and with those that share its partition. */
  private enum Change {
    TRANSFER(
        "quorum",
        "Transferring leadership of queue %s, and of the queues that share its partition, to") {
      @Override
      Object request(Api api, Asked asked, Map<String, Object> node) {
        return api.post(asked.path(type, "leader"), node);
      }
    },
    ADD("quorum", "Adding a replica for queue %s, and for the queues that share its partition, on"),
    ADD_TO_STREAM(
        "stream",
        "Adding a replica for stream %s, and for the queues that share its partition, on"),
    DELETE(
        "quorum",
        "Removing a replica of queue %s, and of the queues that share its partition, on") {
      @Override
      Object request(Api api, Asked asked, Map<String, Object> node) {
        return delete(api, asked, node);
      }
    },
    DELETE_OF_STREAM(
        "stream",
        "Removing a replica of stream %s, and of the queues that share its partition, on") {
      @Override
      Object request(Api api, Asked asked, Map<String, Object> node) {
        return delete(api, asked, node);
      }
    };

    final String type;
    private final String banner;

    Change(String type, String banner) {
      this.type = type;
      this.banner = banner;
    }

    Object request(Api api, Asked asked, Map<String, Object> node) {
      return api.post(asked.path(type, "replicas", "add"), node);
    }

    Object delete(Api api, Asked asked, Map<String, Object> node) {
      return api.deleteOf(asked.path(type, "replicas", "delete"), node);
    }

    Command command(String name, String description) {
      return Command.named(name, description)
          .inVhost()
          .arguments("queue", "node")
          .action(this::run);
    }

    private Result run(Invocation invocation) {
      Asked asked = new Asked(invocation.vhost(), invocation.argument(0));
      String node = invocation.argument(1);
      invocation.banner(banner + " node %s...", asked.queue, node);
      asked.of(invocation, api -> request(api, asked, Json.object("node", node)));
      return Result.DONE;
    }
  }

  // Many queues

  private static Command growing(String name, String description) {
    return Command.named(name, description)
        .option(Option.text(PATTERN, "only in virtual hosts that match", VHOST_PATTERN))
        .option(Option.text(PATTERN, "only queues whose names match", QUEUE_PATTERN))
        .option(Option.flag("prints only what was not done", ERRORS_ONLY));
  }

  private static Result grow(Invocation invocation) {
    String node = invocation.argument(0);
    Map<String, Object> body = growth(invocation);
    invocation.banner("Growing %s quorum queues on %s...", invocation.argument(1), node);
    return changed(invocation, invocation.api().post(on(node, "grow"), body));
  }

  private static Result growToCount(Invocation invocation) {
    String count = invocation.argument(0);
    if (!count.matches("[1-9][0-9]{0,2}|1000")) {
      throw ControlException.usage(
          "count '%s': expected a number of members from 1 to 1000".formatted(count));
    }
    Map<String, Object> body = growth(invocation);
    body.put("count", Integer.valueOf(count));
    invocation.banner("Growing %s quorum queues on %s nodes...", invocation.argument(1), count);
    return changed(
        invocation, invocation.api().post(Api.path("queues", "quorum", "replicas", "grow"), body));
  }

  private static Map<String, Object> growth(Invocation invocation) {
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
    return body;
  }

  private static Result shrink(Invocation invocation) {
    String node = invocation.argument(0);
    invocation.banner("Shrinking quorum queues on %s...", node);
    return changed(invocation, invocation.api().delete(on(node, "shrink")));
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

  // Queues whose other members are lost

  private static Result forceShrink(Invocation invocation) {
    boolean all = invocation.flag(ALL);
    if (all != invocation.arguments().isEmpty()) {
      throw ControlException.usage("expected either the name of a queue or %s".formatted(ALL));
    }
    boolean dry = invocation.dryRun() || !invocation.flag(FORCE);
    List<Map<String, Object>> rows;
    if (all) {
      invocation.banner("Shrinking all quorum queues to node %s...", invocation.node());
      String path = Api.path("queues", "quorum", "replicas", "force-shrink");
      rows = Api.objects(invocation.api().post(dry ? path + "/dry-run" : path, Json.object()));
    } else {
      Asked asked = new Asked(invocation.vhost(), invocation.argument(0));
      invocation.banner(
          "Shrinking queue %s, and the queues that share its partition, to node %s...",
          asked.queue, invocation.node());
      String path = asked.path("quorum", "replicas", "force-shrink");
      rows =
          Api.objects(
              asked.of(invocation, api -> api.post(dry ? path + "/dry-run" : path, Json.object())));
    }
    if (dry && !invocation.dryRun() && !rows.isEmpty()) {
      throw ControlException.error(Sysexits.UNAVAILABLE, refusal(rows));
    }
    return GIVEN_UP.rows(rows);
  }

  private static String refusal(List<Map<String, Object>> rows) {
    long behind = rows.stream().filter(row -> !Boolean.TRUE.equals(row.get("in_sync"))).count();
    return "it would give up the members %s of %d queues%s: %s does it, --dry-run lists the queues"
        .formatted(
            rows.stream()
                .flatMap(row -> ((List<?>) row.get("given_up")).stream())
                .distinct()
                .map(String::valueOf)
                .sorted()
                .toList(),
            rows.size(),
            behind == 0
                ? ", and no confirmed message, as this node was in sync"
                : ", and what was confirmed of %d of them since this node was in sync last"
                    .formatted(behind),
            FORCE);
  }
}
