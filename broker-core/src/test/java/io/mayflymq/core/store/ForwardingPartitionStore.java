package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/** A store that does what another does: to watch it. */
public class ForwardingPartitionStore implements PartitionStore {
  private final PartitionStore store;

  public ForwardingPartitionStore(PartitionStore store) {
    this.store = store;
  }

  @Override
  public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
    return store.open(queueId, name, kept);
  }

  @Override
  public StreamStore openStream(long queueId, QueueName name) {
    return store.openStream(queueId, name);
  }

  @Override
  public Recovered recover(Map<Long, Integer> shardsBefore, LongConsumer openBeside) {
    return store.recover(shardsBefore, openBeside);
  }

  @Override
  public void recoveredForGood() {
    store.recoveredForGood();
  }

  @Override
  public void await(UnsettledEntry entry) {
    store.await(entry);
  }

  @Override
  public void settle(UnsettledEntry entry) {
    store.settle(entry);
  }

  @Override
  public Move move(UnsettledEntry source, Message message) {
    return store.move(source, message);
  }

  @Override
  public AppliedBatches batches() {
    return store.batches();
  }

  @Override
  public void beginBatch() {
    store.beginBatch();
  }

  @Override
  public long storedCount() {
    return store.storedCount();
  }

  @Override
  public long streamedCount() {
    return store.streamedCount();
  }

  @Override
  public boolean isBehind() {
    return store.isBehind();
  }

  @Override
  public long commitMillis() {
    return store.commitMillis();
  }

  @Override
  public boolean isAtRest() {
    return store.isAtRest();
  }

  @Override
  public StoreStats figures() {
    return store.figures();
  }

  @Override
  public void commit(Commit commit) {
    store.commit(commit);
  }

  @Override
  public void commitQueues(Commit commit) {
    store.commitQueues(commit);
  }

  @Override
  public CompletableFuture<Void> close() {
    return store.close();
  }
}
