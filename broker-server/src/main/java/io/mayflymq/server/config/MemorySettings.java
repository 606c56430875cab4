package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.fraction;
import static io.mayflymq.server.config.ValueTypes.largeBytes;
import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;

import java.util.Optional;
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
  static final Section SECTION = new Section("Memory");

  static final Setting<Double> MEMORY_WATERMARK_RELATIVE =
      SECTION.addChangeable(
          Setting.of(
              "vm_memory_high_watermark.relative",
              fraction(1),
              "0.8",
              "The share of the maximum heap (`-Xmx`) above which the memory alarm is raised."));

  static final Setting<Optional<Long>> MEMORY_WATERMARK_ABSOLUTE =
      SECTION.addChangeable(
          Setting.of(
              "vm_memory_high_watermark.absolute",
              orWord("none", largeBytes()),
              "none",
              "The same in bytes. If set, it replaces the relative one; never more than the"
                  + " maximum heap."));

  static final Setting<Double> MEMORY_WATERMARK_PAGING_RATIO =
      SECTION.add(
          Setting.of(
              "vm_memory_high_watermark_paging_ratio",
              fraction(1),
              "0.2",
              "The share of that watermark above which message contents are kept on disk only."));

  static final Setting<Integer> MEMORY_MONITOR_INTERVAL =
      SECTION.add(
          Setting.of(
              "memory_monitor_interval",
              wholeNumber("milliseconds", 1, Integer.MAX_VALUE),
              "2500",
              "The time between two checks of the memory in use."));

  static MemorySettings of(SettingValues values) {
    return new MemorySettings(
        values.get(MEMORY_WATERMARK_RELATIVE),
        values.get(MEMORY_WATERMARK_ABSOLUTE).map(OptionalLong::of).orElseGet(OptionalLong::empty),
        values.get(MEMORY_WATERMARK_PAGING_RATIO),
        values.get(MEMORY_MONITOR_INTERVAL));
  }

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
