package io.mayflymq.server.config;

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
