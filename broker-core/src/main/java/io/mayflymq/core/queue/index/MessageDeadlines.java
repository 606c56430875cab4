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
 * <p>While the time of the queue stands still ({@link TimeStops}), nothing leaves by a TTL. So all
 * deadlines by a TTL are kept in the time of the queue, which makes them the same before and after,
 * and in the same order; the log has them in that of the partition. A message with a deadline in
 * its header has an absolute own deadline, marked as {@link Deadlines#absolute} says, which goes by
 * the time of the partition; those have an order of expiry of their own.
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
  /** What stands for how long time stood still if it does so now. */
  private static final long HELD = -1;

  private final MessageIndex<Message> index;

  /** Null until the first message with an own deadline by its TTL. */
  private ExpiryOrder ownDeadlines;

  /** Null until the first message with an absolute own deadline. */
  private ExpiryOrder absoluteDeadlines;

  /** When the time of the queue stood still. */
  private TimeStops stops = TimeStops.NONE;

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

  /** Sets when the time of the queue stood still. That changes no order. */
  public void setStops(TimeStops changed) {
    stops = changed;
  }

  /** Returns when the time of the queue stood still. */
  public TimeStops stops() {
    return stops;
  }

  /** Returns what time it is for the queue at a time of the partition. */
  private long queueTime(long millis) {
    return stops.isEmpty() ? millis : millis - stops.before(millis);
  }

  private static long later(long millis, long by) {
    return millis > Deadlines.NEVER - by ? Deadlines.NEVER : millis + by;
  }

  /** Returns the own deadline of a message that arrives now. */
  public long ownOf(Message message, long nowMillis) {
    long own = ownOfArrived(message, nowMillis);
    if (nowMillis < latestArrival) {
      return settings.ttlMode() == TtlMode.MESSAGE_FIRST
          ? kept(settings, own, nowMillis)
          : first(own, byTtl(settings, nowMillis), nowMillis);
    }
    latestArrival = nowMillis;
    return own;
  }

  /**
   * Returns the own deadline of a message that has arrived at another time, in ms since the epoch.
   */
  public long ownOfArrived(Message message, long arrivedMillis) {
    return own(message, arrivedMillis, queueTime(arrivedMillis), settings.floorMillis());
  }

  private long own(Message message, long arrivedMillis, long fromMillis, long floorMillis) {
    long ttl = message.ttlMillis();
    long header = ofHeader(message);
    if (header != Deadlines.NEVER) {
      long most = Math.max(ttl, settings.floorMillis());
      return Deadlines.absolute(
          ttl == Message.NO_TTL ? header : Math.min(header, Deadlines.after(arrivedMillis, most)));
    }
    return ttl == Message.NO_TTL
        ? Deadlines.NEVER
        : Deadlines.after(fromMillis, Math.max(ttl, floorMillis));
  }

  /**
   * Returns the deadline of a message's header, in ms since the epoch; {@link Deadlines#NEVER} if
   * none counts.
   */
  public long ofHeader(Message message) {
    return settings.deadlineHeader() == null
        ? Deadlines.NEVER
        : Math.max(1, HeaderTime.of(message, settings.deadlineHeader()));
  }

  /** Returns whether the deadline of a message's header counts, and is over. */
  public boolean isOver(Message message, long nowMillis) {
    return settings.ttlMode() != TtlMode.QUEUE_ONLY && ofHeader(message) <= nowMillis;
  }

  /**
   * Returns the own deadline of a message that arrives now as the log has it: by the time of the
   * partition, and without a floor, which is applied again at each start.
   */
  long toLog(Message message, long nowMillis) {
    return own(message, nowMillis, nowMillis, 0);
  }

  /**
   * Returns an own deadline as the log has it.
   *
   * @param arrivedMillis when the message arrived, in ms since the epoch
   */
  long toLog(long ownMillis, long arrivedMillis) {
    return goesByQueue(ownMillis) ? later(ownMillis, stops.before(arrivedMillis)) : ownMillis;
  }

  /** Returns the own deadline of a message as the log has it. */
  public long inLog(long sequence) {
    return toLog(index.deadline(sequence), index.enqueuedAt(sequence));
  }

  /**
   * Returns an own deadline that the log, or another place, had.
   *
   * @param arrivedMillis when the message arrived, in ms since the epoch
   */
  public long fromLog(long ownMillis, long arrivedMillis) {
    return goesByQueue(ownMillis) ? ownMillis - stops.before(arrivedMillis) : ownMillis;
  }

  /** Returns how long time stood still since a message arrived, as far as it goes on again. */
  public long stoppedSince(long sequence) {
    return stops.isEmpty()
        ? 0
        : Math.max(0, stops.ended() - stops.before(index.enqueuedAt(sequence)));
  }

  /**
   * Returns how long a message has lived by what its own TTL counts, in ms: without the time that
   * stood still, unless its own deadline is one that goes on.
   */
  public long livedMillis(long sequence, long nowMillis) {
    long arrived = index.enqueuedAt(sequence);
    return Deadlines.isAbsolute(index.deadline(sequence))
        ? nowMillis - arrived
        : queueTime(nowMillis) - queueTime(arrived);
  }

  private boolean goesByQueue(long ownMillis) {
    return !stops.isEmpty() && !Deadlines.isAbsolute(ownMillis) && ownMillis != Deadlines.NEVER;
  }

  /**
   * Returns the own deadline of a message that is put in again, under its number. If its number is
   * one of those that keep their deadlines, the queue's present TTL counts for it.
   */
  public long ownAgain(long sequence, Message message, long arrivedMillis) {
    long own = ownOfArrived(message, arrivedMillis);
    return sequence < ttlFrom ? kept(settings, own, arrivedMillis) : own;
  }

  /**
   * Returns the deadline of a message that arrives now, or has arrived at another time; see {@link
   * #of}.
   */
  public long ofNew(long ownMillis, long arrivedMillis) {
    return due(settings, ownMillis, arrivedMillis);
  }

  /**
   * Returns whether a message whose deadline has come, as time goes on from now on, has come while
   * time stood still, and has a TTL of 0: it is not too late to deliver it now.
   */
  public boolean beginsNow(long sequence, long nowMillis) {
    long own = index.deadline(sequence);
    boolean isOver =
        Deadlines.isAbsolute(own) && Deadlines.moment(own) <= nowMillis && ownCounts(sequence);
    return !isOver
        && of(sequence) == nowMillis
        && later(queueTime(index.enqueuedAt(sequence)), stops.ended()) == nowMillis;
  }

  /**
   * Returns the deadline of a message, in ms since the epoch; {@link Deadlines#NEVER} if it has
   * none, or if time stands still for it.
   */
  public long of(long sequence) {
    long own = index.deadline(sequence);
    return sequence < ttlFrom ? moment(own) : due(settings, own, index.enqueuedAt(sequence));
  }

  /** Returns the same as it would be if time went on from now on. */
  public long shown(long sequence, long nowMillis) {
    long own = index.deadline(sequence);
    long stopped = stops.isEmpty() ? 0 : stops.before(nowMillis);
    return sequence < ttlFrom
        ? moment(own, stopped)
        : due(settings, own, index.enqueuedAt(sequence), stopped);
  }

  /** Returns the same of a message that is not here any more. */
  public long shownOf(long ownMillis, long arrivedMillis, long nowMillis) {
    return due(settings, ownMillis, arrivedMillis, stops.isEmpty() ? 0 : stops.before(nowMillis));
  }

  /** Whether a message's deadline is its own, and not from the queue's TTL. */
  public boolean isOwn(long sequence) {
    long own = index.deadline(sequence);
    if (own == Deadlines.NEVER || sequence < ttlFrom) {
      return own != Deadlines.NEVER;
    }
    return switch (settings.ttlMode()) {
      case MIN ->
          moment(own, stops.ended())
                  <= later(byTtl(settings, index.enqueuedAt(sequence)), stops.ended())
              || (stops.isStopped() && Deadlines.isAbsolute(own));
      case MESSAGE_FIRST -> true;
      case QUEUE_ONLY -> false;
    };
  }

  /** Returns whether a message would be due now with other settings. */
  public boolean isDueWith(QueueSettings changed, long sequence, long nowMillis) {
    if (stops.isEmpty() && !changed.pace().stopsTtl()) {
      return ofWith(changed.expiry(), sequence, 0) <= nowMillis;
    }
    long stopped = changed.pace().stopsTtl() ? HELD : stops.before(nowMillis);
    return ofWith(changed.expiry(), sequence, stopped) <= nowMillis;
  }

  private long ofWith(ExpirySettings changed, long sequence, long stopped) {
    long own = index.deadline(sequence);
    long arrival = index.enqueuedAt(sequence);
    if (isSameTtl(changed) || !changed.retroactive()) {
      if (sequence < ttlFrom) {
        return moment(own, stopped);
      }
      return isSameTtl(changed)
          ? due(settings, own, arrival, stopped)
          : moment(kept(settings, own, arrival), stopped);
    }
    return due(changed, own, arrival, stopped);
  }

  private long due(ExpirySettings settings, long ownMillis, long arrivalMillis) {
    return due(settings, ownMillis, arrivalMillis, stops.isStopped() ? HELD : stops.ended());
  }

  private long due(ExpirySettings settings, long ownMillis, long arrivalMillis, long stopped) {
    return switch (settings.ttlMode()) {
      case MIN ->
          Math.min(moment(ownMillis, stopped), moment(byTtl(settings, arrivalMillis), stopped));
      case MESSAGE_FIRST ->
          moment(
              ownMillis == Deadlines.NEVER ? byTtl(settings, arrivalMillis) : ownMillis, stopped);
      case QUEUE_ONLY -> moment(byTtl(settings, arrivalMillis), stopped);
    };
  }

  /** Returns the moment of an own deadline, by the time of the partition. */
  private long moment(long ownMillis) {
    return moment(ownMillis, stops.isStopped() ? HELD : stops.ended());
  }

  private static long moment(long ownMillis, long stopped) {
    if (Deadlines.isAbsolute(ownMillis)) {
      return Deadlines.moment(ownMillis);
    }
    return stopped == HELD ? Deadlines.NEVER : later(ownMillis, stopped);
  }

  /** Returns the present deadline of a message in the form of an own one. */
  private long kept(ExpirySettings settings, long ownMillis, long arrivalMillis) {
    return switch (settings.ttlMode()) {
      case MIN -> first(ownMillis, byTtl(settings, arrivalMillis), arrivalMillis);
      case MESSAGE_FIRST ->
          ownMillis == Deadlines.NEVER ? byTtl(settings, arrivalMillis) : ownMillis;
      case QUEUE_ONLY -> byTtl(settings, arrivalMillis);
    };
  }

  /** Returns the first of two deadlines, of the kind of the first one. */
  private long first(long ownMillis, long byTtlMillis, long arrivalMillis) {
    if (!Deadlines.isAbsolute(ownMillis)) {
      return Math.min(ownMillis, byTtlMillis);
    }
    long stopped = Math.max(stops.ended(), stops.before(arrivalMillis));
    return Deadlines.absolute(Math.min(Deadlines.moment(ownMillis), later(byTtlMillis, stopped)));
  }

  /** In the time of the queue. */
  private long byTtl(ExpirySettings settings, long arrivalMillis) {
    return settings.messageTtlMillis() == QueueSettings.NONE
        ? Deadlines.NEVER
        : Deadlines.after(
            queueTime(arrivalMillis),
            Math.max(settings.messageTtlMillis(), settings.floorMillis()));
  }

  /** Called when a message was appended, ready. */
  public void appended(long sequence, long ownMillis) {
    if (ownMillis != Deadlines.NEVER && ownCounts(sequence)) {
      orderOf(ownMillis).appended(sequence, Deadlines.moment(ownMillis));
    }
  }

  /** Returns the order of expiry that an own deadline belongs to. */
  private ExpiryOrder orderOf(long ownMillis) {
    if (Deadlines.isAbsolute(ownMillis)) {
      if (absoluteDeadlines == null) {
        absoluteDeadlines = new ExpiryOrder(new ExpiringMessages(index, true));
      }
      return absoluteDeadlines;
    }
    if (ownDeadlines == null) {
      ownDeadlines = new ExpiryOrder(new ExpiringMessages(index, false));
    }
    return ownDeadlines;
  }

  private void clearOwnDeadlines() {
    if (ownDeadlines != null) {
      ownDeadlines.cleared();
    }
    if (absoluteDeadlines != null) {
      absoluteDeadlines.cleared();
    }
  }

  private boolean ownCounts(long sequence) {
    return settings.ttlMode() != TtlMode.QUEUE_ONLY || sequence < ttlFrom;
  }

  /** Called for each message that was recovered with an own deadline, in the order of the queue. */
  void recovered(long sequence) {
    long arrival = index.enqueuedAt(sequence);
    latestArrival = Math.max(latestArrival, arrival);
    long logged = index.deadline(sequence);
    long own = logged;
    if (own != Deadlines.NEVER && !Deadlines.isAbsolute(own) && settings.floorMillis() > 0) {
      own = Math.max(own, Deadlines.after(arrival, settings.floorMillis()));
    }
    own = fromLog(own, arrival);
    if (own != logged) {
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
      orderOf(own).requeued(sequence, Deadlines.moment(own));
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
      orderOf(index.deadline(sequence)).discarded();
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
    long absolute = absoluteDeadlines == null ? -1 : absoluteDeadlines.earliest();
    if (stops.isStopped()) {
      return absolute;
    }
    long first = firstByQueueTime();
    return absolute < 0 || first < 0
        ? Math.max(absolute, first)
        : earlier(absolute, of(absolute), first, of(first));
  }

  private long firstByQueueTime() {
    long own = ownDeadlines == null ? -1 : ownDeadlines.earliest();
    long first = settings.messageTtlMillis() == QueueSettings.NONE ? -1 : firstByTtl();
    return own < 0 || first < 0
        ? Math.max(own, first)
        : earlier(own, index.deadline(own), first, byTtl(settings, index.enqueuedAt(first)));
  }

  private static long earlier(long one, long deadline, long other, long otherDeadline) {
    if (deadline == otherDeadline) {
      return Math.min(one, other);
    }
    return deadline < otherDeadline ? one : other;
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
    index.forEachUnacked(this::keepDeadline);
    index.forEachReady(this::keepDeadline);
    ttlFrom = index.nextSequence();
  }

  private void keepDeadline(long sequence) {
    if (sequence >= ttlFrom) {
      long own = index.deadline(sequence);
      index.setDeadline(sequence, kept(settings, own, index.enqueuedAt(sequence)));
    }
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
