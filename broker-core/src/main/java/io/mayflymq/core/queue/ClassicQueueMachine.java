package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.browse.MessageBrowser;
import io.mayflymq.core.queue.browse.QueueBrowser;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.queue.consumer.ConsumerRotation;
import io.mayflymq.core.queue.consumer.DeliveryPriority;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.queue.messages.MessageDeadlines;
import io.mayflymq.core.queue.messages.QueueMessages;
import io.mayflymq.core.retention.QueueLease;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.Overflow;
import io.mayflymq.core.settings.QueueSettings;
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
public final class ClassicQueueMachine implements QueueMachine {
  /** How many messages expire in one go before other work gets its turn. */
  static final int EXPIRY_SLICE = 1024;

  /** When the timer fires again after it has thrown, in ms. */
  private static final long RETRY_MILLIS = 1000;

  // How far consumers that take what they can may be behind before a flood has to pause, and for
  // how long: longer the farther, so that there is a depth at which both are as fast.
  private static final long MOST_BYTES_BEHIND = 16 << 20;
  private static final long BYTES_PER_PAUSE_MILLI = 4 << 20;
  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long BYTES_PER_MESSAGE = 100;

  private QueueSettings settings;
  private boolean holdsScheduled;
  private long waitingDeadLetters;
  private long waitingDeadLetterBytes;
  private final QueueEffects effects;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final DeliveryPriority deliveryPriority;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;

  /** Null as long as there was no limit. */
  private LengthLimiter length;

  private final Redeliveries returns;
  private final Settlements settlements;
  private final ConsumerRotation consumers;
  private final Dispatcher dispatcher;
  private final QueueLease lease;
  private final QueueTimer queueTimer;
  private final Counters counters = new Counters();

  /**
   * Creates an empty queue, whose lease starts now.
   *
   * @param settings what it lives by
   * @param pages where its memory comes from
   * @param store where its messages are kept
   * @param effects what it does to the world
   * @param nowMillis the current time in ms since the epoch
   */
  public ClassicQueueMachine(
      QueueSettings settings,
      PagePool pages,
      QueueStore store,
      QueueEffects effects,
      long nowMillis) {
    this.settings = settings;
    this.consumers = new ConsumerRotation(settings.singleActiveConsumer());
    this.effects = effects;
    this.queueTimer = new QueueTimer(effects);
    this.index = new MessageIndex<>(pages);
    this.deliveryPriority = DeliveryPriority.in(index, settings);
    this.deadlines = new MessageDeadlines(index, deliveryPriority, settings.expiry());
    this.messages =
        new QueueMessages(index, store, deadlines, settings.countsReturns(), deliveryPriority);
    this.messageRemover =
        new MessageRemover(index, messages, deadlines, effects, queueTimer, settings);
    if (settings.length().isLimited()) {
      this.length =
          new LengthLimiter(index, messages, deadlines, messageRemover, queueTimer, settings);
    }
    this.returns =
        new Redeliveries(index, messages, deadlines, messageRemover, queueTimer, settings);
    this.settlements = new Settlements(index, messageRemover, returns);
    messages.noteReturnsBy(returns::note);
    this.dispatcher =
        new Dispatcher(index, messages, messageRemover, consumers, counters, settings);
    this.lease = new QueueLease(settings.lease(), nowMillis);
  }

  /**
   * Begins, with what the store has brought back meanwhile; to be called once, before any other
   * command.
   */
  @Override
  public void start(long nowMillis) {
    messages.finishRecovery(nowMillis, returns::recovered);
    queueTimer.noLaterThan(lease.endMillis());
    queueTimer.noLaterThan(deadlines.begin(nowMillis));
    dropOverflow(nowMillis);
  }

  /** What the queue lives by. */
  @Override
  public QueueSettings settings() {
    return settings;
  }

  /**
   * The queue lives by other settings from now on. All of them hold at once, also for what is here:
   * messages are due by the new TTL from when they came, the lease ends by its new period from when
   * the queue was last used, and what is over a new limit is dropped, if that is what overflow
   * means. Very much at once is worked off in slices.
   *
   * @param changed the settings; what only arguments can set never changes
   */
  @Override
  public void reconfigure(QueueSettings changed, long nowMillis) {
    settings = changed;
    if (length == null && changed.length().isLimited()) {
      length = new LengthLimiter(index, messages, deadlines, messageRemover, queueTimer, changed);
      length.deadLettersWait(waitingDeadLetters, waitingDeadLetterBytes);
    }
    if (length != null) {
      length.change(changed);
    }
    dispatcher.change(changed);
    deadlines.change(changed.expiry());
    lease.change(changed.lease(), nowMillis);
    messageRemover.reconfigure(changed);
    long next = messageRemover.expireDue(nowMillis, EXPIRY_SLICE);
    returns.change(changed);
    dropOverflow(nowMillis);
    queueTimer.noLaterThan(Math.min(Math.min(next, returns.next()), lease.endMillis()));
  }

  /** What {@link #reconfigure} would do now; changes nothing. */
  @Override
  public PolicyImpact policyImpact(QueueSettings changed, long nowMillis) {
    return PolicyImpact.of(
        index,
        deliveryPriority,
        deadlines,
        settings,
        changed,
        lease.endWith(changed.lease(), nowMillis),
        nowMillis);
  }

  // Publishing

  /**
   * A message was routed here.
   *
   * @return false if the queue refuses it at its length limit: the publisher gets {@code
   *     basic.nack}
   */
  @Override
  public boolean publish(Message message, long nowMillis) {
    lease.used(LeaseUse.PUBLISH, nowMillis);
    if (refuses(message, nowMillis)) {
      if (settings.length().overflow() == Overflow.REJECT_PUBLISH_DLX) {
        messageRemover.dieOutside(message, nowMillis);
      }
      return false;
    }
    long own = deadlines.ownOf(message, nowMillis);
    if (index.readyCount() == 0 && dispatcher.deliverDirectly(message, own, nowMillis)) {
      return true;
    }
    long sequence = messages.append(message, consumers.count() > 0, own, nowMillis);
    long deadline = deadlines.leavesAt(sequence, deadlines.ofNew(own, nowMillis));
    if (deadline <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
      return true;
    }
    deadlines.appended(sequence, own);
    queueTimer.noLaterThan(deadline);
    dropOverflow(nowMillis);
    return true;
  }

  @Override
  public boolean refuses(Message message, long nowMillis) {
    return length != null && length.refuses(message, nowMillis);
  }

  private void dropOverflow(long nowMillis) {
    if (length != null) {
      length.dropOverflow(nowMillis);
    }
  }

  // Consuming

  /**
   * Whether a consumer may join: not beside an exclusive one, and an exclusive one only alone; none
   * is exclusive where a single one is active.
   */
  @Override
  public boolean admits(boolean exclusive) {
    return !(exclusive && settings.singleActiveConsumer())
        && (consumers.count() == 0 || !(exclusive || consumers.hasExclusive()));
  }

  /** A consumer joins, which is use of the queue as long as there are any. */
  @Override
  public void subscribe(Consumer consumer, long nowMillis) {
    lease.begins(LeaseUse.CONSUME);
    consumers.add(consumer);
    dispatcher.dispatch(nowMillis);
  }

  /**
   * A consumer leaves; with the last one a use of the queue ends. What it has not settled stays its
   * channel's to settle.
   *
   * @return whether it was the last one
   */
  @Override
  public boolean cancel(Consumer consumer, long nowMillis) {
    if (!consumers.isMember(consumer)) {
      return false;
    }
    consumers.remove(consumer);
    if (consumers.count() > 0) {
      return false;
    }
    lease.ends(LeaseUse.CONSUME, nowMillis);
    queueTimer.noLaterThan(lease.endMillis());
    return true;
  }

  /** A consumer whose outlet had no room can take messages again. */
  @Override
  public void resume(Consumer consumer, long nowMillis) {
    if (consumer.blocked) {
      consumer.blocked = false;
      dispatcher.rejoin(consumer, nowMillis);
    }
  }

  /**
   * Takes the first message for {@code basic.get}.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   */
  @Override
  public GetResult fetch(boolean acknowledges, long nowMillis) {
    return dispatcher.fetch(acknowledges, nowMillis);
  }

  @Override
  public void used(LeaseUse use, long nowMillis) {
    lease.used(use, nowMillis);
  }

  /** Whether it holds no message, of those either that are to be published to it later. */
  private boolean isEmpty() {
    return totals().messages() == 0 && !holdsScheduled && waitingDeadLetters == 0;
  }

  @Override
  public void deadLettersWait(long count, long bytes) {
    waitingDeadLetters = count;
    waitingDeadLetterBytes = bytes;
    if (length != null) {
      length.deadLettersWait(count, bytes);
    }
  }

  @Override
  public void holdsScheduled(boolean any, long nowMillis) {
    holdsScheduled = any;
    if (any) {
      lease.begins(LeaseUse.SCHEDULED);
    } else {
      lease.ends(LeaseUse.SCHEDULED, nowMillis);
      queueTimer.noLaterThan(lease.endMillis());
    }
  }

  @Override
  public boolean leaseHasEnded(long nowMillis) {
    return lease.endMillis() <= nowMillis;
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
  @Override
  public void acknowledge(Consumer consumer, long from, long to, long nowMillis) {
    int count = settlements.acknowledge(from, to);
    counters.add(Counter.ACKED, count);
    settled(consumer, count, nowMillis);
    settlements.throwFailure();
  }

  /** Rejects messages: they are dead-lettered or dropped. Parameters as in {@link #acknowledge}. */
  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis) {
    int count = settlements.reject(from, to, cause, nowMillis);
    settled(consumer, count, nowMillis);
    settlements.throwFailure();
  }

  /**
   * Puts messages back where they were, or before all others in a quorum queue, marked as
   * redelivered; at once or after a wait. What has come back too often dies, and what is too old by
   * now expires. Parameters as in {@link #acknowledge}.
   */
  @Override
  public void requeue(Consumer consumer, long from, long to, long nowMillis) {
    putBack(consumer, from, to, false, nowMillis);
  }

  /** The same for messages that the consumer could not deal with. */
  @Override
  public void fail(Consumer consumer, long from, long to, long nowMillis) {
    putBack(consumer, from, to, true, nowMillis);
  }

  private void putBack(Consumer consumer, long from, long to, boolean failed, long nowMillis) {
    int count = settlements.putBack(from, to, failed, nowMillis);
    counters.add(Counter.REQUEUED, count);
    dropOverflow(nowMillis);
    settled(consumer, count, nowMillis);
    dispatcher.dispatch(nowMillis);
    settlements.throwFailure();
  }

  private void settled(Consumer consumer, int count, long nowMillis) {
    consumer.settled(count);
    dispatcher.rejoin(consumer, nowMillis);
  }

  @Override
  public Purge purge() {
    return purge(Purge.SLICE);
  }

  Purge purge(int slice) {
    return new Purge(index, messages, deadlines, messageRemover, counters, slice);
  }

  // Time

  /** The time that was asked for by {@link QueueEffects#wakeAt} has come. */
  @Override
  public void onTimer(long nowMillis) {
    queueTimer.fired();
    boolean done = false;
    try {
      workOff(nowMillis);
      done = true;
    } finally {
      if (!done) {
        // What has thrown may do so again, and what else is due must not wait for ever.
        queueTimer.noLaterThan(nowMillis + RETRY_MILLIS);
      }
    }
  }

  private void workOff(long nowMillis) {
    if (leaseHasEnded(nowMillis)) {
      if (!settings.lease().onlyIfEmpty() || isEmpty()) {
        effects.leaseEnded();
        return;
      }
      lease.renew(nowMillis);
    }
    if (!messageRemover.unreadable().isEmpty()) {
      messageRemover.unreadable().retry(nowMillis);
    }
    long next = messageRemover.expireDue(nowMillis, EXPIRY_SLICE);
    if (returns.waiting() > 0) {
      returns.release(nowMillis, nowMillis, EXPIRY_SLICE);
      next = Math.min(deadlines.next(), returns.next());
      dropOverflow(nowMillis);
    }
    queueTimer.noLaterThan(Math.min(next, lease.endMillis()));
    if (length != null) {
      length.shrink(nowMillis);
    }
    dispatcher.dispatch(nowMillis);
  }

  @Override
  public boolean deadLetterAll(DropTrigger cause, long nowMillis) {
    if (returns.waiting() > 0) {
      returns.release(Long.MAX_VALUE, nowMillis, EXPIRY_SLICE);
      return false;
    }
    return messageRemover.deadLetterAll(cause, nowMillis, EXPIRY_SLICE);
  }

  @Override
  public void trimMemory() {
    index.trimMemory();
  }

  /** The queue is gone: gives its memory back. Nothing else may be called afterwards. */
  @Override
  public void dispose() {
    deadlines.cleared();
    returns.clear();
    messages.dispose();
  }

  // Views

  @Override
  public int pauseMillis() {
    long bytes = index.readyBytes() + BYTES_PER_MESSAGE * index.readyCount();
    return bytes < MOST_BYTES_BEHIND || !consumers.isHeldUp()
        ? 0
        : (int) Math.min(LONGEST_PAUSE_MILLIS, bytes / BYTES_PER_PAUSE_MILLI);
  }

  /** How many messages are ready: what limits count and declare-ok tells. */
  @Override
  public long readyCount() {
    return index.readyCount();
  }

  /** How many messages there are of either kind, and their body sizes. */
  @Override
  public QueueTotals totals() {
    Unreadable unreadable = messageRemover.unreadable();
    return messages.totals(
        returns.waiting(), returns.waitingBytes(), unreadable.count(), unreadable.bytes());
  }

  /** The first ready message; null if none is ready or it would cost too much to look at now. */
  @Override
  public Message peekHead() {
    return messages.peekHead();
  }

  @Override
  public MessageBrowser browse(long position) {
    return QueueBrowser.from(position, index, messages, deadlines, deliveryPriority, settings);
  }

  @Override
  public MessageExtractor messageExtractor() {
    return new MessageExtractor(index, messages, deadlines, messageRemover, this::restored);
  }

  private void restored(long nowMillis) {
    messageRemover.headMoved();
    queueTimer.noLaterThan(deadlines.next());
    dropOverflow(nowMillis);
    dispatcher.dispatch(nowMillis);
  }

  /** What happened so far; the rest is counted by who calls and whom it calls. */
  @Override
  public Counters counters() {
    return counters;
  }

  /** How many consumers there are. */
  @Override
  public int consumerCount() {
    return consumers.count();
  }

  /** The consumers, in the order in which they came. */
  @Override
  public List<Consumer> consumers() {
    return consumers.all();
  }

  @Override
  public boolean isActive(Consumer consumer) {
    return consumer.active();
  }
}
