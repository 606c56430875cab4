package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.queue.SharedLeases;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueCopying;
import io.mayflymq.core.vhost.queue.QueueGate;
import io.mayflymq.core.vhost.queue.QueueLifecycle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a queue starts at this place, comes to it and leaves it. Any thread may call; the work is
 * done on the queue's shard.
 */
final class LocalMoves {
  private static final Logger LOGGER = LoggerFactory.getLogger(LocalMoves.class);

  /** How far the queue has come at this place. */
  private enum Stage {
    /** It serves, but has not begun yet: it takes what is recovered. */
    NEW,

    /** It has been recovered, and must not start yet. */
    RESTS,

    /** It is not known yet whether it serves here. */
    UNDECIDED,

    /** Neither is that known, nor may it start yet. */
    UNDECIDED_RESTS,

    /** It serves, and its timers run. */
    STARTED,

    /** It was deleted while it served here, or waited. */
    DELETED
  }

  private final LocalQueueState state;
  private final QueueMachine machine;
  private final Shard shard;
  private final MachineEffects effects;
  private final IncomingCopy incoming;

  /** Gives what a deleted queue has kept; null unless this one was brought back. */
  private final KeptMessages before;

  /** Null if the queue is not being moved by this process. */
  private OutgoingMove outgoing;

  /** Null if no order of consumers has to be kept. */
  private QueueLifecycle.Arrivals arrivals;

  private Stage stage = Stage.NEW;

  /**
   * Prepares it.
   *
   * @param effects the timer of the machine
   * @param before gives what a deleted queue has kept, which the machine takes over; null unless
   *     the queue was brought back
   */
  LocalMoves(LocalQueueState state, MachineEffects effects, KeptMessages before) {
    this.before = before;
    this.state = state;
    this.machine = state.machine();
    this.shard = state.shard();
    this.effects = effects;
    this.incoming = new IncomingCopy(state);
  }

  QueueCopying target() {
    return incoming;
  }

  /** Returns whether timers of the queue rest. On the queue's shard. */
  boolean suspendsTimers() {
    return isWaiting() || (outgoing != null && outgoing.suspendsTimers());
  }

  /** Returns whether the queue has been recovered and does not serve yet. On its shard. */
  boolean isWaiting() {
    return stage == Stage.RESTS || isUndecided();
  }

  private boolean isUndecided() {
    return stage == Stage.UNDECIDED || stage == Stage.UNDECIDED_RESTS;
  }

  /**
   * Checks that the queue is not being moved. On the queue's shard.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if it is
   */
  void requireNone() {
    if (outgoing != null || isUndecided()) {
      throw Preconditions.precondition(state.queue(), "is being moved");
    }
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#moveTo}. */
  CompletableFuture<Void> moveTo(Queue successor, Supplier<CompletableFuture<Void>> change) {
    return shard
        .call(
            () -> {
              state.requireExists();
              requireNone();
              if (!(machine instanceof ClassicQueueMachine)) {
                throw state.queue().streamsLack("move_queue");
              }
              outgoing = new OutgoingMove(state, successor, change);
              return outgoing.begin();
            })
        .thenCompose(moved -> moved);
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#awaitOutcome}. */
  void awaitOutcome() {
    shard.runOrExecute(
        () -> {
          stage =
              stage == Stage.RESTS || stage == Stage.UNDECIDED_RESTS
                  ? Stage.UNDECIDED_RESTS
                  : Stage.UNDECIDED;
          state.queue().gate().close();
        });
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#rest}. On the queue's shard. */
  void rest() {
    stage = isUndecided() ? Stage.UNDECIDED_RESTS : Stage.RESTS;
    state.queue().gate().close();
  }

  /** Starts the queue, unless it is not known yet whether it serves here. On the queue's shard. */
  void start() {
    if (state.isDeleted()) {
      return;
    }
    switch (stage) {
      case NEW -> {
        if (before == null || before.mayBeTakenOver(this::start)) {
          begin();
        } else {
          rest();
        }
      }
      case RESTS -> serve();
      case UNDECIDED_RESTS -> stage = Stage.UNDECIDED;
      default -> {
        // It has started, or it will when it is decided that it serves here.
      }
    }
  }

  /** Returns whether the queue has started. On its shard. */
  boolean hasBegun() {
    return stage == Stage.STARTED;
  }

  private void begin() {
    stage = Stage.STARTED;
    startMachine();
    SharedLeases leases = state.queue().partition().leases();
    if (leases != null && machine instanceof ClassicQueueMachine movable) {
      NotedLease lease = new NotedLease(state.queue(), leases, state::now);
      lease.begin(movable, machine.settings());
      effects.setLease(lease);
    }
    long waiting = before == null ? 0 : state.hidden().waiting().messages();
    state.hidden().start();
    if (state.kept() == null
        && machine instanceof ClassicQueueMachine queue
        && (before != null || queue.hasDeleted())) {
      bringBack(queue, waiting);
    }
  }

  private void startMachine() {
    if (before != null) {
      before.give();
      state.hidden().takeOver(before.hidden());
    }
    machine.start(state.now());
  }

  /**
   * The queue was deleted, and is there again: its messages follow, slice by slice.
   *
   * @param waiting how many dead letters that wait are back with it
   */
  private void bringBack(ClassicQueueMachine queue, long waiting) {
    Restoration restoration = queue.restoration(Restoration.Choice.ofDeleted(false));
    PartitionStore store = state.queue().partition().store();
    CompletableFuture<Restoration.Report> back =
        SlicedTask.of(
            state,
            () -> queue.restore(restoration, state.now(), store::move),
            () -> restoration.report().withDeleted(waiting));
    state.setBroughtBack(
        back.whenComplete(
            (report, failure) -> {
              if (failure == null) {
                queue.deletedAreBack(state.now());
              } else if (state.isThere()) {
                LOGGER.warn(
                    "messages of {} come back with the next start only, if they can then: {}",
                    state.queue(),
                    Causes.of(failure).getMessage());
                queue.deletedAreBack(state.now());
              } else {
                state.deletionOver().thenRun(() -> shard.runOrExecute(() -> goOn(queue)));
              }
            }));
  }

  /** The queue was about to be deleted: if it stays, the rest of its messages follows. */
  private void goOn(ClassicQueueMachine queue) {
    if (!state.isDeleted()) {
      bringBack(queue, 0);
    }
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#stay}. */
  void stay() {
    shard.runOrExecute(
        () -> {
          OutgoingMove ended = outgoing;
          outgoing = null;
          if (ended != null) {
            ended.stay();
          } else if (isUndecided() && !state.isDeleted()) {
            decided();
          }
        });
  }

  /** The queue serves here, at once if it does not rest. */
  private void decided() {
    if (stage == Stage.UNDECIDED_RESTS) {
      stage = Stage.RESTS;
    } else {
      serve();
    }
  }

  private void serve() {
    begin();
    state.queue().onShard().applyPolicies();
    state.queue().gate().open();
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#arrive}. */
  void arrive() {
    shard.runOrExecute(
        () -> {
          if (isUndecided() && !state.isDeleted()) {
            arrivals = new RejoiningConsumers(incoming.consumers(), shard);
            begin();
            state.queue().gate().open();
            incoming.lastUseMillis().ifPresent(((ClassicQueueMachine) machine)::setLastUse);
            state.queue().onShard().applyPolicies();
          }
        });
  }

  /** See {@link QueueLifecycle#order}. */
  void order(QueueLifecycle.Arrivals order) {
    arrivals = order;
  }

  /** Lets a consumer join: at once, or in the order that they had before. On the queue's shard. */
  void join(Consumer consumer, Runnable join) {
    if (arrivals == null || arrivals.isOver()) {
      arrivals = null;
      join.run();
    } else {
      arrivals.come(consumer, join);
    }
  }

  /** Returns whether a consumer has not joined yet, and will not. On the queue's shard. */
  boolean hasNotJoined(Consumer consumer) {
    return arrivals != null && !arrivals.isOver() && arrivals.leave(consumer);
  }

  /** See {@link io.mayflymq.core.vhost.queue.QueueLifecycle#leave}. */
  void leave(Queue successor) {
    shard.runOrExecute(
        () -> {
          QueueGate<Queue> gate = state.queue().gate();
          if (outgoing != null) {
            outgoing.over();
            outgoing = null;
          }
          if (state.isDeleted()) {
            gate.leave(successor);
            return;
          }
          List<Consumer> consumers = machine.consumers();
          state.setDeleted();
          effects.stop();
          gate.leave(successor);
          consumers.forEach(consumer -> consumer.outlet().moved(consumer));
          dispose();
        });
  }

  /** The copy is not needed. */
  void discard() {
    shard.runOrExecute(
        () -> {
          if (!state.isDeleted()) {
            state.setDeleted();
            effects.stop();
            dispose();
          }
        });
  }

  private void dispose() {
    if (before == null || stage == Stage.STARTED) {
      machine.dispose(); // What it was to take over stays with the deleted queue.
    }
    state.hidden().leave();
  }

  /** The queue is deleted: nothing waits for it any more. On the queue's shard. */
  void deleted() {
    boolean held = outgoing != null || isWaiting();
    if (state.kept() != null && stage != Stage.STARTED && stage != Stage.DELETED) {
      startMachine(); // It has what was recovered then.
      state.hidden().start();
    }
    stage = Stage.DELETED;
    if (held) {
      state.queue().gate().open();
    }
  }
}
