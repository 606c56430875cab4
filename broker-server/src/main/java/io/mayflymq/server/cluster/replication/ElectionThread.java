package io.mayflymq.server.cluster.replication;

import io.mayflymq.cluster.replication.LeaderElections;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.runtime.PeriodicWork;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Elects leaders of partitions, on a thread of its own. Any thread may call.
 *
 * <p>Elects leaders from the reports that come to this node. They come here as long as this node
 * leads the decisions of the cluster.
 *
 * <p>A node that has ended led several partitions, whose replicas report at about the same time.
 * What has arrived while one look was taken is looked at together, and all elections of a look are
 * proposed together.
 */
final class ElectionThread {
  /** How often partitions are looked at whose replicas report, in ms. */
  static final int LOOK_MILLIS = 100;

  /**
   * What elections go by.
   *
   * @param assignments returns those of all partitions
   * @param nodes returns the nodes as this one sees them
   * @param monotonicMillis the time by a clock that only goes forward
   */
  record View(
      Supplier<? extends Map<Integer, Assignment>> assignments,
      Supplier<LeaderElections.Nodes> nodes,
      LongSupplier monotonicMillis) {}

  private final View view;
  private final Consumer<Map<Integer, AssignmentChange.Elected>> proposals;
  private final PeriodicWork work;
  private final Queue<Leaderless> arrived = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean awaited = new AtomicBoolean();

  // On the thread
  private final LeaderElections elections = new LeaderElections();
  private boolean looksAgain;

  /**
   * @param proposals proposes elections by the numbers of their partitions; those that are under
   *     way are given again
   * @param work the thread
   */
  ElectionThread(
      View view, Consumer<Map<Integer, AssignmentChange.Elected>> proposals, PeriodicWork work) {
    this.view = view;
    this.proposals = proposals;
    this.work = work;
  }

  /** A replica has reported. */
  void reported(Leaderless report) {
    arrived.add(report);
    if (awaited.compareAndSet(false, true)) {
      work.soon("reports of replicas", this::take);
    }
  }

  private void take() {
    awaited.set(false);
    long now = view.monotonicMillis().getAsLong();
    for (Leaderless report = arrived.poll(); report != null; report = arrived.poll()) {
      elections.reported(report, now);
    }
    look();
  }

  private void look() {
    Map<Integer, AssignmentChange.Elected> due =
        elections.due(
            view.assignments().get(), view.nodes().get(), view.monotonicMillis().getAsLong());
    if (!elections.isEmpty() && !looksAgain) {
      looksAgain = true;
      work.after("elections of leaders", LOOK_MILLIS, this::lookAgain);
    }
    if (!due.isEmpty()) {
      proposals.accept(due);
    }
  }

  private void lookAgain() {
    looksAgain = false;
    look();
  }
}
