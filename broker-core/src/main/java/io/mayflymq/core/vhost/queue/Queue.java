package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.protocol.types.ConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A queue as routing tables and connections know it: what it is, and where it is. Any thread may
 * read it, and nothing of it changes but its arguments, if another declaration is adopted, and what
 * does its work on its shard, when it is deleted. The work is done behind three interfaces:
 * commands of a batch within bursts of the queue's shard ({@link #onShard}), requests from any
 * thread ({@link #requests}), and what its virtual host does with it ({@link #lifecycle}).
 */
public final class Queue {
  /**
   * What does the work of a queue, as each of its callers sees it: on this node, or on the other
   * side of a link.
   *
   * @param onShard within bursts of its shard
   * @param requests from any thread
   * @param lifecycle for its virtual host
   * @param copying for the place that it is moved from
   */
  public record Implementation(
      ShardQueue onShard, QueueRequests requests, QueueLifecycle lifecycle, QueueCopying copying) {}

  private final QueueIdentity identity;

  /** What was declared, or adopted from a later declaration. */
  private volatile QueueDefinition definition;

  /** What becomes the definition, while that is being written; else null. */
  private volatile QueueDefinition proposed;

  /** The arguments that were declared otherwise; null if none was. */
  private volatile Set<String> kept;

  private final QueueHost vhost;
  private final Partition partition;

  /** Null for a queue that is local. */
  private final OwningNode<Queue> home;

  private final QueueRequests requests;
  private final QueueLifecycle lifecycle;
  private final QueueCopying copying;

  /** Changes on the queue's shard. */
  private ShardQueue onShard;

  /** Null as long as nothing was ever held. */
  private volatile QueueGate<Queue> gate;

  /** Null if it was never moved. */
  private List<Partition> before;

  /**
   * Creates a local queue.
   *
   * @param identity what never changes of it
   * @param vhost the virtual host that it is in
   * @param partition where it is
   * @param work makes what does the work
   */
  public Queue(
      QueueIdentity identity,
      QueueHost vhost,
      Partition partition,
      Function<Queue, Implementation> work) {
    this(identity, vhost, partition, null, work);
  }

  /**
   * Creates what stands for a queue of another node, or for a replicated one.
   *
   * @param home that node, or the one that leads it
   * @param partition has the shard that speaks to it
   */
  public Queue(
      QueueIdentity identity,
      QueueHost vhost,
      Partition partition,
      OwningNode<Queue> home,
      Function<Queue, Implementation> work) {
    this.home = home;
    this.identity = identity;
    this.definition = identity.definition();
    this.vhost = vhost;
    this.partition = partition;
    Implementation made = work.apply(this);
    this.onShard = made.onShard();
    this.requests = made.requests();
    this.lifecycle = made.lifecycle();
    this.copying = made.copying();
  }

  /** Returns the number under which its messages are kept, never given to another queue. */
  public long id() {
    return identity.id();
  }

  /** Returns the queue's name. */
  public String name() {
    return definition.name();
  }

  /** Returns what was declared. Another declaration may have changed its arguments since. */
  public QueueDefinition definition() {
    return definition;
  }

  /** Returns the same with a change that is being written. Within the lock of the virtual host. */
  public QueueDefinition proposedDefinition() {
    QueueDefinition next = proposed;
    return next == null ? definition : next;
  }

  /** Notes a change that is being written. Within the lock of the virtual host. */
  public void propose(QueueDefinition changed) {
    proposed = changed;
  }

  /** Forgets a change that could not be written. */
  public void withdraw(QueueDefinition changed) {
    if (changed.equals(proposed)) {
      proposed = null;
    }
  }

  /**
   * Has other arguments from now on; the queue lives by them when {@link ShardQueue#applyPolicies}
   * is called next.
   *
   * @param changed of the same name and type, durable, exclusive and auto-delete as before
   */
  public void redefine(QueueDefinition changed) {
    definition = changed;
    withdraw(changed);
  }

  /**
   * Notes that a declaration had another value of an argument, and the queue has kept its own. Any
   * thread may call.
   *
   * @return whether it is the first one of this argument
   */
  public boolean keeps(String argument) {
    Set<String> names = kept;
    if (names == null) {
      synchronized (this) {
        if (kept == null) {
          kept = ConcurrentHashMap.newKeySet();
        }
        names = kept;
      }
    }
    return names.add(argument);
  }

  /** Returns where it is by the metadata; see {@link QueueIdentity#place}. */
  public QueuePlace place() {
    return identity.place();
  }

  /** Returns the connection that it is exclusive to, or null. */
  public Object owner() {
    return identity.owner();
  }

  /** Returns the virtual host that it is in. */
  public QueueHost vhost() {
    return vhost;
  }

  /** Returns the partition that it is in. */
  public Partition partition() {
    return partition;
  }

  /** Returns whether it is in a replicated partition. */
  public boolean isReplicated() {
    return identity.place().isReplicated();
  }

  /**
   * Returns the number of the replicated partition that it is in, the same on all nodes.
   *
   * @throws IllegalStateException if it is not {@link #isReplicated}
   */
  public int replicatedPartition() {
    if (!isReplicated()) {
      throw new IllegalStateException(this + " is on one node");
    }
    return identity.place().partition();
  }

  /** Returns its nodes, as this one sees them now; null if it is not {@link #isReplicated}. */
  public QueueReplicas replicas() {
    return isReplicated() ? vhost.replicasOf(replicatedPartition()) : null;
  }

  /**
   * Returns whether it is a queue of this node alone: neither on another node nor replicated. What
   * does the work of a replicated queue while this node leads its partition is local, too.
   */
  public boolean isLocal() {
    return home == null;
  }

  /**
   * Returns the node that it is on: that of a replicated queue is whichever leads it, perhaps this
   * one.
   *
   * @throws IllegalStateException if it is {@link #isLocal}
   */
  public OwningNode<Queue> home() {
    if (home == null) {
      throw new IllegalStateException(this + " is local");
    }
    return home;
  }

  /**
   * Returns the queue that does the work on this node: this one if it is local, or the local one
   * behind a replicated queue while this node leads its partition. Empty if the work is done on
   * another node. Any thread may call.
   */
  public Optional<Queue> here() {
    Queue nearest = nearest();
    return nearest.isLocal() ? Optional.of(nearest) : Optional.empty();
  }

  /** Returns whether the work is done on this node. Any thread may call. */
  public boolean isHere() {
    return nearest().isLocal();
  }

  /** Returns {@link #here}, or this queue if the work is done on another node. */
  public Queue nearest() {
    return home == null ? this : home.nearest(this);
  }

  /** Returns the shard that does its work, or that speaks to the node that does. */
  public Shard shard() {
    return partition.shard();
  }

  /** Returns its names, by which stores and traces know it. */
  public QueueName storeName() {
    return new QueueName(vhost.name(), name());
  }

  /** Returns which of its messages survive a restart: all of a quorum queue, as in RabbitMQ. */
  public QueueStore.Kept kept() {
    if (definition().settings().type() == QueueType.QUORUM) {
      return QueueStore.Kept.ALL;
    }
    return definition().durable() ? QueueStore.Kept.PERSISTENT : QueueStore.Kept.NONE;
  }

  /** Returns whether it is a stream, from which nothing is taken. */
  public boolean isStream() {
    return definition().settings().type() == QueueType.STREAM;
  }

  /** Returns the error for a method that streams do not support: 540. */
  public ConnectionException streamsLack(String method) {
    return Preconditions.streamsLack(method, this);
  }

  /** Returns the queue within a burst of its shard. */
  public ShardQueue onShard() {
    return onShard;
  }

  /**
   * The queue is deleted, or at another place now. Within a burst of its shard.
   *
   * @param deleted takes what arrives for it from now on
   */
  public void setDeleted(ShardQueue deleted) {
    onShard = deleted;
  }

  /** Returns the queue for requests from any thread. */
  public QueueRequests requests() {
    return requests;
  }

  /** Returns the queue for its virtual host. */
  public QueueLifecycle lifecycle() {
    return lifecycle;
  }

  /** Returns the copy that it is until it arrives here. */
  public QueueCopying copying() {
    return copying;
  }

  // Moving

  /** Returns the gate of the queue, which is made for the first caller. Any thread may call. */
  public QueueGate<Queue> gate() {
    QueueGate<Queue> made = gate;
    if (made == null) {
      synchronized (this) {
        if (gate == null) {
          gate = new QueueGate<>();
        }
        made = gate;
      }
    }
    return made;
  }

  /** Returns whether commands for the queue are held at present. Within bursts of its shard. */
  public boolean holdsCommands() {
    QueueGate<Queue> used = gate;
    return used != null && used.holdsCommands();
  }

  /** Returns whether requests to the queue are held at present. Within bursts of its shard. */
  public boolean holdsRequests() {
    QueueGate<Queue> used = gate;
    return used != null && used.holdsRequests();
  }

  /** Notes where it was before: once, before it is in any table. */
  public void setBefore(Queue old) {
    List<Partition> places = new ArrayList<>();
    if (old.before != null) {
      places.addAll(old.before);
    }
    if (!places.contains(old.partition)) {
      places.add(old.partition);
    }
    before = List.copyOf(places);
  }

  /**
   * Returns the partitions that it was in before, as this node sees them; null if it was never
   * moved. Any thread may call.
   */
  public List<Partition> before() {
    return before;
  }

  /** See {@link QueueRequests#settings}. */
  public QueueSettings settings() {
    return requests.settings();
  }

  /** Returns the counters of what does the work on this node; else what is known of it here. */
  public Counters counters() {
    return nearest().requests.counters();
  }

  @Override
  public String toString() {
    return "queue '%s' in vhost '%s'".formatted(name(), vhost.name());
  }
}
