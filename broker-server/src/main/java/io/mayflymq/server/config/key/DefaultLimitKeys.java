package io.mayflymq.server.config.key;

import static io.mayflymq.server.config.type.ValueTypes.regularExpression;
import static io.mayflymq.server.config.type.ValueTypes.wholeNumber;

import io.mayflymq.core.admin.DefaultLimits;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.NamePattern;
import io.mayflymq.server.config.source.SettingValues;
import io.mayflymq.server.config.type.Key;
import io.mayflymq.server.config.type.KeyFamily;
import io.mayflymq.server.config.type.ValueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The keys {@code default_limits.vhosts.$id.*}: limits that a virtual host gets when it is made.
 * Source: RabbitMQ, "Virtual Hosts", section on default limits.
 */
final class DefaultLimitKeys {
  private static final String ALL_NAMES = ".*";

  private static final KeyFamily<String> PATTERN =
      family("pattern", regularExpression(), "Names of the virtual hosts that get these limits.");
  private static final KeyFamily<Integer> MAX_CONNECTIONS =
      family(
          "max_connections",
          wholeNumber("connections", 0, Integer.MAX_VALUE),
          "Connections to the virtual host that may be open.");
  private static final KeyFamily<Integer> MAX_QUEUES =
      family("max_queues", wholeNumber("queues", 0, Integer.MAX_VALUE), "Queues that it may have.");

  private DefaultLimitKeys() {}

  private static <T> KeyFamily<T> family(String key, ValueType<T> type, String doc) {
    return new KeyFamily<>("default_limits.vhosts.", "$id", "." + key, type, Map.of(), doc);
  }

  /** Returns all these keys. */
  static List<Key<?>> keys() {
    return List.of(PATTERN, MAX_CONNECTIONS, MAX_QUEUES);
  }

  /**
   * Returns the limits in the order of their ids, where 10 comes after 2: a virtual host gets the
   * first whose pattern is found in its name.
   */
  static List<DefaultLimits> limits(SettingValues values) {
    Map<String, String> patterns = values.members(PATTERN);
    Map<String, Integer> connections = values.members(MAX_CONNECTIONS);
    Map<String, Integer> queues = values.members(MAX_QUEUES);
    TreeSet<String> ids =
        new TreeSet<>(
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    List.of(patterns, connections, queues).forEach(members -> ids.addAll(members.keySet()));
    List<DefaultLimits> limits = new ArrayList<>();
    for (String id : ids) {
      Map<Limit, Integer> given = new EnumMap<>(Limit.class);
      if (connections.containsKey(id)) {
        given.put(Limit.MAX_CONNECTIONS, connections.get(id));
      }
      if (queues.containsKey(id)) {
        given.put(Limit.MAX_QUEUES, queues.get(id));
      }
      limits.add(
          new DefaultLimits(
              NamePattern.of(patterns.getOrDefault(id, ALL_NAMES)), Limits.of(given)));
    }
    return List.copyOf(limits);
  }
}
