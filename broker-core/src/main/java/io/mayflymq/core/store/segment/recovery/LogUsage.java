package io.mayflymq.core.store.segment.recovery;

/**
 * What a log occupies.
 *
 * @param segments how many segments exist
 * @param diskBytes how long they are together, without their indexes
 * @param liveBytes about how many of them are of entries that are needed
 * @param liveEntries how many entries are needed
 */
public record LogUsage(int segments, long diskBytes, long liveBytes, long liveEntries) {}
