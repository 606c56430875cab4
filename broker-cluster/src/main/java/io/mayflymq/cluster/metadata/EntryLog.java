package io.mayflymq.cluster.metadata;

import java.util.concurrent.CompletableFuture;

/** The replicated log, as those see it who add to it. Any thread may call. */
@FunctionalInterface
public interface EntryLog {
  /**
   * Adds an entry.
   *
   * @return done when a majority of the nodes has it; fails, with the reason as its message, if
   *     that does not happen in time: with {@link NotAddedException} if the entry was not added and
   *     will not be, else it may be added or not
   */
  CompletableFuture<?> propose(byte[] entry);

  /** An entry was not added, and will not be. */
  final class NotAddedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates it.
     *
     * @param why in one line
     */
    public NotAddedException(String why) {
      super(why, null, false, false);
    }
  }
}
