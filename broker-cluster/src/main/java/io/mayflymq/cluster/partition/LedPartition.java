package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.owner.ConsumerOrder;
import io.mayflymq.cluster.owner.OwnerLink;
import io.mayflymq.cluster.owner.QueueLookup;
import io.mayflymq.cluster.replication.QueueLeases;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Cluster;
import io.mayflymq.core.vhost.Cluster.Peer;
import io.mayflymq.core.vhost.KeptQueue;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * A replicated partition that this node leads. On the partition's shard, but for one method.
 *
 * <p>The queues in the routing tables are the same on all nodes, and do not change with the leader.
 * Those here do the work, and are in no table. All that clients do comes by connections of nodes,
 * this one included, so there is one way for all; and what leaves goes back by these, so there is
 * one place where it waits until it is committed ({@link CommittedPort}).
 *
 * <p>The end deletes nothing: the queues are abandoned, the connections are closed, and what is
 * under way is undone or goes on at the next leader.
 */
final class LedPartition implements QueueLookup {
  private final Broker broker;
  private final Partition partition;
  private final QueueLeases leases;
  private final BooleanSupplier mayTell;
  private final ConsumerOrder order;
  private final Map<Long, Queue> queues = new ConcurrentHashMap<>();

  /** The numbers of those that are deleted and can be brought back. */
  private final Set<Long> kept = new HashSet<>();

  private final Map<String, Side> sides = new LinkedHashMap<>();
  private boolean ended;

  /**
   * Creates it without queues.
   *
   * @param partition has the store of the messages
   * @param leases what is told to followers of the leases of its queues
   * @param mayTell whether this node may deliver what is committed now
   * @param epoch in which this node leads it
   */
  LedPartition(
      Broker broker, Partition partition, QueueLeases leases, BooleanSupplier mayTell, long epoch) {
    this.broker = broker;
    this.partition = partition;
    this.leases = leases;
    this.mayTell = mayTell;
    this.order =
        new ConsumerOrder(partition.shard(), epoch, reachable(broker.cluster().orElseThrow()));
    broker.publishers().addLed(partition);
  }

  private static List<String> reachable(Cluster cluster) {
    return cluster.nodes().stream().filter(Peer::isReachable).map(Peer::name).toList();
  }

  private Shard shard() {
    return partition.shard();
  }

  /**
   * Recovers the queues from the log, and starts them.
   *
   * @param replicated those in the routing tables
   * @param deleted those that are deleted and can be brought back
   * @return how many messages there are
   */
  long open(Collection<Queue> replicated, Collection<KeptQueue> deleted) {
    replicated.forEach(this::add);
    deleted.forEach(this::addDeleted);
    leases.begin(Set.copyOf(queues.keySet()));
    long messages =
        partition
            .store()
            .recover(
                Map.of(), // A replica's log is of no shard before.
                storeId -> {
                  Queue queue = queues.get(StoreIds.queueOf(storeId));
                  if (queue != null) {
                    queue.onShard().openHidden(storeId);
                  }
                })
            .messages();
    partition.store().recoveredForGood();
    for (Queue queue : queues.values()) {
      queue.lifecycle().order(order.of(queue));
      queue.lifecycle().start();
    }
    return messages;
  }

  private Queue add(Queue replicated) {
    return queues.computeIfAbsent(
        replicated.id(), id -> vhostOf(replicated).led(replicated, partition));
  }

  /** One that is back by now is in the tables, too. */
  private void addDeleted(KeptQueue deleted) {
    if (!queues.containsKey(deleted.id())) {
      Queue led = vhostOf(deleted.queue()).ledDeleted(deleted.queue(), partition);
      queues.put(deleted.id(), led);
      kept.add(deleted.id());
      led.lifecycle().keep(deleted.deletedAtMillis());
    }
  }

  private static VirtualHost vhostOf(Queue queue) {
    return (VirtualHost) queue.vhost();
  }

  /** A queue is declared. */
  void declared(Queue replicated) {
    if (kept.remove(replicated.id())) {
      queues.remove(replicated.id()); // It is back, and takes over what that has kept.
    }
    if (!queues.containsKey(replicated.id())) {
      add(replicated).lifecycle().start();
    }
  }

  /** A queue is being moved here: its copy serves nothing yet. */
  void awaited(Queue copy) {
    if (!queues.containsKey(copy.id())) {
      add(copy).lifecycle().awaitOutcome();
    }
  }

  /** A queue has moved here. */
  void arrived(Queue replicated) {
    Queue copy = queues.get(replicated.id());
    if (copy == null) {
      declared(replicated);
    } else {
      copy.lifecycle().arrive();
    }
  }

  /** A queue is deleted, and what it has is kept. */
  void kept(Queue replicated, long deletedAtMillis) {
    Queue gone = queues.get(replicated.id());
    leases.gone(replicated.id());
    if (gone != null && kept.add(replicated.id())) {
      vhostOf(gone).ledNoMore(gone);
      gone.lifecycle().keep(deletedAtMillis);
    }
  }

  /** A queue is deleted. */
  void deleted(Queue replicated) {
    Queue gone = queues.remove(replicated.id());
    leases.gone(replicated.id());
    if (gone != null && kept.remove(replicated.id())) {
      gone.lifecycle().forget();
    } else if (gone != null) {
      vhostOf(gone).ledNoMore(gone);
      gone.lifecycle().endWithParent();
    }
  }

  /** Returns a queue; null if it is not in the partition. Any thread may call. */
  Queue queue(long id) {
    return queues.get(id);
  }

  @Override
  public Queue find(String vhost, String name, long id) {
    return queues.get(id);
  }

  /** Numbers are not reused, so any that is not here may come. */
  @Override
  public boolean mayCome(String vhost, String name, long id) {
    return true;
  }

  // Connections of nodes

  /**
   * Returns what takes a connection of a node. It takes the place of the one before, which may be
   * lost without that being known here.
   *
   * @param node its name
   */
  LinkListener accept(String node) {
    return new Side(node);
  }

  private final class Side implements LinkListener {
    private final String node;
    private final OwnerLink home;
    private CommittedPort port;
    private boolean over;
    private boolean isToldOfStall;

    Side(String node) {
      this.node = node;
      this.home =
          new OwnerLink(
              shard(),
              broker.partitions(),
              LedPartition.this,
              partition.store().batches(),
              order.of(node));
    }

    @Override
    public void up(LinkPort connection) {
      port = new CommittedPort(connection, partition.store()::commit, mayTell);
      if (ended) {
        close("this node leads the partition no more");
        return;
      }
      Side before = sides.put(node, this);
      if (before != null) {
        before.close("node " + node + " has connected again");
      }
      home.up(port);
    }

    @Override
    public void frame(int type, ByteReader body) {
      if (!over) {
        home.frame(type, body);
      }
    }

    @Override
    public void writable() {
      if (!over) {
        home.writable();
      }
    }

    @Override
    public void lost(String why) {
      if (!over) {
        over = true;
        sides.remove(node, this);
        home.lost(why);
      }
    }

    void tell(boolean stalls) {
      if (stalls != isToldOfStall && port.version() >= LinkVersion.OF_STALLS) {
        isToldOfStall = stalls;
        port.sendNow(stalls ? LinkFrame.STALLED : LinkFrame.GOES_ON);
      }
    }

    /** What was under way goes back to its queues at once. */
    private void close(String why) {
      lost(why);
      port.close(why);
    }
  }

  /** A node has ended. */
  void ended(String name) {
    order.complete(name);
  }

  /** Tells nodes whether anything can be told to them at present; to be called regularly. */
  void tell(boolean stalls) {
    sides.values().forEach(side -> side.tell(stalls));
  }

  /** Tells what is committed, if this node may deliver now. */
  void release() {
    sides.values().forEach(side -> side.port.release());
  }

  /**
   * This node leads no more.
   *
   * @param why in one line
   */
  void end(String why) {
    ended = true;
    broker.publishers().of(partition).end();
    broker.partitions().ledNoMore(partition);
    for (Queue queue : queues.values()) {
      queue.lifecycle().abandon();
      if (!kept.contains(queue.id())) {
        vhostOf(queue).ledNoMore(queue);
      }
    }
    queues.clear();
    kept.clear();
    for (Side side : List.copyOf(sides.values())) {
      side.close("this node leads the partition no more: " + why);
    }
  }
}
