package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.DeadlineReport;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.SchedulePage;
import io.mayflymq.core.queue.SchedulePlace;
import java.util.concurrent.CompletableFuture;

/**
 * What clients and administrators ask of one queue. Any thread may call; the work is done on the
 * queue's shard, at once if the caller is there. Futures fail with 404 if the queue is deleted.
 */
public interface QueueRequests {
  /** Returns the effective settings. */
  QueueSettings settings();

  /** Returns what happened to the queue's messages so far. */
  Counters counters();

  /**
   * Adds a consumer.
   *
   * @param admitted runs on the shard's thread before the first message is delivered
   * @return done when the consumer was added; fails with 403 if the queue is in exclusive use
   */
  CompletableFuture<Void> subscribe(Consumer consumer, Runnable admitted);

  /**
   * Lets a consumer have no more messages, as it is about to be cancelled with its channel. A
   * single active consumer stays the active one, so what is put back until it is cancelled goes to
   * the next one before later messages ({@link ConsumerExit}).
   *
   * @return done when the queue's shard hands nothing over to it any more
   */
  CompletableFuture<Void> stop(Consumer consumer);

  /**
   * Removes a consumer; an auto-delete queue is deleted with the last one. Done when both happened,
   * and the queue's messages are where they are dead-lettered to, if they are.
   */
  CompletableFuture<Void> cancel(Consumer consumer);

  /** Records a use that the queue does not see by itself, if its lease takes note of it. */
  void used(LeaseUse use);

  /** Counts that clients have renewed the locks of so many deliveries. */
  void locksRenewed(long count);

  /**
   * Takes a message for {@code basic.get}; null if none is ready. Fails with 540 or 405 if the
   * queue's type does not support that.
   */
  default CompletableFuture<GetResult> fetch(boolean acknowledges) {
    return fetch(acknowledges, LeaseUse.GET);
  }

  /** The same, as another use of the queue. */
  CompletableFuture<GetResult> fetch(boolean acknowledges, LeaseUse use);

  /**
   * Removes all ready messages, and all dead letters that wait. Fails with 540 if it is a stream.
   *
   * @return how many there were
   */
  CompletableFuture<Long> purge();

  /**
   * Removes some of the ready messages. On the node of the queue only.
   *
   * @param onlyCounts whether they are only counted
   * @param user who asks, for the death journal
   * @return how many there are
   */
  CompletableFuture<Long> purge(MessageChoice choice, boolean onlyCounts, String user);

  /**
   * Brings messages back that have left the queue, or counts them. On the node of the queue only.
   *
   * @return what became of them
   */
  CompletableFuture<Restoration.Report> restore(Restoration.Choice choice);

  /**
   * Returns what came back with a queue that had been deleted, when all of it is back; nothing if
   * it never was. On the node of the queue only.
   */
  CompletableFuture<Restoration.Report> broughtBack();

  /**
   * Shows ready messages and changes nothing but the lease, if that is a use.
   *
   * @param position the position of the first one; 0 is the message that would be delivered next
   * @param count at most so many
   * @param bytes with so many bytes of content the page ends early
   */
  CompletableFuture<QueuePage> browse(long position, int count, long bytes);

  /**
   * Counts the ready messages by deadline and age, a million at most, and finds those that expire
   * first. Changes nothing, and is no use that renews the lease. Fails with 540 if it is a stream.
   *
   * @param next how many of those that expire first are reported
   */
  CompletableFuture<DeadlineReport> deadlines(int next);

  /** Shows scheduled messages, those that are due first at first. */
  CompletableFuture<SchedulePage> scheduled(SchedulePlace after, int limit);

  /**
   * Removes scheduled messages.
   *
   * @param messageId which ones; null for all
   * @return how many there were
   */
  CompletableFuture<Long> removeScheduled(String messageId);
}
