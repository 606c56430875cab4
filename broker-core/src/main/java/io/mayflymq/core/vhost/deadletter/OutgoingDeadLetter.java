package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * A dead letter that leaves the queue that it was made in.
 *
 * @param source the queue that keeps it if no queue takes it; null if none does
 * @param entry the entry of the message that it was made of, or null if the log has none
 * @param message the dead letter
 * @param targets where it goes; none if it is to wait behind others
 * @param cause what the message died of; null for one that has waited before
 * @param diedAtMillis when it died, in ms since the epoch; without meaning if it has no source
 * @param refusals what decides about it if no queue takes it; null if it has no source
 */
record OutgoingDeadLetter(
    Queue source,
    UnsettledEntry entry,
    Message message,
    Route<Queue> targets,
    DropTrigger cause,
    long diedAtMillis,
    Refusals refusals) {
  /** Decides about dead letters that no queue takes. */
  interface Refusals {
    /**
     * No queue took a dead letter: it waits beside the queue that it comes from, or is dropped.
     *
     * @param move the move from its entry; null if it has none
     */
    void refused(OutgoingDeadLetter deadLetter, Move move);
  }

  /** Returns the same on another route. */
  OutgoingDeadLetter to(Route<Queue> changed) {
    return changed == targets
        ? this
        : new OutgoingDeadLetter(source, entry, message, changed, cause, diedAtMillis, refusals);
  }

  /** Returns how many bytes of content it has. */
  long bytes() {
    return message.content().length;
  }

  /** Returns whether one of the queues is, or may come to be, on another node. */
  boolean leavesThisNode() {
    for (int i = 0; i < targets.size(); i++) {
      if (!targets.get(i).isLocal()) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of the queues dead-letters what it refuses. */
  boolean isPassedOn() {
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).settings().deadLettersWhatItRefuses()) {
        return true;
      }
    }
    return false;
  }
}
