package io.mayflymq.server.channel;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.server.delivery.ChannelIdentity;

/**
 * How a channel was at one moment.
 *
 * @param identity what it is known by
 * @param counters what it counts; they go on
 * @param confirm whether it is in confirm mode
 * @param transactional whether it is in transaction mode
 * @param consumers how many consumers it has
 * @param unacked how many deliveries were not settled
 * @param unconfirmed how many publishes were not confirmed yet
 * @param uncommitted how many publishes wait for a commit
 * @param uncommittedAcks how many settlements wait for one
 * @param prefetch what the next consumer may have unacknowledged, 0 for no limit
 * @param globalPrefetch what all of them together may, 0 for no limit
 */
public record ChannelView(
    ChannelIdentity identity,
    Counters counters,
    boolean confirm,
    boolean transactional,
    int consumers,
    int unacked,
    int unconfirmed,
    int uncommitted,
    int uncommittedAcks,
    int prefetch,
    int globalPrefetch) {}
