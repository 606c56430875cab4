package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.proof.Claim;
import io.mayflymq.core.proof.DeadLetterRoutes;
import io.mayflymq.core.proof.DeadLetterWay.Target;
import io.mayflymq.core.proof.QueueFacts;
import io.mayflymq.core.proof.QueueProof;
import io.mayflymq.core.proof.Surroundings;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.config.DurabilitySettings;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;

/** Tells what can happen to the messages of a queue, and what cannot. */
public final class ProofResource {
  private final ManagedBroker managed;
  private final boolean forces;

  public ProofResource(ManagedBroker managed, DurabilitySettings durability) {
    this.managed = managed;
    this.forces = durability.sync() == Sync.ALWAYS;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter.get("queues/{vhost}/{queue}/proof", this::proof);
  }

  private Response proof(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.parameter("queue");
    Queue queue = vhost.routing().queue(name);
    if (queue == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    } else if (queue.isStream()) {
      throw ApiException.badRequest(
          "%s is a stream: expected a classic queue or a quorum queue".formatted(queue));
    }
    return Response.ok(
        Json.object(
            "name", name,
            "vhost", vhost.name(),
            "type", queue.definition().settings().type().wireName(),
            "durable", queue.definition().durable(),
            "claims", QueueProof.of(facts(vhost, queue)).stream().map(Claim::toMap).toList()));
  }

  private QueueFacts facts(VirtualHost vhost, Queue queue) {
    DeadLetterRoutes<Queue> routes = new DeadLetterRoutes<>(vhost.routing(), Queue::name);
    String ownName = AutoDeadLetterQueue.nameOf(queue.name());
    Queue present = vhost.routing().queue(ownName);
    Target own =
        present == null || AutoDeadLetterQueue.isOf(present, queue.name())
            ? new Target(ownName, queue.definition().durable(), true, QueueSettings.DEFAULT)
            : null;
    return new QueueFacts(
        vhost.name(),
        queue.definition(),
        !AutoDeadLetterQueue.is(queue.definition()),
        vhost.policies().table(),
        settings -> routes.way(queue.name(), settings, own, target -> target(vhost, queue, target)),
        new Surroundings(
            forces,
            managed.consumerTimeoutMillis(),
            managed.broker().cluster().map(cluster -> cluster.nodes().size()).orElse(1),
            queue.isReplicated() ? queue.replicas().members().size() : 1));
  }

  private static Target target(VirtualHost vhost, Queue source, String name) {
    Queue target = vhost.routing().queue(name);
    PolicyTable policies =
        AutoDeadLetterQueue.is(target.definition()) ? PolicyTable.EMPTY : vhost.policies().table();
    return new Target(
        name,
        target.kept() != QueueStore.Kept.NONE,
        areTogether(source, target),
        policies.settingsOf(name, target.definition().arguments(), target.definition().settings()));
  }

  /** Whether one record of the log can move a message from one to the other. */
  private static boolean areTogether(Queue source, Queue target) {
    if (source.isReplicated() || target.isReplicated()) {
      return source.isReplicated()
          && target.isReplicated()
          && source.replicatedPartition() == target.replicatedPartition();
    }
    return source.isLocal()
        && target.isLocal()
        && !target.isStream()
        && source.partition() == target.partition();
  }
}
