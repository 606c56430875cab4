package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * The log of a replica on a disk that forces when it is told to, and forgets the rest in a crash.
 */
public final class SimulatedReplicaLog implements ReplicaLog {
  private record State(List<Burst> bursts, EpochHistory history, long epoch) {
    State with(Burst burst) {
      List<Burst> longer = new ArrayList<>(bursts);
      longer.add(burst);
      return new State(longer, history.with(burst.id()), Math.max(epoch, burst.id().epoch()));
    }

    State cutAfter(long number, long byEpoch) {
      return new State(
          bursts.subList(0, (int) number), history.cutAfter(number), Math.max(epoch, byEpoch));
    }

    BurstId last() {
      return bursts.isEmpty() ? BurstId.NONE : bursts.get(bursts.size() - 1).id();
    }
  }

  /** What logs were copied to others. */
  private final List<List<Burst>> copies;

  private State state = new State(List.of(), EpochHistory.NONE, 0);
  private State durable = state;
  private final Deque<UnaryOperator<State>> unforced = new ArrayDeque<>();
  private List<Burst> offered = List.of();
  private long deleted;

  /**
   * Creates an empty log.
   *
   * @param copies what logs were copied to others, the same for all replicas
   */
  public SimulatedReplicaLog(List<List<Burst>> copies) {
    this.copies = copies;
  }

  /** Returns its bursts. */
  public List<Burst> bursts() {
    return state.bursts;
  }

  @Override
  public BurstId last() {
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
  public Burst read(long number) {
    return number <= deleted ? null : state.bursts.get((int) number - 1);
  }

  /** Bursts up to this one cannot be read any more. */
  public void delete(long upTo) {
    deleted = Math.max(deleted, upTo);
  }

  @Override
  public void append(Burst burst) {
    change(before -> before.with(burst));
  }

  @Override
  public void cutAfter(long number, long epoch) {
    change(before -> before.cutAfter(number, epoch));
  }

  @Override
  public void committed(long number) {
    // It forgets no burst.
  }

  @Override
  public void takingOver() {
    offered = List.of();
  }

  /** Returns what stands for all bursts that the log has now. */
  public ByteBuffer copy() {
    copies.add(List.copyOf(state.bursts));
    return ByteBuffer.allocate(Integer.BYTES).putInt(0, copies.size() - 1);
  }

  @Override
  public void take(ByteBuffer content) {
    offered = copies.get(content.getInt(0));
  }

  @Override
  public void takenOver(BurstId last, EpochHistory history) {
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

  /** Returns whether all that it has is forced. */
  public boolean isForced() {
    return unforced.isEmpty();
  }

  /** Forces some of what was done. Returns the last burst that is safe now. */
  public BurstId force(Random random) {
    keep(1 + random.nextInt(unforced.size()));
    return durable.last();
  }

  private void keep(int changes) {
    for (int i = 0; i < changes; i++) {
      durable = unforced.removeFirst().apply(durable);
    }
  }

  /** Whatever was not forced may be there, up to a point, or not. */
  public void crash(Random random) {
    keep(random.nextInt(unforced.size() + 1));
    unforced.clear();
    state = durable;
  }
}
