package io.mayflymq.core.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * The log of a replica on a disk that forces when it is told to, and forgets the rest in a crash.
 */
final class SimulatedReplicaLog implements ReplicaLog {
  private record State(List<Batch> batches, EpochHistory history, long epoch) {
    State with(Batch batch) {
      List<Batch> longer = new ArrayList<>(batches);
      longer.add(batch);
      return new State(longer, history.with(batch.id()), Math.max(epoch, batch.id().epoch()));
    }

    State cutAfter(long number, long byEpoch) {
      return new State(
          batches.subList(0, (int) number), history.cutAfter(number), Math.max(epoch, byEpoch));
    }

    BatchId last() {
      return batches.isEmpty() ? BatchId.NONE : batches.get(batches.size() - 1).id();
    }
  }

  private State state = new State(List.of(), EpochHistory.NONE, 0);
  private State durable = state;
  private final Deque<UnaryOperator<State>> unforced = new ArrayDeque<>();
  private List<Batch> offered = List.of();

  List<Batch> batches() {
    return state.batches;
  }

  @Override
  public BatchId last() {
    return state.last();
  }

  @Override
  public EpochHistory history() {
    return state.history;
  }

  @Override
  public long epoch() {
    return state.epoch;
  }

  @Override
  public void append(Batch batch) {
    change(before -> before.with(batch));
  }

  @Override
  public void cutAfter(long number, long epoch) {
    change(before -> before.cutAfter(number, epoch));
  }

  @Override
  public void takingOver() {
    offered = List.of();
  }

  /** What the leader has, which arrives before {@link #takenOver}. */
  void offer(List<Batch> all) {
    offered = List.copyOf(all);
  }

  @Override
  public void takenOver(BatchId last, EpochHistory history) {
    State taken = new State(offered, history, last.epoch());
    if (!taken.last().equals(last)) {
      throw new AssertionError("taken over up to " + taken.last() + ", not " + last);
    }
    change(before -> taken);
  }

  private void change(UnaryOperator<State> change) {
    state = change.apply(state);
    unforced.addLast(change);
  }

  boolean isForced() {
    return unforced.isEmpty();
  }

  /** Forces some of what was done. Returns the last batch that is safe now. */
  BatchId force(Random random) {
    keep(1 + random.nextInt(unforced.size()));
    return durable.last();
  }

  private void keep(int changes) {
    for (int i = 0; i < changes; i++) {
      durable = unforced.removeFirst().apply(durable);
    }
  }

  /** Whatever was not forced may be there, up to a point, or not. */
  void crash(Random random) {
    keep(random.nextInt(unforced.size() + 1));
    unforced.clear();
    state = durable;
  }
}
