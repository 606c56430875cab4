package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.fraction;
import static io.mayflymq.server.config.ValueTypes.largeBytes;
import static io.mayflymq.server.config.ValueTypes.orWord;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;

/**
 * How much of the disk must stay free.
 *
 * @param absoluteLimit in bytes
 * @param relativeLimit the same as a multiple of the machine's memory; counts instead if it is
 *     there
 */
public record DiskSettings(long absoluteLimit, OptionalDouble relativeLimit) {
  static final Section SECTION = new Section("Disk");

  static final Setting<Long> DISK_FREE_ABSOLUTE =
      SECTION.addChangeable(
          Setting.of(
              "disk_free_limit.absolute",
              largeBytes(),
              "50MB",
              "The free bytes on the disk of `data_dir` below which the disk alarm is raised;"
                  + " 0 for never."));

  static final Setting<Optional<Double>> DISK_FREE_RELATIVE =
      SECTION.addChangeable(
          Setting.of(
              "disk_free_limit.relative",
              orWord("none", fraction(1_000)),
              "none",
              "The same as a multiple of the machine's memory. If set, it replaces the"
                  + " absolute one."));

  static DiskSettings of(SettingValues values) {
    return new DiskSettings(
        values.get(DISK_FREE_ABSOLUTE),
        values.get(DISK_FREE_RELATIVE).map(OptionalDouble::of).orElseGet(OptionalDouble::empty));
  }

  /**
   * Returns below how many free bytes the disk alarm is raised.
   *
   * @param physicalMemory the memory of the machine, or of the container, in bytes; asked only if
   *     it matters
   */
  public long limitBytes(LongSupplier physicalMemory) {
    return relativeLimit.isPresent()
        ? (long) (relativeLimit.getAsDouble() * physicalMemory.getAsLong())
        : absoluteLimit;
  }
}
