package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.HeaderTime;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TtlMode;
import java.util.function.LongSupplier;

/**
 * The deadlines of a queue's messages, and which message leaves next. A message is due at its own
 * deadline or at the end of the queue's TTL, whichever comes first, or by another rule of TtlMode;
 * ExpiryMode decides when it leaves.
 *
 * <p>The index keeps own deadlines only, and those never change. The deadline by the queue's TTL is
 * computed from the time of arrival and the present TTL. So when a policy changes the TTL, the
 * change holds at once for every message in the queue, at no cost, however many there are. Messages
 * arrived in the order of the queue, so the TTL always ends the first ready one first: no index is
 * needed for that. Own deadlines come in any order; ExpiryOrder finds the first of them.
 *
 * <p>With TtlMode.MESSAGE_FIRST, the queue's TTL ends the first ready message without an own TTL
 * first: "withoutOwn" is where to start looking for it, and is only moved back when such a message
 * is requeued. With TtlMode.QUEUE_ONLY, own deadlines are in no order of expiry; another mode puts
 * them there, looking at each message once.
 *
 * <p>Two cases would break this. In both, the present deadline is stored as the message's own:
 *
 * <ul>
 *   <li>a clock that was set back: a new message would be due before an older one, and would not be
 *       looked at in time;
 *   <li>a queue whose TTL is not retroactive: present messages keep their deadlines, and the new
 *       TTL counts from ttlFrom on only.
 * </ul>
 */
public final class MessageDeadlines {
  private final MessageIndex<Message> index;

  /** Null until the first message with an own deadline. */
  private ExpiryOrder ownDeadlines;

  /** Returns the next ready message to deliver; -1 if none is ready. */
  private final LongSupplier head;

  private ExpirySettings settings;
  private long ttlFrom;
  private long latestArrival = Long.MIN_VALUE;

  /**
   * All ready messages before this one have own deadlines; maintained for TtlMode.MESSAGE_FIRST
   * only.
   */
  private long withoutOwn;

  /** Whether all deadlines are checked at the moment, though the mode is lazy. */
  private boolean checking;

  /**
   * Begins with no message.
   *
   * @param head returns the next ready message to deliver; -1 if none is ready
   */
  public MessageDeadlines(MessageIndex<Message> index, LongSupplier head, ExpirySettings settings) {
    this.index = index;
    this.head = head;
    this.settings = settings;
  }

  /** Returns the own deadline of a message that arrives now. */
  public long ownOf(Message message, long nowMillis) {
    long own = ownOfArrived(message, nowMillis);
    if (nowMillis < latestArrival) {
      return settings.ttlMode() == TtlMode.MESSAGE_FIRST
          ? due(settings, own, nowMillis)
          : Math.min(own, byTtl(settings, nowMillis));
    }
    latestArrival = nowMillis;
    return own;
  }

  /**
   * Returns the own deadline of a message that has arrived at another time, in ms since the epoch.
   */
  public long ownOfArrived(Message message, long arrivedMillis) {
    long ttl = message.ttlMillis();
    long own =
        ttl == Message.NO_TTL
            ? Deadlines.NEVER
            : Deadlines.after(arrivedMillis, Math.max(ttl, settings.floorMillis()));
    return settings.deadlineHeader() == null ? own : Math.min(own, ofHeader(message));
  }

  /**
   * Returns the deadline of a message's header, in ms since the epoch; {@link Deadlines#NEVER} if
   * none counts.
   */
  public long ofHeader(Message message) {
    return settings.deadlineHeader() == null
        ? Deadlines.NEVER
        : HeaderTime.of(message, settings.deadlineHeader());
  }

  /** Returns whether the deadline of a message's header counts, and is over. */
  public boolean isOver(Message message, long nowMillis) {
    return settings.ttlMode() != TtlMode.QUEUE_ONLY && ofHeader(message) <= nowMillis;
  }

  /**
   * Returns the own deadline of a message that arrives now as the log has it: a floor is applied
   * again at each start.
   */
  long toLog(Message message, long nowMillis) {
    return Math.min(Deadlines.after(nowMillis, message.ttlMillis()), ofHeader(message));
  }

  /**
   * Returns the own deadline of a message that is put in again, under its number. If its number is
   * one of those that keep their deadlines, the queue's present TTL counts for it.
   */
  public long ownAgain(long sequence, Message message, long arrivedMillis) {
    long own = ownOfArrived(message, arrivedMillis);
    return sequence < ttlFrom ? due(settings, own, arrivedMillis) : own;
  }

  /** Returns the deadline of a message that arrives now. */
  public long ofNew(long ownMillis, long nowMillis) {
    return due(settings, ownMillis, nowMillis);
  }

  /** Returns the deadline of a message. */
  public long of(long sequence) {
    long own = index.deadline(sequence);
    return sequence < ttlFrom ? own : due(settings, own, index.enqueuedAt(sequence));
  }

  /** Whether a message's deadline is its own, and not from the queue's TTL. */
  public boolean isOwn(long sequence) {
    long own = index.deadline(sequence);
    if (own == Deadlines.NEVER || sequence < ttlFrom) {
      return own != Deadlines.NEVER;
    }
    return switch (settings.ttlMode()) {
      case MIN -> own <= byTtl(settings, index.enqueuedAt(sequence));
      case MESSAGE_FIRST -> true;
      case QUEUE_ONLY -> false;
    };
  }

  /** Returns the deadline that a message would have with other settings. */
  public long ofWith(ExpirySettings changed, long sequence) {
    if (isSameTtl(changed) || !changed.retroactive()) {
      return of(sequence);
    }
    return due(changed, index.deadline(sequence), index.enqueuedAt(sequence));
  }

  private static long due(ExpirySettings settings, long ownMillis, long arrivalMillis) {
    return switch (settings.ttlMode()) {
      case MIN -> Math.min(ownMillis, byTtl(settings, arrivalMillis));
      case MESSAGE_FIRST ->
          ownMillis == Deadlines.NEVER ? byTtl(settings, arrivalMillis) : ownMillis;
      case QUEUE_ONLY -> byTtl(settings, arrivalMillis);
    };
  }

  private static long byTtl(ExpirySettings settings, long arrivalMillis) {
    return settings.messageTtlMillis() == QueueSettings.NONE
        ? Deadlines.NEVER
        : Deadlines.after(
            arrivalMillis, Math.max(settings.messageTtlMillis(), settings.floorMillis()));
  }

  /** Called when a message was appended, ready. */
  public void appended(long sequence, long ownMillis) {
    if (ownMillis != Deadlines.NEVER && ownCounts(sequence)) {
      ownDeadlines().appended(sequence, ownMillis);
    }
  }

  private ExpiryOrder ownDeadlines() {
    if (ownDeadlines == null) {
      ownDeadlines = new ExpiryOrder(new ExpiringMessages(index));
    }
    return ownDeadlines;
  }

  private void clearOwnDeadlines() {
    if (ownDeadlines != null) {
      ownDeadlines.cleared();
    }
  }

  private boolean ownCounts(long sequence) {
    return settings.ttlMode() != TtlMode.QUEUE_ONLY || sequence < ttlFrom;
  }

  /** Called for each message that was recovered with an own deadline, in the order of the queue. */
  void recovered(long sequence) {
    long arrival = index.enqueuedAt(sequence);
    latestArrival = Math.max(latestArrival, arrival);
    long own = index.deadline(sequence);
    if (own != Deadlines.NEVER && settings.floorMillis() > 0) {
      own = Math.max(own, Deadlines.after(arrival, settings.floorMillis()));
      index.setDeadline(sequence, own);
    }
    appended(sequence, own);
  }

  /** Called when a message is ready again, at its old place. */
  public void requeued(long sequence) {
    long own = index.deadline(sequence);
    if (own == Deadlines.NEVER) {
      withoutOwn = Math.min(withoutOwn, sequence);
    } else if (ownCounts(sequence)) {
      ownDeadlines().requeued(sequence, own);
    }
  }

  /**
   * Called when a message was put in, ready, under a number that is not the highest one: marked by
   * {@link EntryFlags#OUT_OF_ORDER}.
   */
  void inserted(long sequence) {
    requeued(sequence);
  }

  /** Called before a message is removed. */
  public void leaving(long sequence) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.INDEXED) != 0) {
      index.setFlags(sequence, flags & ~EntryFlags.INDEXED);
      ownDeadlines.discarded();
    }
  }

  /** Called before all ready messages are removed at once. */
  public void cleared() {
    index.forEachUnacked(
        sequence -> index.setFlags(sequence, index.flags(sequence) & ~EntryFlags.INDEXED));
    clearOwnDeadlines();
  }

  // Which is next

  /**
   * Returns when a ready message will leave because of its deadline, as far as that depends on this
   * message alone; {@link Deadlines#NEVER} if it stands behind others, or if the mode is lazy.
   */
  public long leavesAt(long sequence, long deadlineMillis) {
    return switch (settings.mode()) {
      case EXACT -> deadlineMillis;
      case HEAD -> head() == sequence ? deadlineMillis : Deadlines.NEVER;
      case LAZY -> Deadlines.NEVER;
    };
  }

  /**
   * Whether only the head of the queue is looked at: code that changes the head has to check again.
   */
  public boolean watchHead() {
    return settings.mode() == ExpiryMode.HEAD;
  }

  /**
   * Called when the queue starts. Returns when the recovered messages have to be looked at first.
   */
  public long begin(long nowMillis) {
    checking = settings.mode() == ExpiryMode.LAZY && index.readyCount() > 0;
    return checking ? nowMillis : next();
  }

  /** Called when all messages that were due have left. */
  public void endCheck() {
    checking = false;
  }

  /** Returns when the next message leaves because of its deadline, or {@link Deadlines#NEVER}. */
  public long next() {
    long first = earliest();
    return first < 0 ? Deadlines.NEVER : of(first);
  }

  /**
   * Returns the ready message that leaves next, the one nearer to the head if two are due together;
   * or -1.
   */
  public long earliest() {
    return switch (settings.mode()) {
      case EXACT -> firstDue();
      case HEAD -> head();
      case LAZY -> checking ? firstDue() : -1;
    };
  }

  private long head() {
    return head.getAsLong();
  }

  private long firstDue() {
    long own = ownDeadlines == null ? -1 : ownDeadlines.earliest();
    long first = settings.messageTtlMillis() == QueueSettings.NONE ? -1 : firstByTtl();
    if (own < 0 || first < 0) {
      return Math.max(own, first);
    }
    long ownDeadline = index.deadline(own);
    long firstDeadline = byTtl(settings, index.enqueuedAt(first));
    if (ownDeadline == firstDeadline) {
      return Math.min(own, first);
    }
    return ownDeadline < firstDeadline ? own : first;
  }

  private long firstByTtl() {
    if (settings.ttlMode() != TtlMode.MESSAGE_FIRST) {
      return index.nextReady(ttlFrom - 1);
    }
    long first = index.nextReady(Math.max(ttlFrom, withoutOwn) - 1);
    while (first >= 0 && index.deadline(first) != Deadlines.NEVER) {
      first = index.nextReady(first);
    }
    withoutOwn = first < 0 ? index.nextSequence() : first;
    return first;
  }

  // Other settings

  private boolean isSameTtl(ExpirySettings other) {
    return other.messageTtlMillis() == settings.messageTtlMillis()
        && other.ttlMode() == settings.ttlMode()
        && other.floorMillis() == settings.floorMillis();
  }

  /**
   * Applies new settings. A floor raises the own TTL of messages that arrive from now on only. If
   * the TTL is not retroactive, or another of the two TTLs counts now, each message is looked at
   * once.
   */
  public void change(ExpirySettings changed) {
    checking = false;
    if (isSameTtl(changed)) {
      settings = changed;
      return;
    }
    boolean otherMode = changed.ttlMode() != settings.ttlMode();
    long keptBefore = ttlFrom;
    if (changed.retroactive()) {
      ttlFrom = 0;
    } else {
      keepDeadlines();
    }
    settings = changed;
    withoutOwn = 0;
    if (otherMode || ttlFrom != keptBefore) {
      orderAnew();
    }
  }

  private void keepDeadlines() {
    index.forEachUnacked(sequence -> index.setDeadline(sequence, of(sequence)));
    index.forEachReady(sequence -> index.setDeadline(sequence, of(sequence)));
    ttlFrom = index.nextSequence();
  }

  private void orderAnew() {
    clearOwnDeadlines();
    index.forEachUnacked(
        sequence ->
            index.setFlags(
                sequence, (index.flags(sequence) & ~EntryFlags.INDEXED) | EntryFlags.OUT_OF_ORDER));
    index.forEachReady(
        sequence -> {
          index.setFlags(
              sequence, index.flags(sequence) & ~(EntryFlags.INDEXED | EntryFlags.OUT_OF_ORDER));
          appended(sequence, index.deadline(sequence));
        });
  }
}
