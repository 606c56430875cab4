package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeliveryCount;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.index.DeliveryPriority;
import io.mayflymq.core.queue.index.EntryFlags;
import io.mayflymq.core.queue.index.FairShares;
import io.mayflymq.core.queue.index.MessageDeadlines;
import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.QueueMessages;
import java.util.function.Consumer;

/** Browses the ready messages of a queue, including expired ones that have not been removed yet. */
final class QueueBrowser implements MessageBrowser {
  /** Reading a content takes about a millisecond for each half of a megabyte. */
  private static final int LARGEST_READ = 4 << 20;

  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final boolean countsReturns;
  private final BrowseOrder order;
  private long toSkip;
  private long position;

  /**
   * Starts to browse.
   *
   * @param messages the messages of the queue
   * @param settings the settings of the queue
   * @param position where to start: 0 is the message that would be delivered next
   */
  public QueueBrowser(QueueMessages messages, QueueSettings settings, long position) {
    this.index = messages.index();
    this.messages = messages;
    this.deadlines = messages.deadlines();
    this.countsReturns = settings.countsReturns();
    this.position = position;
    DeliveryPriority deliveryPriority = messages.deliveryPriority();
    FairShares shares = messages.fairShares();
    if (shares != null && !shares.isSharingOut()) {
      this.order = BrowseOrder.inTurns(index, shares);
      this.toSkip = position;
    } else if (deliveryPriority == null) {
      // In order of arrival the messages before the position need not be visited one by one.
      this.order = BrowseOrder.byArrivalFrom(index, position);
    } else {
      this.order = BrowseOrder.of(index, deliveryPriority);
      this.toSkip = position;
    }
  }

  @Override
  public boolean step(long nowMillis, Consumer<BrowsedMessage> sink) {
    long sequence = order.next();
    if (sequence == BrowseOrder.END) {
      return false;
    }
    if (sequence == BrowseOrder.NOT_YET) {
      return true;
    }
    if (toSkip > 0) {
      toSkip--;
      return true;
    }
    boolean tooLarge = index.content(sequence) == null && index.bodySize(sequence) > LARGEST_READ;
    Message message = tooLarge ? null : messages.peek(sequence);
    if (message != null || tooLarge) {
      sink.accept(
          new BrowsedMessage(
              position++,
              sequence,
              message,
              index.bodySize(sequence),
              index.enqueuedAt(sequence),
              deadlines.shown(sequence, nowMillis),
              (index.flags(sequence) & EntryFlags.REDELIVERED) != 0,
              countsReturns
                  ? DeliveryCount.failed(index.returns(sequence))
                  : BrowsedMessage.UNKNOWN));
    }
    return true;
  }
}
