package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bytes;
import static io.mayflymq.server.config.ValueTypes.regularExpression;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import io.mayflymq.core.admin.DefaultLimits;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.NamePattern;
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
  static final Section SECTION = new Section("Default limits of virtual hosts");

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
  private static final KeyFamily<Integer> MAX_EXCHANGES =
      family(
          "max_exchanges",
          wholeNumber("exchanges", 0, Integer.MAX_VALUE),
          "Exchanges that it may have, with the broker's own.");
  private static final KeyFamily<Integer> MAX_BINDINGS =
      family(
          "max_bindings",
          wholeNumber("bindings", 0, Integer.MAX_VALUE),
          "Bindings that it may have.");
  private static final KeyFamily<Integer> MAX_METADATA_BYTES =
      family(
          "max_metadata_bytes",
          bytes(0, Integer.MAX_VALUE),
          "Memory that its exchanges, queues and bindings may take, about.");

  private static final Map<Limit, KeyFamily<Integer>> LIMITS = limits();

  private DefaultLimitKeys() {}

  private static <T> KeyFamily<T> family(String key, ValueType<T> type, String doc) {
    return SECTION.add(
        new KeyFamily<>("default_limits.vhosts.", "$id", "." + key, type, Map.of(), doc));
  }

  private static Map<Limit, KeyFamily<Integer>> limits() {
    Map<Limit, KeyFamily<Integer>> limits = new EnumMap<>(Limit.class);
    limits.put(Limit.MAX_CONNECTIONS, MAX_CONNECTIONS);
    limits.put(Limit.MAX_QUEUES, MAX_QUEUES);
    limits.put(Limit.MAX_EXCHANGES, MAX_EXCHANGES);
    limits.put(Limit.MAX_BINDINGS, MAX_BINDINGS);
    limits.put(Limit.MAX_METADATA_BYTES, MAX_METADATA_BYTES);
    return limits;
  }

  /**
   * Returns the limits in the order of their ids, where 10 comes after 2: a virtual host gets the
   * first whose pattern is found in its name.
   */
  static List<DefaultLimits> limits(SettingValues values) {
    Map<String, String> patterns = values.members(PATTERN);
    Map<Limit, Map<String, Integer>> members = new EnumMap<>(Limit.class);
    LIMITS.forEach((limit, family) -> members.put(limit, values.members(family)));
    TreeSet<String> ids =
        new TreeSet<>(
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    ids.addAll(patterns.keySet());
    members.values().forEach(given -> ids.addAll(given.keySet()));
    List<DefaultLimits> limits = new ArrayList<>();
    for (String id : ids) {
      Map<Limit, Integer> given = new EnumMap<>(Limit.class);
      members.forEach(
          (limit, byId) -> {
            if (byId.containsKey(id)) {
              given.put(limit, byId.get(id));
            }
          });
      limits.add(
          new DefaultLimits(
              NamePattern.of(patterns.getOrDefault(id, ALL_NAMES)), Limits.of(given)));
    }
    return List.copyOf(limits);
  }
}
