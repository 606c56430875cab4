package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import java.util.Comparator;
import java.util.List;

/**
 * An item of a list over several nodes, as far as its place in the list depends on it.
 *
 * @param node the name of the node that has it
 * @param id names it on that node
 * @param place its place in the order that applies unless the request sorts, and among equal ones
 * @param value what the request sorts by; null if it does not sort, or the item has no such value
 */
record ListKey(String node, String id, String place, Object value) {
  /** The order of those that are equal in what a request sorts by, or of all if it does not. */
  static final Comparator<ListKey> BY_PLACE =
      Comparator.comparing(ListKey::place).thenComparing(ListKey::node).thenComparing(ListKey::id);

  /** Returns the order that a request specifies. */
  static Comparator<ListKey> order(boolean reverse) {
    Comparator<ListKey> byValue = Comparator.comparing(ListKey::value, Listing::compare);
    return (reverse ? byValue.reversed() : byValue).thenComparing(BY_PLACE);
  }

  List<Object> toJson() {
    return Json.list(id, place, value);
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if it is none
   */
  static ListKey of(String node, Object json) {
    if (json instanceof List<?> parts
        && parts.size() == 3
        && parts.get(0) instanceof String id
        && parts.get(1) instanceof String place) {
      return new ListKey(node, id, place, parts.get(2));
    }
    throw new IllegalArgumentException("not a key of a list: " + json);
  }
}
