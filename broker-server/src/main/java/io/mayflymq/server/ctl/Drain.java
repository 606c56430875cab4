package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code drain}: puts the node into maintenance mode, and tells what has become of its clients and
 * queues: the operator is about to stop it.
 */
final class Drain {
  private static final int MOST_NAMED = 10;

  private Drain() {}

  /** A queue, by virtual host and name. */
  private record Place(Object vhost, Object name) {
    static Place of(Map<String, Object> queue) {
      return new Place(queue.get("vhost"), queue.get("name"));
    }

    @Override
    public String toString() {
      return "'%s' in vhost '%s'".formatted(name, vhost);
    }
  }

  static Result run(Invocation invocation) {
    invocation.banner(
        "Will put node %s into maintenance mode. The node will no longer serve any client traffic!",
        invocation.node());
    String node = invocation.node();
    Api api = invocation.api();
    long clients =
        api.list("connections?columns=node").stream()
            .filter(connection -> node.equals(connection.get("node")))
            .count();
    List<Map<String, Object>> before = queuesOf(api, node);
    boolean dry = invocation.dryRun();
    if (!dry) {
      api.control("PUT", "maintenance", Json.object("drained", true));
    }
    List<Map<String, Object>> after = dry ? before : queuesOf(api, node);
    Set<Place> here = after.stream().map(Place::of).collect(Collectors.toCollection(HashSet::new));
    List<Place> moved =
        before.stream().map(Place::of).filter(each -> !here.contains(each)).toList();
    List<Place> led = after.stream().filter(Drain::hasOthers).map(Place::of).toList();
    List<Place> alone = after.stream().filter(each -> !hasOthers(each)).map(Place::of).toList();
    List<String> lines = new ArrayList<>();
    lines.add((dry ? "Would be closed" : "Closed") + ": %d client connections".formatted(clients));
    if (dry) {
      add(lines, "Would be led by another member that is in sync", led);
    } else {
      add(lines, "Led by another member now", moved);
      add(lines, "Still led by this node, as no other member is in sync", led);
    }
    add(lines, "On this node only, and not to be used while it is stopped", alone);
    return new Result.Value(
        Json.object(
            "closed_connections", clients,
            "moved", texts(moved),
            "led_here", texts(led),
            "only_here", texts(alone)),
        String.join("\n", lines));
  }

  private static List<Map<String, Object>> queuesOf(Api api, String node) {
    return api.list("queues?columns=vhost,name,node,members").stream()
        .filter(queue -> node.equals(queue.get("node")))
        .toList();
  }

  private static boolean hasOthers(Map<String, Object> queue) {
    return queue.get("members") instanceof List<?> members && members.size() > 1;
  }

  private static List<String> texts(List<Place> queues) {
    return queues.stream().map(Place::toString).toList();
  }

  private static void add(List<String> lines, String what, List<Place> queues) {
    if (queues.isEmpty()) {
      return;
    }
    lines.add("%s: %d queues".formatted(what, queues.size()));
    queues.stream().limit(MOST_NAMED).forEach(queue -> lines.add("  " + queue));
    if (queues.size() > MOST_NAMED) {
      lines.add("  and %d others".formatted(queues.size() - MOST_NAMED));
    }
  }
}
