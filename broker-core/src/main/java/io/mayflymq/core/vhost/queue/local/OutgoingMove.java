package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.index.MessageCopy;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.UnreadableException;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import io.mayflymq.core.vhost.queue.local.CopyRecords.Part;
import io.mayflymq.protocol.types.ChannelException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The move of a queue to another place. Belongs to the queue's shard.
 *
 * <p>How a queue is moved, at its old place.
 *
 * <pre>{@code
 * COPYING     its messages are copied, and what becomes of those that were copied; it serves as ever
 * DRAINING    all are copied: it hands out nothing any more, and consumers have some time to settle what they have
 * CLOSED      commands are held, timers rest; what has come last is copied, then the end: what is still with consumers
 * PROPOSED    the copy is complete and safe; whether the queue moves is decided by the log of the cluster
 * }</pre>
 *
 * <p>Until PROPOSED the queue can stay where it is, and does so if anything goes wrong. From then
 * on it goes on only when it is known to stay.
 */
final class OutgoingMove {
  /** How much of the copy may be on its way. */
  private static final int MOST_UNDER_WAY = 4;

  private static final int SLICE_BYTES = 128 << 10;

  /** For so long consumers may settle what they have. */
  private static final long DRAIN_MILLIS = 3_000;

  /** For so long a queue is copied after all has been copied that it had first. */
  private static final long CATCH_UP_MILLIS = 10_000;

  /** Without an answer of the new place for so long, or rest of the queue, the move ends. */
  private static final long STALL_MILLIS = 10_000;

  private static final long POLL_MILLIS = 5;

  private enum Phase {
    COPYING,
    DRAINING,
    CLOSED,
    ENDING,
    PROPOSED,
    OVER
  }

  private final LocalQueueState state;
  private final Queue queue;
  private final QueueMachine machine;
  private final ClassicQueueMachine movable;
  private final HiddenQueues hidden;
  private final QueueGate<Queue> gate;
  private final Shard shard;
  private final Queue successor;
  private final Supplier<CompletableFuture<Void>> change;
  private final Map<Part, MessageCopy> copies = new EnumMap<>(Part.class);
  private final CopyWriter writer = new CopyWriter();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private Phase phase = Phase.COPYING;
  private int underWay;
  private long progressAt;
  private long drainedAt;
  private long catchUpUntil = Long.MAX_VALUE;
  private boolean polls;

  /**
   * Prepares a move.
   *
   * @param successor the copy
   * @param change makes the copy the queue, when it is complete
   */
  OutgoingMove(LocalQueueState state, Queue successor, Supplier<CompletableFuture<Void>> change) {
    this.state = state;
    this.queue = state.queue();
    this.machine = state.machine();
    this.movable = (ClassicQueueMachine) machine;
    this.hidden = state.hidden();
    this.gate = queue.gate();
    this.shard = state.shard();
    this.successor = successor;
    this.change = change;
  }

  /** Begins; done when the queue has moved, fails if it has not, or if that is not known. */
  CompletableFuture<Void> begin() {
    progressAt = shard.now();
    copies.put(Part.QUEUE, movable.copyMessages());
    goOn();
    return done;
  }

  /** Returns whether timers of the queue rest. */
  boolean suspendsTimers() {
    return phase.compareTo(Phase.CLOSED) >= 0 && phase != Phase.OVER;
  }

  private void goOn() {
    if (phase.compareTo(Phase.ENDING) >= 0) {
      return;
    }
    try {
      step();
    } catch (UnreadableException | ChannelException e) {
      fail(e);
    }
  }

  private void step() {
    if (state.isLeaving()) {
      throw notMoved("it is being deleted");
    }
    if (shard.now() - progressAt > STALL_MILLIS) {
      throw notMoved(
          underWay > 0 ? "its new node does not answer" : "some of its messages are on their way");
    }
    boolean isCopied = send();
    switch (phase) {
      case COPYING -> {
        if (isCopied || shard.now() > catchUpUntil) {
          drain();
        }
      }
      case DRAINING -> {
        if (!movable.hasTaken() || shard.now() - drainedAt > DRAIN_MILLIS) {
          close();
        }
      }
      default -> {
        if (isCopied && underWay == 0 && isAtRest()) {
          end();
        }
      }
    }
    if (phase == Phase.DRAINING || phase == Phase.CLOSED) {
      poll();
    }
  }

  private RuntimeException notMoved(String why) {
    return Preconditions.precondition(queue, "was not moved: " + why);
  }

  private void poll() {
    if (!polls) {
      polls = true;
      shard
          .loop()
          .schedule(
              () ->
                  shard.run(
                      () -> {
                        polls = false;
                        goOn();
                      }),
              POLL_MILLIS);
    }
  }

  /** Sends what may be sent now. Returns whether that was everything. */
  private boolean send() {
    addHiddenCopies();
    while (underWay < MOST_UNDER_WAY) {
      writer.begin(state.now());
      copies.forEach(
          (part, copy) -> {
            if (!copy.isComplete()) {
              writer.part(part);
              copy.slice(writer, () -> writer.size() >= SLICE_BYTES);
            }
          });
      if (writer.isEmpty()) {
        return true;
      }
      underWay++;
      successor.copying().add(writer.take()).whenComplete(this::answered);
    }
    boolean hasPassedEnd = copies.values().stream().allMatch(MessageCopy::hasPassedFirstEnd);
    if (hasPassedEnd && catchUpUntil == Long.MAX_VALUE) {
      catchUpUntil = shard.now() + CATCH_UP_MILLIS;
    }
    return false;
  }

  private void addHiddenCopies() {
    if (hidden.schedule() != null && !copies.containsKey(Part.SCHEDULE)) {
      copies.put(Part.SCHEDULE, hidden.schedule().copyMessages());
    }
    if (movable.hasRemoved() && !copies.containsKey(Part.REMOVED)) {
      copies.put(Part.REMOVED, movable.copyRemoved());
    }
    if (movable.hasStopped() && !copies.containsKey(Part.STOPPED)) {
      copies.put(Part.STOPPED, movable.copyStopped());
    }
    if (hidden.hasWaiting() && !copies.containsKey(Part.WAITING_DEAD_LETTERS)) {
      copies.put(Part.WAITING_DEAD_LETTERS, hidden.waitingMessages().copyMessages());
    }
  }

  private void answered(Void taken, Throwable failure) {
    shard.runOrExecute(
        () -> {
          underWay--;
          progressAt = shard.now();
          if (failure == null) {
            shard.executeLater(() -> shard.run(this::goOn));
          } else {
            fail(Causes.of(failure));
          }
        });
  }

  private void drain() {
    phase = Phase.DRAINING;
    drainedAt = shard.now();
    gate.drain();
    movable.suspendDeliveries();
    progressAt = shard.now();
  }

  private void close() {
    phase = Phase.CLOSED;
    gate.close();
    hidden.suspend();
    progressAt = shard.now();
  }

  /** Whether nothing of the queue is on its way to other queues. */
  private boolean isAtRest() {
    return !movable.hasUnsettled() && hidden.isAtRest();
  }

  private void end() {
    phase = Phase.ENDING;
    writer.begin(state.now());
    copies.forEach(
        (part, copy) -> {
          writer.part(part);
          switch (part) {
            case QUEUE -> movable.endCopy(copy, writer);
            case SCHEDULE -> hidden.schedule().endCopy(copy, writer);
            case WAITING_DEAD_LETTERS -> hidden.waitingMessages().endCopy(copy, writer);
            case REMOVED -> movable.endCopyOfRemoved(copy, writer);
            case STOPPED -> movable.endCopyOfStopped(copy, writer);
          }
        });
    writer.lastUse(movable.lastUseMillis(state.now()));
    writeConsumers();
    CompletableFuture<Void> complete = successor.copying().complete(writer.take());
    shard
        .loop()
        .schedule(
            () -> complete.completeExceptionally(notMoved("its copy was not written in time")),
            STALL_MILLIS);
    complete.whenComplete(
        (safe, failure) ->
            shard.runOrExecute(
                () -> {
                  if (phase != Phase.ENDING) {
                    return;
                  }
                  if (failure == null) {
                    propose();
                  } else {
                    fail(Causes.of(failure));
                  }
                }));
  }

  /** Their order counts if one is active or exclusive: that one joins first. */
  private void writeConsumers() {
    List<Consumer> consumers = new ArrayList<>(machine.consumers());
    if (machine.settings().singleActiveConsumer()) {
      if (machine.settings().deliveries().activeByPriority()) {
        consumers.sort(Comparator.comparingLong(Consumer::priority).reversed());
      } else {
        consumers.sort(Comparator.comparing(consumer -> !machine.isActive(consumer)));
      }
      consumers.forEach(writer::consumer);
    } else if (!consumers.isEmpty() && consumers.get(0).exclusive()) {
      consumers.forEach(writer::consumer);
    }
  }

  private void propose() {
    phase = Phase.PROPOSED;
    change
        .get()
        .whenComplete(
            (moved, failure) -> {
              Throwable cause = Causes.of(failure);
              if (cause == null) {
                done.complete(null);
              } else {
                done.completeExceptionally(
                    cause instanceof UndoneException
                        ? notMoved("it was changed meanwhile")
                        : cause);
              }
            });
  }

  /** It is known not to have moved, so it goes on. */
  private void fail(Throwable why) {
    if (phase != Phase.OVER && phase != Phase.PROPOSED) {
      stay();
      done.completeExceptionally(why);
    }
  }

  /** The queue stays: it goes on here. */
  void stay() {
    if (phase == Phase.OVER) {
      return;
    }
    over();
    if (!state.isDeleted()) {
      hidden.resume();
      movable.resumeDeliveries(state.now());
      machine.onTimer(state.now());
    }
    gate.open();
  }

  /** The queue is not moved from here any more, in whatever way. */
  void over() {
    phase = Phase.OVER;
    copies.values().forEach(MessageCopy::close);
  }
}
