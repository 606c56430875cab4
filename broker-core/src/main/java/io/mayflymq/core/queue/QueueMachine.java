package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.retention.ExpiryOrder;
import io.mayflymq.core.retention.LengthLimit;
import io.mayflymq.core.retention.QueueLease;
import io.mayflymq.core.store.DeadEntry;
import io.mayflymq.core.store.QueueStore;
import java.util.List;

/*
 * A queue, as a pure state machine.
 *
 * Commands come in with the time, effects go out through QueueEffects and the consumers' outlets, and contents rest in QueueMessages. The
 * machine reads no clock and starts no thread, so the same commands in the same order give the same queue: that is how it is tested against a naive model,
 * and how it can be replicated.
 *
 * Invariant after each command: either no message is ready or no consumer is in the round. So a message that is published while
 * a consumer waits finds an empty queue and goes straight through; it is given an entry in the index only if it has to be acknowledged.
 *
 * Time. A message is dead when now >= deadline. Three places look: the timer (for messages nobody asks for, wherever they stand), the
 * dispatcher and basic.get (for those that are about to be handed out, because the timer may be late), and requeue. The timer is set for the
 * earliest deadline only, and only ever moved to an earlier time; when it fires too early, as the message was consumed meanwhile,
 * it is set anew. A storm of expiries is worked off in slices of EXPIRY_SLICE, with the event loop running in between.
 */
public final class QueueMachine {
  /** How many messages expire in one go before other work gets its turn. */
  static final int EXPIRY_SLICE = 1024;

  private static final long NO_SETTLEMENT = -1;

  private final QueueSettings settings;
  private final LengthLimit limit;
  private final QueueEffects effects;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final QueueRecovery recovery;
  private final ExpiryOrder expiry;
  private final ConsumerRound consumers;
  private final QueueLease lease;
  private final Counters counters = new Counters();
  private long wakeAt = Deadlines.NEVER;

  /**
   * Creates an empty queue, whose lease starts now.
   *
   * @param settings what it lives by
   * @param pages where its memory comes from
   * @param store where its messages are kept
   * @param effects what it does to the world
   * @param nowMillis the current time in ms since the epoch
   */
  public QueueMachine(
      QueueSettings settings,
      PagePool pages,
      QueueStore store,
      QueueEffects effects,
      long nowMillis) {
    this.settings = settings;
    this.consumers = new ConsumerRound(settings.singleActiveConsumer());
    this.limit = new LengthLimit(settings.maxLength(), settings.maxLengthBytes());
    this.effects = effects;
    this.index = new MessageIndex<>(pages);
    this.expiry = new ExpiryOrder(new ExpiringMessages(index));
    this.recovery = new QueueRecovery(settings, index, expiry);
    this.messages = new QueueMessages(index, store, recovery);
    this.lease = new QueueLease(settings.expiresMillis(), nowMillis);
  }

  /**
   * Begins, with what the store has brought back meanwhile; to be called once, before any other
   * command.
   */
  public void start(long nowMillis) {
    recovery.finish();
    wakeNoLaterThan(lease.endMillis());
    long first = expiry.earliest();
    if (first >= 0) {
      wakeNoLaterThan(index.deadline(first));
    }
    dropOverflow(nowMillis);
  }

  // Publishing

  /**
   * A message was routed here.
   *
   * @return false if the queue refuses it at its length limit: the publisher gets {@code
   *     basic.nack}
   */
  public boolean publish(Message message, long nowMillis) {
    if (settings.overflow() != Overflow.DROP_HEAD && isFullFor(message, nowMillis)) {
      if (settings.overflow() == Overflow.REJECT_PUBLISH_DLX) {
        effects.died(message, null, DeathReason.MAXLEN, nowMillis);
      }
      return false;
    }
    long deadline = deadlineOf(message, nowMillis);
    if (index.readyCount() == 0 && handOver(message, deadline, nowMillis)) {
      return true;
    }
    long sequence = messages.append(message, deadline, nowMillis);
    if (deadline <= nowMillis) {
      die(sequence, DeathReason.EXPIRED, nowMillis);
      return true;
    }
    if (deadline != Deadlines.NEVER) {
      expiry.appended(sequence, deadline);
      wakeNoLaterThan(deadline);
    }
    dropOverflow(nowMillis);
    return true;
  }

  private boolean isFullFor(Message message, long nowMillis) {
    if (!wouldExceed(message)) {
      return false;
    }
    expireDue(nowMillis, EXPIRY_SLICE);
    return wouldExceed(message);
  }

  private boolean wouldExceed(Message message) {
    return limit.isExceededBy(index.readyCount() + 1, index.readyBytes() + message.bodyLength());
  }

  private long deadlineOf(Message message, long nowMillis) {
    long own = Deadlines.after(nowMillis, message.ttlMillis());
    return settings.messageTtlMillis() == QueueSettings.NONE
        ? own
        : Math.min(own, Deadlines.after(nowMillis, settings.messageTtlMillis()));
  }

  /** Gives a new message to a waiting consumer, if there is one. */
  private boolean handOver(Message message, long deadline, long nowMillis) {
    Consumer consumer = nextConsumer();
    if (consumer == null) {
      return false;
    }
    long sequence = NO_SETTLEMENT;
    if (consumer.acknowledges()) {
      sequence = messages.appendUnacked(message, deadline, nowMillis);
      consumer.delivered();
    }
    deliver(consumer, sequence, message, false);
    return true;
  }

  private Consumer nextConsumer() {
    Consumer consumer = consumers.next();
    while (consumer != null && !consumer.outlet().reserve(consumer)) {
      consumers.block(consumer);
      consumer = consumers.next();
    }
    return consumer;
  }

  /**
   * Drops from the head, the expired first of all, until the limit holds; only what drop-head
   * stands for.
   */
  private void dropOverflow(long nowMillis) {
    if (settings.overflow() != Overflow.DROP_HEAD
        || !limit.isExceededBy(index.readyCount(), index.readyBytes())) {
      return;
    }
    expireDue(nowMillis, EXPIRY_SLICE);
    while (limit.isExceededBy(index.readyCount(), index.readyBytes())) {
      long head = index.firstReady();
      die(
          head,
          index.deadline(head) <= nowMillis ? DeathReason.EXPIRED : DeathReason.MAXLEN,
          nowMillis);
    }
  }

  // Consuming

  /**
   * Whether a consumer may join: not beside an exclusive one, and an exclusive one only alone; none
   * is exclusive where a single one is active.
   */
  public boolean admits(boolean exclusive) {
    return !(exclusive && settings.singleActiveConsumer())
        && (consumers.count() == 0 || !(exclusive || consumers.hasExclusive()));
  }

  /** A consumer joins; the lease no longer runs. */
  public void subscribe(Consumer consumer, long nowMillis) {
    lease.suspend();
    consumers.add(consumer);
    dispatch(nowMillis);
  }

  /**
   * A consumer leaves; with the last one the lease starts anew. What it has not settled stays its
   * channel's to settle.
   *
   * @return whether it was the last one
   */
  public boolean cancel(Consumer consumer, long nowMillis) {
    if (!consumers.isMember(consumer)) {
      return false;
    }
    consumers.remove(consumer);
    if (consumers.count() > 0) {
      return false;
    }
    lease.resume(nowMillis);
    wakeNoLaterThan(lease.endMillis());
    return true;
  }

  /** A consumer whose outlet had no room can take messages again. */
  public void resume(Consumer consumer, long nowMillis) {
    if (consumer.blocked) {
      consumer.blocked = false;
      rejoin(consumer, nowMillis);
    }
  }

  /**
   * Takes the first message for {@code basic.get}, which is use of the queue.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   */
  public Fetched fetch(boolean acknowledges, long nowMillis) {
    renewLease(nowMillis);
    long head = firstLiving(nowMillis, Integer.MAX_VALUE);
    if (head < 0) {
      counters.add(Counter.GOT_EMPTY, 1);
      return null;
    }
    boolean redelivered = (index.flags(head) & EntryFlags.REDELIVERED) != 0;
    Message message = acknowledges ? messages.take(head) : leave(head);
    counters.got(acknowledges, message.bodyLength(), redelivered);
    return new Fetched(
        acknowledges ? head : NO_SETTLEMENT, message, redelivered, index.readyCount());
  }

  /** The queue was redeclared, which is use of it. */
  public void renewLease(long nowMillis) {
    lease.renew(nowMillis);
    wakeNoLaterThan(lease.endMillis());
  }

  /** Hands out ready messages as long as consumers can take them. */
  private void dispatch(long nowMillis) {
    while (index.readyCount() > 0) {
      Consumer consumer = consumers.next();
      if (consumer == null) {
        return;
      }
      long head = firstLiving(nowMillis, EXPIRY_SLICE);
      if (head < 0) {
        return;
      }
      if (!consumer.outlet().reserve(consumer)) {
        consumers.block(consumer);
        continue;
      }
      boolean redelivered = (index.flags(head) & EntryFlags.REDELIVERED) != 0;
      Message message;
      long sequence = NO_SETTLEMENT;
      if (consumer.acknowledges()) {
        message = messages.take(head);
        sequence = head;
        consumer.delivered();
      } else {
        message = leave(head);
      }
      deliver(consumer, sequence, message, redelivered);
    }
  }

  private void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
    consumers.served(consumer);
    counters.delivered(consumer.acknowledges(), message.bodyLength(), redelivered);
    consumer.outlet().deliver(consumer, sequence, message, redelivered);
  }

  /**
   * The first message that may be handed out; -1 if there is none, or too many before it are dead
   * to remove them in one go.
   */
  private long firstLiving(long nowMillis, int budget) {
    int left = budget;
    long head = index.firstReady();
    while (head >= 0 && index.deadline(head) <= nowMillis) {
      if (left-- == 0) {
        wakeNoLaterThan(nowMillis);
        return -1;
      }
      die(head, DeathReason.EXPIRED, nowMillis);
      head = index.firstReady();
    }
    return head;
  }

  // Settling

  /**
   * Acknowledges messages; those that are not unacknowledged here are passed over. Whoever calls
   * sees to it that all others in the range are this consumer's.
   *
   * @param consumer whom they were delivered to
   * @param from the first sequence number
   * @param to the last one
   */
  public void acknowledge(Consumer consumer, long from, long to, long nowMillis) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        discard(sequence);
        count++;
      }
    }
    counters.add(Counter.ACKED, count);
    settled(consumer, count, nowMillis);
  }

  /** Rejects messages: they are dead-lettered or dropped. Parameters as in {@link #acknowledge}. */
  public void reject(Consumer consumer, long from, long to, long nowMillis) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        die(sequence, DeathReason.REJECTED, nowMillis);
        count++;
      }
    }
    settled(consumer, count, nowMillis);
  }

  /**
   * Puts messages back where they were, marked as redelivered; what is dead by now expires.
   * Parameters as in {@link #acknowledge}.
   */
  public void requeue(Consumer consumer, long from, long to, long nowMillis) {
    int count = 0;
    for (long sequence = from; sequence <= to; sequence++) {
      if (index.isUnacked(sequence)) {
        putBack(sequence, nowMillis);
        count++;
      }
    }
    counters.add(Counter.REQUEUED, count);
    dropOverflow(nowMillis);
    settled(consumer, count, nowMillis);
    dispatch(nowMillis);
  }

  private void putBack(long sequence, long nowMillis) {
    long deadline = index.deadline(sequence);
    if (deadline <= nowMillis) {
      die(sequence, DeathReason.EXPIRED, nowMillis);
      return;
    }
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
    index.requeue(sequence);
    if (deadline != Deadlines.NEVER) {
      expiry.requeued(sequence, deadline);
      wakeNoLaterThan(deadline);
    }
  }

  private void settled(Consumer consumer, int count, long nowMillis) {
    consumer.settled(count);
    rejoin(consumer, nowMillis);
  }

  private void rejoin(Consumer consumer, long nowMillis) {
    if (consumer.mayJoinRound() && consumers.isMember(consumer)) {
      consumers.join(consumer);
      dispatch(nowMillis);
    }
  }

  /** Removes all ready messages. @return how many there were */
  public long purge(long nowMillis) {
    expireDue(nowMillis, Integer.MAX_VALUE);
    index.forEachUnacked(
        sequence -> index.setFlags(sequence, index.flags(sequence) & ~EntryFlags.INDEXED));
    expiry.cleared();
    return messages.clearReady();
  }

  // Time

  /** The time that was asked for by {@link QueueEffects#wakeAt} has come. */
  public void onTimer(long nowMillis) {
    wakeAt = Deadlines.NEVER;
    if (lease.endMillis() <= nowMillis) {
      effects.leaseEnded();
      return;
    }
    long next = expireDue(nowMillis, EXPIRY_SLICE);
    wakeNoLaterThan(Math.min(next, lease.endMillis()));
    dispatch(nowMillis);
  }

  /**
   * Expires what is due, but no more than so many messages.
   *
   * @return when the next one is due
   */
  private long expireDue(long nowMillis, int budget) {
    int left = budget;
    long earliest = expiry.earliest();
    while (earliest >= 0) {
      long deadline = index.deadline(earliest);
      if (deadline > nowMillis || left-- == 0) {
        return deadline;
      }
      die(earliest, DeathReason.EXPIRED, nowMillis);
      earliest = expiry.earliest();
    }
    return Deadlines.NEVER;
  }

  private void wakeNoLaterThan(long deadlineMillis) {
    if (deadlineMillis < wakeAt) {
      wakeAt = deadlineMillis;
      effects.wakeAt(deadlineMillis);
    }
  }

  // Leaving

  private void die(long sequence, DeathReason reason, long nowMillis) {
    Message message =
        settings.deadLetterExchange() == null ? index.content(sequence) : messages.get(sequence);
    boolean indexed = isIndexed(sequence);
    DeadEntry entry = messages.bury(sequence);
    if (indexed) {
      expiry.discarded();
    }
    effects.died(message, entry, reason, nowMillis);
  }

  private Message leave(long sequence) {
    Message message = messages.get(sequence);
    discard(sequence);
    return message;
  }

  private void discard(long sequence) {
    boolean indexed = isIndexed(sequence);
    messages.remove(sequence);
    if (indexed) {
      expiry.discarded();
    }
  }

  private boolean isIndexed(long sequence) {
    return (index.flags(sequence) & EntryFlags.INDEXED) != 0;
  }

  /** The queue is gone: gives its memory back. Nothing else may be called afterwards. */
  public void dispose() {
    expiry.cleared();
    messages.dispose();
  }

  // Views

  /** How many messages are ready: what limits count and declare-ok tells. */
  public long readyCount() {
    return index.readyCount();
  }

  /** How many messages there are of either kind, and their body sizes. */
  public QueueTotals totals() {
    return new QueueTotals(
        index.readyCount(), index.unackedCount(), index.readyBytes(), index.unackedBytes());
  }

  /** What happened so far; the rest is counted by who calls and whom it calls. */
  public Counters counters() {
    return counters;
  }

  /** How many consumers there are. */
  public int consumerCount() {
    return consumers.count();
  }

  /** The consumers, in the order in which they came. */
  public List<Consumer> consumers() {
    return consumers.all();
  }
}
