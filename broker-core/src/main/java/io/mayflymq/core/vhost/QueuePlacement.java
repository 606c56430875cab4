package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicySubject;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Decides on which node of a cluster a new queue is, or which one leads it if it is replicated. Its
 * argument {@code x-queue-leader-locator} says so; else a policy, or the configuration. An
 * exclusive queue is always on the node of its connection.
 *
 * <p>Source: RabbitMQ, "Clustering", section "Queue Leader Replica Placement".
 *
 * @param broker has the cluster
 */
record QueuePlacement(Broker broker) {
  private static final String CLIENT_LOCAL = "client-local";

  /**
   * Returns the place of a new queue.
   *
   * @param policies those of its virtual host
   * @param partition where it is if it is on this node
   * @return at once, unless a replicated partition has to be made for it
   */
  CompletableFuture<QueuePlace> of(
      QueueDefinition queue, PolicyTable policies, Partition partition) {
    return broker
        .cluster()
        .map(cluster -> of(cluster, queue, policies, partition))
        .orElseGet(() -> onMember(broker.member(), partition));
  }

  private CompletableFuture<QueuePlace> of(
      Cluster cluster, QueueDefinition queue, PolicyTable policies, Partition partition) {
    boolean isHere = queue.exclusive() || isClientLocal(queue, policies);
    return replicated(cluster, queue, isHere)
        .orElseGet(
            () -> onMember(isHere ? broker.member() : cluster.leastLoadedMember(), partition));
  }

  private static CompletableFuture<QueuePlace> onMember(int member, Partition partition) {
    return CompletableFuture.completedFuture(new QueuePlace(member, partition.index()));
  }

  private static Optional<CompletableFuture<QueuePlace>> replicated(
      Cluster cluster, QueueDefinition queue, boolean isHere) {
    return queue.settings().type() == QueueType.CLASSIC
        ? Optional.empty()
        : cluster.placeOfReplicas(QueueArguments.initialGroupSize(queue.arguments()), isHere);
  }

  private static boolean isClientLocal(QueueDefinition queue, PolicyTable policies) {
    if (queue.arguments().get(QueueArguments.QUEUE_LEADER_LOCATOR)
        instanceof FieldValue.LongString locator) {
      return locator.string().equals(CLIENT_LOCAL);
    }
    EffectiveSettings settings =
        policies.explain(
            PolicySubject.queue(queue.settings().type(), queue.name()), queue.arguments());
    return settings
        .value(PolicyKey.QUEUE_LEADER_LOCATOR)
        .or(() -> settings.value(PolicyKey.QUEUE_MASTER_LOCATOR))
        .map(locator -> locator.value().equals(CLIENT_LOCAL))
        .orElse(true);
  }
}
