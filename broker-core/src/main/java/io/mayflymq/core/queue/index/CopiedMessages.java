package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RedeliveryNotes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The target of a copy: takes the messages that a {@link MessageCopy} tells, as if they had arrived
 * here. What follows from all of them, such as the order of expiry, is made at the end, as after a
 * recovery. Belongs to the queue's shard.
 */
public final class CopiedMessages implements CopySink {
  private final QueueMessages messages;
  private final MessageIndex<Message> index;
  private final QueueStore store;
  private final DeliveryPriority deliveryPriority;
  private final List<Long> taken = new ArrayList<>();
  private final List<long[]> waiting = new ArrayList<>();
  private final List<Long> ahead = new ArrayList<>();
  private long next;

  /** Begins with an empty queue. */
  CopiedMessages(QueueMessages messages, QueueStore store) {
    this.messages = messages;
    this.index = messages.index();
    this.store = store;
    this.deliveryPriority = messages.deliveryPriority();
  }

  @Override
  public void message(
      long sequence,
      Message message,
      long deadlineMillis,
      long enqueuedAtMillis,
      boolean redelivered,
      long returns) {
    messages.insert(sequence, message, deadlineMillis, enqueuedAtMillis);
    if (deliveryPriority != null) {
      deliveryPriority.came(sequence, message.ownPriority());
    }
    if (redelivered) {
      setReturned(sequence, returns);
    }
  }

  @Override
  public void returned(long sequence, long returns) {
    setReturned(sequence, returns);
  }

  /** A crash finds in the log that it may have been delivered. */
  private void setReturned(long sequence, long returns) {
    index.setFlags(sequence, index.flags(sequence) | EntryFlags.REDELIVERED);
    if (messages.isStored(sequence)) {
      store.delivered(sequence);
    }
    if (returns > 0) {
      index.setReturns(sequence, returns);
      messages.noteReturn(sequence, returns, RedeliveryNotes.READY);
    }
  }

  @Override
  public void left(long sequence) {
    if (index.contains(sequence)) {
      messages.remove(sequence);
    }
  }

  @Override
  public void taken(long sequence) {
    taken.add(sequence);
    if (messages.isStored(sequence)) {
      store.delivered(sequence);
      long returns = index.returns(sequence);
      if (returns > 0) {
        messages.noteReturn(sequence, returns, RedeliveryNotes.TAKEN);
      }
    }
  }

  @Override
  public void waits(long sequence, long untilMillis) {
    waiting.add(new long[] {sequence, untilMillis});
    messages.noteReturn(sequence, index.returns(sequence), untilMillis);
  }

  @Override
  public void ahead(long sequence) {
    ahead.add(sequence);
  }

  @Override
  public void next(long sequence) {
    next = sequence;
  }

  /** See {@link io.mayflymq.core.store.RecoverableQueue#noteReturns}. */
  void note(RedeliveryNotes notes, int mostBytes) {
    index.forEachReady(
        sequence -> {
          long returns = index.returns(sequence);
          if (returns > 0 && messages.isStored(sequence) && notes.size() < mostBytes) {
            notes.add(sequence, returns, RedeliveryNotes.READY);
          }
        });
    for (long[] wait : waiting) {
      if (messages.isStored(wait[0]) && notes.size() < mostBytes) {
        notes.add(wait[0], index.returns(wait[0]), wait[1]);
      }
    }
  }

  /**
   * Ends the copy; the queue goes on from here.
   *
   * @param returned receives the messages that were returned by consumers
   * @param takeBack receives those that are with consumers of the other place, and are
   *     unacknowledged here: they have to be returned
   */
  void finish(QueueRecovery.ReturnedMessages returned, LongConsumer takeBack) {
    index.forEachReady(this::arrange);
    index.pack();
    ahead.forEach(sequence -> deliveryPriority.returnedBefore(sequence));
    index.skipTo(Math.max(next, index.nextSequence()));
    index.forEachReady(
        sequence -> {
          long returns = index.returns(sequence);
          if (returns > 0) {
            returned.at(sequence, returns, RedeliveryNotes.READY);
          }
        });
    for (long[] wait : waiting) {
      returned.at(wait[0], index.returns(wait[0]), wait[1]);
    }
    taken.forEach(messages::lock);
    taken.forEach(takeBack::accept);
  }

  private void arrange(long sequence) {
    messages.deadlines().recovered(sequence);
    if (deliveryPriority != null) {
      deliveryPriority.ready(sequence);
    }
  }
}
