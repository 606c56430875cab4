package io.mayflymq.server.cluster.replication;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Changes which nodes keep partitions. Any thread may call.
 *
 * <p>Which nodes keep a partition is changed by one node at a time, each time for the assignment as
 * this node knows it. If another change comes first, it is looked again. What may be changed the
 * assignment itself decides, on all nodes.
 *
 * <p>A new replica is not in sync: its leader sends it all that there is, and then proposes that it
 * is. One that is removed leaves the replicas in sync with the same change. That is safe without
 * the leader: until it knows of that, its commits wait for the removed one too.
 */
final class ReplicaChanges {
  private static final int MOST_ATTEMPTS = 10;

  private final ReplicaControl.Node node;
  private final ReplicaNodes nodes;
  private final LeaderTransfers transfers;

  ReplicaChanges(ReplicaControl.Node node, ReplicaNodes nodes, LeaderTransfers transfers) {
    this.node = node;
    this.nodes = nodes;
    this.transfers = transfers;
  }

  /**
   * Adds a replica, which is empty.
   *
   * @param added the number of its node
   * @return as {@link io.mayflymq.core.vhost.ReplicaOperations#add}
   */
  CompletableFuture<Void> add(int partition, int added) {
    return nodes.reachable().contains(added)
        ? add(partition, added, MOST_ATTEMPTS)
        : refused("node '%s' cannot be reached".formatted(nodes.name(added)));
  }

  private CompletableFuture<Void> add(int partition, int added, int attempts) {
    Assignment present = node.partitions().all().get(partition);
    return present.replicas().contains(added)
        ? CompletableFuture.completedFuture(null)
        : propose(partition, present.with(added))
            .exceptionallyCompose(
                failure -> again(failure, attempts, () -> add(partition, added, attempts - 1)));
  }

  /**
   * Adds replicas, one after the other.
   *
   * @return as {@link io.mayflymq.core.vhost.ReplicaOperations#grow}
   */
  CompletableFuture<Void> grow(int partition, int size) {
    Assignment present = node.partitions().all().get(partition);
    if (present.replicas().size() >= size) {
      return CompletableFuture.completedFuture(null);
    }
    return further(present)
        .min(fewest(kept()))
        .map(next -> add(partition, next).thenCompose(added -> grow(partition, size)))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  /** Returns the nodes that can keep a partition too. */
  private Stream<Integer> further(Assignment assignment) {
    return nodes.candidates().stream().filter(node -> !assignment.replicas().contains(node));
  }

  /** Returns how many replicas each node keeps. */
  private Map<Integer, Integer> kept() {
    Map<Integer, Integer> kept = new HashMap<>();
    node.partitions()
        .all()
        .values()
        .forEach(each -> each.replicas().forEach(replica -> kept.merge(replica, 1, Integer::sum)));
    return kept;
  }

  private static Comparator<Integer> fewest(Map<Integer, Integer> kept) {
    return Comparator.comparing((Integer node) -> kept.getOrDefault(node, 0))
        .thenComparing(Comparator.naturalOrder());
  }

  /**
   * Returns what is to be changed so that partitions grow to their target sizes, by their numbers:
   * one further replica each. None is added while a replica of the partition is not in sync or
   * cannot be reached, nor to an odd number of replicas if there is no other node for another one.
   *
   * <p>Source: RabbitMQ 3.13, {@code rabbit_quorum_queue_periodic_membership_reconciliation}.
   *
   * @param targets how many replicas partitions are to have, by their numbers
   */
  Map<Integer, AssignmentChange.Replicas> towards(Map<Integer, Integer> targets) {
    Set<Integer> reachable = nodes.reachable();
    Map<Integer, Integer> kept = kept();
    Map<Integer, AssignmentChange.Replicas> due = new TreeMap<>();
    node.partitions()
        .all()
        .forEach(
            (partition, assignment) -> {
              List<Integer> further = further(assignment).sorted(fewest(kept)).toList();
              int size = assignment.replicas().size();
              boolean staysOdd = size % 2 == 1 && further.size() == 1;
              if (size < targets.getOrDefault(partition, 0)
                  && !further.isEmpty()
                  && !staysOdd
                  && assignment.inSync().size() == size
                  && reachable.containsAll(assignment.replicas())) {
                due.put(partition, assignment.with(further.get(0)));
                kept.merge(further.get(0), 1, Integer::sum);
              }
            });
    return due;
  }

  /**
   * Removes a replica. If it leads another one leads first.
   *
   * @param removed the number of its node
   * @return as {@link io.mayflymq.core.vhost.ReplicaOperations#remove}
   */
  CompletableFuture<Void> remove(int partition, int removed) {
    return remove(partition, removed, MOST_ATTEMPTS);
  }

  private CompletableFuture<Void> remove(int partition, int removed, int attempts) {
    Assignment present = node.partitions().all().get(partition);
    if (!present.replicas().contains(removed)) {
      return CompletableFuture.completedFuture(null);
    }
    if (present.replicas().size() == 1) {
      return refused("node '%s' has the last replica".formatted(nodes.name(removed)));
    }
    if (present.leader() == removed && attempts == 0) {
      return refused("it was given the lead again and again");
    }
    if (present.leader() == removed) {
      return transfers
          .successor(present)
          .map(
              next ->
                  transfers
                      .transfer(partition, next)
                      .thenCompose(led -> remove(partition, removed, attempts - 1)))
          .orElseGet(() -> refused("no other node has it in sync"));
    }
    AssignmentChange change = present.without(removed);
    return !applies(change, present)
        ? refused("too few of the other replicas are in sync")
        : propose(partition, change)
            .exceptionallyCompose(
                failure ->
                    again(failure, attempts, () -> remove(partition, removed, attempts - 1)));
  }

  /**
   * Returns what is to be changed as nodes are members no more, by the numbers of partitions:
   * another member has the replica, as far as there are any.
   */
  Map<Integer, AssignmentChange> ofFormerMembers() {
    Set<Integer> present =
        node.members().all().stream().map(ClusterMember::number).collect(Collectors.toSet());
    Map<Integer, Integer> kept = kept();
    Map<Integer, Assignment> all = node.partitions().all();
    Map<Integer, AssignmentChange> due = new TreeMap<>();
    all.forEach(
        (partition, assignment) ->
            assignment.replicas().stream()
                .filter(replica -> !present.contains(replica))
                .findFirst()
                .flatMap(gone -> withoutFormer(assignment, gone, present, kept))
                .ifPresent(change -> due.put(partition, change)));
    return due;
  }

  private Optional<AssignmentChange> withoutFormer(
      Assignment assignment, int gone, Set<Integer> present, Map<Integer, Integer> kept) {
    AssignmentChange change = assignment.without(gone);
    Optional<Integer> next = further(assignment).min(fewest(kept));
    if (next.isPresent()) {
      change = assignment.without(gone, next.get());
      Set<Integer> remaining = new TreeSet<>(assignment.replicas());
      remaining.retainAll(present);
      if (!applies(change, assignment) && assignment.inSync().containsAll(remaining)) {
        // It is needed until the next one is in sync.
        change = assignment.with(next.get());
      }
    }
    if (!applies(change, assignment)) {
      return Optional.empty();
    }
    next.ifPresent(added -> kept.merge(added, 1, Integer::sum));
    return Optional.of(change);
  }

  /**
   * See {@link io.mayflymq.core.vhost.ReplicaOperations#requireLostMajority}.
   *
   * @throws ChannelException 406
   */
  void requireLostMajority(int partition) {
    Assignment present = node.partitions().all().get(partition);
    int self = node.self().number();
    if (!present.replicas().contains(self)) {
      throw refusal(
          "node '%s' keeps no replica of it: ask one of %s"
              .formatted(nodes.name(self), names(present.replicas())));
    }
    Set<Integer> there = new TreeSet<>(present.replicas());
    there.retainAll(nodes.reachable());
    Set<Integer> inSync = new TreeSet<>(present.inSync());
    inSync.retainAll(there);
    if (there.size() >= present.majority() && !inSync.isEmpty()) {
      throw refusal(
          "its members %s can be reached, a majority: nothing is lost".formatted(names(there)));
    }
    if (!inSync.isEmpty() && !inSync.contains(self)) {
      throw refusal(
          "the replica on node '%s' is not in sync: ask one of %s, which have more"
              .formatted(nodes.name(self), names(inSync)));
    }
  }

  private String names(Collection<Integer> replicas) {
    return replicas.stream().map(nodes::name).sorted().collect(Collectors.joining(", "));
  }

  /**
   * Has the replica on this node go on alone.
   *
   * @return as {@link io.mayflymq.core.vhost.ReplicaOperations#goOnAlone}
   */
  CompletableFuture<Void> goOnAlone(int partition) {
    return goOnAlone(partition, MOST_ATTEMPTS);
  }

  private CompletableFuture<Void> goOnAlone(int partition, int attempts) {
    try {
      requireLostMajority(partition);
    } catch (ChannelException e) {
      return CompletableFuture.failedFuture(e);
    }
    long revision = node.partitions().all().get(partition).revision();
    return propose(partition, new AssignmentChange.Alone(revision, node.self().number()))
        .exceptionallyCompose(
            failure -> again(failure, attempts, () -> goOnAlone(partition, attempts - 1)));
  }

  private static boolean applies(AssignmentChange change, Assignment assignment) {
    return !assignment.after(change).equals(assignment);
  }

  private CompletableFuture<Void> propose(int partition, AssignmentChange change) {
    return node.proposer().propose(List.of(new AssignmentChanged(partition, change)), null);
  }

  /** An attempt of a change. */
  private interface Attempt {
    CompletableFuture<Void> begin();
  }

  private static CompletableFuture<Void> again(Throwable failure, int attempts, Attempt next) {
    Throwable cause = Causes.of(failure);
    if (!(cause instanceof UndoneException)) {
      return CompletableFuture.failedFuture(cause);
    }
    return attempts > 1 ? next.begin() : refused("other changes came first");
  }

  private static CompletableFuture<Void> refused(String why) {
    return CompletableFuture.failedFuture(refusal(why));
  }

  private static ChannelException refusal(String why) {
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, why);
  }
}
