package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.AdministrationEvent;
import io.mayflymq.core.metadata.MetadataCommand.PolicyCleared;
import io.mayflymq.core.metadata.MetadataCommand.QueueKept;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.TopologyEvents;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.queue.IdleLease;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Removal;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.deadletter.RedriveRegistry;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSweep;
import io.mayflymq.core.vhost.queue.local.DepartedQueues;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What follows when a change of a virtual host is in force: leases begin, queues start, counters
 * and events tell of it. Within the lock of the virtual host.
 */
final class TopologyEffects {
  private final String vhost;
  private final Broker broker;
  private final IdleLeases idle;
  private final VhostMetrics metrics;
  private final RedriveRegistry redrives;
  private final TopologyEvents events;
  private final DepartedQueues departed = new DepartedQueues();

  /** What is left of the queues after the virtual host has gone. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  TopologyEffects(
      String vhost,
      Broker broker,
      IdleLeases idle,
      VhostMetrics metrics,
      RedriveRegistry redrives) {
    this.vhost = vhost;
    this.broker = broker;
    this.idle = idle;
    this.metrics = metrics;
    this.redrives = redrives;
    this.events = new TopologyEvents(vhost, broker.auditedEvents());
  }

  void created(ExchangeDefinition exchange, IdleLease lease, ChangeOrigin origin) {
    idle.watch(exchange.name(), lease);
    if (origin.isHere()) {
      events.created(exchange, origin.actor());
    }
  }

  void created(Binding binding, IdleLease lease, RoutingTable<Queue> table, ChangeOrigin origin) {
    idle.watch(binding, lease);
    if (origin.isUse()) {
      idle.usedEnds(table, binding);
    }
    if (origin.isHere()) {
      InternalPublisher.replay(table, binding, broker.clock()::millis);
      events.created(binding, origin.actor());
    }
  }

  void created(Queue queue, ChangeOrigin origin) {
    metrics
        .queues()
        .join(
            queue.requests().counters(), VhostMetrics.kindOf(queue.definition().settings().type()));
    if (origin.isNew()) {
      queue.lifecycle().start();
    }
    if (origin.isHere()) {
      broker.churn().happened(Churn.Event.QUEUE_CREATED);
      events.created(queue.definition(), actor(queue, origin));
    }
  }

  /** A queue has other arguments. Who has asked for that on this node waits for its shard. */
  void redefined(Queue queue, QueueDefinition definition, ChangeOrigin origin) {
    FieldTable before = queue.definition().arguments();
    queue.redefine(definition);
    if (origin.isHere()) {
      broker.churn().happened(Churn.Event.QUEUE_ADOPTED);
      events.adopted(definition, before, origin.actor());
    } else {
      QueueSweep.of(List.of(queue), each -> each.onShard().applyPolicies());
    }
  }

  private static Actor actor(Queue queue, ChangeOrigin origin) {
    return AutoDeadLetterQueue.is(queue.definition()) ? Actor.BROKER : origin.actor();
  }

  /** Removing a binding is use of what it connected. */
  void unused(Removal<Queue> removal, RoutingTable<Queue> before, ChangeOrigin origin) {
    if (origin.isUse()) {
      removal.deletedBindings().forEach(binding -> idle.usedEnds(before, binding));
    }
  }

  void removed(Removal<Queue> removal, ChangeOrigin origin) {
    for (ExchangeDefinition exchange : removal.deletedExchanges()) {
      metrics.exchanges().forget(exchange.name());
      idle.forget(exchange.name());
    }
    removal.deletedBindings().forEach(idle::forget);
    if (origin.isHere()) {
      events.removed(removal, origin.actor());
    }
  }

  /** A queue is deleted, and can be brought back. */
  void goneForNow(Queue queue, QueueKept kept, Removal<Queue> removal, ChangeOrigin origin) {
    tellGone(queue, removal, origin);
    queue.lifecycle().keep(kept.deletedAtMillis());
  }

  private void tellGone(Queue queue, Removal<Queue> removal, ChangeOrigin origin) {
    removed(removal, origin);
    redrives.forget(queue);
    metrics.queues().leave(queue.requests().counters());
    if (origin.isHere()) {
      broker.churn().happened(Churn.Event.QUEUE_DELETED);
      events.deleted(queue.definition(), actor(queue, origin));
    }
  }

  void gone(Queue queue, Removal<Queue> removal, ChangeOrigin origin) {
    tellGone(queue, removal, origin);
    // The one who deletes any other queue of this node goes on with its end.
    if (AutoDeadLetterQueue.is(queue.definition()) || !origin.isHere() || !queue.isLocal()) {
      queue.lifecycle().endWithParent();
    }
  }

  // Moving

  /** A move begins. One that an earlier process has begun may be over, which is not known yet. */
  void moving(Queue queue, Queue copy, ChangeOrigin origin) {
    copy.lifecycle().awaitOutcome();
    if (!origin.isNew()) {
      queue.lifecycle().awaitOutcome();
    }
  }

  void moved(Queue old, Queue copy) {
    redrives.forget(old);
    metrics.queues().leave(old.requests().counters());
    metrics
        .queues()
        .join(copy.requests().counters(), VhostMetrics.kindOf(copy.definition().settings().type()));
    departed.add(old);
    old.lifecycle().leave(copy);
    copy.lifecycle().arrive();
  }

  void stays(Queue queue, Queue copy) {
    copy.lifecycle().discard();
    queue.lifecycle().stay();
  }

  /**
   * Returns a queue that has moved from here lately; null if there is none. Any thread may call.
   */
  Queue departed(long id) {
    return departed.get(id);
  }

  private void forget(Queue queue) {
    metrics.queues().leave(queue.requests().counters());
    broker.churn().happened(Churn.Event.QUEUE_DELETED);
  }

  void set(Policy policy, ChangeOrigin origin) {
    if (origin.isHere()) {
      broker.auditedEvents().happened(new AdministrationEvent.PolicySet(vhost, policy));
    }
  }

  void cleared(PolicyCleared cleared, ChangeOrigin origin) {
    if (origin.isHere()) {
      broker
          .auditedEvents()
          .happened(new AdministrationEvent.PolicyCleared(vhost, cleared.kind(), cleared.name()));
    }
  }

  /** The virtual host has gone, and its queues go with it. */
  void vhostDeleted(List<Queue> queues) {
    queues.forEach(this::forget);
    CompletableFuture.allOf(
            queues.stream()
                .map(queue -> queue.lifecycle().deleteWithVhost())
                .toArray(CompletableFuture<?>[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                ended.complete(null);
              } else {
                ended.completeExceptionally(failure);
              }
            });
  }

  /** Done when all queues have gone, after the virtual host was deleted. Any thread may call. */
  CompletableFuture<Void> queuesEnded() {
    return ended;
  }
}
