package io.mayflymq.shovel.transfer;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;

/** What happens at the ends of a transfer, or is asked of it. */
sealed interface TransferEvent {
  /** The source has sent a message. */
  non-sealed interface Delivered extends TransferEvent {
    /** Returns its delivery tag. */
    long tag();

    /**
     * Publishes it, on the thread of the transfer.
     *
     * @return what is kept of it until it is confirmed
     */
    Object publish() throws IOException;
  }

  /** The source has sent messages, in order. */
  record Several(List<? extends Delivered> messages) implements TransferEvent {}

  /** The destination has confirmed messages, or refused them. */
  record Settled(long number, boolean multiple, boolean taken) implements TransferEvent {}

  /**
   * No queue of the destination takes a message; it will be confirmed nevertheless.
   *
   * @param which tells it by what is kept of it
   */
  record Returned(String text, String exchange, String key, Predicate<Object> which)
      implements TransferEvent {}

  /** The destination accepts no messages for now; null when it does again. */
  record Blocked(String reason) implements TransferEvent {}

  /** Something has ended. */
  record Ended(String reason, boolean mayRunAtOnce) implements TransferEvent {}

  /** It is to stop. */
  record Stop() implements TransferEvent {}

  /** Something is to be done when the burst has left. */
  record Perform(Transfer.Action action) implements TransferEvent {}
}
