package io.mayflymq.server.config;

import java.util.OptionalLong;

/**
 * How much memory may be in use.
 *
 * @param relativeWatermark the share of the heap's maximum above which publishers are blocked, 0 to
 *     1
 * @param absoluteWatermark the same in bytes; counts instead if it is there
 * @param pagingRatio the share of the watermark above which contents of messages are kept on disk
 *     only, 0 to 1
 * @param monitorIntervalMillis how long to wait between two looks, in ms
 */
public record MemorySettings(
    double relativeWatermark,
    OptionalLong absoluteWatermark,
    double pagingRatio,
    int monitorIntervalMillis) {

  /**
   * Returns above how many bytes in use the memory alarm is raised. Never more than the heap can
   * hold, as that alarm would come too late.
   *
   * @param maxHeap the most that the heap may take, in bytes
   */
  public long watermarkBytes(long maxHeap) {
    return Math.min(maxHeap, absoluteWatermark.orElse((long) (relativeWatermark * maxHeap)));
  }

  /**
   * Returns above how many bytes in use contents of messages are kept on disk only.
   *
   * @param maxHeap the most that the heap may take, in bytes
   */
  public long pagingBytes(long maxHeap) {
    return (long) (pagingRatio * watermarkBytes(maxHeap));
  }
}
