package io.mayflymq.core.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which nodes keep a partition, and which one leads it: agreed upon by the cluster, and changed
 * only by an {@link AssignmentChange}. Immutable.
 *
 * <p>A replica that is in sync has every batch that was ever committed, so each of them can lead;
 * unless operators have given up what one lacks ({@link AssignmentChange.Alone}). There are never
 * fewer of them than a majority of the replicas, once there were as many.
 *
 * @param replicas the numbers of the nodes that keep it
 * @param leader the one that leads it
 * @param epoch how often it was given a leader, from {@link #FIRST_EPOCH}
 * @param inSync the replicas that are in sync; the leader is one of them
 * @param revision how often the assignment was changed
 */
public record Assignment(
    List<Integer> replicas, int leader, long epoch, Set<Integer> inSync, long revision) {
  /** The epoch of the leader that a partition begins with. */
  public static final long FIRST_EPOCH = 1;

  public Assignment {
    replicas = List.copyOf(replicas);
    inSync = Set.copyOf(inSync);
    if (Set.copyOf(replicas).size() != replicas.size()
        || !replicas.containsAll(inSync)
        || !inSync.contains(leader)) {
      throw new IllegalArgumentException(
          "replicas %s, in sync %s, leader %d".formatted(replicas, inSync, leader));
    }
  }

  /**
   * Returns the assignment of a new partition: all replicas are in sync, as all are empty.
   *
   * @param leader one of the replicas
   */
  public static Assignment first(List<Integer> replicas, int leader) {
    return new Assignment(replicas, leader, FIRST_EPOCH, Set.copyOf(replicas), 1);
  }

  /** Returns how many replicas are a majority. */
  public int majority() {
    return replicas.size() / 2 + 1;
  }

  /**
   * Returns the assignment after a change; itself if the change does not apply to it: if it is of
   * another revision, or would break what this record promises.
   */
  public Assignment after(AssignmentChange change) {
    if (change.revision() != revision) {
      return this;
    }
    if (change instanceof AssignmentChange.Elected elected) {
      return mayShrinkTo(elected.inSync())
              && inSync.containsAll(elected.inSync())
              && elected.inSync().contains(elected.leader())
          ? new Assignment(replicas, elected.leader(), epoch + 1, elected.inSync(), revision + 1)
          : this;
    }
    if (change instanceof AssignmentChange.InSync changed) {
      return mayShrinkTo(changed.inSync())
              && replicas.containsAll(changed.inSync())
              && changed.inSync().contains(leader)
          ? new Assignment(replicas, leader, epoch, changed.inSync(), revision + 1)
          : this;
    }
    if (change instanceof AssignmentChange.Alone alone) {
      int left = alone.replica();
      return replicas.contains(left)
          ? new Assignment(List.of(left), left, epoch + 1, Set.of(left), revision + 1)
          : this;
    }
    return keptBy(((AssignmentChange.Replicas) change).replicas());
  }

  /** Returns what it is when other nodes keep it; itself if these may not. */
  private Assignment keptBy(List<Integer> changed) {
    Set<Integer> remaining = new TreeSet<>(inSync);
    remaining.retainAll(changed);
    boolean enough =
        remaining.size() == inSync.size() || remaining.size() >= changed.size() / 2 + 1;
    return remaining.contains(leader) && enough
        ? new Assignment(changed, leader, epoch, remaining, revision + 1)
        : this;
  }

  /** Returns the change by which another node keeps it too. */
  public AssignmentChange.Replicas with(int added) {
    List<Integer> changed = new ArrayList<>(replicas);
    changed.add(added);
    return new AssignmentChange.Replicas(revision, changed);
  }

  /** Returns the change by which a node does not keep it any more. */
  public AssignmentChange.Replicas without(int removed) {
    return new AssignmentChange.Replicas(
        revision, replicas.stream().filter(replica -> replica != removed).toList());
  }

  /** Returns the change by which another node keeps it in place of one. */
  public AssignmentChange.Replicas without(int removed, int added) {
    return new AssignmentChange.Replicas(
        revision, replicas.stream().map(replica -> replica == removed ? added : replica).toList());
  }

  private boolean mayShrinkTo(Set<Integer> changed) {
    return changed.size() >= Math.min(majority(), inSync.size());
  }

  /**
   * Returns the election of a leader.
   *
   * @param next one of the replicas in sync
   * @param present the nodes that are there, {@code next} among them. Those in sync stay so, and of
   *     the others as many as a majority needs: commits wait for them until another replica is in
   *     sync.
   */
  public AssignmentChange.Elected elect(int next, Set<Integer> present) {
    Set<Integer> remaining = new TreeSet<>(inSync);
    remaining.retainAll(present);
    for (Integer replica : replicas) {
      if (remaining.size() < Math.min(majority(), inSync.size()) && inSync.contains(replica)) {
        remaining.add(replica);
      }
    }
    return new AssignmentChange.Elected(revision, next, remaining);
  }
}
