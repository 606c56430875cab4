package io.mayflymq.it.cluster.fault;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What clients know of the queues, exchanges, bindings and policies that they have made and
 * deleted: of a change without an answer they know nothing, ever. Any thread.
 */
final class ObjectLedger {
  /** What is known of an object. */
  private enum State {
    THERE,
    GONE,
    UNKNOWN
  }

  private final Map<String, State> states = new ConcurrentHashMap<>();

  /** Records that a change of an object was requested. */
  void changing(String object) {
    states.put(object, State.UNKNOWN);
  }

  /** Records that an object was made. */
  void made(String object) {
    states.put(object, State.THERE);
  }

  /** Records that an object was deleted. */
  void deleted(String object) {
    states.put(object, State.GONE);
  }

  /** Returns what differs in exported definitions. */
  List<String> check(JsonNode definitions) {
    Set<String> found = new HashSet<>();
    definitions.path("queues").forEach(queue -> found.add(queue(name(queue))));
    definitions.path("exchanges").forEach(exchange -> found.add(exchange(name(exchange))));
    definitions.path("policies").forEach(policy -> found.add(policy(name(policy))));
    definitions
        .path("bindings")
        .forEach(each -> found.add(binding(each.path("destination").asText())));
    List<String> wrong = new ArrayList<>();
    states.forEach(
        (object, state) -> {
          if (state == State.THERE && !found.contains(object)) {
            wrong.add(object + " was made, and is not there");
          } else if (state == State.GONE && found.contains(object)) {
            wrong.add(object + " was deleted, and is there");
          }
        });
    return wrong;
  }

  private static String name(JsonNode object) {
    return object.path("name").asText();
  }

  static String queue(String name) {
    return "queue " + name;
  }

  static String exchange(String name) {
    return "exchange " + name;
  }

  static String policy(String name) {
    return "policy " + name;
  }

  /** The one binding of a queue. */
  static String binding(String queue) {
    return "binding of " + queue;
  }
}
