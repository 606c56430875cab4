package io.mayflymq.server.channel;

import io.mayflymq.core.metrics.Counters;
import java.util.Map;

/**
 * The state of a channel at one moment.
 *
 * @param identity its identity
 * @param counters its live counters, not a copy
 * @param exchanges those of what it has published, by exchange
 * @param queues those of what it has taken, by queue
 * @param confirm whether it is in confirm mode
 * @param transactional whether it is in transaction mode
 * @param consumers how many consumers it has
 * @param unacked how many deliveries were not settled
 * @param unconfirmed how many publishes were not confirmed yet
 * @param uncommitted how many publishes wait for a commit
 * @param uncommittedAcks how many settlements wait for one
 * @param prefetch the prefetch limit of the next consumer, 0 for no limit
 * @param globalPrefetch the prefetch limit of all consumers together, 0 for no limit
 */
public record ChannelView(
    ChannelIdentity identity,
    Counters counters,
    Map<String, Counters> exchanges,
    Map<String, Counters> queues,
    boolean confirm,
    boolean transactional,
    int consumers,
    int unacked,
    int unconfirmed,
    int uncommitted,
    int uncommittedAcks,
    int prefetch,
    int globalPrefetch) {}
