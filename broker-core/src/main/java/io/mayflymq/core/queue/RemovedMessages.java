package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.RecoverableSettings;
import io.mayflymq.core.queue.index.CopiedMessages;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RemovalStamp;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * The messages that have left a queue and can be brought back, as a pure state machine.
 *
 * <p>They are kept beside the queue in a hidden one that consists of the same parts, with a store
 * of its own, under the numbers that they had. Where a queue has the deadline of a message, this
 * has a {@link RemovalStamp}. So nothing of a message is written again when it leaves: the log
 * notes a range of numbers. And the one that was removed first is found like one that expires
 * first.
 *
 * <p>They are let go when the window of time is over that {@link RecoverableSettings} gives, or
 * when there are too many bytes.
 */
final class RemovedMessages {
  /** What a message counts besides its body, so that empty ones are bounded, too. */
  static final long BYTES_PER_MESSAGE = 100;

  private final QueueMessages messages;
  private final MessageIndex<Message> index;
  private final MessageDeadlines order;

  /** How many have left with their queue, which was deleted. */
  private long deleted;

  RemovedMessages(PagePool pages, QueueStore store) {
    messages = new QueueMessages(pages, store, QueueSettings.DEFAULT);
    index = messages.index();
    order = messages.deadlines();
  }

  /**
   * Starts, with what the store has recovered meanwhile; called once, before anything else.
   *
   * @param deliveredUpTo up to which number messages may have been delivered before they left
   */
  void start(long deliveredUpTo) {
    messages.recoveredDelivered(deliveredUpTo);
    messages.finishRecovery(0, (sequence, returns, untilMillis) -> {}, sequence -> {});
    for (long each = index.nextReady(-1); each >= 0; each = index.nextReady(each)) {
      deleted += isDeleted(each) ? 1 : 0;
    }
  }

  /** Takes a message of the queue. */
  void take(QueueMessages queue, long sequence, RemovalReason reason, long nowMillis) {
    queue.moveTo(messages, sequence, RemovalStamp.of(nowMillis, reason.code));
    deleted += reason == RemovalReason.DELETED && index.contains(sequence) ? 1 : 0;
  }

  private boolean isDeleted(long sequence) {
    return RemovalStamp.reason(stamp(sequence)) == RemovalReason.DELETED.code;
  }

  /** Returns how many have left with their queue, which was deleted. */
  long deletedCount() {
    return deleted;
  }

  /** Returns the number behind the highest one that a message here has had. */
  long nextSequence() {
    return index.nextSequence();
  }

  /**
   * Lets messages go that cannot be brought back any more, those first that were removed first; at
   * most {@code budget} of them.
   *
   * @param effects is told of those whose time is not over
   * @return when to do so again, in ms since the epoch; {@link Deadlines#NEVER} if there are none
   */
  long letGo(RecoverableSettings settings, long nowMillis, int budget, QueueEffects effects) {
    long early = 0;
    long earlyBytes = 0;
    long next = Deadlines.NEVER;
    int left = budget;
    for (long earliest = order.earliest(); earliest >= 0; earliest = order.earliest()) {
      long end = endOf(earliest, settings);
      if (end > nowMillis && bytes() <= settings.mostBytes()) {
        next = end;
        break;
      }
      if (left-- == 0) {
        next = nowMillis;
        break;
      }
      if (end > nowMillis) {
        early++;
        earlyBytes += bytesOf(earliest);
      }
      letGo(earliest);
    }
    if (early > 0) {
      effects.letGo(PartitionCounts.LetGo.BYTES, early, earlyBytes);
    }
    return next;
  }

  /**
   * Lets the ones go that were removed first, whatever the settings, so that their space becomes
   * free.
   *
   * @param bytes how many bytes are to become free
   * @param budget how many messages may go at most
   * @param effects is told of them
   * @return how many of the bytes are still to become free; 0 if nothing is left
   */
  long letOldestGo(long bytes, int budget, QueueEffects effects) {
    long gone = 0;
    long goneBytes = 0;
    long earliest = order.earliest();
    while (gone < budget && goneBytes < bytes && earliest >= 0) {
      gone++;
      goneBytes += bytesOf(earliest);
      letGo(earliest);
      earliest = order.earliest();
    }
    if (gone > 0) {
      effects.letGo(PartitionCounts.LetGo.DISK, gone, goneBytes);
    }
    return earliest < 0 ? 0 : Math.max(0, bytes - goneBytes);
  }

  private long bytesOf(long sequence) {
    return index.bodySize(sequence) + BYTES_PER_MESSAGE;
  }

  private void letGo(long sequence) {
    deleted -= isDeleted(sequence) ? 1 : 0;
    order.leaving(sequence);
    messages.remove(sequence);
  }

  /** Returns how many bytes they count. */
  long bytes() {
    return index.readyBytes() + BYTES_PER_MESSAGE * index.readyCount();
  }

  /** Returns how many there are. */
  long count() {
    return index.readyCount();
  }

  /** Returns how many there are, and the sum of their bodies. */
  QueueTotals totals() {
    return messages.totals(0, 0, 0, 0);
  }

  // Bringing back

  /** Returns the first one after a number, in the order of the queue; -1 if there is none. */
  long next(long after) {
    return index.nextReady(after);
  }

  /** Returns when and why it was removed, as {@link RemovalStamp} packs it. */
  long stamp(long sequence) {
    return index.deadline(sequence);
  }

  /** Returns whether one can be brought back still: it may only not have been let go yet. */
  boolean mayReturn(long sequence, RecoverableSettings settings, long nowMillis) {
    return endOf(sequence, settings) > nowMillis;
  }

  private long endOf(long sequence, RecoverableSettings settings) {
    return Deadlines.after(removedAt(sequence), settings.windowMillis());
  }

  RemovalReason reason(long sequence) {
    return RemovalReason.of(RemovalStamp.reason(stamp(sequence)));
  }

  /** Returns when it was removed, in ms since the epoch. */
  long removedAt(long sequence) {
    return RemovalStamp.millis(stamp(sequence));
  }

  /** Returns when it arrived in the queue, in ms since the epoch. */
  long arrivedAt(long sequence) {
    return index.enqueuedAt(sequence);
  }

  /** Returns whether consumers may have had it before it was removed. */
  boolean isRedelivered(long sequence) {
    return (index.flags(sequence) & EntryFlags.REDELIVERED) != 0;
  }

  int bodySize(long sequence) {
    return index.bodySize(sequence);
  }

  /** Returns a message; null if it cannot be read. */
  Message read(long sequence) {
    return messages.peek(sequence);
  }

  /**
   * Removes a message that is brought back.
   *
   * @return its entry in the log; null if the log does not have it
   */
  UnsettledEntry detach(long sequence) {
    deleted -= isDeleted(sequence) ? 1 : 0;
    order.leaving(sequence);
    return messages.detach(sequence);
  }

  // Moving

  MessageCopy copy() {
    return messages.copy();
  }

  CopiedMessages copied() {
    return messages.copied();
  }

  // The end

  /** Releases some of what a deleted queue holds. @return whether there is more */
  boolean disposeSome(int most) {
    return messages.disposeSome(most);
  }

  /** Releases the memory of a deleted queue. No other method may be called afterwards. */
  void dispose() {
    order.cleared();
    messages.dispose();
  }
}
