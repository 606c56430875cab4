package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.CopiedMessages;
import io.mayflymq.core.queue.index.CopySink;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.queue.index.QueueMessages;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * The scheduled messages of a queue, as a pure state machine: they are not ready, do not count
 * towards limits, and are seen by no consumer.
 *
 * <p>They are kept beside the queue in a hidden one that consists of the same parts, with a store
 * of its own. Where a queue has the deadline of a message, this has its due time. So the log, its
 * recovery and its compaction need not know about schedules, and the message that is due first is
 * found like the one that expires first: without an index as long as due times come in order, by a
 * heap of primitive longs otherwise.
 *
 * <p>A message that is due leaves through Release, which publishes it as if it had arrived at that
 * moment. In the log this is one record, as for a dead letter: after a crash the message is either
 * here or there.
 *
 * <p>A content is in memory only if it cannot be elsewhere or is needed soon: a million messages
 * for next year cost a few bytes each.
 */
public final class ScheduledMessages {
  /** Contents that are due within this time stay in memory, if there is room. */
  private static final long SOON_MILLIS = 1000;

  private final MessageIndex<Message> index;
  private final MessageDeadlines dueTimes;
  private final QueueMessages messages;

  /** Receives messages when they are due. */
  @FunctionalInterface
  public interface Release {
    /**
     * Called when a message has left, because it is due or is released early.
     *
     * @param message the message; null if it is released early and cannot be read
     * @param entry its entry in the log, to be settled when the message is stored elsewhere; null
     *     if the log does not have it
     */
    void due(Message message, UnsettledEntry entry, long nowMillis);

    /**
     * Called when a message is due and cannot be read: it is set aside.
     *
     * @param reason what is wrong, in a few words
     */
    default void unreadable(long sequence, String reason) {}
  }

  /**
   * Creates an empty schedule.
   *
   * @param pages the pool that the index takes its pages from
   * @param store where its messages are kept
   */
  public ScheduledMessages(PagePool pages, QueueStore store) {
    messages = new QueueMessages(pages, store, QueueSettings.DEFAULT);
    index = messages.index();
    dueTimes = messages.deadlines();
  }

  /** Starts, with what the store has recovered meanwhile; called once, before anything else. */
  public void start() {
    messages.finishRecovery(0, (sequence, returns, untilMillis) -> {}, sequence -> {});
  }

  /**
   * Adds a message, to be published later.
   *
   * @param move the move by which it enters the schedule; null if it arrives by itself
   * @param dueMillis when, in ms since the epoch
   */
  public void add(Message message, Move move, long dueMillis, long nowMillis) {
    boolean soon = dueMillis - nowMillis <= SOON_MILLIS;
    long sequence = messages.appendScheduled(message, move, soon, dueMillis, nowMillis);
    dueTimes.appended(sequence, dueMillis);
  }

  /**
   * Returns when the next message is due, in ms since the epoch; {@link Long#MAX_VALUE} for none.
   */
  public long nextDue() {
    return dueTimes.next();
  }

  /**
   * Releases messages that are due, in the order of due times and then of arrival, at most {@code
   * budget} of them.
   *
   * @return when the next one is due
   */
  public long release(long nowMillis, int budget, Release release) {
    int left = budget;
    while (nextDue() <= nowMillis && left-- > 0) {
      long sequence = dueTimes.earliest();
      Message message = messages.get(sequence);
      if (message == null) {
        // It is set aside and tried again after a restart.
        messages.lock(sequence);
        release.unreadable(sequence, messages.unreadableReason());
      } else {
        release(sequence, message, nowMillis, release);
      }
    }
    return nextDue();
  }

  private void release(long sequence, Message message, long nowMillis, Release release) {
    dueTimes.leaving(sequence);
    release.due(message, messages.detach(sequence), nowMillis);
  }

  /** Releases messages before their time, in the same order, at most {@code budget} of them. */
  public void releaseAll(long nowMillis, int budget, Release release) {
    for (int left = budget; left > 0 && !isEmpty(); left--) {
      long sequence = dueTimes.earliest();
      release(sequence, messages.get(sequence), nowMillis, release);
    }
  }

  /**
   * Starts a removal of messages that are here now.
   *
   * @param messageId which ones; null for all
   */
  public ScheduleRemoval removal(String messageId) {
    return new ScheduleRemoval(this, messageId);
  }

  /**
   * Starts a search for messages, in the order in which they will be released.
   *
   * @param after the place of the last message that was seen before
   * @param limit how many to show at most, 1 or more
   */
  public ScheduleSearch search(SchedulePlace after, int limit) {
    return new ScheduleSearch(this, after, limit);
  }

  /** Whether there are no scheduled messages. */
  public boolean isEmpty() {
    return index.readyCount() == 0;
  }

  /**
   * Returns how many messages are scheduled, and their body sizes, counted as ready or as set
   * aside.
   */
  public QueueTotals totals() {
    return messages.totals(0, 0, index.unackedCount(), index.unackedBytes());
  }

  /** Returns what reads all messages for a copy that another broker keeps. */
  public MessageReader messageReader() {
    return new MessageReader(messages);
  }

  /** Begins to copy the messages to another place. */
  public MessageCopy copyMessages() {
    return messages.copy();
  }

  /** Tells the end of a copy. */
  public void endCopy(MessageCopy copy, CopySink sink) {
    copy.end(sink, visitor -> {});
  }

  /** Returns what takes the messages of another place, before the start here. */
  public CopiedMessages copiedMessages() {
    return messages.copied();
  }

  /**
   * Releases some of what a deleted queue holds.
   *
   * @return whether there is more; see {@link QueueMessages#disposeSome}
   */
  public boolean disposeSome(int most) {
    return messages.disposeSome(most);
  }

  /** Releases the memory of a deleted queue. No other method may be called afterwards. */
  public void dispose() {
    dueTimes.cleared();
    messages.dispose();
  }

  // For removals and pages

  MessageIndex<Message> index() {
    return index;
  }

  Message read(long sequence) {
    return messages.get(sequence);
  }

  void remove(long sequence) {
    dueTimes.leaving(sequence);
    messages.remove(sequence);
  }
}
