package io.mayflymq.bench;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;

/** A queue in memory and its one consumer, without the rest of the broker. */
final class QueueHarness implements QueueEffects, ConsumerTarget {
  static final long START = 1_800_000_000_000L;

  final ClassicQueueMachine machine;
  final Consumer consumer;
  long died;
  long timerAt = Long.MAX_VALUE;

  /** How many messages the consumer takes before it has no more room. */
  int room;

  /** The number of the message that was delivered last, and how many were. */
  long lastSequence;

  long delivered;

  QueueHarness(QueueSettings settings, boolean acknowledges) {
    machine =
        new ClassicQueueMachine(
            settings,
            new PagePool(16),
            new InMemoryStore().open(1, new QueueName("/", "queue"), QueueStore.Kept.NONE),
            this,
            START);
    machine.start(START);
    consumer =
        new Consumer(
            ShortString.of("ctag"),
            new ConsumeOptions(acknowledges, false, 0, FieldTable.EMPTY),
            this);
  }

  /** Lets the consumer take so many messages; the queue delivers what it has. */
  void makeRoom(int messages, long nowMillis) {
    room = messages;
    machine.resume(consumer, nowMillis);
  }

  @Override
  public boolean reserve(Consumer to) {
    if (room == 0) {
      return false;
    }
    room--;
    return true;
  }

  @Override
  public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
    lastSequence = sequence;
    delivered += message.bodyLength();
  }

  @Override
  public void cancelled(Consumer gone) {}

  @Override
  public void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis) {
    died++;
  }

  @Override
  public void wakeAt(long deadlineMillis) {
    timerAt = deadlineMillis;
  }

  @Override
  public void unreadable(long sequence, String reason, boolean kept) {
    throw new IllegalStateException(reason);
  }

  @Override
  public void leaseEnded() {
    throw new IllegalStateException("the queue has no lease");
  }
}
