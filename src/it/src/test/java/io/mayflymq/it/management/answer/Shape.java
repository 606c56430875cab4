package io.mayflymq.it.management.answer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The shape of JSON: which keys there are, of which types, and whether always. All elements of an
 * array have one shape, so a key that some of them lack is not always there.
 */
final class Shape {
  /** A key: its types, and whether each object that can have it has it. */
  record Key(TreeSet<String> types, boolean always) {
    @Override
    public String toString() {
      return (always ? "" : "? ") + String.join(" ", types);
    }
  }

  private final Map<String, Key> keys;

  private Shape(Map<String, Key> keys) {
    this.keys = keys;
  }

  /**
   * Returns the shape of an answer.
   *
   * @param node the name of the broker's node, which is a key of some objects
   */
  static Shape of(JsonNode json, String node) {
    Collector all = new Collector(node);
    all.add("", json);
    return new Shape(all.keys());
  }

  /** Reads what {@link #lines} has written. */
  static Shape parse(List<String> lines) {
    Map<String, Key> keys = new TreeMap<>();
    for (String line : lines) {
      List<String> words = List.of(line.trim().split(" +"));
      boolean always = !words.get(1).equals("?");
      keys.put(
          words.get(0),
          new Key(new TreeSet<>(words.subList(always ? 1 : 2, words.size())), always));
    }
    return new Shape(keys);
  }

  List<String> lines() {
    return keys.entrySet().stream().map(key -> "  " + key.getKey() + " " + key.getValue()).toList();
  }

  /**
   * Returns what a client that was written for that other shape would stumble over in this one:
   * keys that are missing, types that it does not expect, and null in keys that it does not know.
   */
  List<String> missesOf(Shape other) {
    List<String> misses = new ArrayList<>();
    other.keys.forEach(
        (path, wanted) -> {
          Key is = keys.get(path);
          if (is == null || (wanted.always && !is.always)) {
            if (wanted.always && other.hasParentOf(path, this)) {
              misses.add(
                  path + " is " + (is == null ? "missing" : "missing in some") + ": " + wanted);
            }
          } else if (!wanted.types.containsAll(is.types)) {
            misses.add(path + " is " + is + ": " + wanted);
          }
        });
    keys.forEach(
        (path, is) -> {
          if (!other.keys.containsKey(path) && is.types.contains("null")) {
            misses.add(path + " is null, and unknown");
          }
        });
    return misses;
  }

  /** Whether the object or array that the path is in is there in both. */
  private boolean hasParentOf(String path, Shape both) {
    int end = Math.max(path.lastIndexOf('.'), path.endsWith("[]") ? path.length() - 2 : 0);
    String parent = path.substring(0, end);
    return parent.isEmpty() || both.keys.containsKey(parent);
  }

  private static final class Collector {
    private final String node;
    private final Map<String, TreeSet<String>> types = new TreeMap<>();
    private final Map<String, Integer> seen = new TreeMap<>();
    private final Map<String, Integer> objects = new TreeMap<>();

    Collector(String node) {
      this.node = node;
    }

    void add(String path, JsonNode json) {
      if (json.isObject()) {
        objects.merge(path, 1, Integer::sum);
        json.properties()
            .forEach(field -> value(path + "." + name(field.getKey()), field.getValue()));
      } else if (json.isArray()) {
        json.forEach(element -> value(path + "[]", element));
      }
    }

    private void value(String path, JsonNode json) {
      types
          .computeIfAbsent(path, any -> new TreeSet<>())
          .add(json.getNodeType().name().toLowerCase(Locale.ROOT));
      seen.merge(path, 1, Integer::sum);
      add(path, json);
    }

    private String name(String key) {
      return key.equals(node) ? "{N}" : key.replace(' ', '_').replace('.', ':');
    }

    Map<String, Key> keys() {
      return types.entrySet().stream()
          .collect(
              Collectors.toMap(
                  Map.Entry::getKey,
                  entry -> new Key(entry.getValue(), isAlways(entry.getKey())),
                  (one, other) -> one,
                  TreeMap::new));
    }

    private boolean isAlways(String path) {
      return path.endsWith("[]")
          || seen.get(path).equals(objects.get(path.substring(0, path.lastIndexOf('.'))));
    }
  }
}
