package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * A store that keeps nothing: messages are in memory only, and are lost when the broker stops.
 * Everything counts as safe at once.
 */
public final class InMemoryStore implements PartitionStore {
  private final AppliedBatches batches = new AppliedBatches(() -> {});

  @Override
  public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
    return new InMemory();
  }

  /**
   * Not supported: streams need files.
   *
   * @throws UnsupportedOperationException always
   */
  @Override
  public StreamStore openStream(long queueId, QueueName name) {
    throw new UnsupportedOperationException("no stream is kept in memory");
  }

  @Override
  public Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside) {
    return new Recovered(0, 0);
  }

  @Override
  public void recoveredForGood() {}

  @Override
  public void await(UnsettledEntry entry) {}

  @Override
  public void settle(UnsettledEntry entry) {}

  @Override
  public Move move(UnsettledEntry source, Message message) {
    throw notStored();
  }

  @Override
  public AppliedBatches batches() {
    return batches;
  }

  @Override
  public void beginBatch() {
    // There are no other replicas.
  }

  @Override
  public long storedCount() {
    return 0;
  }

  @Override
  public boolean isBehind() {
    return false;
  }

  @Override
  public long commitMillis() {
    return 0;
  }

  @Override
  public boolean isAtRest() {
    return true;
  }

  @Override
  public StoreStats figures() {
    return StoreStats.NONE;
  }

  @Override
  public void commit(Commit commit) {
    commit.safe();
  }

  @Override
  public void commitQueues(Commit commit) {
    commit.safe();
  }

  @Override
  public long streamedCount() {
    return 0;
  }

  @Override
  public CompletableFuture<Void> close() {
    return CompletableFuture.completedFuture(null);
  }

  private static final class InMemory implements QueueStore {
    @Override
    public void attach(RecoverableQueue queue) {}

    @Override
    public boolean admit(Message message, boolean soon) {
      return true;
    }

    @Override
    public void left(Message message) {}

    @Override
    public long memoryBytes() {
      return 0;
    }

    @Override
    public long page(long sequence, Message message) {
      throw notStored();
    }

    @Override
    public void unpage(long location, int bodyLength) {
      throw notStored();
    }

    @Override
    public Message read(long location, boolean paged) {
      throw notStored();
    }

    @Override
    public boolean mayReadInPassing(long location, boolean paged) {
      return false;
    }

    @Override
    public boolean isPersistent(Message message) {
      return false;
    }

    @Override
    public long store(
        long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
      throw notStored();
    }

    @Override
    public void enter(Move move, long sequence, long ownDeadlineMillis) {
      throw notStored();
    }

    @Override
    public void delivered(long sequence) {
      throw notStored();
    }

    @Override
    public void returned(long sequence, long returns, long untilMillis) {
      throw notStored();
    }

    @Override
    public void settle(long sequence, long location, int bodyLength) {
      throw notStored();
    }

    @Override
    public void removed(long sequence, long location, long stamp) {
      throw notStored();
    }

    @Override
    public void tookOver() {
      throw notStored();
    }

    @Override
    public UnsettledEntry detach(long sequence, long location, int bodyLength) {
      throw notStored();
    }

    @Override
    public void forget() {}
  }

  private static IllegalStateException notStored() {
    return new IllegalStateException("messages are in memory only");
  }
}
