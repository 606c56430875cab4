package io.mayflymq.core.policy;

import java.util.Map;

/**
 * What the broker's configuration says about all queues and exchanges.
 *
 * @param values the values of keys that neither an argument nor a policy sets
 * @param messageTtl whether messages expire at all
 * @param deadLettering whether dead messages go anywhere at all
 * @param leastExpiresMillis what shorter leases of queues are raised to, in ms, 1 or more
 * @param extensionsCompared whether a redeclaration must agree on the arguments that only this
 *     broker knows
 */
public record Defaults(
    Map<PolicyKey, Object> values,
    boolean messageTtl,
    boolean deadLettering,
    long leastExpiresMillis,
    boolean extensionsCompared) {
  /** Nothing is said. */
  public static final Defaults NONE = new Defaults(Map.of(), true, true, 1, false);

  /** Whether an object lives by its arguments and policies alone. */
  boolean sayNothing() {
    return values.isEmpty() && messageTtl && deadLettering && leastExpiresMillis == 1;
  }
}
