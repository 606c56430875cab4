package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a {@link LocalQueue} is from its deletion on, or from its move to another place: commands
 * arrive for a moment longer, and do nothing.
 */
final class DeletedQueue implements ShardQueue {
  private final Queue queue;
  private final HiddenQueues hidden;
  private final KeptMessages kept;

  /**
   * Creates it.
   *
   * @param hidden those beside the queue, which the last dead letters of the queue look at
   * @param kept what it has that can be brought back; null if it cannot
   */
  DeletedQueue(Queue queue, HiddenQueues hidden, KeptMessages kept) {
    this.queue = queue;
    this.hidden = hidden;
    this.kept = kept;
  }

  @Override
  public boolean publish(Message message, Move move) {
    return true;
  }

  @Override
  public void schedule(Message message, Move move, long dueMillis) {}

  @Override
  public boolean refuses(Message message) {
    return false;
  }

  @Override
  public void acknowledge(Consumer consumer, long from, long to) {}

  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause) {}

  @Override
  public void requeue(Consumer consumer, long from, long to) {}

  @Override
  public void fail(Consumer consumer, long from, long to) {}

  @Override
  public void release(Consumer consumer, long from, long to) {}

  @Override
  public void resume(Consumer consumer) {}

  @Override
  public long deadline(long sequence) {
    return Deadlines.NEVER;
  }

  @Override
  public long beginOf(Consumer consumer) {
    return -1;
  }

  @Override
  public long waitOfPublisher() {
    return 0;
  }

  @Override
  public int pauseMillis() {
    return 0;
  }

  @Override
  public boolean isDeleted() {
    return true;
  }

  @Override
  public boolean isLeaving() {
    return true;
  }

  @Override
  public boolean hasLocked() {
    return kept != null && kept.hasLocked();
  }

  @Override
  public void applyPolicies() {
    if (kept != null) {
      kept.applyPolicies();
    }
  }

  @Override
  public PolicyImpact policyImpact(QueueSettings changed) {
    return null;
  }

  @Override
  public void trimMemory() {}

  @Override
  public long recoverableBytes() {
    return kept == null ? 0 : kept.bytes();
  }

  @Override
  public void letRecoverableGo(long bytes) {
    if (kept != null) {
      kept.letOldestGo(bytes);
    }
  }

  @Override
  public QueueContents contents() {
    return kept == null
        ? null
        : new QueueContents(
            QueueTotals.NONE,
            kept.scheduled(),
            kept.waiting(),
            kept.totals(),
            List.of(),
            0,
            OptionalLong.empty(),
            null,
            OptionalLong.empty(),
            Deadlines.NEVER,
            OptionalLong.empty(),
            null,
            null);
  }

  @Override
  public QueueSizes sizes() {
    QueueContents contents = contents();
    return contents == null ? null : contents.sizes();
  }

  @Override
  public boolean hasWaitingDeadLetters() {
    return hidden.waiting().messages() > 0;
  }

  @Override
  public void keepWaiting(Message deadLetter, Move move) {
    hidden.keepWaiting(deadLetter, move);
  }

  @Override
  public void openHidden(long storeId) {
    hidden.open(storeId);
  }

  @Override
  public MessageExtractor extractor(String method) {
    throw new Preconditions(queue.vhost().name()).noQueue(queue.name());
  }

  @Override
  public MessageReader messageReader(MessagePart part) {
    return null;
  }

  @Override
  public void restore(Message message, long ownDeadlineMillis, long arrivedMillis, long returned) {
    throw new Preconditions(queue.vhost().name()).noQueue(queue.name());
  }

  @Override
  public void restoreEnded() {}

  @Override
  public void movedBy(LockedMessages move) {}
}
