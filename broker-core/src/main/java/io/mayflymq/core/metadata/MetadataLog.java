package io.mayflymq.core.metadata;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the commands that change metadata. Any thread may call; commands are kept in the order of
 * the calls.
 */
public interface MetadataLog extends AutoCloseable {
  /**
   * What was kept before this process: commands that give the state again when they are carried out
   * in order. Asked for once, before the first {@link #append}.
   */
  List<MetadataCommand> recover();

  /**
   * Keeps a command.
   *
   * @return done when the command is safe, and only then may a client be told of the change; fails
   *     with a {@link io.mayflymq.protocol.types.ConnectionException} 541 if it could not be made
   *     so
   */
  CompletableFuture<Void> append(MetadataCommand command);

  /** Waits until everything is safe, and lets the storage go. */
  @Override
  void close();
}
