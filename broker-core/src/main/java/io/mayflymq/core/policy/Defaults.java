package io.mayflymq.core.policy;

import java.util.Map;

/**
 * What the broker's configuration says about all queues and exchanges.
 *
 * @param values the values of keys that neither an argument nor a policy sets
 * @param messageTtl whether messages expire at all
 * @param deadLettering whether dead messages go anywhere at all
 * @param leastExpiresMillis what shorter leases of queues are raised to, in ms, 1 or more
 */
public record Defaults(
    Map<PolicyKey, Object> values,
    boolean messageTtl,
    boolean deadLettering,
    long leastExpiresMillis) {
  /** Nothing is said. */
  public static final Defaults NONE = new Defaults(Map.of(), true, true, 1);

  /** Whether an object lives by its arguments and policies alone. */
  boolean sayNothing() {
    return equals(NONE);
  }
}
