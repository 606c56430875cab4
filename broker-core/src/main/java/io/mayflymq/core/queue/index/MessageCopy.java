package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.UnreadableException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The source of a copy. Belongs to the queue's shard.
 *
 * <p>Copies the messages of a queue to another place, while the queue goes on.
 *
 * <p>A cursor goes over the messages in the order of their numbers, so that new ones, which are
 * appended, come by themselves. Of a message behind the cursor that leaves or is returned meanwhile
 * only the number is noted; each slice begins with what has become of those. So it does not matter
 * how often something happens to a message between two slices, and only outcomes are copied.
 *
 * <p>Which messages are with consumers changes all the time, and is told once, at the end, when the
 * queue hands out nothing any more.
 */
public final class MessageCopy {
  /** Tells until when a message waits for its retry, in ms since the epoch. */
  @FunctionalInterface
  public interface RetryTimes {
    /** Visits the messages that wait. */
    void forEach(WaitVisitor visitor);
  }

  /** Visits messages that wait. */
  @FunctionalInterface
  public interface WaitVisitor {
    /** One of them. */
    void accept(long sequence, long untilMillis);
  }

  private final QueueMessages messages;
  private final MessageIndex<Message> index;
  private final Set<Long> changed = new LinkedHashSet<>();
  private final Set<Long> inserted = new LinkedHashSet<>();
  private final long firstEnd;
  private long last = -1;

  /** Begins a copy; there is none under way. */
  MessageCopy(QueueMessages messages) {
    this.messages = messages;
    this.index = messages.index();
    this.firstEnd = index.nextSequence();
  }

  /** Called when a message was returned, or leaves. */
  void changed(long sequence) {
    if (sequence <= last) {
      changed.add(sequence);
    }
  }

  /** Called when a message was put in, perhaps behind the cursor. */
  void inserted(long sequence) {
    if (sequence <= last) {
      inserted.add(sequence);
    }
  }

  /** Returns whether everything has been told that there is at this moment. */
  public boolean isComplete() {
    return changed.isEmpty() && inserted.isEmpty() && index.next(last) < 0;
  }

  /** Returns whether all messages have been told that there were at the beginning. */
  public boolean hasPassedFirstEnd() {
    long next = index.next(last);
    return next < 0 || next >= firstEnd;
  }

  /**
   * Tells a slice.
   *
   * @param isFull asked after each message
   * @throws UnreadableException if a message cannot be read
   */
  public void slice(CopySink sink, BooleanSupplier isFull) {
    tellChanges(sink);
    while (!isFull.getAsBoolean()) {
      long sequence = index.next(last);
      if (sequence < 0) {
        return;
      }
      tell(sequence, sink);
      last = sequence;
    }
  }

  private void tell(long sequence, CopySink sink) {
    Message message = messages.peek(sequence);
    if (message == null) {
      throw new UnreadableException(
          "message %d cannot be read: %s".formatted(sequence, messages.unreadableReason()), null);
    }
    sink.message(
        sequence,
        message,
        messages.deadlines().inLog(sequence),
        index.enqueuedAt(sequence),
        (index.flags(sequence) & EntryFlags.REDELIVERED) != 0,
        index.returns(sequence));
  }

  /** One that was put in had left before, if it had been there. */
  private void tellChanges(CopySink sink) {
    for (long sequence : changed) {
      if (index.contains(sequence) && !inserted.contains(sequence)) {
        sink.returned(sequence, index.returns(sequence));
      } else {
        sink.left(sequence);
      }
    }
    changed.clear();
    for (long sequence : inserted) {
      if (index.contains(sequence)) {
        tell(sequence, sink);
      }
    }
    inserted.clear();
  }

  /** Tells what is told at the end, after all slices. Nothing happens to the queue from then on. */
  public void end(CopySink sink, RetryTimes waits) {
    index.forEachUnacked(
        sequence -> {
          if ((index.flags(sequence) & EntryFlags.DELAYED) == 0) {
            sink.taken(sequence);
          }
        });
    waits.forEach(sink::waits);
    if (messages.deliveryPriority() != null) {
      messages.deliveryPriority().visitReturned(sink::ahead);
    }
    sink.next(index.nextSequence());
  }

  /** Ends the copy: changes are not noted any more. */
  public void close() {
    messages.endCopy(this);
  }
}
