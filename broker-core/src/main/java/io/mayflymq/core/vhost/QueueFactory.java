package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueMoving;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.local.LocalEnvironment;
import io.mayflymq.core.vhost.queue.local.LocalQueue;

/**
 * Creates the queues of a virtual host.
 *
 * @param broker has the partitions
 * @param environment what the queues share
 */
record QueueFactory(Broker broker, LocalEnvironment environment) {
  /** Creates a declared queue; it is not started yet. */
  Queue create(QueueDeclared declared, ChangeOrigin origin, Topology topology) {
    Object owner = declared.queue().exclusive() ? origin.owner() : null;
    QueueIdentity identity =
        new QueueIdentity(declared.id(), declared.queue(), owner, declared.place());
    if (!broker.isHere(declared.place())) {
      return broker.cluster().orElseThrow().remote(identity, declared.place(), environment.vhost());
    }
    return LocalQueue.create(
        identity,
        broker.partitions().ofNumber(declared.place().partition()),
        topology.settingsOf(declared.queue()),
        environment,
        broker.clock().millis());
  }

  /** Creates what does the work of a replicated queue on the node that leads its partition. */
  Queue led(Queue replicated, Partition partition) {
    return LocalQueue.create(
        new QueueIdentity(
            replicated.id(),
            replicated.definition(),
            null,
            QueuePlace.replicated(replicated.replicatedPartition())),
        partition,
        environment.vhost().settingsOf(replicated.definition()),
        environment,
        partition.now());
  }

  /**
   * Returns the declaration as this node keeps it. The node that was asked has chosen a partition
   * by its own number of them; after a restart a queue of this node is looked for in the one that
   * it was really in.
   */
  QueueDeclared placed(QueueDeclared declared, Queue queue) {
    return new QueueDeclared(
        declared.vhost(), declared.queue(), declared.id(), placed(declared.place(), queue));
  }

  /** The same for where a queue is being moved to. */
  QueueMoving placed(QueueMoving moving, Queue copy) {
    return new QueueMoving(
        moving.vhost(), moving.queue(), placed(moving.to(), copy), moving.copyId());
  }

  private QueuePlace placed(QueuePlace place, Queue queue) {
    return broker.isHere(place) ? new QueuePlace(place.member(), queue.partition().index()) : place;
  }
}
