package io.mayflymq.core.policy;

import java.util.Map;

/**
 * What the broker's configuration sets for all queues and exchanges.
 *
 * @param values the values of keys that neither an argument nor a policy sets
 * @param messageTtl whether messages expire at all
 * @param deadLettering whether dead messages are dead-lettered at all
 * @param leastExpiresMillis shorter leases of queues are raised to this value, in ms, 1 or more
 * @param extensionsCompared whether a redeclaration must agree on the arguments that only this
 *     broker supports
 */
public record Defaults(
    Map<PolicyKey, Object> values,
    boolean messageTtl,
    boolean deadLettering,
    long leastExpiresMillis,
    boolean extensionsCompared) {
  /** No defaults. */
  public static final Defaults NONE = new Defaults(Map.of(), true, true, 1, false);

  /** Whether only arguments and policies determine an object's settings. */
  boolean sayNothing() {
    return values.isEmpty() && messageTtl && deadLettering && leastExpiresMillis == 1;
  }
}
