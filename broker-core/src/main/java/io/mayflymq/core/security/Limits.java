package io.mayflymq.core.security;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The limits of a virtual host or of a user. A limit that was not set is absent; a negative number
 * means no limit, too, and is kept as it was set, as in RabbitMQ. Immutable.
 */
public final class Limits {
  /** No limit at all. */
  public static final Limits NONE = new Limits(new EnumMap<>(Limit.class));

  /**
   * The limits of virtual hosts: connections and queues as in RabbitMQ
   * (rabbitmq.com/docs/vhosts#limits), the others are MayflyMQ's own.
   */
  public static final Set<Limit> OF_VHOSTS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Limit.MAX_CONNECTIONS,
              Limit.MAX_QUEUES,
              Limit.MAX_EXCHANGES,
              Limit.MAX_BINDINGS,
              Limit.MAX_METADATA_BYTES,
              Limit.PUBLISH_RATE,
              Limit.PUBLISH_BURST,
              Limit.DELIVERY_RATE,
              Limit.DELIVERY_BURST));

  /** The limits of users (rabbitmq.com/docs/user-limits); the rates are MayflyMQ's own. */
  public static final Set<Limit> OF_USERS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Limit.MAX_CONNECTIONS,
              Limit.MAX_CHANNELS,
              Limit.PUBLISH_RATE,
              Limit.PUBLISH_BURST,
              Limit.DELIVERY_RATE,
              Limit.DELIVERY_BURST));

  private final EnumMap<Limit, Integer> values;

  private Limits(EnumMap<Limit, Integer> values) {
    this.values = values;
  }

  /** The given limits. */
  public static Limits of(Map<Limit, Integer> values) {
    EnumMap<Limit, Integer> copy = new EnumMap<>(Limit.class);
    values.forEach((limit, value) -> copy.put(limit, Objects.requireNonNull(value, limit.key())));
    return new Limits(copy);
  }

  /** The number that was given, or null if there is none. */
  public Integer get(Limit limit) {
    return values.get(limit);
  }

  /** Whether one more is allowed with this number present. */
  public boolean allow(Limit limit, int present) {
    Integer most = values.get(limit);
    return most == null || most < 0 || present < most;
  }

  /** These limits with one set. */
  public Limits with(Limit limit, int value) {
    EnumMap<Limit, Integer> changed = new EnumMap<>(values);
    changed.put(limit, value);
    return new Limits(changed);
  }

  /** These limits without one. */
  public Limits without(Limit limit) {
    EnumMap<Limit, Integer> changed = new EnumMap<>(values);
    changed.remove(limit);
    return new Limits(changed);
  }

  /** Returns the names of limits, in the order of their declaration. */
  public static List<String> keys(Set<Limit> limits) {
    return limits.stream().map(Limit::key).toList();
  }

  /** All that are given, in the order of their declaration. */
  public Map<Limit, Integer> asMap() {
    return Collections.unmodifiableMap(values);
  }

  public boolean isEmpty() {
    return values.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Limits that && values.equals(that.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
