package io.mayflymq.core.settings;

/**
 * When messages are too old.
 *
 * @param messageTtlMillis how long a message may stay, 0 or more, or {@link QueueSettings#NONE}
 * @param retroactive whether another TTL also counts for messages that are there already
 * @param ttlMode whether the message's own TTL or the queue's counts
 * @param floorMillis what any TTL is raised to if it is shorter, 0 for nothing
 * @param mode when they leave
 */
public record ExpirySettings(
    long messageTtlMillis,
    boolean retroactive,
    TtlMode ttlMode,
    long floorMillis,
    ExpiryMode mode) {}
