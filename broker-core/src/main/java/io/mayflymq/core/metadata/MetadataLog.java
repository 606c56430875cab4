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
   * Keeps commands, as one: after a crash all of them are there or none.
   *
   * <p>The future of a write that failed is completed before anything is written that was appended
   * later. What is appended and not yet written is withdrawn by completing its future.
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
   * Why nothing can be kept any more until the broker is started again: the disk failed in a way
   * after which its content is unknown. Null if that did not happen. A full disk is no such
   * failure, as it may have room again.
   */
  String failure();

  /** Waits until everything is safe, and lets the storage go. */
  @Override
  void close();
}
