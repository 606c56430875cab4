package io.mayflymq.server.config;

import java.util.OptionalInt;

/**
 * How quorum queues grow to their target sizes ({@code
 * quorum_queue.continuous_membership_reconciliation.*}).
 *
 * @param enabled whether they do
 * @param targetGroupSize the least target size of all quorum queues; empty if there is none
 * @param intervalMillis how often that is looked at
 * @param triggerIntervalMillis how long after a change it is looked at
 */
public record ReconciliationSettings(
    boolean enabled, OptionalInt targetGroupSize, int intervalMillis, int triggerIntervalMillis) {}
