package io.mayflymq.core.metadata;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Stores the commands that change metadata. Any thread may call; commands are stored in the order
 * of the calls.
 */
public interface MetadataLog extends AutoCloseable {
  /**
   * Returns the commands that earlier processes have stored; carrying them out in order restores
   * the state. Called once, before the first {@link #append}.
   */
  List<MetadataCommand> recover();

  /**
   * Stores commands as a unit: after a crash either all of them exist or none.
   *
   * <p>The future of a failed write is completed before anything is written that was appended
   * later. Commands that have not been written yet are withdrawn by completing their future.
   *
   * @param commands at least one
   * @return done when the commands are safe, and only then may a client be told of the change;
   *     fails with a {@link io.mayflymq.protocol.types.ConnectionException} 541 if they could not
   *     be made so
   * @throws io.mayflymq.protocol.types.ChannelException 406 if they are too large; then nothing is
   *     kept
   */
  CompletableFuture<Void> append(List<? extends MetadataCommand> commands);

  /**
   * Returns why nothing can be stored any more until the broker is restarted: the disk failed in a
   * way after which its content is unknown. Null if that did not happen. A full disk is no such
   * failure, as space may become free.
   */
  String failure();

  /** Waits until everything is safe, and closes the files. */
  @Override
  void close();
}
