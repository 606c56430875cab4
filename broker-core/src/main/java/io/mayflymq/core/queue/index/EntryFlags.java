package io.mayflymq.core.queue.index;

/** The bits that a queue keeps with each entry of its {@link MessageIndex}. */
public final class EntryFlags {
  /** It may have been delivered before. */
  public static final int REDELIVERED = 1;

  /** It is in the index of deadlines that come out of order. */
  public static final int INDEXED = 2;

  /** It has to be there while it is ready: no run of deadlines in order vouches for it. */
  public static final int OUT_OF_ORDER = 4;

  /** It is in the log of the shard. */
  public static final int STORED = 8;

  /** It is not in the log, and its content is in a file that ends with the process. */
  public static final int PAGED = 16;

  /** It is ready, and goes before others whose turn it would be by their age. */
  public static final int AHEAD = 32;

  /** It has come back, is not ready yet, and no consumer has it. */
  public static final int DELAYED = 64;

  private EntryFlags() {}
}
