package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.TimeLeft;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.policy.DeliverySettings;
import io.mayflymq.core.policy.PaceSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.tracing.QueueTracer;

/**
 * Delivers messages: a new one directly to a waiting consumer, ready ones as long as consumers can
 * take them, and single ones to {@code basic.get}. A message that has expired or cannot be read is
 * never delivered.
 */
final class Dispatcher {
  private static final long NO_SETTLEMENT = QueueTracer.NO_SETTLEMENT;

  private final QueueState state;
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageRemover messageRemover;
  private final ConsumerRotation consumers;
  private final QueueTracer tracer;

  /** Null unless deliveries wait until they are committed. */
  private final PrefetchTurnover turnover;

  /** How many messages are with consumers, or were got, and are not settled. */
  private long unsettled;

  /** With so many of them no consumer gets more. */
  private long mostUnsettled = Long.MAX_VALUE;

  /** Whether nothing is handed out. */
  private boolean paused;

  /** Null unless the queue has a rate of deliveries. */
  private Pace pace;

  /** Null until a message has waited for consumers, which it does in few queues. */
  private ConsumerCapacity capacity;

  Dispatcher(QueueState state, MessageRemover messageRemover, ConsumerRotation consumers) {
    this.state = state;
    this.index = state.index;
    this.messages = state.messages;
    this.messageRemover = messageRemover;
    this.consumers = consumers;
    this.tracer = state.tracer;
    this.turnover = state.settings().type() == QueueType.QUORUM ? new PrefetchTurnover() : null;
  }

  /**
   * Delivers a new message to a waiting consumer, if there is one.
   *
   * @param move the move by which it enters the queue, or null
   */
  boolean deliverDirectly(Message message, Move move, long ownDeadline, long nowMillis) {
    Consumer consumer = mayDeliver(nowMillis) ? consumers.nextWithRoom() : null;
    if (consumer == null) {
      noteCapacity(consumers.count() > 0, nowMillis);
      return false;
    }
    long sequence = NO_SETTLEMENT;
    consumer.rates().delivered(nowMillis);
    if (consumer.acknowledges()) {
      sequence = messages.appendUnacked(message, move, ownDeadline, nowMillis);
      consumer.delivered();
      taken(sequence, nowMillis);
    } else if (state.keepsAcked()) {
      long passing = messages.append(message, move, false, ownDeadline, nowMillis);
      messageRemover.acknowledge(passing, nowMillis);
    }
    Message told =
        consumer.wantsTimeLeft()
            ? timeLeft(message, state.deadlines.ofNew(ownDeadline, nowMillis), nowMillis)
            : message;
    deliver(consumer, sequence, told, false);
    waited(0);
    if (tracer != null) {
      trace(sequence, message, false, nowMillis, consumer);
    }
    return true;
  }

  /** Delivers ready messages as long as consumers can take them. */
  void dispatch(long nowMillis) {
    handOut(nowMillis);
    messageRemover.headMoved();
    noteCapacity(
        index.readyCount() > 0
            && consumers.count() > 0
            && (!mayDeliver(nowMillis) || consumers.next() == null),
        nowMillis);
  }

  /**
   * Does so at the moment when time goes on again. What has a TTL of 0, and came while it stood
   * still, is handed out now or expires.
   */
  void dispatchGoingOn(long nowMillis) {
    messageRemover.setGoingOn(true);
    try {
      dispatch(nowMillis);
    } finally {
      messageRemover.setGoingOn(false);
    }
  }

  private boolean isFull() {
    return unsettled >= mostUnsettled;
  }

  private boolean mayDeliver(long nowMillis) {
    return unsettled < mostUnsettled && (!isPaced() || keepsPace(nowMillis));
  }

  private boolean isPaced() {
    return pace != null;
  }

  /** If not, the timer is set for the time from which on it does. */
  private boolean keepsPace(long nowMillis) {
    if (pace.allows(nowMillis)) {
      return true;
    }
    if (consumers.count() > 0) {
      state.timer.noLaterThan(pace.next());
    }
    return false;
  }

  /** Applies what bounds deliveries. Returns whether messages may have to be handed out now. */
  boolean change(DeliverySettings deliveries, PaceSettings changed, long nowMillis) {
    boolean wasPaused = paused;
    Pace before = pace;
    paused = changed.pausesDeliveries();
    pace = Pace.of(changed.deliveries(), pace, nowMillis);
    long most =
        deliveries.unackedMax() == QueueSettings.NONE ? Long.MAX_VALUE : deliveries.unackedMax();
    return boundUnsettled(paused ? 0 : most) || paused != wasPaused || pace != before || isPaced();
  }

  /**
   * Bounds how many messages all consumers together may have unsettled. Returns whether that is
   * new.
   */
  private boolean boundUnsettled(long most) {
    boolean changed = most != mostUnsettled;
    mostUnsettled = most;
    return changed;
  }

  private void noteCapacity(boolean waiting, long nowMillis) {
    if (waiting && capacity == null) {
      capacity = new ConsumerCapacity(nowMillis);
    }
    if (capacity != null) {
      capacity.note(waiting, nowMillis);
    }
  }

  /** See {@link ClassicQueueMachine#consumerCapacity}. */
  double consumerCapacity(long nowMillis) {
    if (consumers.count() == 0) {
      return 0;
    }
    return capacity == null ? 1 : capacity.value(nowMillis);
  }

  private void handOut(long nowMillis) {
    while (index.readyCount() > 0 && mayDeliver(nowMillis)) {
      Consumer consumer = consumers.next();
      if (consumer == null) {
        return;
      }
      long head = messageRemover.firstUnexpired(nowMillis, ClassicQueueMachine.EXPIRY_SLICE);
      if (head < 0) {
        return;
      }
      if (!consumer.outlet().reserve(consumer)) {
        consumers.block(consumer);
        continue;
      }
      boolean redelivered = (index.flags(head) & EntryFlags.REDELIVERED) != 0;
      long returns =
          redelivered && state.countsReturns() ? index.returns(head) : DeliveryCount.NONE;
      long enqueuedAt = measuresAge() ? index.enqueuedAt(head) : 0;
      long deadline = consumer.wantsTimeLeft() ? state.deadlines.of(head) : Deadlines.NEVER;
      Message message;
      long sequence = NO_SETTLEMENT;
      consumer.rates().delivered(nowMillis);
      if (consumer.acknowledges()) {
        message = messages.take(head, returns);
        sequence = head;
        consumer.delivered();
        taken(head, nowMillis);
      } else {
        message = messageRemover.leave(head, nowMillis);
      }
      if (returns != DeliveryCount.NONE) {
        message = told(message, returns);
      }
      message = timeLeft(message, deadline, nowMillis);
      deliver(consumer, sequence, message, redelivered);
      if (!redelivered) {
        waited(nowMillis - enqueuedAt);
      }
      if (tracer != null) {
        trace(sequence, message, redelivered, enqueuedAt, consumer);
      }
    }
  }

  private static Message timeLeft(Message message, long deadline, long nowMillis) {
    return deadline == Deadlines.NEVER ? message : TimeLeft.tell(message, deadline, nowMillis);
  }

  private boolean measuresAge() {
    return tracer != null || state.counters.waits() != null;
  }

  /** A message is delivered for the first time. */
  private void waited(long millis) {
    Histogram waits = state.counters.waits();
    if (waits != null) {
      waits.record(millis);
    }
  }

  private Message told(Message message, long returns) {
    return state.settings().deliveries().countsEachReturn()
        ? DeliveryCount.tellFailed(message, returns)
        : DeliveryCount.tell(message, returns);
  }

  private void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
    consumers.served(consumer);
    if (isPaced()) {
      pace.passed();
    }
    state.counters.delivered(consumer.acknowledges(), message.bodyLength(), redelivered);
    consumer.outlet().deliver(consumer, sequence, message, redelivered);
  }

  private void trace(
      long sequence, Message message, boolean redelivered, long enqueuedAt, Consumer consumer) {
    tracer.delivered(sequence, message, redelivered, enqueuedAt, consumer.tag().value());
  }

  /** Returns how many messages are with consumers, or were got, and are not settled. */
  long unsettled() {
    return unsettled;
  }

  private void taken(long sequence, long nowMillis) {
    unsettled++;
    if (turnover != null) {
      turnover.delivered(sequence, nowMillis);
    }
  }

  /**
   * So many of them are settled, all in this range. Returns whether more than their consumer's own
   * limit may have kept messages here.
   */
  boolean settled(long from, long to, int count, long nowMillis) {
    boolean wasFull = isFull() || isPaced();
    unsettled -= count;
    if (turnover != null) {
      turnover.settled(from, to, nowMillis);
    }
    return wasFull;
  }

  /**
   * Returns how long consumers that settle fast need for what is ready, in ms; 0 if publishers need
   * not wait for that.
   *
   * @param commitMillis how long a commit takes
   */
  long millisBehind(long commitMillis, long nowMillis) {
    return turnover == null
        ? 0
        : turnover.millisFor(index.readyCount(), unsettled, commitMillis, nowMillis);
  }

  /** Puts a consumer back into the rotation, as it may be able to take messages again. */
  void rejoin(Consumer consumer, long nowMillis) {
    if (consumer.mayJoinRound() && consumers.isMember(consumer)) {
      consumers.join(consumer);
      dispatch(nowMillis);
    }
  }

  /**
   * Takes the first ready message.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready, or none may be handed out now
   */
  GetResult fetch(boolean acknowledges, long nowMillis) {
    long head =
        paused || (isPaced() && !pace.allows(nowMillis))
            ? -1
            : messageRemover.firstUnexpired(nowMillis, Integer.MAX_VALUE);
    if (head < 0) {
      state.counters.add(Counter.GOT_EMPTY, 1);
      return null;
    }
    if (isPaced()) {
      pace.passed();
    }
    boolean redelivered = (index.flags(head) & EntryFlags.REDELIVERED) != 0;
    boolean countsReturns = state.countsReturns();
    long returns = countsReturns ? index.returns(head) : DeliveryCount.NONE;
    long enqueuedAt = measuresAge() ? index.enqueuedAt(head) : 0;
    Message message =
        acknowledges ? messages.take(head, returns) : messageRemover.leave(head, nowMillis);
    if (countsReturns) {
      message = told(message, returns);
    }
    messageRemover.headMoved();
    state.counters.got(acknowledges, message.bodyLength(), redelivered);
    if (!redelivered) {
      waited(nowMillis - enqueuedAt);
    }
    unsettled += acknowledges ? 1 : 0;
    long sequence = acknowledges ? head : NO_SETTLEMENT;
    if (tracer != null) {
      tracer.delivered(sequence, message, redelivered, enqueuedAt, null);
    }
    return new GetResult(sequence, message, redelivered, index.readyCount());
  }
}
