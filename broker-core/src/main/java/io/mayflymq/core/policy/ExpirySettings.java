package io.mayflymq.core.policy;

/**
 * When messages expire.
 *
 * @param messageTtlMillis how long a message may stay, 0 or more, or {@link QueueSettings#NONE}
 * @param retroactive whether a new TTL also applies to messages that are in the queue already
 * @param ttlMode whether the message's own TTL or the queue's counts
 * @param floorMillis shorter TTLs are raised to this value; 0 for none
 * @param mode when expired messages leave
 */
public record ExpirySettings(
    long messageTtlMillis,
    boolean retroactive,
    TtlMode ttlMode,
    long floorMillis,
    ExpiryMode mode) {}
