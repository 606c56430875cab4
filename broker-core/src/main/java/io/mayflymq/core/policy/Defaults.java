package io.mayflymq.core.policy;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import java.util.Map;
import java.util.Set;

/**
 * What counts for all queues and exchanges of a virtual host: the broker's configuration, and the
 * dialect that the virtual host follows.
 *
 * @param dialect the rules of RabbitMQ that hold where its releases differ
 * @param values the values of keys that neither an argument nor a policy sets
 * @param messageTtl whether messages expire at all
 * @param deadLettering whether dead messages are dead-lettered at all
 * @param leastExpiresMillis shorter leases of queues are raised to this value, in ms, 1 or more
 * @param compared what a redeclaration must agree on
 * @param disabledTypes the types of queues that may not be declared
 * @param denied what RabbitMQ took away and may not be used here either
 */
public record Defaults(
    Dialect dialect,
    Map<PolicyKey, Object> values,
    boolean messageTtl,
    boolean deadLettering,
    long leastExpiresMillis,
    Compared compared,
    Set<QueueType> disabledTypes,
    Set<DeprecatedFeature> denied) {
  /**
   * What a redeclaration must agree on, besides what is always compared.
   *
   * @param extensions the arguments that only this broker supports
   * @param typeOfQuorumQueues the argument {@code x-queue-type}, if the queue is a quorum queue
   */
  public record Compared(boolean extensions, boolean typeOfQuorumQueues) {
    /** What is compared by default. */
    public static final Compared DEFAULT = new Compared(false, true);
  }

  /** No defaults. */
  public static final Defaults NONE =
      new Defaults(Dialect.DEFAULT, Map.of(), true, true, 1, Compared.DEFAULT, Set.of(), Set.of());

  /** Returns the same with another dialect. */
  public Defaults in(Dialect other) {
    return new Defaults(
        other,
        values,
        messageTtl,
        deadLettering,
        leastExpiresMillis,
        compared,
        disabledTypes,
        denied);
  }

  /** Whether only arguments and policies determine an object's settings. */
  boolean sayNothing() {
    return dialect == Dialect.DEFAULT
        && values.isEmpty()
        && denied.isEmpty()
        && messageTtl
        && deadLettering
        && leastExpiresMillis == 1;
  }
}
