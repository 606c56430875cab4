package io.mayflymq.core.store;

/**
 * The name of a batch. Two logs that have a batch of the same name have the same batches up to it:
 * an epoch has one leader, and a replica accepts a batch only behind the one before it.
 *
 * @param epoch the epoch of the leader that made it, from 1; 0 for {@link #NONE}
 * @param number its place in the log, from 1, without gaps; 0 for {@link #NONE}
 */
public record BatchId(long epoch, long number) {
  /** The end of an empty log. */
  public static final BatchId NONE = new BatchId(0, 0);

  public BatchId {
    if (epoch < 0 || number < 0 || (epoch == 0) != (number == 0)) {
      throw new IllegalArgumentException("batch %d of epoch %d".formatted(number, epoch));
    }
  }
}
