package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.deadletter.DeadLetterPublishers;
import io.mayflymq.core.vhost.partition.Partitions;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the virtual hosts of a broker share.
 *
 * @param partitions where queues are
 * @param publishers send dead letters
 * @param metadata where changes of durable things go
 * @param cluster of which the broker is a member; gives null if it is alone
 * @param clock the time
 * @param queueIds the last number that a queue was given
 * @param churn counts connections, channels and queues that are created and closed
 * @param defaultQueueType what a queue is that is declared without a type
 * @param deprecated what may be used though RabbitMQ took it away
 * @param defaults what counts for queues and exchanges where nothing else is said
 * @param measuresWaits whether it is measured how long messages wait in queues
 * @param stamps what is put into messages before they are routed; gives null for nothing
 * @param tracer what is told of messages, for traces; gives null if nothing is
 * @param limits how many objects there may be
 * @param queues how many queues there are, in all virtual hosts
 * @param exchanges how many exchanges there are, in all virtual hosts
 * @param metadataBytes how much memory exchanges, queues and bindings take, in all virtual hosts
 * @param lowOnMemory whether nothing more may be declared
 * @param events where it is told what happens
 */
record BrokerContext(
    Partitions partitions,
    DeadLetterPublishers publishers,
    MetadataLog metadata,
    Supplier<Cluster> cluster,
    InstantSource clock,
    AtomicLong queueIds,
    Churn churn,
    Supplier<QueueType> defaultQueueType,
    DeprecatedFeatures deprecated,
    Supplier<Defaults> defaults,
    BooleanSupplier measuresWaits,
    Supplier<IncomingStamps> stamps,
    Supplier<MessageTracer> tracer,
    Supplier<ObjectLimits> limits,
    IntSupplier queues,
    IntSupplier exchanges,
    LongSupplier metadataBytes,
    BooleanSupplier lowOnMemory,
    BrokerEvents events) {
  /** Returns the number of this member of the cluster. */
  int member() {
    Cluster joined = cluster.get();
    return joined == null ? QueuePlace.FIRST_MEMBER : joined.member();
  }

  /** Returns what counts for queues and exchanges of a virtual host where nothing else is said. */
  Defaults defaultsOf(VhostDefinition vhost) {
    Defaults ofBroker = defaults.get();
    return vhost.dialect().map(ofBroker::in).orElse(ofBroker);
  }

  /** Returns what decides where new queues are. */
  QueuePlacement placement() {
    return new QueuePlacement(this);
  }

  /** Returns whether a queue of this place is on this node. */
  boolean isHere(QueuePlace place) {
    return place.member() == member();
  }
}
