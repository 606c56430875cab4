package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.cluster.membership.KnownNodes;
import io.mayflymq.server.cluster.transport.NodeTransport;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is left of nodes whose membership has ended: connections to them, and their queues. Any
 * thread may call.
 */
final class FormerMembers {
  private static final Logger LOGGER = LoggerFactory.getLogger(FormerMembers.class);
  private static final long RETRY_MILLIS = 60_000;

  private final ClusterMembers members;
  private final QueuesOfMember queues;
  private final NodeTransport transport;
  private final PeriodicWork work;

  /** The numbers of those whose connections were ended, or that were none at the start. */
  private final Set<Integer> disconnected = ConcurrentHashMap.newKeySet();

  FormerMembers(
      ClusterMembers members, QueuesOfMember queues, NodeTransport transport, PeriodicWork work) {
    this.members = members;
    this.queues = queues;
    this.transport = transport;
    this.work = work;
    former().forEach(member -> disconnected.add(member.number()));
  }

  private Stream<ClusterMember> former() {
    return members.everKnown().stream().filter(member -> !member.isMember());
  }

  /**
   * Disconnects from those whose membership has ended since the start: once, as another node may
   * have the name later.
   */
  void disconnect() {
    former()
        .filter(member -> disconnected.add(member.number()))
        .map(ClusterMember::name)
        .filter(name -> members.named(name).isEmpty())
        .forEach(name -> transport.disconnect(name, KnownNodes.end(name)));
  }

  /** Deletes the queues that they have left, as far as that was not finished before. */
  void deleteQueues() {
    Set<Integer> numbers = former().map(ClusterMember::number).collect(Collectors.toSet());
    queues
        .deleteAll(numbers)
        .exceptionally(
            failure -> {
              LOGGER.warn(
                  "queues of nodes that are no longer members are not deleted: {}",
                  Causes.of(failure).getMessage());
              work.after("deleting queues of former members", RETRY_MILLIS, this::deleteQueues);
              return null;
            });
  }
}
