package io.mayflymq.server.cluster;

import io.mayflymq.core.metadata.ClusterMember;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Which members are gone: those that could not be reached at two looks in a row. The leader deletes
 * what was there only as long as their processes. Belongs to one thread.
 */
final class AbsentNodes {
  private final BooleanSupplier leads;
  private final Supplier<Collection<ClusterMember>> members;
  private final Supplier<Set<String>> reachable;
  private final QueuesOfMember queues;
  private Set<String> absentBefore = Set.of();

  /** Those whose queues were deleted since they were last there. */
  private final Set<String> done = new HashSet<>();

  /**
   * @param leads whether this node is the leader
   * @param members all other members
   * @param reachable the names of the nodes that can be reached
   */
  AbsentNodes(
      BooleanSupplier leads,
      Supplier<Collection<ClusterMember>> members,
      Supplier<Set<String>> reachable,
      QueuesOfMember queues) {
    this.leads = leads;
    this.members = members;
    this.reachable = reachable;
    this.queues = queues;
  }

  /** Looks again; to be called every few seconds. */
  void look() {
    Set<String> there = reachable.get();
    Set<String> absent = new HashSet<>();
    for (ClusterMember member : members.get()) {
      String name = member.name();
      if (there.contains(name)) {
        done.remove(name);
        continue;
      }
      absent.add(name);
      if (absentBefore.contains(name) && leads.getAsBoolean() && done.add(name)) {
        queues.deleteTransient(member.number());
      }
    }
    absentBefore = absent;
  }
}
