package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The first items of the list of one node, or of several.
 *
 * @param total how many there are
 * @param filtered how many of these have the name that is wanted
 * @param keys the first of the latter, in order
 */
record ListHead(int total, int filtered, List<ListKey> keys) {
  static final ListHead EMPTY = new ListHead(0, 0, List.of());

  Map<String, Object> toJson() {
    return Json.object(
        "total", total,
        "filtered", filtered,
        "keys", keys.stream().map(ListKey::toJson).toList());
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if it is none
   */
  static ListHead of(String node, Map<String, Object> json) {
    if (json.get("total") instanceof Number total
        && json.get("filtered") instanceof Number filtered
        && json.get("keys") instanceof List<?> keys) {
      return new ListHead(
          total.intValue(),
          filtered.intValue(),
          keys.stream().map(key -> ListKey.of(node, key)).toList());
    }
    throw new IllegalArgumentException("not the head of a list: " + json);
  }

  /** Returns this part of the list of a node with the part that follows. */
  ListHead then(ListHead next) {
    // The list may have changed between the two.
    LinkedHashSet<ListKey> all = new LinkedHashSet<>(keys);
    all.addAll(next.keys);
    return new ListHead(next.total, next.filtered, List.copyOf(all));
  }

  /** Returns the list of all these nodes. */
  static ListHead merge(Collection<ListHead> heads, Comparator<ListKey> order) {
    int total = 0;
    int filtered = 0;
    List<ListKey> keys = new ArrayList<>();
    for (ListHead head : heads) {
      total += head.total;
      filtered += head.filtered;
      keys.addAll(head.keys);
    }
    keys.sort(order);
    return new ListHead(total, filtered, List.copyOf(keys));
  }

  /**
   * Returns the list of those whose places are the first, in the order of this one.
   *
   * @param most how many, 0 or more
   */
  ListHead firstByPlace(long most) {
    if (filtered <= most) {
      return this;
    }
    Set<ListKey> first =
        keys.stream().sorted(ListKey.BY_PLACE).limit(most).collect(Collectors.toSet());
    return new ListHead(
        (int) Math.min(total, most), first.size(), keys.stream().filter(first::contains).toList());
  }
}
