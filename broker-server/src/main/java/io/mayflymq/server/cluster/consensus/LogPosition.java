package io.mayflymq.server.cluster.consensus;

/**
 * The place of a committed entry in the replicated log.
 *
 * @param term the term of the leader that has appended the entry, 1 or more; never falls
 * @param index the number of the entry, 0 or more; rises with each entry, by more than 1 where the
 *     log has entries of its own between, such as changes of members
 */
public record LogPosition(long term, long index) implements Comparable<LogPosition> {
  /** Compares by index, which alone decides between committed entries. */
  @Override
  public int compareTo(LogPosition other) {
    return Long.compare(index, other.index);
  }

  @Override
  public String toString() {
    return index + " of term " + term;
  }
}
