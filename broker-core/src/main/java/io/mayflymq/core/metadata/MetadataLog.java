package io.mayflymq.core.metadata;

import java.util.concurrent.CompletableFuture;

/**
 * Keeps the commands that change metadata. Any thread may call; commands are kept in the order of
 * the calls.
 */
@FunctionalInterface
public interface MetadataLog {
  /** A log that keeps nothing: metadata ends with the process. */
  MetadataLog VOLATILE = command -> CompletableFuture.completedFuture(null);

  /**
   * Keeps a command.
   *
   * @return done when the command is safe, and only then may a client be told of the change
   */
  CompletableFuture<Void> append(MetadataCommand command);
}
