package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.tracing.MessageTracer;
import java.util.concurrent.CompletableFuture;

/** What a queue needs of the virtual host that it is in. Any thread may call. */
public interface QueueHost {
  /** Returns the name of the virtual host. */
  String name();

  /** Returns the exchanges, queues and bindings of this moment. */
  RoutingTable<Queue> routing();

  /** Returns the settings of a queue by its arguments and the policies of this moment. */
  QueueSettings settingsOf(QueueDefinition queue);

  /** Returns the policies that apply to a queue at this moment. */
  EffectiveSettings byPolicies(QueueDefinition queue);

  /** Returns the nodes of a replicated partition, as this node sees them now. */
  QueueReplicas replicasOf(int partition);

  /** Returns whether all nodes of the cluster count the renewals of locks; true without one. */
  boolean countsRenewals();

  /** Returns what is told of messages, for traces; null if nothing is. */
  MessageTracer tracer();

  /** Notes that a message takes a route: exchanges with history keep it, leases are renewed. */
  void follow(Route<Queue> route, Message message);

  /** Returns the time, in ms since the epoch. */
  long nowMillis();

  /** Returns whether a name is one of direct replies, though no consumer may wait any more. */
  boolean isReplyName(String name);

  /**
   * Sends a message to the consumer that waits for direct replies to a name; drops it if none does.
   * In a burst of a shard.
   *
   * @param from the shard
   */
  void reply(Shard from, String name, Message message);

  /**
   * Removes a queue from the virtual host. Its consumers and messages stay until that is safe.
   *
   * @param actor who wants it
   * @return done when the queue is in no table any more, and that is safe
   */
  CompletableFuture<Void> remove(Queue queue, Actor actor);

  /**
   * A deleted queue cannot be brought back any more.
   *
   * @return done when that is safe
   */
  CompletableFuture<Void> forget(Queue queue);
}
