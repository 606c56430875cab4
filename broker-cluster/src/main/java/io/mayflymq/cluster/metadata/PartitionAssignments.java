package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.CommittedState;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import io.mayflymq.core.metadata.MetadataLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Which nodes keep the replicated partitions of the cluster, and which one leads each: what all
 * nodes have agreed upon, as far as it has come to this one. Any thread may call.
 */
public final class PartitionAssignments {
  private final Object lock = new Object();
  private final CommittedState<SortedMap<Integer, Assignment>> assignments;
  private final List<BiConsumer<Integer, Assignment>> listeners = new ArrayList<>();

  /**
   * Creates them.
   *
   * @param log where changes are written
   * @param kept what was kept before this process
   * @param listener told of each assignment that takes effect from now on, in order and under a
   *     lock, so it must not block
   */
  public PartitionAssignments(
      MetadataLog log, Collection<MetadataCommand> kept, BiConsumer<Integer, Assignment> listener) {
    this.assignments = new CommittedState<>(lock, log, of(kept));
    this.listeners.add(listener);
  }

  /**
   * Adds a listener: it is told of each assignment that is in force, and then, as the first one, of
   * each that takes effect.
   */
  public void listen(BiConsumer<Integer, Assignment> added) {
    synchronized (lock) {
      assignments.current().forEach(added);
      listeners.add(added);
    }
  }

  private void inForce(List<PartitionAssigned> changed) {
    for (PartitionAssigned each : changed) {
      listeners.forEach(listener -> listener.accept(each.partition(), each.assignment()));
    }
  }

  private static SortedMap<Integer, Assignment> of(Collection<MetadataCommand> kept) {
    SortedMap<Integer, Assignment> found = new TreeMap<>();
    for (MetadataCommand command : kept) {
      if (command instanceof PartitionAssigned assigned) {
        found.put(assigned.partition(), assigned.assignment());
      }
    }
    return found;
  }

  /** Returns the assignments of all partitions by their numbers; not to be changed. */
  public SortedMap<Integer, Assignment> all() {
    return assignments.current();
  }

  /** Returns those that exactly these nodes keep. */
  public SortedMap<Integer, Assignment> ofReplicas(Set<Integer> nodes) {
    SortedMap<Integer, Assignment> found = new TreeMap<>(all());
    found
        .values()
        .removeIf(
            assignment ->
                assignment.replicas().size() != nodes.size()
                    || !nodes.containsAll(assignment.replicas()));
    return found;
  }

  /** Returns the number for the next partition that is made. */
  int nextNumber() {
    SortedMap<Integer, Assignment> known = all();
    return known.isEmpty() ? 0 : known.lastKey() + 1;
  }

  /**
   * Carries out changes whose turn has come.
   *
   * @param commands a unit
   * @return done when they are in force; fails with {@link UndoneException}, and nothing is
   *     changed, if one of them does not apply
   */
  CompletableFuture<Void> apply(List<MetadataCommand> commands) {
    synchronized (lock) {
      SortedMap<Integer, Assignment> next = new TreeMap<>(assignments.proposed());
      List<PartitionAssigned> changed = new ArrayList<>();
      for (MetadataCommand command : commands) {
        PartitionAssigned after = after(command, next);
        if (after == null) {
          return CompletableFuture.failedFuture(
              new UndoneException("a change that came first excludes " + command));
        }
        next.put(after.partition(), after.assignment());
        changed.add(after);
      }
      return assignments.propose(next, changed, () -> inForce(changed));
    }
  }

  /** Returns what a partition has after a change; null if the change does not apply. */
  private static PartitionAssigned after(
      MetadataCommand command, SortedMap<Integer, Assignment> before) {
    if (command instanceof PartitionAssigned created) {
      return before.containsKey(created.partition()) ? null : created;
    }
    AssignmentChanged changed = (AssignmentChanged) command;
    Assignment present = before.get(changed.partition());
    Assignment after = present == null ? null : present.after(changed.change());
    return after == null || after.equals(present)
        ? null
        : new PartitionAssigned(changed.partition(), after);
  }
}
