package io.mayflymq.core.store;

/**
 * The name of a burst. Two logs that have a burst of the same name have the same bursts up to it:
 * an epoch has one leader, and a replica accepts a burst only behind the one before it.
 *
 * @param epoch the epoch of the leader that made it, from 1; 0 for {@link #NONE}
 * @param number its place in the log, from 1, without gaps; 0 for {@link #NONE}
 */
public record BurstId(long epoch, long number) {
  /** The end of an empty log. */
  public static final BurstId NONE = new BurstId(0, 0);

  public BurstId {
    if (epoch < 0 || number < 0 || (epoch == 0) != (number == 0)) {
      throw new IllegalArgumentException("burst %d of epoch %d".formatted(number, epoch));
    }
  }
}
