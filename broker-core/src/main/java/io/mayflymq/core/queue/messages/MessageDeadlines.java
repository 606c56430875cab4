package io.mayflymq.core.queue.messages;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.consumer.DeliveryPriority;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.retention.ExpiryOrder;
import io.mayflymq.core.settings.ExpiryMode;
import io.mayflymq.core.settings.ExpirySettings;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.TtlMode;

/*
 * When the messages of a queue are due: at their own deadline or at the end of the queue's TTL, whichever comes first, or by another rule of
 * TtlMode; and which of them is the next to leave, by the rule of ExpiryMode.
 *
 * The index keeps own deadlines only, and those never change. The other follows from when a message came and from the TTL of this moment. So when
 * a policy changes the TTL, that holds at once for every message in the queue, and costs nothing however many there are. Messages came in
 * the order of the queue, so the first ready one is the first that the TTL ends: no index is needed for that. Own deadlines come in any order;
 * ExpiryOrder knows the first of them.
 *
 * Where a message's own TTL goes before the queue's, the first one that the queue's ends is the first ready one without its own: "withoutOwn" says from
 * where on to look for it, and only ever goes back when such a message is returned. Where only the queue's counts, own deadlines are in
 * no order of expiry; another mode puts them there, looking at each message once.
 *
 * Two things would break this, and both are mended by writing the deadline of the moment down as a message's own:
 *   - a clock that was set back: what comes now would be due before what came earlier, and nobody would look at it;
 *   - a queue whose TTL is not retroactive: the messages that are there keep their deadlines, and another TTL counts from ttlFrom on only.
 */
public final class MessageDeadlines {
  private final MessageIndex<Message> index;

  /** Null until the first message with a deadline of its own. */
  private ExpiryOrder ownDeadlines;

  /** Null where the order of arrival is all. */
  private final DeliveryPriority deliveryPriority;

  private ExpirySettings settings;
  private long ttlFrom;
  private long latestArrival = Long.MIN_VALUE;

  /** Ready messages before this one have own deadlines; kept up where own ones go first only. */
  private long withoutOwn;

  /** All are looked at once though the mode is lazy. */
  private boolean checking;

  public MessageDeadlines(
      MessageIndex<Message> index, DeliveryPriority deliveryPriority, ExpirySettings settings) {
    this.index = index;
    this.deliveryPriority = deliveryPriority;
    this.settings = settings;
  }

  /** When a message that comes now is due by itself. */
  public long ownOf(Message message, long nowMillis) {
    long ttl = message.ttlMillis();
    long own =
        ttl == Message.NO_TTL
            ? Deadlines.NEVER
            : Deadlines.after(nowMillis, Math.max(ttl, settings.floorMillis()));
    if (nowMillis < latestArrival) {
      return settings.ttlMode() == TtlMode.MESSAGE_FIRST
          ? due(settings, own, nowMillis)
          : Math.min(own, byTtl(settings, nowMillis));
    }
    latestArrival = nowMillis;
    return own;
  }

  /** When a message that comes now is due. */
  public long ofNew(long ownMillis, long nowMillis) {
    return due(settings, ownMillis, nowMillis);
  }

  /** When a message is due. */
  public long of(long sequence) {
    long own = index.deadline(sequence);
    return sequence < ttlFrom ? own : due(settings, own, index.enqueuedAt(sequence));
  }

  /** Whether a message is due by itself, and not by the queue's TTL. */
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

  /** When a message would be due by other settings. */
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

  /** A message was appended, ready. */
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

  /**
   * A message came back from before a restart; in the order of the queue, with its own deadline.
   */
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

  /** A message is ready again, at its old place. */
  public void requeued(long sequence) {
    long own = index.deadline(sequence);
    if (own == Deadlines.NEVER) {
      withoutOwn = Math.min(withoutOwn, sequence);
    } else if (ownCounts(sequence)) {
      ownDeadlines().requeued(sequence, own);
    }
  }

  /** A message is about to leave the queue for good. */
  public void leaving(long sequence) {
    int flags = index.flags(sequence);
    if ((flags & EntryFlags.INDEXED) != 0) {
      index.setFlags(sequence, flags & ~EntryFlags.INDEXED);
      ownDeadlines.discarded();
    }
  }

  /** All ready messages are leaving at once. */
  public void cleared() {
    index.forEachUnacked(
        sequence -> index.setFlags(sequence, index.flags(sequence) & ~EntryFlags.INDEXED));
    clearOwnDeadlines();
  }

  // Which is next

  /**
   * When a message that is ready now will leave by itself, as far as it depends on that message;
   * {@link Deadlines#NEVER} if it stands behind others, or nobody looks.
   */
  public long leavesAt(long sequence, long deadlineMillis) {
    return switch (settings.mode()) {
      case EXACT -> deadlineMillis;
      case HEAD -> head() == sequence ? deadlineMillis : Deadlines.NEVER;
      case LAZY -> Deadlines.NEVER;
    };
  }

  /** Whether only the head of the queue is looked at: whoever moves that has to look again. */
  public boolean watchHead() {
    return settings.mode() == ExpiryMode.HEAD;
  }

  /** The queue begins: when it has to look at what has come back from before a restart. */
  public long begin(long nowMillis) {
    checking = settings.mode() == ExpiryMode.LAZY && index.readyCount() > 0;
    return checking ? nowMillis : next();
  }

  /** All that were due have left. */
  public void endCheck() {
    checking = false;
  }

  /** When the next message leaves by itself, or {@link Deadlines#NEVER}. */
  public long next() {
    long first = earliest();
    return first < 0 ? Deadlines.NEVER : of(first);
  }

  /** The ready message that leaves next, the one nearer to the head if two do; or -1. */
  public long earliest() {
    return switch (settings.mode()) {
      case EXACT -> firstDue();
      case HEAD -> head();
      case LAZY -> checking ? firstDue() : -1;
    };
  }

  private long head() {
    return deliveryPriority == null ? index.firstReady() : deliveryPriority.first();
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
   * The queue gets other settings. A floor raises the own TTL of messages that come from now on
   * only. If they are not retroactive, or another TTL counts, each message is looked at, once.
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
