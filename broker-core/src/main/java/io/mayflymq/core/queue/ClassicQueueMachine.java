package io.mayflymq.core.queue;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.DeliverySettings;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.CopiedMessages;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.DeliveryPriority;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.core.queue.index.FairShares;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.PriorityCounts;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A classic or quorum queue, as a pure state machine.
 *
 * <p>Each command carries the current time. Effects go out through QueueEffects and the consumers'
 * ConsumerTargets; message contents are kept by QueueMessages. The machine reads no clock and
 * starts no thread, so the same commands in the same order give the same queue. This is how it is
 * tested against a naive model, and how it can be replicated.
 *
 * <p>Invariant after each command: either no message is ready, or no consumer that can take one is
 * in the rotation. So a message that is published while a consumer waits finds an empty queue and
 * is delivered directly; it gets an entry in the index only if it has to be acknowledged.
 *
 * <p>Time. A message has expired when {@code now >= deadline.} This is checked in three places: by
 * the timer (for messages that no consumer takes, at any position in the queue), by the dispatcher
 * and basic.get (for messages that are about to be delivered, because the timer may be late), and
 * at a requeue. The timer is set for the earliest deadline only, and is only ever moved to an
 * earlier time. If it fires too early, because the message was consumed meanwhile, it is set again.
 * Very many expiries at once are processed in slices of EXPIRY_SLICE, with the event loop running
 * in between.
 */
public final class ClassicQueueMachine implements QueueMachine {
  /** How many messages expire in one slice before other work gets its turn. */
  static final int EXPIRY_SLICE = 1024;

  /** How many messages are shared out in one slice, and after how many bytes it ends. */
  private static final int SHARE_SLICE = 1024;

  private static final long SHARE_SLICE_BYTES = 1 << 20;

  /** After an exception in the timer's work, the timer fires again after this time, in ms. */
  private static final long RETRY_MILLIS = 1000;

  // How many bytes consumers with room may be behind before a publisher of very many messages has
  // to pause, and for how long: the farther behind, the longer the pause, so that publishers and
  // consumers reach the same speed at some depth. The depth is what is delivered within the
  // shortest pause: less would leave consumers without work, and with more messages wait longer,
  // and the collector copies them.
  private static final long MOST_BYTES_BEHIND = 2 << 20;
  private static final long BYTES_PER_PAUSE_MILLI = 4 << 20;
  private static final long LONGEST_PAUSE_MILLIS = 50;
  private static final long BYTES_PER_MESSAGE = 100;

  private final QueueState state;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final MessageRemover messageRemover;
  private final LengthLimiter length;
  private final Redeliveries returns;
  private final Settlements settlements;
  private final ConsumerRotation consumers;
  private final Dispatcher dispatcher;
  private final QueueLease lease;

  /** The deleted queue that this one takes over when it starts; null for any other. */
  private final ClassicQueueMachine deleted;

  private boolean holdsScheduled;

  /** Whether the lease knows of unacknowledged messages. */
  private boolean holdsUnacked;

  /**
   * Creates an empty queue. Its lease starts now.
   *
   * @param settings the effective settings
   * @param pages the pool that the index takes its pages from
   * @param store where its messages are kept
   * @param effects receives what the queue wants done outside of itself
   * @param nowMillis the current time in ms since the epoch
   */
  public ClassicQueueMachine(
      QueueSettings settings,
      PagePool pages,
      QueueStore store,
      QueueEffects effects,
      long nowMillis) {
    this(settings, pages, store, null, null, effects, nowMillis);
  }

  /**
   * Does the same for a queue whose messages can be brought back after they have left it, if its
   * settings say so, and whose time can stand still.
   *
   * @param removed opens the store of those messages
   * @param stopped opens that of when its time stood still
   */
  public ClassicQueueMachine(
      QueueSettings settings,
      PagePool pages,
      QueueStore store,
      Supplier<QueueStore> removed,
      Supplier<QueueStore> stopped,
      QueueEffects effects,
      long nowMillis) {
    this(
        new QueueState(
            new QueueMessages(pages, store, settings),
            effects,
            settings,
            removed == null ? null : () -> new RemovedMessages(pages, removed.get()),
            stopped == null ? null : () -> new StoppedTimes(pages, stopped.get())),
        settings,
        effects,
        nowMillis,
        null);
    messages.noteReturnsBy(returns::note);
  }

  /**
   * Creates a queue that takes over, when it starts, the messages of a deleted one that can be
   * brought back. Until then the other one may still remove messages.
   *
   * @param deleted whose last act was {@link #removeDeleted}, when this one starts
   */
  public ClassicQueueMachine(
      ClassicQueueMachine deleted, QueueSettings settings, QueueEffects effects, long nowMillis) {
    this(new QueueState(deleted.state, effects, settings), settings, effects, nowMillis, deleted);
  }

  private ClassicQueueMachine(
      QueueState state,
      QueueSettings settings,
      QueueEffects effects,
      long nowMillis,
      ClassicQueueMachine deleted) {
    this.state = state;
    this.deleted = deleted;
    this.messages = state.messages;
    this.index = state.index;
    this.deadlines = state.deadlines;
    this.messageRemover = new MessageRemover(state);
    this.returns = new Redeliveries(state, messageRemover);
    this.length = new LengthLimiter(state, messageRemover, returns);
    this.settlements = new Settlements(state, messageRemover, returns);
    this.consumers = new ConsumerRotation(settings.singleActiveConsumer());
    consumers.letPriorityDecide(settings.deliveries().activeByPriority());
    this.dispatcher = new Dispatcher(state, messageRemover, consumers);
    bound(settings, nowMillis);
    this.lease = new QueueLease(settings.lease(), nowMillis);
    lease.watch(effects);
  }

  /**
   * Starts the queue, with the messages that the store has recovered meanwhile. To be called once,
   * before any other command.
   */
  @Override
  public void start(long nowMillis) {
    if (deleted == null) {
      recover(nowMillis);
    } else {
      state.takeOver(deleted.state);
      state.stopOrGoOn(nowMillis);
      messages.noteReturnsBy(returns::note);
    }
    state.setLetsNothingGo(deleted != null || state.hasDeleted());
    state.letGo(nowMillis);
    state.timer.noLaterThan(lease.endMillis());
    shareOut(nowMillis);
    state.timer.noLaterThan(deadlines.begin(nowMillis));
    length.dropOverflow(nowMillis);
  }

  private void recover(long nowMillis) {
    state.startStopped();
    state.stopOrGoOn(nowMillis);
    if (state.hasRemoved()) {
      state.removed().start(messages.recoveredDelivered());
    }
    messages.finishRecovery(
        nowMillis, returns::recovered, sequence -> returns.putBack(sequence, true, nowMillis));
    if (state.hasRemoved() && state.removed().nextSequence() > index.nextSequence()) {
      index.skipTo(state.removed().nextSequence());
    }
  }

  /** Shares out some messages, if there are such that are not known by their shares. */
  private void shareOut(long nowMillis) {
    FairShares shares = messages.fairShares();
    if (shares != null && shares.isSharingOut()) {
      if (messages.shareOut(SHARE_SLICE, SHARE_SLICE_BYTES)) {
        state.timer.noLaterThan(nowMillis);
      }
      messageRemover.headMoved();
    }
  }

  /** Returns the effective settings. */
  @Override
  public QueueSettings settings() {
    return state.settings();
  }

  /**
   * Applies new settings. All of them take effect at once, also for messages that are in the queue:
   * deadlines follow from the new TTL and the time at which the messages arrived, the lease ends by
   * its new period counted from the last use of the queue, and messages over a new limit are
   * dropped if {@code overflow} is {@code drop-head}. Much work is done in slices.
   *
   * <p>All settings are in force before that work begins. If it throws, they stay, and the timer
   * goes on with the work.
   *
   * @param changed the new settings; those that only arguments can set never change
   */
  @Override
  public void reconfigure(QueueSettings changed, long nowMillis) {
    boolean stood = deadlines.stops().isStopped();
    state.change(changed);
    boolean done = false;
    try {
      // First, as it says when messages expire.
      state.stopOrGoOn(nowMillis);
      done = true;
    } finally {
      goOnUnless(done, nowMillis);
      use(changed, stood && !deadlines.stops().isStopped(), nowMillis);
    }
  }

  private void use(QueueSettings changed, boolean goesOn, long nowMillis) {
    lease.change(changed.lease(), nowMillis);
    length.settingsChanged();
    returns.settingsChanged();
    boolean decides = consumers.letPriorityDecide(changed.deliveries().activeByPriority());
    boolean delivers = bound(changed, nowMillis) || decides;
    boolean done = false;
    try {
      liveBySettings(delivers, goesOn, nowMillis);
      done = true;
    } finally {
      goOnUnless(done, nowMillis);
    }
  }

  private void liveBySettings(boolean delivers, boolean goesOn, long nowMillis) {
    shareOut(nowMillis);
    state.letGo(nowMillis);
    if (goesOn) {
      goOn(nowMillis);
    }
    long next = messageRemover.expireDue(nowMillis, EXPIRY_SLICE);
    length.dropOverflow(nowMillis);
    state.timer.noLaterThan(Math.min(Math.min(next, returns.next()), lease.endMillis()));
    if (delivers) {
      dispatcher.dispatch(nowMillis);
    }
  }

  /** Time goes on from now on: hands out what is not too late at this moment only. */
  private void goOn(long nowMillis) {
    length.dropOverflow(nowMillis);
    dispatcher.dispatchGoingOn(nowMillis);
  }

  /** Bounds what consumers may have unsettled, and get. Returns whether that is new. */
  private boolean bound(QueueSettings settings, long nowMillis) {
    DeliverySettings deliveries = settings.deliveries();
    boolean each =
        consumers.boundPrefetch(
            deliveries.prefetchMax() == QueueSettings.NONE ? 0 : (int) deliveries.prefetchMax());
    boolean all = dispatcher.change(deliveries, settings.pace(), nowMillis);
    return each || all;
  }

  /** Returns what {@link #reconfigure} would do now; changes nothing. */
  @Override
  public PolicyImpact policyImpact(QueueSettings changed, long nowMillis) {
    return PolicyImpact.of(
        state, length, changed, lease.endWith(changed.lease(), nowMillis), nowMillis);
  }

  // Publishing

  @Override
  public boolean publish(Message message, long nowMillis) {
    return publish(message, null, nowMillis);
  }

  /**
   * Publishes a message to the queue.
   *
   * @param move the move by which it enters the queue; null if it arrives by itself
   * @return false if the queue refuses the message because of its length limit: the publisher gets
   *     {@code basic.nack}
   */
  public boolean publish(Message message, Move move, long nowMillis) {
    lease.used(LeaseUse.PUBLISH, nowMillis);
    if (refuses(message, nowMillis)) {
      if (state.length().overflow() == Overflow.REJECT_PUBLISH_DLX) {
        messageRemover.dieOutside(message, length.exceeded(1), nowMillis);
      }
      return false;
    }
    long own = deadlines.ownOf(message, nowMillis);
    // What is too late for everyone is not handed out, as a message with a TTL of 0 may be.
    boolean isOver =
        Deadlines.isAbsolute(own)
            && Deadlines.moment(own) <= nowMillis
            && deadlines.isOver(message, nowMillis);
    if (!isOver
        && index.readyCount() == 0
        && dispatcher.deliverDirectly(message, move, own, nowMillis)) {
      return true;
    }
    long sequence = messages.append(message, move, consumers.count() > 0, own, nowMillis);
    long deadline = deadlines.leavesAt(sequence, deadlines.ofNew(own, nowMillis));
    if (isOver || deadline <= nowMillis) {
      messageRemover.expire(sequence, nowMillis);
      return true;
    }
    deadlines.appended(sequence, own);
    state.timer.noLaterThan(deadline);
    length.dropOverflow(nowMillis);
    return true;
  }

  @Override
  public boolean refuses(Message message, long nowMillis) {
    return length.refuses(message, nowMillis);
  }

  /**
   * Returns whether the publisher of a message is to wait, as the queue is full and its publishers
   * wait then. What the broker moves itself does not ask.
   */
  public boolean blocks(Message message, long nowMillis) {
    return length.blocks(message, nowMillis);
  }

  // Consuming

  /**
   * Returns whether a consumer may be added: none beside an exclusive consumer, and an exclusive
   * one only if there is no other. With a single active consumer no consumer is exclusive.
   */
  @Override
  public boolean admits(boolean exclusive) {
    return !(exclusive && state.settings().singleActiveConsumer())
        && (consumers.count() == 0 || !(exclusive || consumers.hasExclusive()));
  }

  /** Adds a consumer. The queue counts as used while it has consumers. */
  @Override
  public void subscribe(Consumer consumer, long nowMillis) {
    lease.begins(LeaseUse.CONSUME);
    consumers.add(consumer);
    dispatcher.dispatch(nowMillis);
  }

  @Override
  public void stop(Consumer consumer) {
    consumers.stop(consumer);
  }

  /**
   * Removes a consumer; removing the last one ends a use of the queue. The deliveries that the
   * consumer has not settled stay with its channel.
   *
   * @return whether it was the last consumer
   */
  @Override
  public boolean cancel(Consumer consumer, long nowMillis) {
    if (!consumers.isMember(consumer)) {
      return false;
    }
    consumers.remove(consumer);
    if (consumers.count() > 0) {
      dispatcher.dispatch(nowMillis); // Another single active consumer may have its turn.
      return false;
    }
    lookAtUnsettled();
    lease.ends(LeaseUse.CONSUME, nowMillis);
    state.timer.noLaterThan(lease.endMillis());
    return true;
  }

  /** Resumes deliveries to a consumer whose channel had no room for messages. */
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
  public GetResult fetch(boolean acknowledges, long nowMillis) {
    GetResult result = dispatcher.fetch(acknowledges, nowMillis);
    lookAtUnsettled();
    return result;
  }

  /**
   * Returns when a message expires that was delivered and is not settled, in ms since the epoch;
   * {@link io.mayflymq.core.queue.index.Deadlines#NEVER} if it does not.
   */
  public long deadline(long sequence) {
    return deadlines.of(sequence);
  }

  /** Records a use of the queue, for its lease. Uses that the queue itself sees need no call. */
  public void used(LeaseUse use, long nowMillis) {
    lease.used(use, nowMillis);
  }

  /** Whether the queue holds no message, scheduled ones included. */
  private boolean isEmpty() {
    return totals().messages() == 0 && !holdsScheduled && !length.hasWaitingDeadLetters();
  }

  /** Sets how many of the queue's dead letters wait for another queue to take them. */
  public void deadLettersWait(long count, long bytes) {
    length.deadLettersWait(count, bytes);
  }

  /** Sets whether scheduled messages wait to be published to the queue. */
  public void holdsScheduled(boolean any, long nowMillis) {
    holdsScheduled = any;
    if (any) {
      lease.begins(LeaseUse.SCHEDULED);
    } else {
      lease.ends(LeaseUse.SCHEDULED, nowMillis);
      state.timer.noLaterThan(lease.endMillis());
    }
  }

  /**
   * Tells by how much the clock was set ahead, in all: the lease does not take that for time that
   * has passed. To be called when the queue is created, and before all else in the first burst that
   * goes by the clock that was set.
   */
  public void skipped(long totalMillis) {
    lease.skipped(totalMillis);
  }

  /**
   * Returns when the lease ends if the queue stays unused, in ms since the epoch; {@link
   * Deadlines#NEVER} without a lease, or while a lasting use counts.
   */
  public long leaseEndMillis() {
    return lease.endMillis();
  }

  /** Returns whether the lease has ended, so that the queue may be deleted. */
  public boolean leaseHasEnded(long nowMillis) {
    return lease.endMillis() <= nowMillis;
  }

  // Settling

  /**
   * Acknowledges messages. Sequence numbers of messages that are not unacknowledged here are
   * ignored. The caller ensures that all others in the range were delivered to this consumer.
   *
   * @param consumer the consumer to which they were delivered
   * @param from the first sequence number
   * @param to the last sequence number
   */
  @Override
  public void acknowledge(Consumer consumer, long from, long to, long nowMillis) {
    int count = settlements.acknowledge(from, to, nowMillis);
    state.counters.add(Counter.ACKED, count);
    consumer.rates().acknowledged(count, nowMillis);
    settled(consumer, from, to, count, nowMillis);
    settlements.throwFailure();
  }

  /** Rejects messages: they are dead-lettered or dropped. Parameters as in {@link #acknowledge}. */
  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause, long nowMillis) {
    int count = settlements.reject(from, to, cause, nowMillis);
    settled(consumer, from, to, count, nowMillis);
    settlements.throwFailure();
  }

  /**
   * Requeues messages, marked as redelivered: at their original place, or before all others in a
   * quorum queue; at once or after a retry delay. A message that has been returned too often is
   * dead-lettered, and one whose deadline has passed expires. Parameters as in {@link
   * #acknowledge}.
   */
  @Override
  public void requeue(Consumer consumer, long from, long to, long nowMillis) {
    putBack(consumer, from, to, false, nowMillis);
  }

  /**
   * Requeues messages that the consumer failed to process: {@link #requeue} that counts as a
   * failure.
   */
  @Override
  public void fail(Consumer consumer, long from, long to, long nowMillis) {
    putBack(consumer, from, to, true, nowMillis);
  }

  private void putBack(Consumer consumer, long from, long to, boolean failed, long nowMillis) {
    int count = settlements.putBack(from, to, failed, nowMillis);
    state.counters.add(Counter.REQUEUED, count);
    returned(consumer, from, to, count, nowMillis);
  }

  /** No retry delay and no delivery limit applies, as there was no delivery. */
  @Override
  public void release(Consumer consumer, long from, long to, long nowMillis) {
    returned(consumer, from, to, settlements.release(from, to, nowMillis), nowMillis);
  }

  private void returned(Consumer consumer, long from, long to, int count, long nowMillis) {
    shareOut(nowMillis);
    length.dropOverflow(nowMillis);
    settled(consumer, from, to, count, nowMillis);
    dispatcher.dispatch(nowMillis);
    settlements.throwFailure();
  }

  private void settled(Consumer consumer, long from, long to, int count, long nowMillis) {
    consumer.settled(count);
    boolean wasFull = dispatcher.settled(from, to, count, nowMillis);
    if (holdsUnacked && dispatcher.unsettled() == 0) {
      holdsUnacked = false;
      lease.ends(LeaseUse.UNACKED, nowMillis);
      state.timer.noLaterThan(lease.endMillis());
    }
    if (consumers.settled(consumer)) {
      dispatcher.dispatch(nowMillis);
    } else {
      dispatcher.rejoin(consumer, nowMillis);
      if (wasFull) {
        dispatcher.dispatch(nowMillis);
      }
    }
  }

  /**
   * Notes whether what is with clients keeps the queue. While there are consumers these do, so
   * nothing is to be done for each message.
   */
  private void lookAtUnsettled() {
    if (!holdsUnacked && dispatcher.unsettled() > 0) {
      holdsUnacked = true;
      lease.begins(LeaseUse.UNACKED);
    }
  }

  /** Returns an operation that removes all ready messages. */
  public Purge purge() {
    return purge(Purge.SLICE);
  }

  /**
   * Returns an operation that removes some of the ready messages.
   *
   * @param onlyCounts whether they are only counted
   * @param removed is told of each that is removed
   */
  public ChosenPurge purge(MessageChoice choice, boolean onlyCounts, ChosenPurge.Removed removed) {
    return new ChosenPurge(state, messageRemover, choice, onlyCounts, removed);
  }

  /** Returns an operation that brings messages back that have left the queue. */
  public Restoration restoration(Restoration.Choice choice) {
    return new Restoration(state, returns, choice);
  }

  /**
   * Does one slice of it.
   *
   * @param moves begins moves of the log; a message that the log has not needs none
   * @return whether there is more to do
   */
  public boolean restore(Restoration restoration, long nowMillis, Restoration.Moves moves) {
    if (!state.hasRemoved()) {
      return false;
    }
    long before = index.readyCount();
    boolean more = restoration.step(nowMillis, moves);
    if (index.readyCount() > before) {
      restored(nowMillis);
    }
    return more;
  }

  /** Returns whether what is purged can be brought back. */
  public boolean keepsPurged() {
    return state.keepsRemoved();
  }

  /**
   * Purges a message that was kept beside the queue: it enters the queue and leaves it at once, so
   * that it can be brought back like the others, if {@link #keepsPurged}.
   *
   * @param entry its entry in the log; null if the log has none
   * @param moves begins moves of the log
   */
  public void purgeFromBeside(
      Message message, UnsettledEntry entry, Restoration.Moves moves, long nowMillis) {
    Move move = entry == null ? null : moves.begin(entry, message);
    long sequence = index.nextSequence();
    boolean entered = false;
    try {
      long own = deadlines.ownOf(message, nowMillis);
      messages.append(message, move, false, own, nowMillis);
      deadlines.appended(sequence, own);
      entered = true;
    } finally {
      if (move != null) {
        move.write(nowMillis, !entered);
      }
    }
    if (index.contains(sequence)) {
      messageRemover.purge(sequence, nowMillis);
    }
  }

  /** Opens the store of the messages that have left and can be brought back, as it has some. */
  public void openRemoved() {
    state.removed();
  }

  /** Returns whether any message ever has left so that it can be brought back. */
  public boolean hasRemoved() {
    return state.hasRemoved();
  }

  /** Begins to copy the messages that can be brought back. */
  public MessageCopy copyRemoved() {
    return state.removed().copy();
  }

  /** Tells the end of that copy. */
  public void endCopyOfRemoved(MessageCopy copy, CopySink sink) {
    copy.end(sink, visitor -> {});
  }

  /** Returns what takes those of another place, before the queue starts here. */
  public CopiedMessages copiedRemoved() {
    return state.removed().copied();
  }

  // When its time stood still

  /** Opens the store of when its time stood still, as it did. */
  public void openStopped() {
    state.stopped();
  }

  /** Returns whether its time ever stood still, as far as that may still matter. */
  public boolean hasStopped() {
    return state.hasStopped();
  }

  /** Begins to copy when it did. */
  public MessageCopy copyStopped() {
    return state.stopped().copy();
  }

  /** Tells the end of that copy. */
  public void endCopyOfStopped(MessageCopy copy, CopySink sink) {
    copy.end(sink, visitor -> {});
  }

  /** Returns what takes that of another place, before the queue starts here. */
  public CopiedMessages copiedStopped() {
    return state.stopped().copied();
  }

  /** Returns how many bytes they count; see {@code recoverable-bytes}. */
  public long removedBytes() {
    return state.hasRemoved() ? state.removed().bytes() : 0;
  }

  /**
   * Lets some of them go, those first that have left first, so that their space becomes free. While
   * messages of a deleted queue come back none goes.
   *
   * @param bytes how many bytes are to become free
   * @return how many of them are still to become free; 0 if nothing is left
   */
  public long letOldestGo(long bytes) {
    return state.letOldestGo(bytes);
  }

  /** Returns how many messages have left and can be brought back, and their bodies. */
  public QueueTotals removedTotals() {
    return state.hasRemoved() ? state.removed().totals() : QueueTotals.NONE;
  }

  Purge purge(int slice) {
    return new Purge(state, messageRemover, returns, slice);
  }

  // Time

  /** Called at the time that was requested by {@link QueueEffects#wakeAt}. */
  @Override
  public void onTimer(long nowMillis) {
    state.timer.fired();
    boolean done = false;
    try {
      workOff(nowMillis);
      done = true;
    } finally {
      goOnUnless(done, nowMillis);
    }
  }

  /**
   * Has the timer go on with work that has thrown. It may do so again, but other work that is due
   * must not wait for ever.
   */
  private void goOnUnless(boolean done, long nowMillis) {
    if (!done) {
      state.timer.noLaterThan(nowMillis + RETRY_MILLIS);
    }
  }

  private void workOff(long nowMillis) {
    if (leaseHasEnded(nowMillis)) {
      if (!state.settings().lease().onlyIfEmpty() || isEmpty()) {
        state.effects.leaseEnded();
        return;
      }
      lease.renew(nowMillis);
    }
    boolean stood = deadlines.stops().isStopped();
    state.stopOrGoOn(nowMillis); // If a change of settings has tried to in vain.
    if (stood && !deadlines.stops().isStopped()) {
      goOn(nowMillis);
    }
    if (!messageRemover.unreadable().isEmpty()) {
      messageRemover.unreadable().retry(nowMillis);
    }
    long next = messageRemover.expireDue(nowMillis, EXPIRY_SLICE);
    if (returns.waiting() > 0) {
      returns.release(nowMillis, nowMillis, EXPIRY_SLICE);
      next = Math.min(deadlines.next(), returns.next());
      length.dropOverflow(nowMillis);
    }
    state.timer.noLaterThan(Math.min(next, lease.endMillis()));
    shareOut(nowMillis);
    state.letGo(nowMillis);
    length.shrink(nowMillis);
    dispatcher.dispatch(nowMillis);
  }

  /**
   * Dead-letters some of the queue's messages, ready or unacknowledged, before the queue is
   * deleted; to be called until none is left.
   *
   * @param cause why the queue is deleted
   * @return whether no message is left
   */
  public boolean deadLetterAll(DropTrigger cause, long nowMillis) {
    if (returns.waiting() > 0) {
      returns.release(Long.MAX_VALUE, nowMillis, EXPIRY_SLICE);
      return false;
    }
    return messageRemover.deadLetterAll(cause, nowMillis, EXPIRY_SLICE);
  }

  // Deletion that can be undone

  /**
   * Removes some of the messages of a queue that was deleted, ready or not, so that they can be
   * brought back; to be called until none is left. Those whose time is over expire.
   *
   * @param deletedAtMillis when it was deleted, in ms since the epoch
   * @return whether there are more
   */
  public boolean removeDeleted(long deletedAtMillis, long nowMillis) {
    state.setLetsNothingGo(false);
    for (int i = 0; i < EXPIRY_SLICE; i++) {
      long next = index.next(-1);
      if (next < 0) {
        return false;
      }
      if (!index.isUnacked(next) && deadlines.of(next) <= nowMillis) {
        messageRemover.expire(next, nowMillis);
      } else {
        if (index.isUnacked(next)) {
          messages.countAsDelivered(next);
        }
        messageRemover.deleteWithQueue(next, Math.min(deletedAtMillis, nowMillis));
      }
    }
    return true;
  }

  /**
   * Lets messages of a deleted queue go that cannot be brought back any more, some of them.
   *
   * @return when to do so again, in ms since the epoch; {@link
   *     io.mayflymq.core.queue.index.Deadlines#NEVER} if none is left
   */
  public long letGo(long nowMillis) {
    return state.letGoNow(nowMillis);
  }

  /** Applies new settings to what a deleted queue has kept. */
  public void reconfigureDeleted(QueueSettings changed) {
    state.change(changed);
  }

  /**
   * Returns whether messages have left with the queue, which was deleted. If it is there, and
   * starts, it was brought back, and they are to come back, too.
   */
  public boolean hasDeleted() {
    return state.hasDeleted();
  }

  /** No more of them comes back: what has left is let go when it is time again. */
  public void deletedAreBack(long nowMillis) {
    state.setLetsNothingGo(false);
    state.letGo(nowMillis);
  }

  // Moving

  /** Begins to copy its messages. At most one copy is under way. */
  public MessageCopy copyMessages() {
    return messages.copy();
  }

  /**
   * Tells the end of a copy.
   *
   * @see MessageCopy#end
   */
  public void endCopy(MessageCopy copy, CopySink sink) {
    copy.end(sink, returns::forEachWaiting);
  }

  /** Returns what takes the messages of another place, before the queue starts here. */
  public CopiedMessages copiedMessages() {
    return messages.copied();
  }

  /** Returns what reads all messages for a copy that another broker keeps. */
  public MessageReader messageReader() {
    return new MessageReader(messages);
  }

  /**
   * Takes a message that was in the queue of another broker, at the end of the queue: no limit
   * applies to it, its time goes on, and it counts as delivered before.
   *
   * @param ownDeadlineMillis its own deadline, in ms since the epoch; {@link Deadlines#NEVER} for
   *     none
   * @param arrivedMillis when it arrived there, in ms since the epoch
   * @param returned how often consumers returned it there
   */
  public void restore(Message message, long ownDeadlineMillis, long arrivedMillis, long returned) {
    long sequence = messages.restore(message, ownDeadlineMillis, arrivedMillis, returned);
    long own = deadlines.fromLog(ownDeadlineMillis, arrivedMillis);
    deadlines.appended(sequence, own);
    if (returned > 0) {
      returns.recovered(sequence, returned, RedeliveryNotes.READY);
    }
    state.timer.noLaterThan(deadlines.leavesAt(sequence, deadlines.ofNew(own, arrivedMillis)));
  }

  /** All messages of another broker have been restored: the queue begins to serve. */
  public void restoreEnded(long nowMillis) {
    lease.renew(nowMillis);
    state.timer.noLaterThan(lease.endMillis());
    dispatcher.dispatch(nowMillis);
  }

  /** Returns whether messages are with consumers, or {@code basic.get} has taken them. */
  public boolean hasTaken() {
    return totals().unacked() > 0;
  }

  /**
   * Returns whether messages have died whose dead letters are not known to be safe elsewhere; they
   * would not be copied.
   */
  public boolean hasUnsettled() {
    return messages.hasUnsettled();
  }

  /** Hands out no messages from now on. */
  public void suspendDeliveries() {
    consumers.suspend();
  }

  /** Hands out messages again. */
  public void resumeDeliveries(long nowMillis) {
    consumers.resume();
    dispatcher.dispatch(nowMillis);
  }

  /**
   * Returns when the queue was last used, in ms since the epoch, as far as its lease counts that.
   */
  public long lastUseMillis(long nowMillis) {
    return lease.lastUseMillis(nowMillis);
  }

  /** Lets the lease run since this time, at which the queue was last used at another place. */
  public void setLastUse(long millis) {
    lease.renew(millis);
    state.timer.noLaterThan(lease.endMillis());
  }

  /** Returns about how many bytes of memory its messages take. */
  public long memoryBytes() {
    return messages.memoryBytes();
  }

  /**
   * Periodic maintenance: a queue that is empty and was not used since the last call frees the
   * memory that it keeps for the next message.
   */
  public void trimMemory() {
    index.trimMemory();
  }

  @Override
  public boolean disposeSome() {
    return messages.disposeSome(Purge.SLICE)
        || (state.hasRemoved() && state.removed().disposeSome(Purge.SLICE));
  }

  /** Releases the memory of a deleted queue. No other method may be called afterwards. */
  @Override
  public void dispose() {
    deadlines.cleared();
    returns.clear();
    messages.dispose();
    if (state.hasRemoved()) {
      state.removed().dispose();
    }
    if (state.hasStopped()) {
      state.stopped().dispose();
    }
    if (state.tracer != null) {
      state.tracer.closed();
    }
  }

  // Views

  /**
   * Returns how long a publisher of very many messages should pause, in ms, if consumers are behind
   * though they have room or settle fast; 0 if no pause is needed.
   *
   * @param commitMillis how long a commit of a replicated partition takes
   */
  public int pauseMillis(long commitMillis, long nowMillis) {
    long bytes = index.readyBytes() + BYTES_PER_MESSAGE * index.readyCount();
    long pause =
        bytes < MOST_BYTES_BEHIND || !consumers.isHeldUp() ? 0 : 1 + bytes / BYTES_PER_PAUSE_MILLI;
    return (int)
        Math.max(
            Math.min(LONGEST_PAUSE_MILLIS, pause),
            dispatcher.millisBehind(commitMillis, nowMillis));
  }

  /**
   * Returns how many messages are ready: the number that limits count and that declare-ok reports.
   */
  @Override
  public long readyCount() {
    return index.readyCount();
  }

  /** Returns how many messages the queue has, ready and unacknowledged, and their body sizes. */
  @Override
  public QueueTotals totals() {
    UnreadableMessages unreadable = messageRemover.unreadable();
    return messages.totals(
        returns.waiting(), returns.waitingBytes(), unreadable.count(), unreadable.bytes());
  }

  /**
   * Returns for how long the oldest message has been in the queue, in ms; empty if there is none. A
   * message that was returned is as old as before.
   */
  public OptionalLong oldestAgeMillis(long nowMillis) {
    MessageIndex<Message> index = messages.index();
    long oldest = index.next(-1);
    return oldest < 0
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(0, nowMillis - index.enqueuedAt(oldest)));
  }

  /** Returns how many messages are ready of each priority; null if it tells none apart. */
  public PriorityCounts priorityCounts() {
    DeliveryPriority deliveryPriority = messages.deliveryPriority();
    return deliveryPriority == null ? null : deliveryPriority.counts();
  }

  /** Returns which shares have ready messages; null if no values of a header take turns. */
  public FairShareCounts fairShareCounts() {
    FairShares shares = messages.fairShares();
    return shares == null ? null : shares.counts();
  }

  /**
   * Returns the first ready message; null if there is none or if reading it would cost too much.
   */
  public Message peekHead() {
    return messages.peekHead();
  }

  @Override
  public MessageBrowser browse(long position) {
    return new QueueBrowser(messages, state.settings(), position);
  }

  /**
   * Returns which part of the time the queue could deliver at once what it had: from 0, also
   * without consumers, to 1.
   */
  public double consumerCapacity(long nowMillis) {
    return dispatcher.consumerCapacity(nowMillis);
  }

  /**
   * Starts to count the ready messages by deadline and age.
   *
   * @param mostMessages how many are counted at most
   * @param mostNext how many of those that expire first are reported
   */
  public DeadlineSurvey survey(long nowMillis, long mostMessages, int mostNext) {
    return new DeadlineSurvey(messages, nowMillis, mostMessages, mostNext);
  }

  /** Returns what takes single messages out of the queue. */
  public MessageExtractor messageExtractor() {
    return new MessageExtractor(state, messageRemover, this::restored);
  }

  private void restored(long nowMillis) {
    shareOut(nowMillis);
    messageRemover.headMoved();
    state.timer.noLaterThan(deadlines.next());
    length.dropOverflow(nowMillis);
    dispatcher.dispatch(nowMillis);
  }

  /**
   * Returns the counters. Some of them are counted by the callers and the callees of this class.
   */
  @Override
  public Counters counters() {
    return state.counters;
  }

  /** Returns how many consumers there are. */
  @Override
  public int consumerCount() {
    return consumers.count();
  }

  /** Returns the consumers, in the order in which they were added. */
  @Override
  public List<Consumer> consumers() {
    return consumers.all();
  }

  @Override
  public boolean isActive(Consumer consumer) {
    return consumer.active();
  }
}
