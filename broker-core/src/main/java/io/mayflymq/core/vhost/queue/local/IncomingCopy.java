package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.vhost.queue.QueueCopying;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The copy of a queue that is being moved here: its messages go to the log as they come. */
final class IncomingCopy implements QueueCopying {
  private final LocalQueueState state;
  private final CopyReader reader;

  IncomingCopy(LocalQueueState state) {
    this.state = state;
    this.reader = new CopyReader(state.queue(), this::sink);
  }

  private CopySink sink(CopyRecords.Part part) {
    return switch (part) {
      case QUEUE -> ((ClassicQueueMachine) state.machine()).copiedMessages();
      case SCHEDULE -> state.hidden().copiedSchedule();
      case WAITING_DEAD_LETTERS -> state.hidden().copiedWaiting();
      case REMOVED -> ((ClassicQueueMachine) state.machine()).copiedRemoved();
      case STOPPED -> ((ClassicQueueMachine) state.machine()).copiedStopped();
    };
  }

  /** Returns the consumers of the old place, in their order, as far as that matters. */
  List<RejoiningConsumers.Member> consumers() {
    return reader.consumers();
  }

  /**
   * Returns when the old place was last used, by the clock of this node; empty if the end of the
   * copy was read by an earlier process, or on another node.
   */
  OptionalLong lastUseMillis() {
    return reader.lastUseMillis();
  }

  @Override
  public CompletableFuture<Void> add(byte[] slice) {
    return state
        .shard()
        .call(
            () -> {
              read(slice);
              return null;
            });
  }

  private void read(byte[] slice) {
    state.requireExists();
    reader.read(slice, state.now());
  }

  @Override
  public CompletableFuture<Void> complete(byte[] end) {
    return state
        .shard()
        .call(
            () -> {
              read(end);
              Safe safe = new Safe();
              state.queue().partition().store().commit(safe);
              return safe.done;
            })
        .thenCompose(done -> done);
  }

  private static final class Safe implements Commit {
    final CompletableFuture<Void> done = new CompletableFuture<>();

    @Override
    public void safe() {
      done.complete(null);
    }

    @Override
    public void failed() {
      done.completeExceptionally(
          new ConnectionException(
              ReplyCode.INTERNAL_ERROR, "the copy could not be written to the disk"));
    }
  }
}
