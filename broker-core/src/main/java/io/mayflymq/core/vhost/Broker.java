package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.IncomingStamps;
import io.mayflymq.core.message.SentTime;
import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.TopologyAudit;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyDefinition;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.runtime.SteadyClock;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.deadletter.DeadLetterPublishers;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSweep;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The virtual hosts of a broker, on the partitions that they share. All methods may be called by
 * any thread.
 */
public final class Broker {
  private final Partitions partitions;
  private final DeadLetterPublishers publishers;
  private final MetadataLog metadata;
  private final InstantSource clock;
  private final EventExchange events;
  private final BrokerEvents auditedEvents;
  private final AtomicLong lastQueueId = new AtomicLong();
  private final Churn churn = new Churn();
  private final DeprecatedFeatures deprecated =
      new DeprecatedFeatures(() -> this.defaults.denied());
  private final Map<String, VirtualHost> vhosts = new ConcurrentHashMap<>();
  private volatile List<Policy> policiesForVhosts = List.of();
  private volatile QueueType defaultQueueType = QueueType.CLASSIC;
  private volatile Defaults defaults = Defaults.NONE;
  private volatile boolean measuresWaits;
  private volatile IncomingStamps stamps;
  private volatile SentTime sentTime;
  private volatile MessageTracer tracer;
  private volatile Optional<Cluster> cluster = Optional.empty();
  private volatile ObjectLimits limits = ObjectLimits.NONE;
  private volatile LongSupplier administrationBytes = () -> 0;
  private volatile BooleanSupplier lowOnMemory = () -> false;

  /**
   * Creates a broker without virtual hosts.
   *
   * @param eventVhost the virtual host whose exchange {@link ExchangeDefinition#EVENT} tells what
   *     happens in the broker; null if none does
   */
  public Broker(
      Partitions partitions, MetadataLog metadata, InstantSource clock, String eventVhost) {
    this.events = new EventExchange(eventVhost, SteadyClock.following(clock).machine());
    this.auditedEvents = new TopologyAudit(events);
    this.partitions = partitions;
    this.publishers = new DeadLetterPublishers(partitions);
    this.metadata = metadata;
    this.clock = clock;
  }

  /**
   * Brings back what was kept: policies, exchanges, queues and bindings, then the messages. What
   * expired meanwhile expires now; leases start anew. Called before the first client comes.
   *
   * @param kept what the metadata log gave
   * @throws io.mayflymq.core.store.StoreException if messages cannot be read
   * @throws io.mayflymq.core.metadata.MetadataException if metadata cannot be written
   */
  public Recovered recover(List<MetadataCommand> kept) {
    Recovered recovered = restored(kept);
    startQueues();
    return recovered;
  }

  /**
   * The same for a node of a cluster, whose metadata may lack the last changes: nothing expires,
   * and what arrives for queues is held, until {@link #startQueues}.
   */
  public Recovered recoverResting(List<MetadataCommand> kept) {
    Recovered recovered = restored(kept);
    vhosts.values().forEach(VirtualHost::restRecovered);
    return recovered;
  }

  /** Starts the queues that have been recovered. Any thread may call. */
  public void startQueues() {
    vhosts.values().forEach(VirtualHost::startRecovered);
  }

  private Recovered restored(List<MetadataCommand> kept) {
    List<MetadataCommand> definitions =
        kept.stream()
            .filter(command -> !(command instanceof MetadataCommand.Administrative))
            .filter(command -> !(command instanceof MetadataCommand.Clustering))
            .toList();
    Map<Long, Integer> partitionsBefore = new HashMap<>();
    long highestQueueId = 0;
    for (MetadataCommand command : definitions) {
      if (command instanceof MetadataCommand.QueueDeclared queue) {
        if (isHere(queue.place())) {
          partitionsBefore.put(queue.id(), queue.place().partition());
        }
        highestQueueId = Math.max(highestQueueId, queue.id());
      } else if (command instanceof MetadataCommand.QueueKept deleted) {
        if (isHere(deleted.queue().place())) {
          partitionsBefore.put(deleted.queue().id(), deleted.queue().place().partition());
        }
        highestQueueId = Math.max(highestQueueId, deleted.queue().id());
      } else if (command instanceof MetadataCommand.QueueMoving move) {
        if (isHere(move.to())) {
          partitionsBefore.put(move.copyId(), move.to().partition());
        }
        highestQueueId = Math.max(highestQueueId, move.copyId());
      }
      createVirtualHost(VhostDefinition.of(command.vhost())).replay(command);
    }
    Map<Long, Queue> queues = new HashMap<>();
    vhosts
        .values()
        .forEach(
            vhost -> {
              vhost.routing().queues().forEach(queue -> queues.put(queue.id(), queue));
              vhost.copies().forEach(copy -> queues.put(copy.id(), copy));
              vhost.deletedQueues().forEach(deleted -> queues.put(deleted.id(), deleted.queue()));
            });
    long messages = 0;
    for (PartitionStore.Recovered recovered :
        partitions.onEach(
            partition ->
                partition
                    .store()
                    .recover(partitionsBefore, id -> openHidden(id, queues, partition)))) {
      messages += recovered.messages();
      highestQueueId = Math.max(highestQueueId, recovered.highestQueueId());
    }
    lastQueueId.set(highestQueueId);
    vhosts.values().forEach(vhost -> vhost.keepPartitions(partitionsBefore).join());
    partitions.onEach(
        partition -> {
          partition.store().recoveredForGood();
          return partition;
        });
    return new Recovered(definitions.size(), messages);
  }

  private static void openHidden(long storeId, Map<Long, Queue> queues, Partition partition) {
    Queue queue = queues.get(StoreIds.queueOf(storeId));
    if (queue != null && queue.partition() == partition) {
      queue.onShard().openHidden(storeId);
    }
  }

  /**
   * What was brought back.
   *
   * @param definitions how many policies, exchanges, queues and bindings
   * @param messages how many messages
   */
  public record Recovered(int definitions, long messages) {}

  /**
   * Sets what a queue is that is declared without a type, in a virtual host that has no rule for
   * that. Counts from the next declaration.
   */
  public void setDefaultQueueType(QueueType type) {
    defaultQueueType = type;
  }

  /** Returns the type of a queue that is declared without one, where a virtual host has none. */
  public QueueType defaultQueueType() {
    return defaultQueueType;
  }

  /**
   * Sets what counts for queues and exchanges where neither an argument nor a policy says anything.
   * To be called before there is any virtual host.
   */
  public void setDefaults(Defaults changed) {
    defaults = changed;
  }

  /** Returns what may be used on this node though RabbitMQ took it away, and how often it was. */
  public DeprecatedFeatures deprecatedFeatures() {
    return deprecated;
  }

  /** Returns the dialect of virtual hosts that have none of their own. */
  public Dialect dialect() {
    return defaults.dialect();
  }

  /**
   * Sets whether it is measured how long messages wait in queues. To be called before there are
   * virtual hosts.
   */
  public void setMeasuresWaits(boolean measures) {
    measuresWaits = measures;
  }

  /**
   * Sets what is put into messages before they are routed. To be called before the first client
   * comes.
   *
   * @param changed null for nothing
   */
  public void setStamps(IncomingStamps changed) {
    stamps = changed;
  }

  /**
   * Sets whether consumers are told when their messages were sent. To be called before the first
   * client comes.
   */
  public void setTellsSentTime(boolean tells) {
    sentTime = tells ? new SentTime(clock) : null;
  }

  /**
   * Sets what is told of messages, for traces. To be called before there is any virtual host.
   *
   * @param changed null if messages are not traced
   */
  public void setTracer(MessageTracer changed) {
    tracer = changed;
  }

  /**
   * Makes the broker a member of a cluster. To be called before there is any virtual host.
   *
   * @param joined agrees with the other members on each change
   */
  public void setCluster(Cluster joined) {
    cluster = Optional.of(joined);
  }

  /** Returns the cluster that the broker is a member of; empty if it is alone. */
  public Optional<Cluster> cluster() {
    return cluster;
  }

  /**
   * Carries out commands of one virtual host whose turn has come in a cluster. Any thread may call;
   * the order of the calls is the order of the changes.
   *
   * @param origin what {@link Cluster#propose} was given; null if they were requested on another
   *     node
   * @return done when they are in force; fails with {@link UndoneException} if they do not fit
   */
  public CompletableFuture<Void> apply(List<? extends MetadataCommand> commands, Object origin) {
    VirtualHost vhost = vhosts.get(commands.get(0).vhost());
    return vhost == null
        ? CompletableFuture.failedFuture(
            new UndoneException("vhost '%s' is deleted".formatted(commands.get(0).vhost())))
        : vhost.apply(commands, origin == null ? ChangeOrigin.ELSEWHERE : (ChangeOrigin) origin);
  }

  /**
   * Returns how long an exchange or binding lasts by the use that this node has seen, for another
   * node, on which its {@code x-expires} has ended.
   *
   * @param deletion what would delete it
   * @return in ms; 0 if it may be deleted
   */
  public long leaseMillis(MetadataCommand deletion) {
    VirtualHost vhost = vhosts.get(deletion.vhost());
    return vhost == null ? 0 : vhost.leaseMillis(deletion);
  }

  /** Returns the last number that a queue was given. */
  public long lastQueueId() {
    return lastQueueId.get();
  }

  /** Sets how many objects there may be. Applies to what is declared from now on. */
  public void setLimits(ObjectLimits changed) {
    limits = changed;
  }

  /** Returns how many objects there may be. */
  public ObjectLimits limits() {
    return limits;
  }

  /**
   * Sets what says whether memory is low: then exchanges, queues and bindings are refused that are
   * not there. Called by any thread, often.
   */
  public void setLowOnMemory(BooleanSupplier asked) {
    lowOnMemory = asked;
  }

  /**
   * Sets what says how much memory administrative definitions take, which count among the metadata.
   */
  public void countAdministration(LongSupplier bytes) {
    administrationBytes = bytes;
  }

  /** Returns how much memory all metadata take, about, in bytes. */
  public long metadataBytes() {
    return routingBytes() + administrationBytes.getAsLong();
  }

  /** Returns how much memory exchanges, queues and bindings take, about, in bytes. */
  public long routingBytes() {
    return vhosts.values().stream().mapToLong(vhost -> vhost.routing().metadataBytes()).sum();
  }

  /** Returns how many queues there are, in all virtual hosts. */
  public int queueCount() {
    return vhosts.values().stream().mapToInt(vhost -> vhost.routing().queueCount()).sum();
  }

  /** Returns how many exchanges there are, in all virtual hosts. */
  public int exchangeCount() {
    return vhosts.values().stream().mapToInt(vhost -> vhost.routing().exchangeCount()).sum();
  }

  /** Returns the shards that do the work of the queues. */
  public Shards shards() {
    return partitions.shards();
  }

  /** Returns what sends the dead letters of partitions. */
  public DeadLetterPublishers publishers() {
    return publishers;
  }

  /** Returns the partitions that queues are in. */
  public Partitions partitions() {
    return partitions;
  }

  /** Makes sure that a virtual host exists; one that does stays as it is. */
  public VirtualHost createVirtualHost(VhostDefinition definition) {
    return createVirtualHost(definition, List.of());
  }

  /** The same; one that does not exist begins with these policies. */
  public VirtualHost createVirtualHost(VhostDefinition definition, List<Policy> policies) {
    return vhosts.computeIfAbsent(
        definition.name(),
        absent -> {
          VirtualHost vhost = new VirtualHost(definition, events.predeclaredIn(absent), this);
          policies.forEach(policy -> vhost.replay(new MetadataCommand.PolicySet(absent, policy)));
          events.created(vhost);
          return vhost;
        });
  }

  /**
   * Sets the policies for many virtual hosts, in place of those that there were. Each virtual host
   * has those that are for it, also one that comes later. Exchanges and queues live by them some
   * time later. One thread at a time.
   */
  public void setPoliciesForVhosts(List<Policy> changed) {
    policiesForVhosts = List.copyOf(changed);
    vhosts.values().forEach(vhost -> vhost.policies().use(() -> policiesFor(vhost.name())));
  }

  /** Returns the policies for many virtual hosts that are for this one. */
  List<Policy> policiesFor(String vhost) {
    return policiesForVhosts.stream().filter(policy -> policy.isForVhost(vhost)).toList();
  }

  /**
   * Checks that a policy sets nothing that RabbitMQ took away and that may not be used.
   *
   * @throws io.mayflymq.protocol.types.ChannelException 406 if it does
   */
  public void requirePermitted(PolicyDefinition definition) {
    VhostPolicies.requirePermitted(definition, deprecated);
  }

  /** Takes out a virtual host that was deleted ({@link VirtualHost#delete}). */
  public void forget(VirtualHost vhost) {
    vhosts.remove(vhost.name(), vhost);
  }

  /** All virtual hosts of this moment, in no particular order. */
  public List<VirtualHost> virtualHosts() {
    return List.copyOf(vhosts.values());
  }

  /** Has queues that rest give memory back. To be called now and then, by any thread. */
  public void trimMemory() {
    vhosts
        .values()
        .forEach(
            vhost ->
                QueueSweep.of(vhost.routing().queues(), queue -> queue.onShard().trimMemory()));
  }

  /** How many connections, channels and queues were created and closed. */
  public Churn churn() {
    return churn;
  }

  /** Where it is told what happens. */
  public BrokerEvents events() {
    return events;
  }

  /** The virtual host of this name, or null. */
  public VirtualHost virtualHost(String name) {
    return vhosts.get(name);
  }

  /**
   * Returns what new things in a virtual host must keep to, for a check before they are declared:
   * no use of what is deprecated counts.
   *
   * @param vhost what it is, or will be
   */
  public DeclarationRules rulesBefore(VhostDefinition vhost) {
    return rulesOf(vhost, deprecated.uncounted());
  }

  // For its virtual hosts

  /** Returns what counts for queues and exchanges of a virtual host where nothing else is said. */
  Defaults defaultsOf(VhostDefinition vhost) {
    Defaults ofBroker = defaults;
    return vhost.dialect().map(ofBroker::in).orElse(ofBroker);
  }

  /** Returns what new things in a virtual host must keep to; uses of what is deprecated count. */
  DeclarationRules rulesOf(VhostDefinition vhost) {
    return rulesOf(vhost, deprecated);
  }

  private DeclarationRules rulesOf(VhostDefinition vhost, DeprecatedFeatures counting) {
    return new DeclarationRules(
        vhost.name(),
        QueueType.ofWireName(vhost.defaultQueueType()).orElse(defaultQueueType),
        defaultsOf(vhost),
        counting);
  }

  /** Returns where changes of durable things go. */
  MetadataLog metadata() {
    return metadata;
  }

  /** Returns the time. */
  InstantSource clock() {
    return clock;
  }

  /** Returns the number of a new queue. */
  long nextQueueId() {
    return lastQueueId.incrementAndGet();
  }

  /** Returns whether it is measured how long messages wait in queues. */
  boolean measuresWaits() {
    return measuresWaits;
  }

  /** Returns what is put into messages before they are routed; null for nothing. */
  IncomingStamps stamps() {
    return stamps;
  }

  /** Returns what tells consumers when their messages were sent; null if they are not told. */
  SentTime sentTime() {
    return sentTime;
  }

  /** Returns what is told of messages, for traces; null if nothing is. */
  MessageTracer tracer() {
    return tracer;
  }

  /** Returns whether nothing more may be declared, as memory is low. */
  public boolean isLowOnMemory() {
    return lowOnMemory.getAsBoolean();
  }

  /** Returns where it is told what happens to exchanges, queues and the like. */
  BrokerEvents auditedEvents() {
    return auditedEvents;
  }

  /** Returns the number of this member of the cluster. */
  int member() {
    return cluster.map(Cluster::member).orElse(QueuePlace.FIRST_MEMBER);
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
