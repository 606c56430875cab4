package io.mayflymq.cluster.metadata;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand.PartitionAssigned;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.Causes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Chooses the partitions of new replicated queues, and makes them. Any thread may call.
 *
 * <p>A queue gets the wanted leader and the nodes that follow it in the order of members. Each such
 * list of nodes has a few partitions, one for each shard that can lead one; its queues take turns
 * on them. The first of the list leads them at the beginning. After a failover other nodes lead
 * them: a queue is placed on a partition of the same nodes that the wanted node leads now, else on
 * one that it led at first.
 *
 * <p>Partitions are made when the first queue needs them, all of a list in one change, and stay: a
 * queue that is not declared after all leaves them to the next one. Two nodes that make partitions
 * at once choose the same numbers; the change that comes second is refused, and its node looks
 * again.
 */
public final class ReplicaPlacement {
  /** The partitions that the same nodes keep, with the same first leader, are at most so many. */
  private static final int MOST_PARTITIONS = 4;

  /** The members of the cluster, by their numbers, as this node sees them now. */
  public interface Nodes {
    /** Returns this node. */
    int self();

    /** Returns all members, in the order in which they have joined. */
    List<Integer> all();

    /** Returns those that new queues may be on, at least one. */
    List<Integer> candidates();

    /** Returns one with the fewest queues. */
    int leastLoaded();

    /** Returns the version of changes that all members know. */
    int version();
  }

  private final Nodes nodes;
  private final int partitionsOfList;
  private final int defaultSize;
  private final PartitionAssignments partitions;
  private final ChangeOrdering changes;
  private final Map<List<Integer>, CompletableFuture<Void>> making = new HashMap<>();
  private int turn;

  /**
   * Creates it.
   *
   * @param shards how many shards this node has
   * @param defaultSize how many replicas a queue has if its declaration does not say it
   */
  public ReplicaPlacement(
      Nodes nodes,
      int shards,
      int defaultSize,
      PartitionAssignments partitions,
      ChangeOrdering changes) {
    this.nodes = nodes;
    this.partitionsOfList = Math.min(shards, MOST_PARTITIONS);
    this.defaultSize = defaultSize;
    this.partitions = partitions;
    this.changes = changes;
  }

  /** See {@link io.mayflymq.core.vhost.Cluster#placeOfReplicas}. */
  public Optional<CompletableFuture<QueuePlace>> place(OptionalInt size, boolean leadsHere) {
    return nodes.all().size() > 1 && nodes.version() >= ChangeVersions.OF_REPLICAS
        ? Optional.of(placed(size.orElse(defaultSize), leadsHere))
        : Optional.empty();
  }

  private CompletableFuture<QueuePlace> placed(int size, boolean leadsHere) {
    List<Integer> replicas = replicas(leadsHere ? nodes.self() : nodes.leastLoaded(), size);
    List<Integer> fitting = fitting(replicas);
    return fitting.isEmpty()
        ? make(replicas).thenCompose(made -> placed(size, leadsHere))
        : CompletableFuture.completedFuture(QueuePlace.replicated(nextOf(fitting)));
  }

  private synchronized int nextOf(List<Integer> fitting) {
    return fitting.get(Math.floorMod(turn++, fitting.size()));
  }

  /**
   * Returns the nodes of a new queue: its leader and those that follow it in the order of members.
   * Nodes that can take no queue now are taken only if there are too few others.
   */
  private List<Integer> replicas(int leader, int size) {
    List<Integer> all = nodes.all();
    int first = all.indexOf(leader);
    List<Integer> following =
        IntStream.range(1, all.size()).mapToObj(i -> all.get((first + i) % all.size())).toList();
    Set<Integer> candidates = Set.copyOf(nodes.candidates());
    List<Integer> preferred = new ArrayList<>(following);
    preferred.removeIf(node -> !candidates.contains(node));
    following.stream().filter(node -> !candidates.contains(node)).forEach(preferred::add);
    List<Integer> chosen = preferred.subList(0, Math.min(size, all.size()) - 1);
    List<Integer> replicas = new ArrayList<>(List.of(leader));
    following.stream().filter(chosen::contains).forEach(replicas::add);
    return replicas;
  }

  /** Returns the numbers of the partitions for a queue with these replicas, the leader first. */
  private List<Integer> fitting(List<Integer> replicas) {
    List<Integer> led = new ArrayList<>();
    List<Integer> ledAtFirst = new ArrayList<>();
    partitions
        .ofReplicas(Set.copyOf(replicas))
        .forEach(
            (partition, assignment) -> {
              if (assignment.leader() == replicas.get(0)) {
                led.add(partition);
              }
              if (assignment.replicas().equals(replicas)) {
                ledAtFirst.add(partition);
              }
            });
    return led.isEmpty() ? ledAtFirst : led;
  }

  /**
   * Makes the partitions of a list of nodes.
   *
   * @return done when they are there, or another change came first; fails as {@link
   *     ChangeOrdering#propose}
   */
  private synchronized CompletableFuture<Void> make(List<Integer> replicas) {
    CompletableFuture<Void> begun = making.get(replicas);
    if (begun != null && !begun.isDone()) {
      return begun;
    }
    CompletableFuture<Void> made =
        changes.propose(assigned(replicas), null).exceptionallyCompose(ReplicaPlacement::lookAgain);
    making.put(replicas, made);
    return made;
  }

  private List<PartitionAssigned> assigned(List<Integer> replicas) {
    int first = partitions.nextNumber();
    Assignment assignment = Assignment.first(replicas, replicas.get(0));
    return IntStream.range(first, first + partitionsOfList)
        .mapToObj(number -> new PartitionAssigned(number, assignment))
        .toList();
  }

  private static CompletableFuture<Void> lookAgain(Throwable failure) {
    Throwable cause = Causes.of(failure);
    return cause instanceof UndoneException
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(cause);
  }
}
