package io.mayflymq.core.store.segment;

/**
 * The size of a log.
 *
 * @param segments how many segments exist
 * @param diskBytes their total length, without their indexes
 * @param liveBytes about how many of these bytes belong to entries that are needed
 * @param liveEntries how many entries are needed
 */
public record LogUsage(int segments, long diskBytes, long liveBytes, long liveEntries) {}
