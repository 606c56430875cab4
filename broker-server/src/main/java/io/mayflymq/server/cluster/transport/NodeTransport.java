package io.mayflymq.server.cluster.transport;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.cluster.transport.OutgoingHandshake.Expected;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import io.mayflymq.server.tls.ReloadingTls;
import io.mayflymq.server.tls.TlsException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of a node to the other nodes of its cluster. Any thread may call.
 *
 * <p>Each node opens its own connection to each other one: its requests go there, the answers come
 * back, heartbeats in both directions tell that the other side is there. So between two nodes there
 * are two connections for requests, and each node knows by its own whether the other is reachable.
 */
public final class NodeTransport implements NodeCalls, AutoCloseable {
  private static final int BACKLOG = 1024;

  private final TransportSettings settings;
  private final EventLoops loops;
  private final PeriodicWork names;
  private final CallHandlers handlers;
  private final Acceptor acceptor;
  private final PeerReports reports;
  private final PeerSupport support;
  private final Map<String, PeerConnection> peers = new ConcurrentHashMap<>();
  private Channel listener;
  private volatile boolean closed;

  private NodeTransport(
      TransportSettings settings,
      EventLoops loops,
      BrokerThreads threads,
      LocalNode local,
      ConnectionSetup setup,
      NodeAddresses addresses) {
    this.settings = settings;
    this.loops = loops;
    names = threads.periodic("node-names");
    handlers = new CallHandlers(settings.nodeName());
    RefusalLog refusals = new RefusalLog();
    acceptor = new Acceptor(local, setup, handlers, refusals);
    reports = new PeerReports(refusals, threads.faults());
    support =
        new PeerSupport(settings.times(), addresses, new Dialer(local, setup, names), reports);
  }

  /**
   * Begins to listen. Connections to other nodes are opened when they are needed.
   *
   * @param loops the event loops that serve the connections
   * @param threads creates the thread that looks up host names
   * @param admission which nodes are let in and talked to
   * @param addresses where the others are
   * @throws StartException if the listener cannot be bound, or certificates cannot be used
   */
  public static NodeTransport start(
      TransportSettings settings,
      EventLoops loops,
      BrokerThreads threads,
      Admission admission,
      NodeAddresses addresses)
      throws StartException {
    return start(settings, VersionRange.KNOWN, loops, threads, admission, addresses);
  }

  static NodeTransport start(
      TransportSettings settings,
      VersionRange versions,
      EventLoops loops,
      BrokerThreads threads,
      Admission admission,
      NodeAddresses addresses)
      throws StartException {
    LocalNode local =
        new LocalNode(
            settings.nodeName(), settings.dataDirectory(), settings.secret(), versions, admission);
    ConnectionSetup setup = new ConnectionSetup(settings.times(), tls(settings), loops.areEpoll());
    NodeTransport transport = new NodeTransport(settings, loops, threads, local, setup, addresses);
    boolean started = false;
    try {
      transport.bind();
      started = true;
      return transport;
    } finally {
      if (!started) {
        transport.close();
      }
    }
  }

  private static ReloadingTls tls(TransportSettings settings) throws StartException {
    if (settings.tls().isEmpty()) {
      return null;
    }
    try {
      return ReloadingTls.loadForBothEnds(() -> settings.tls().get());
    } catch (TlsException e) {
      throw new SettingsException(e.getMessage(), e);
    }
  }

  private void bind() throws StartException {
    ChannelFuture binding =
        new ServerBootstrap()
            .group(loops.group())
            .channel(
                loops.areEpoll() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ConnectionSetup.WATER_MARKS)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, ConnectionSetup.receiveBuffers())
            .childHandler(acceptor)
            .bind(settings.listener().address())
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw StartException.cannotListen("cluster.listener", settings.listener(), binding.cause());
    }
    listener = binding.channel();
  }

  /** Returns where it listens, with the port that the system chose. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public CompletableFuture<byte[]> call(
      String node, CallService service, byte[] request, long timeoutMillis) {
    Call call = new Call(service, request, timeoutMillis);
    if (closed) {
      call.unreachable(node, "this node stops");
    } else if (node.equals(settings.nodeName())) {
      return handlers.answer(node, service.code(), request);
    } else {
      peer(node).call(call);
    }
    return call.answer();
  }

  private PeerConnection peer(String node) {
    return peers.computeIfAbsent(
        node, name -> new PeerConnection(name, loops.group().next(), support));
  }

  @Override
  public void serve(CallService service, CallHandler handler) {
    handlers.put(service, handler);
  }

  /** Adds a listener, which is told of changes from now on. */
  public void addListener(PeerListener added) {
    reports.add(added);
  }

  /** Returns the nodes to which there is a connection for requests, by their names. */
  public Map<String, NodeIdentity> reachable() {
    return reports.reachable();
  }

  /** Connects to a node now, and again whenever the connection is lost. */
  public void keep(String node) {
    if (!closed && !node.equals(settings.nodeName())) {
      peer(node).keep();
    }
  }

  /**
   * Closes all connections to a node and from it, and no longer connects to it by itself. A later
   * request does. Those that were opened for links are ended by {@link PeerListener listeners}.
   *
   * @param reason in one line; the node is told
   */
  public void disconnect(String node, String reason) {
    reports.disconnected(node);
    PeerConnection peer = peers.remove(node);
    if (peer != null) {
      peer.end(reason);
    }
    acceptor.close(node, reason);
  }

  /**
   * Sets what takes connections of a kind that is not for requests. They are closed as long as
   * there is nothing that takes them.
   */
  public void serve(Purpose.Kind kind, LinkAcceptor links) {
    acceptor.serve(kind, links);
  }

  /** Returns how long nodes wait for one another. */
  public TransportTimes times() {
    return settings.times();
  }

  /** Returns whether it was closed: nothing can be opened any more. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Opens a connection that is not for requests, once.
   *
   * @param loop serves the connection
   * @param result told on the loop
   */
  public void open(String node, Purpose purpose, EventLoop loop, HandshakeResult result) {
    Optional<InetSocketAddress> address = support.addresses().of(node);
    if (closed || address.isEmpty()) {
      String why = closed ? "this node stops" : "its address is not known";
      loop.execute(() -> result.failed(null, why, false));
    } else {
      support.dialer().dial(address.get(), loop, new Expected(Optional.of(node), purpose), result);
    }
  }

  /**
   * Asks who listens at an address, which may be this node itself. The connection is closed when
   * that is known. This node's {@link Admission} is not asked, the other node's is.
   *
   * @return fails with {@link NodeUnreachableException} if no node answers, or it refuses this one
   */
  public CompletableFuture<NodeIdentity> identify(InetSocketAddress address) {
    CompletableFuture<NodeIdentity> found = new CompletableFuture<>();
    support
        .dialer()
        .dial(
            address,
            loops.group().next(),
            new Expected(Optional.empty(), Purpose.CALLS),
            new HandshakeResult() {
              @Override
              public ChannelHandler established(
                  Channel channel, NodeIdentity node, int version, Purpose purpose) {
                channel.eventLoop().execute(channel::close);
                found.complete(node);
                return new CallConnection(node.name(), settings.times(), why -> {});
              }

              @Override
              public void failed(Channel channel, String reason, boolean refusal) {
                found.completeExceptionally(
                    new NodeUnreachableException(
                        "no node can be reached at %s:%d: %s"
                            .formatted(address.getHostString(), address.getPort(), reason),
                        null));
              }
            });
    return found;
  }

  /** Closes the listener and all connections. */
  @Override
  public void close() {
    closed = true;
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
    String why = "node " + settings.nodeName() + " stops";
    peers.values().forEach(peer -> peer.end(why));
    acceptor.close(null, why);
    names.close();
  }
}
