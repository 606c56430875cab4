package io.mayflymq.core.queue.index;

/** The bits that a queue keeps with each entry of its {@link MessageIndex}. */
public final class EntryFlags {
  /** It may have been delivered before. */
  public static final int REDELIVERED = 1;

  /** It is in the heap of deadlines that are out of order. */
  public static final int INDEXED = 2;

  /**
   * It has to be in that heap while it is ready, because no run of ordered deadlines includes it.
   */
  public static final int OUT_OF_ORDER = 4;

  /** It is in the log of the shard. */
  public static final int STORED = 8;

  /** It is not in the log, and its content is in a file that is deleted when the broker stops. */
  public static final int PAGED = 16;

  /** It is ready, and came back to its priority: the search for the oldest one may be past it. */
  public static final int RETURNED = 32;

  /** It was returned and waits for its retry delay: it is not ready, and not with a consumer. */
  public static final int DELAYED = 64;

  /** It is ready, and is delivered before those of its priority that have not been returned. */
  public static final int AHEAD = 128;

  private EntryFlags() {}
}
