package io.mayflymq.server.ctl.maintenance;

import io.mayflymq.server.ctl.client.Api;
import io.mayflymq.server.ctl.client.ApiError;
import io.mayflymq.server.ctl.client.ControlException;
import io.mayflymq.server.ctl.client.Option;
import io.mayflymq.server.ctl.client.Sysexits;
import io.mayflymq.server.ctl.command.Command;
import io.mayflymq.server.ctl.command.Invocation;
import io.mayflymq.server.ctl.format.Columns;
import io.mayflymq.server.ctl.format.Result;
import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Commands that move queues between the nodes of a cluster. */
public final class MoveCommands {
  private static final long LOOK_AGAIN_MILLIS = 100;
  private static final List<String> KINDS = List.of("all", "classic", "quorum", "stream");
  private static final String PATTERN = "<pattern>";
  private static final Columns NODES =
      Columns.of().withAtom("node").with("queues").with("moved_here");

  private MoveCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named(
                "move_queue", "Moves a queue to another node of the cluster, while it is used")
            .inVhost()
            .takes("queue")
            .takes("node")
            .noting(
                "Consumers go on at the new node. The command waits until the queue is there; it"
                    + " is moved also if the command is interrupted.")
            .does(MoveCommands::move),
        Command.named(
                "rebalance", "Moves queues so that the nodes of the cluster have equally many")
            .mayTake("type")
            .option(Option.text(PATTERN, "only in virtual hosts that match", "--vhost-pattern"))
            .option(Option.text(PATTERN, "only queues whose names match", "--queue-pattern"))
            .noting(
                "The type is all, classic, quorum or stream. Streams and exclusive queues stay where they"
                    + " are.")
            .does(MoveCommands::rebalance));
  }

  private static Result move(Invocation invocation) {
    String queue = invocation.argument(0);
    String node = invocation.argument(1);
    invocation.banner(
        "Moving queue '%s' in vhost '%s' to node %s ...", queue, invocation.vhost(), node);
    if (!invocation.dryRun()) {
      move(invocation, new Moved(invocation.vhost(), queue, node));
    }
    return Result.DONE;
  }

  /** A queue, and the node that it is moved to. */
  private record Moved(String vhost, String queue, String node) {
    String path() {
      return Api.path("queues", vhost, queue, "move");
    }
  }

  private static void move(Invocation invocation, Moved moved) {
    Map<String, Object> state;
    try {
      state = Api.object(invocation.api().post(moved.path(), Json.object("node", moved.node())));
    } catch (ApiError e) {
      boolean isUnknown = e.isNotFound() && invocation.api().find(queuePath(moved)) == null;
      throw isUnknown ? ControlException.noSuchQueue(moved.queue(), moved.vhost()) : e;
    }
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(invocation.timeoutSeconds());
    while (!moved.node().equals(state.get("node"))) {
      if (Boolean.FALSE.equals(state.get("moving"))) {
        throw ControlException.error(Sysexits.UNAVAILABLE, reason(state));
      }
      if (System.nanoTime() - end > 0) {
        throw ControlException.error(
            Sysexits.UNAVAILABLE,
            "queue '%s' is still being moved after %d s"
                .formatted(moved.queue(), invocation.timeoutSeconds()));
      }
      pause();
      state = Api.object(invocation.api().get(moved.path()));
    }
  }

  private static String queuePath(Moved moved) {
    return Api.path("queues", moved.vhost(), moved.queue());
  }

  private static String reason(Map<String, Object> state) {
    Object failure = state.get("failure");
    return failure == null ? "the queue is on node " + state.get("node") : failure.toString();
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ControlException.error(Sysexits.UNAVAILABLE, "interrupted");
    }
  }

  private static Result rebalance(Invocation invocation) {
    String kind = invocation.arguments().isEmpty() ? "all" : invocation.argument(0);
    if (!KINDS.contains(kind)) {
      throw ControlException.usage(
          "type '%s': expected one of %s".formatted(kind, String.join(", ", KINDS)));
    }
    invocation.banner("Rebalancing queues of type %s ...", kind);
    Predicate<String> vhosts = matching(invocation, "--vhost-pattern");
    Predicate<String> names = matching(invocation, "--queue-pattern");
    Map<String, List<Map<String, Object>>> byNode = new TreeMap<>();
    invocation.api().list("nodes?columns=name,running,being_drained").stream()
        .filter(node -> Boolean.TRUE.equals(node.get("running")))
        .filter(node -> !Boolean.TRUE.equals(node.get("being_drained")))
        .forEach(node -> byNode.put(Api.text(node, "name"), new ArrayList<>()));
    for (Map<String, Object> queue :
        invocation.api().list("queues?disable_stats=true&enable_queue_totals=true")) {
      List<Map<String, Object>> onNode = byNode.get(Api.text(queue, "node"));
      if (onNode != null
          && isOfKind(queue, kind)
          && vhosts.test(Api.text(queue, "vhost"))
          && names.test(Api.text(queue, "name"))) {
        onNode.add(queue);
      }
    }
    return NODES.rows(spread(invocation, byNode));
  }

  private static boolean isOfKind(Map<String, Object> queue, String kind) {
    return (kind.equals("all") || kind.equals(queue.get("type")))
        && !"stream".equals(queue.get("type"))
        && !Boolean.TRUE.equals(queue.get("exclusive"));
  }

  private static Predicate<String> matching(Invocation invocation, String option) {
    String pattern = invocation.option(option);
    try {
      return pattern == null ? any -> true : Pattern.compile(pattern).asPredicate();
    } catch (PatternSyntaxException e) {
      throw ControlException.usage("%s '%s': %s".formatted(option, pattern, e.getDescription()));
    }
  }

  /** Moves queues one by one, from the node with the most to the one with the fewest. */
  private static List<Map<String, Object>> spread(
      Invocation invocation, Map<String, List<Map<String, Object>>> byNode) {
    Comparator<String> byCount = Comparator.comparingInt(node -> byNode.get(node).size());
    Map<String, Integer> moved = new TreeMap<>();
    while (byNode.size() > 1) {
      String from = Collections.max(byNode.keySet(), byCount);
      String to = Collections.min(byNode.keySet(), byCount);
      List<Map<String, Object>> most = byNode.get(from);
      if (most.size() - byNode.get(to).size() <= 1) {
        break;
      }
      Map<String, Object> queue = most.remove(most.size() - 1);
      byNode.get(to).add(queue);
      moved.merge(to, 1, Integer::sum);
      if (!invocation.dryRun()) {
        move(invocation, new Moved(Api.text(queue, "vhost"), Api.text(queue, "name"), to));
      }
    }
    return byNode.entrySet().stream()
        .map(
            each ->
                Json.object(
                    "node", each.getKey(),
                    "queues", each.getValue().size(),
                    "moved_here", moved.getOrDefault(each.getKey(), 0)))
        .toList();
  }
}
