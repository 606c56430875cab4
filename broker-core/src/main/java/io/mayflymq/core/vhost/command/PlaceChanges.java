package io.mayflymq.core.vhost.command;

import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The order of batches around changes of places. Belongs to the sender's loop.
 *
 * <p>Keeps the order of one sender's commands for queues that change their places.
 *
 * <p>What was sent to the old place is passed on from there (QueueGate), and may be on its way
 * still when the sender learns of the new place. So the first batch with commands for such a queue
 * waits until all batches have come back that are under way to places where the queue was before.
 * Batches for the same partition wait behind it. From then on nothing goes to the old places any
 * more, and nothing waits.
 *
 * <p>For queues that were never moved this costs a note of each batch that is under way.
 */
final class PlaceChanges {
  /** Waits until some batches have come back. */
  static final class Waiting {
    private final Partition target;
    private final Runnable goesOn;
    private int left;

    private Waiting(Partition target, Runnable goesOn) {
      this.target = target;
      this.goesOn = goesOn;
    }
  }

  /** What changes of places mean for one batch. Belongs to the sender's loop. */
  static final class Concerns {
    /** Its queues that have another place now than at an earlier batch, perhaps. */
    private final List<Queue> moved = new ArrayList<>(1);

    /** What waits until the batch has come back. */
    private final List<Waiting> waiting = new ArrayList<>(0);

    /** Notes that a queue of the batch was at other places before. */
    void moved(Queue queue) {
      if (!moved.contains(queue)) {
        moved.add(queue);
      }
    }

    /** Returns whether a queue of the batch was at other places before. */
    boolean hasMoved() {
      return !moved.isEmpty();
    }
  }

  private final Consumer<CommandBatch> submit;
  private final List<CommandBatch> underWay = new ArrayList<>();

  /** What waits for each partition, in order. */
  private final Map<Partition, ArrayDeque<Waiting>> waiting = new HashMap<>(0);

  /** Queues that have moved and that nothing has to wait for any more. */
  private final Set<Queue> settled = new HashSet<>(0);

  /**
   * Creates it.
   *
   * @param submit hands a batch to its partition
   */
  PlaceChanges(Consumer<CommandBatch> submit) {
    this.submit = submit;
  }

  /** Returns whether commands for a queue that was moved may have to wait. */
  boolean concerns(Queue queue) {
    return !settled.contains(queue);
  }

  /** Submits a batch, now or when it keeps the order. */
  void submit(CommandBatch batch) {
    Partition target = batch.partition();
    boolean hasMoved = hasMoved(batch);
    boolean waitsForNothing = !hasMoved && !waiting.containsKey(target);
    Waiting waits = waitsForNothing ? null : new Waiting(target, () -> submit.accept(batch));
    if (hasMoved) {
      batch.placeChanges().moved.forEach(queue -> awaitPlacesOf(queue, waits));
    }
    batch.setSlot(underWay.size());
    underWay.add(batch);
    if (waitsForNothing) {
      submit.accept(batch);
    } else {
      enqueue(waits);
    }
  }

  /** Returns whether a queue of a batch was at other places before. */
  static boolean hasMoved(CommandBatch batch) {
    return batch.placeChanges() != null && batch.placeChanges().hasMoved();
  }

  /** Returns whether nothing waits. */
  boolean isIdle() {
    return waiting.isEmpty();
  }

  /**
   * Returns what a request to a queue has to wait for.
   *
   * @return null if nothing
   */
  CompletableFuture<Void> arrivalAt(Queue queue) {
    boolean mayWait = queue.before() != null && concerns(queue);
    if (!mayWait && !waiting.containsKey(queue.partition())) {
      return null;
    }
    CompletableFuture<Void> arrival = new CompletableFuture<>();
    Waiting waits = new Waiting(queue.partition(), () -> arrival.complete(null));
    if (mayWait) {
      awaitPlacesOf(queue, waits);
    }
    enqueue(waits);
    return arrival.isDone() ? null : arrival;
  }

  private void awaitPlacesOf(Queue queue, Waiting waits) {
    settled.add(queue);
    for (CommandBatch batch : underWay) {
      if (queue.before().contains(batch.partition())) {
        batch.notePlaceChanges().waiting.add(waits);
        waits.left++;
      }
    }
  }

  private void enqueue(Waiting waits) {
    waiting.computeIfAbsent(waits.target, first -> new ArrayDeque<>()).add(waits);
    goOn(waits.target);
  }

  private void goOn(Partition target) {
    ArrayDeque<Waiting> queue = waiting.get(target);
    while (queue != null && !queue.isEmpty() && queue.peek().left == 0) {
      queue.poll().goesOn.run();
    }
    if (queue != null && queue.isEmpty()) {
      waiting.remove(target, queue);
    }
  }

  /** A batch has come back. */
  void returned(CommandBatch batch) {
    CommandBatch last = underWay.remove(underWay.size() - 1);
    if (last != batch) {
      underWay.set(batch.slot(), last);
      last.setSlot(batch.slot());
    }
    if (batch.placeChanges() != null) {
      for (Waiting waits : batch.placeChanges().waiting) {
        waits.left--;
        goOn(waits.target);
      }
    }
  }
}
