package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.tracing.QueueTracer;
import java.util.function.Supplier;

/**
 * What the parts of a {@link ClassicQueueMachine} share. Settings are changed here only: the parts
 * read them when they need them. Parts that are used for each message have references of their own
 * to the objects here that never change, which makes a message cheaper by a few percent. Belongs to
 * the queue's shard.
 */
final class QueueState {
  private static final int LET_GO_SLICE = 1_024;

  final QueueMessages messages;
  final MessageIndex<Message> index;
  final MessageDeadlines deadlines;
  final QueueEffects effects;
  final QueueTimer timer;

  /** Null if messages are not traced. */
  final QueueTracer tracer;

  final Counters counters;
  private QueueSettings settings;

  // Parts of the settings that are needed for each message.
  private LengthSettings length;
  private boolean limited;
  private boolean countsReturns;
  private boolean keepsRemoved;
  private boolean keepsAcked;

  /** Makes {@link #removed}. */
  private final Supplier<RemovedMessages> opener;

  /** Makes {@link #stopped}; null if time cannot stand still. */
  private final Supplier<StoppedTimes> stopsOpener;

  /** When the time of the queue stood still; null until it has. */
  private StoppedTimes stopped;

  /** What has left and can be brought back; null until something has. */
  private RemovedMessages removed;

  /** Whether messages of a deleted queue are coming back, and nothing is let go. */
  private boolean letsNothingGo;

  /**
   * Begins with settings.
   *
   * @param opener opens the store of removed messages; null if none can be brought back
   * @param stopsOpener opens the one of when time stood still; null if it cannot
   */
  QueueState(
      QueueMessages messages,
      QueueEffects effects,
      QueueSettings settings,
      Supplier<RemovedMessages> opener,
      Supplier<StoppedTimes> stopsOpener) {
    this(messages, effects, settings, opener, stopsOpener, messages.counters());
  }

  /** Begins for a queue that is to take over what a deleted one has kept. */
  QueueState(QueueState deleted, QueueEffects effects, QueueSettings settings) {
    this(deleted.messages, effects, settings, deleted.opener, deleted.stopsOpener, new Counters());
  }

  private QueueState(
      QueueMessages messages,
      QueueEffects effects,
      QueueSettings settings,
      Supplier<RemovedMessages> opener,
      Supplier<StoppedTimes> stopsOpener,
      Counters counters) {
    this.opener = opener;
    this.stopsOpener = stopsOpener;
    this.messages = messages;
    this.index = messages.index();
    this.counters = counters;
    this.deadlines = messages.deadlines();
    this.effects = effects;
    this.timer = new QueueTimer(effects);
    this.tracer = effects.tracer();
    use(settings);
  }

  /** Takes over what a deleted queue has kept, which does nothing any more. */
  void takeOver(QueueState deleted) {
    removed = deleted.removed;
    stopped = deleted.stopped;
    messages.countIn(counters);
    messages.change(settings);
  }

  /** Applies new settings. Order of expiry and of delivery follow them at once. */
  void change(QueueSettings changed) {
    use(changed);
    messages.change(changed);
  }

  private void use(QueueSettings changed) {
    settings = changed;
    length = changed.length();
    limited = length.isLimited();
    countsReturns = changed.countsReturns();
    keepsRemoved = opener != null && changed.recoverable().isOn();
    keepsAcked = keepsRemoved && changed.recoverable().acked();
  }

  /** Returns the effective settings. */
  QueueSettings settings() {
    return settings;
  }

  /** Returns the length limits. */
  LengthSettings length() {
    return length;
  }

  /** Whether the queue has a length limit. */
  boolean isLimited() {
    return limited;
  }

  /** Whether the queue counts how often each message is returned. */
  boolean countsReturns() {
    return countsReturns;
  }

  /** Whether messages that leave the queue and are in no other one can be brought back. */
  boolean keepsRemoved() {
    return keepsRemoved;
  }

  /** Whether that holds for those that are acknowledged, too. */
  boolean keepsAcked() {
    return keepsAcked;
  }

  /** Returns what has left and can be brought back. */
  RemovedMessages removed() {
    if (removed == null) {
      removed = opener.get();
    }
    return removed;
  }

  /** Returns whether anything ever has. */
  boolean hasRemoved() {
    return removed != null;
  }

  /** Returns when the time of the queue stood still. */
  StoppedTimes stopped() {
    if (stopped == null) {
      stopped = stopsOpener.get();
    }
    return stopped;
  }

  /** Returns whether it ever did, as far as that still matters. */
  boolean hasStopped() {
    return stopped != null;
  }

  /** The store has recovered when time stood still: deadlines count it from now on. */
  void startStopped() {
    if (stopped != null) {
      stopped.start();
      deadlines.setStops(stopped.stops());
    }
  }

  /** Lets time stand still, or go on, as the settings say. */
  void stopOrGoOn(long nowMillis) {
    boolean stops = settings.pace().stopsTtl() && stopsOpener != null;
    if (stops == deadlines.stops().isStopped()) {
      return;
    }
    try {
      if (stops) {
        forgetStopped();
        stopped().begin(nowMillis);
      } else {
        stopped.end(nowMillis);
        forgetStopped();
      }
    } finally {
      deadlines.setStops(stopped.stops());
    }
  }

  /** When time stood still does not matter any more if nothing is there that arrived before. */
  private void forgetStopped() {
    if (stopped != null && index.next(-1) < 0 && (removed == null || removed.count() == 0)) {
      stopped.clear();
    }
  }

  /** Removes a message in a way that can be undone. */
  void remove(long sequence, RemovalReason reason, long nowMillis) {
    RemovedMessages kept = removed();
    kept.take(messages, sequence, reason, nowMillis);
    if (kept.bytes() > settings.recoverable().mostBytes() && !letsNothingGo) {
      kept.letGo(settings.recoverable(), nowMillis, LET_GO_SLICE, effects);
    }
    timer.noLaterThan(Deadlines.after(nowMillis, settings.recoverable().windowMillis()));
  }

  /** Lets some messages go that cannot be brought back any more. */
  void letGo(long nowMillis) {
    if (removed != null && !letsNothingGo) {
      timer.noLaterThan(letGoNow(nowMillis));
    }
  }

  /**
   * Does the same.
   *
   * @return when to do so again, in ms since the epoch; {@link Deadlines#NEVER} if nothing is left
   */
  long letGoNow(long nowMillis) {
    return removed == null
        ? Deadlines.NEVER
        : removed.letGo(settings.recoverable(), nowMillis, LET_GO_SLICE, effects);
  }

  /** See {@link RemovedMessages#letOldestGo}. */
  long letOldestGo(long bytes) {
    return removed == null || letsNothingGo ? 0 : removed.letOldestGo(bytes, LET_GO_SLICE, effects);
  }

  /** Returns whether messages are to come back since they have left with their queue, and it is. */
  boolean hasDeleted() {
    return removed != null && removed.deletedCount() > 0;
  }

  /** Returns whether messages of a deleted queue are coming back, and nothing is let go. */
  boolean letsNothingGo() {
    return letsNothingGo;
  }

  /** Sets whether messages of a deleted queue are coming back, and nothing is let go. */
  void setLetsNothingGo(boolean changed) {
    letsNothingGo = changed;
  }
}
