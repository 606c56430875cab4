package io.mayflymq.server.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.remote.RemoteNode;
import io.mayflymq.cluster.remote.RemoteQueue;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.cluster.transport.AnyNode;
import io.mayflymq.server.cluster.transport.ClusterSecret;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.cluster.transport.TransportSettings;
import io.mayflymq.server.cluster.transport.TransportTimes;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A node with a broker in memory, which serves its queues to others over loopback. */
final class LinkRig implements AutoCloseable {
  private static final TransportTimes PATIENT =
      new TransportTimes(60_000, 60_000, 500, 60_000, 10, 50);

  static final Map<String, InetSocketAddress> ADDRESSES = new ConcurrentHashMap<>();

  private final String name;
  final LoggedFaults faults = new LoggedFaults((what, cause) -> {});
  private final BrokerThreads threads = new BrokerThreads(faults);
  final EventLoops loops;
  final Shards shards;
  final Partitions partitions;
  final Broker broker;
  final VirtualHost vhost;
  NodeTransport transport;
  QueueLinks links;

  LinkRig(String name, int shards) throws StartException {
    this(name, shards, true);
  }

  /** A node that may not serve its queues yet. */
  LinkRig(String name, int shards, boolean serves) throws StartException {
    this.name = name;
    loops = new EventLoops(shards, threads);
    InstantSource clock = InstantSource.system();
    this.shards = new Shards(loops.all(), clock, faults);
    partitions = new Partitions(this.shards, (partition, on) -> new InMemoryStore());
    broker = new Broker(partitions, new InMemoryMetadataLog(), clock, "/");
    vhost = broker.createVirtualHost(VhostDefinition.of("/"));
    listen();
    if (serves) {
      links.serve();
    }
  }

  /** Begins to listen, or does so again; serves no queues yet. */
  void listen() throws StartException {
    InetSocketAddress before = ADDRESSES.get(name);
    transport =
        NodeTransport.start(
            new TransportSettings(
                name,
                UUID.randomUUID(),
                new ListenerSettings("c", "127.0.0.1", before == null ? 0 : before.getPort()),
                ClusterSecret.of("secret"),
                Optional.empty(),
                PATIENT),
            loops,
            threads,
            new AnyNode(),
            node -> Optional.ofNullable(ADDRESSES.get(node)));
    ADDRESSES.put(name, transport.address());
    links = new QueueLinks(transport, loops, broker);
  }

  Queue declare(String queue, FieldTable arguments) {
    vhost
        .declareQueue(
            new QueueDeclaration(
                queue, false, false, false, arguments, this, shards.get(0), false, false))
        .join();
    return vhost.routing().queue(queue);
  }

  /** Returns what stands here for a queue of another node. */
  Queue remote(Queue queue, RemoteNode node) {
    QueuePlace place = new QueuePlace(1, queue.partition().index());
    return RemoteQueue.create(
        new QueueIdentity(queue.id(), queue.definition(), null, place), place, vhost, node);
  }

  RemoteNode node(String other) {
    return new RemoteNode(other, partitions, links);
  }

  static Message message(int number, int bytes) {
    byte[] content = new byte[2 + bytes];
    content[2] = (byte) (number >> 24);
    content[3] = (byte) (number >> 16);
    content[4] = (byte) (number >> 8);
    content[5] = (byte) number;
    return new Message(
        io.mayflymq.protocol.types.ShortString.of(""),
        io.mayflymq.protocol.types.ShortString.of("q"),
        content,
        2,
        Message.NO_TTL,
        0,
        false,
        java.util.List.of());
  }

  static int number(Message message) {
    byte[] content = message.content();
    return ((content[2] & 0xff) << 24)
        | ((content[3] & 0xff) << 16)
        | ((content[4] & 0xff) << 8)
        | (content[5] & 0xff);
  }

  static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("still waiting").isLessThan(end);
      Thread.sleep(5);
    }
  }

  @Override
  public void close() {
    links.close();
    transport.close();
    loops.close();
    ADDRESSES.remove(name);
  }
}
