package io.mayflymq.core.metrics;

/** How often each thing happened, and how often per second of late. Any thread may ask. */
public interface Counts {
  /** How often it happened so far. */
  long get(Counter counter);

  /** How often it happened per second between the last two samples; 0 before there are two. */
  double rate(Counter counter);

  /**
   * Returns how often each thing had happened at some moments of the last day. The older a moment,
   * the less exact it is: half an hour at worst.
   *
   * @param nanos the moments in ascending order, as {@link System#nanoTime} had them
   */
  PastCounts at(long[] nanos);
}
