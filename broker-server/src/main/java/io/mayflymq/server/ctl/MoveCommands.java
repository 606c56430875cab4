package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Commands that move queues, or their leaders, between the nodes of a cluster, or give them
 * replicas.
 */
final class MoveCommands {
  private static final String REBALANCE = "rebalance/queues";
  private static final String PATTERN = "<pattern>";
  private static final Columns NODES =
      Columns.of()
          .with("Node name", node -> Term.atom(node.get("node")), "node")
          .with("Number of quorum queues", node -> node.get("quorum"), "quorum")
          .with("Number of replicated classic queues", node -> node.get("classic"), "classic")
          .with("Number of stream queues", node -> node.get("stream"), "stream")
          .with("Moved here", node -> node.get("moved_here"), "moved_here");

  private MoveCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named(
                "move_queue", "Moves a queue to another node of the cluster, while it is used")
            .inVhost()
            .arguments("queue")
            .arguments("node")
            .noting(
                "Consumers go on at the new node. The command waits until the queue is there; it"
                    + " is moved also if the command is interrupted.")
            .action(MoveCommands::move),
        Command.named("convert_queue", "Makes a queue a quorum queue, while it is used")
            .inVhost()
            .arguments("queue")
            .option(Option.text("<type>", "what the queue becomes: quorum", "--to"))
            .noting(
                "A classic queue, or a quorum queue that is on one node, gets replicas on several"
                    + " nodes, with its messages. Clients notice a delay. What a quorum queue cannot"
                    + " have is refused, and named. The command waits until it is done; it is done"
                    + " also if the command is interrupted.")
            .action(MoveCommands::convert),
        Command.named(
                "rebalance",
                "Spreads queues, and the leaders of replicated ones, evenly over the nodes of the"
                    + " cluster")
            .optionalArgument("type")
            .option(Option.text(PATTERN, "only in virtual hosts that match", "--vhost-pattern"))
            .option(Option.text(PATTERN, "only queues whose names match", "--queue-pattern"))
            .noting(
                "The type is all, classic, quorum or stream. Classic queues are moved; of replicated"
                    + " queues another member leads that is in sync. Replicated queues share partitions:"
                    + " with one that matches, all queues of its partition are led by the other node."
                    + " Exclusive queues stay where they are. The command waits until all is done; it is"
                    + " done also if the command is interrupted.")
            .forecasting()
            .action(MoveCommands::rebalance));
  }

  private static Result move(Invocation invocation) {
    String node = invocation.argument(1);
    invocation.banner(
        "Moving queue '%s' in vhost '%s' to node %s ...",
        invocation.argument(0), invocation.vhost(), node);
    run(
        invocation,
        new Work(
            "move",
            Json.object("node", node),
            "moving",
            state -> node.equals(state.get("node")),
            state -> "the queue is on node " + state.get("node")));
    return Result.DONE;
  }

  private static Result convert(Invocation invocation) {
    String type = invocation.option("--to");
    if (!"quorum".equals(type)) {
      throw ControlException.error(
          Sysexits.USAGE,
          type == null
              ? "--to is missing: expected --to quorum"
              : "queues cannot be converted to type '%s': expected --to quorum".formatted(type));
    }
    invocation.banner(
        "Converting queue '%s' in vhost '%s' to a quorum queue ...",
        invocation.argument(0), invocation.vhost());
    run(
        invocation,
        new Work(
            "convert",
            Json.object("to", type),
            "converting",
            MoveCommands::isConverted,
            state -> "the queue is a %s queue on one node".formatted(state.get("type"))));
    return Result.DONE;
  }

  /** With the queue its own dead letter queue is converted. */
  private static boolean isConverted(Map<String, Object> state) {
    return Boolean.TRUE.equals(state.get("replicated"))
        && Boolean.FALSE.equals(state.get("converting"))
        && state.get("failure") == null;
  }

  /**
   * What is done to a queue in the background.
   *
   * @param name the last part of its path in the API
   * @param underWay the field of the answer that tells whether it is being done
   * @param isDone whether it is done, by the answer
   * @param otherwise says how the queue is if it is not done, and no failure is known
   */
  private record Work(
      String name,
      Map<String, Object> body,
      String underWay,
      Predicate<Map<String, Object>> isDone,
      Function<Map<String, Object>, String> otherwise) {
    String participle() {
      return name + (name.endsWith("e") ? "d" : "ed");
    }
  }

  private static void run(Invocation invocation, Work work) {
    String queue = invocation.argument(0);
    String path = Api.path("queues", invocation.vhost(), queue);
    if (invocation.dryRun() && invocation.api().find(path + "?columns=name") == null) {
      throw ControlException.noSuchQueue(queue, invocation.vhost());
    }
    String workPath = path + "/" + work.name();
    Map<String, Object> state;
    try {
      state = Api.object(invocation.api().post(workPath, work.body()));
    } catch (ApiError e) {
      boolean isUnknown = e.isNotFound() && invocation.api().find(path) == null;
      throw isUnknown ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(invocation.timeoutSeconds());
    while (!work.isDone().test(state)) {
      if (Boolean.FALSE.equals(state.get(work.underWay()))) {
        throw ControlException.error(Sysexits.UNAVAILABLE, reason(state, work));
      }
      if (System.nanoTime() - end > 0) {
        throw ControlException.error(
            Sysexits.UNAVAILABLE,
            "queue '%s' is still being %s after %d s"
                .formatted(queue, work.participle(), invocation.timeoutSeconds()));
      }
      LookingAgain.pause();
      state = Api.object(invocation.api().get(workPath));
    }
  }

  private static String reason(Map<String, Object> state, Work work) {
    Object failure = state.get("failure");
    return failure == null ? work.otherwise().apply(state) : failure.toString();
  }

  private static Result rebalance(Invocation invocation) {
    Map<String, Object> body = new LinkedHashMap<>();
    String kind = invocation.arguments().isEmpty() ? "all" : invocation.argument(0);
    body.put("type", kind);
    addPattern(invocation, "--vhost-pattern", "vhost_pattern", body);
    addPattern(invocation, "--queue-pattern", "queue_pattern", body);
    invocation.banner("Rebalancing queues of type %s ...", kind);
    if (invocation.dryRun()) {
      return nodes(Api.object(invocation.api().post(REBALANCE + "/dry-run", body)));
    }
    invocation.api().post(REBALANCE, body);
    Map<String, Object> progress = awaited(invocation);
    List<Map<String, Object>> failed = Api.objects(progress.get("failed"));
    if (!failed.isEmpty()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "%d of %s queues were not moved, the first one, '%s' in vhost '%s': %s"
              .formatted(
                  failed.size(),
                  progress.get("planned"),
                  failed.get(0).get("name"),
                  failed.get(0).get("vhost"),
                  failed.get(0).get("reason")));
    }
    return nodes(progress);
  }

  private static void addPattern(
      Invocation invocation, String option, String field, Map<String, Object> body) {
    if (invocation.option(option) != null) {
      body.put(field, invocation.option(option));
    }
  }

  private static Result nodes(Map<String, Object> progress) {
    return NODES.rows(Api.objects(progress.get("nodes")));
  }

  /** Waits for the end, which may take long if there is much to move. */
  private static Map<String, Object> awaited(Invocation invocation) {
    Map<String, Object> progress = Api.object(invocation.api().get(REBALANCE));
    while (Boolean.TRUE.equals(progress.get("running"))) {
      LookingAgain.pause();
      progress = Api.object(invocation.api().get(REBALANCE));
    }
    return progress;
  }
}
