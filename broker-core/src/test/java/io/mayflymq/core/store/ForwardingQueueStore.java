package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/** The store of a queue that does what another does: to watch it. */
public class ForwardingQueueStore implements QueueStore {
  private final QueueStore store;

  public ForwardingQueueStore(QueueStore store) {
    this.store = store;
  }

  @Override
  public void attach(RecoverableQueue queue) {
    store.attach(queue);
  }

  @Override
  public boolean admit(Message message, boolean soon) {
    return store.admit(message, soon);
  }

  @Override
  public boolean mayReadInPassing(long location, boolean paged) {
    return store.mayReadInPassing(location, paged);
  }

  @Override
  public void left(Message message) {
    store.left(message);
  }

  @Override
  public long memoryBytes() {
    return store.memoryBytes();
  }

  @Override
  public long page(long sequence, Message message) {
    return store.page(sequence, message);
  }

  @Override
  public void unpage(long location, int bodyLength) {
    store.unpage(location, bodyLength);
  }

  @Override
  public Message read(long location, boolean paged) {
    return store.read(location, paged);
  }

  @Override
  public boolean isPersistent(Message message) {
    return store.isPersistent(message);
  }

  @Override
  public long store(long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
    return store.store(sequence, message, ownDeadlineMillis, enqueuedAtMillis);
  }

  @Override
  public void enter(Move move, long sequence, long ownDeadlineMillis) {
    store.enter(move, sequence, ownDeadlineMillis);
  }

  @Override
  public void delivered(long sequence) {
    store.delivered(sequence);
  }

  @Override
  public void returned(long sequence, long returns, long untilMillis) {
    store.returned(sequence, returns, untilMillis);
  }

  @Override
  public void settle(long sequence, long location, int bodyLength) {
    store.settle(sequence, location, bodyLength);
  }

  @Override
  public void removed(long sequence, long location, long stamp) {
    store.removed(sequence, location, stamp);
  }

  @Override
  public void tookOver() {
    store.tookOver();
  }

  @Override
  public UnsettledEntry detach(long sequence, long location, int bodyLength) {
    return store.detach(sequence, location, bodyLength);
  }

  @Override
  public void forget() {
    store.forget();
  }
}
