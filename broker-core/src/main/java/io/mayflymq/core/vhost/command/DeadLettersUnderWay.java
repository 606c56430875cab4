package io.mayflymq.core.vhost.command;

import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a connection has caused that may still be under way. By the connection's loop only.
 *
 * <p>What a connection does in order, it sees in order. Its commands for one shard are applied one
 * after the other, but a command may make dead letters, and those reach queues of other shards by a
 * way of their own: a basic.get that is sent there next could be faster.
 *
 * <p>So the commands that may make dead letters are remembered here, with the queue that they went
 * to, until all that comes of them has arrived. A channel that acts on another queue asks whether
 * one of them may lead there, and waits if so. Commands of queues without a dead letter exchange
 * are never here, and what cannot be reached does not wait: acknowledging and publishing costs one
 * look at an empty list.
 */
final class DeadLettersUnderWay {
  private record Cause(Queue source, BatchArrival consequences) {
    boolean hasArrived() {
      return consequences.arrived().isDone();
    }
  }

  private final List<Cause> causes = new ArrayList<>();
  private final DeadLetterReach reach = new DeadLetterReach();

  boolean isEmpty() {
    return causes.isEmpty();
  }

  /** A command was given to a queue that may dead-letter by it. */
  void add(Queue source, BatchArrival consequences) {
    for (int i = causes.size() - 1; i >= 0; i--) {
      Cause cause = causes.get(i);
      if (cause.consequences == consequences && cause.source == source) {
        return;
      }
    }
    causes.add(new Cause(source, consequences));
  }

  /** Done when what may lead to a queue has arrived; null if there is nothing to wait for. */
  CompletableFuture<Void> arrivalAt(Queue target) {
    forgetWhatHasArrived();
    CompletableFuture<Void> arrival = null;
    Queue asked = null;
    boolean reaches = false;
    for (int i = 0; i < causes.size(); i++) {
      Cause cause = causes.get(i);
      if (cause.source != asked) {
        asked = cause.source;
        reaches = reach.mayReach(asked, target);
      }
      if (reaches) {
        arrival = both(arrival, cause.consequences.arrived());
      }
    }
    return arrival;
  }

  /** Done when everything has arrived; null if there is nothing to wait for. */
  CompletableFuture<Void> arrivalEverywhere() {
    forgetWhatHasArrived();
    CompletableFuture<Void> arrival = null;
    for (Cause cause : causes) {
      arrival = both(arrival, cause.consequences.arrived());
    }
    return arrival;
  }

  private void forgetWhatHasArrived() {
    causes.removeIf(Cause::hasArrived);
  }

  /** Done when both are, of which the first may be null. */
  static CompletableFuture<Void> both(
      CompletableFuture<Void> first, CompletableFuture<Void> second) {
    return first == null ? second : CompletableFuture.allOf(first, second);
  }
}
