package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.route.Route;
import io.mayflymq.core.store.UnsettledEntry;

/**
 * A dead letter that leaves the shard that it was made on.
 *
 * @param source the queue that keeps it if no queue takes it; null if none does
 * @param entry the entry of the message that it was made of, or null if the log has none
 * @param message the dead letter
 * @param targets where it goes; none if it is to wait behind others
 * @param cause what the message died of; null for one that has waited before
 */
record OutgoingDeadLetter(
    Queue source, UnsettledEntry entry, Message message, Route<Queue> targets, DropTrigger cause) {

  /** Whether one of the queues dead-letters what it refuses. */
  boolean isPassedOn() {
    for (int i = 0; i < targets.size(); i++) {
      if (DeadLetterRouter.passesOn(targets.get(i))) {
        return true;
      }
    }
    return false;
  }
}
