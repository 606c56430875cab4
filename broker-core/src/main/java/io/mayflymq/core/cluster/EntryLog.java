package io.mayflymq.core.cluster;

import java.util.concurrent.CompletableFuture;

/** The replicated log, as those see it who add to it. Any thread may call. */
@FunctionalInterface
public interface EntryLog {
  /**
   * Adds an entry.
   *
   * @return done when a majority of the nodes has it; fails, with the reason as its message, if
   *     that does not happen in time: the entry may be added or not
   */
  CompletableFuture<?> propose(byte[] entry);
}
