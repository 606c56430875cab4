package io.mayflymq.server.net;

import io.mayflymq.core.metadata.MetadataException;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.StoredMetadataLog;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Shards;
import io.mayflymq.server.config.AuthSettings;
import io.mayflymq.server.config.DefaultsSettings;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.config.TcpSettings;
import io.mayflymq.server.connection.AmqpConnection;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.connection.FrameInput;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker on its sockets: event loops, each with a shard of the queues, and listeners that
 * spread connections over them.
 */
public final class AmqpServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(AmqpServer.class);
  private static final int LARGEST_READ = 256 * 1024;
  private static final WriteBufferWaterMark WATER_MARKS =
      new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

  /** How long clients have to answer connection.close when the broker stops. */
  private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final String METADATA_FILE = "metadata.mv";

  private final MetadataLog metadata;
  private final EventLoopGroup group;
  private final ConnectionEnvironment environment;
  private final Map<io.netty.channel.EventLoop, NettyLoop> loops;
  private final List<Channel> listeners = new ArrayList<>();

  private AmqpServer(ServerSettings settings, boolean epoll, MetadataLog metadata) {
    this.metadata = metadata;
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group =
        new MultiThreadIoEventLoopGroup(settings.shards(), new DefaultThreadFactory("shard"), io);
    loops = new HashMap<>();
    group.forEach(
        executor -> {
          io.netty.channel.EventLoop loop = (io.netty.channel.EventLoop) executor;
          loops.put(loop, new NettyLoop(loop));
        });
    InstantSource clock = InstantSource.system();
    List<NettyLoop> ordered = new ArrayList<>();
    group.forEach(executor -> ordered.add(loops.get((io.netty.channel.EventLoop) executor)));
    Broker broker = new Broker(new Shards(ordered, clock), metadata, clock);
    broker.createVirtualHost(settings.defaults().vhost());
    LOGGER.info("recovered {} durable exchanges, queues and bindings", broker.recover());
    environment =
        new ConnectionEnvironment(
            broker,
            new AccessControl(defaultUsers(settings.defaults()), settings.auth().loopbackUsers()),
            mechanisms(settings.auth()),
            settings.protocol());
  }

  private static SecurityState defaultUsers(DefaultsSettings defaults) {
    Permissions permissions =
        Permissions.of(defaults.configure(), defaults.write(), defaults.read());
    return SecurityState.EMPTY
        .withUser(
            new User(
                defaults.user(),
                PasswordHash.of(defaults.password()),
                List.copyOf(defaults.tags())))
        .withPermissions(defaults.user(), defaults.vhost(), permissions);
  }

  private static List<SaslMechanism> mechanisms(AuthSettings auth) {
    List<SaslMechanism> offered = new ArrayList<>();
    for (String name : auth.mechanisms()) {
      switch (name) {
        case "PLAIN" -> offered.add(new SaslMechanism.Plain());
        case "AMQPLAIN" -> offered.add(new SaslMechanism.AmqPlain());
        case "ANONYMOUS" ->
            offered.add(
                new SaslMechanism.Anonymous(
                    new Credentials(auth.anonymousUser(), auth.anonymousPassword())));
        default -> throw new IllegalArgumentException("unknown mechanism " + name);
      }
    }
    return offered;
  }

  /**
   * Starts the event loops and binds all listeners.
   *
   * @throws StartException if one of them cannot be bound; then none is
   */
  public static AmqpServer start(ServerSettings settings) throws StartException {
    boolean epoll = Epoll.isAvailable();
    AmqpServer server = new AmqpServer(settings, epoll, openMetadata(settings));
    ServerBootstrap bootstrap = server.bootstrap(settings.tcp(), epoll);
    for (ListenerSettings listener : settings.listeners()) {
      ChannelFuture bound = bootstrap.bind(listener.address()).awaitUninterruptibly();
      if (!bound.isSuccess()) {
        server.close();
        throw StartException.cannotListen(listener, bound.cause());
      }
      server.listeners.add(bound.channel());
    }
    return server;
  }

  private static MetadataLog openMetadata(ServerSettings settings) throws StartException {
    try {
      return StoredMetadataLog.open(settings.dataDir().resolve(METADATA_FILE));
    } catch (MetadataException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private ServerBootstrap bootstrap(TcpSettings tcp, boolean epoll) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, tcp.backlog())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, tcp.nodelay())
            .childOption(ChannelOption.SO_KEEPALIVE, tcp.keepalive())
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(512, 4096, LARGEST_READ))
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new FrameInput(
                                environment,
                                environment.broker().shards().on(loops.get(channel.eventLoop()))));
                  }
                });
    tcp.sendBuffer().ifPresent(bytes -> bootstrap.childOption(ChannelOption.SO_SNDBUF, bytes));
    tcp.receiveBuffer().ifPresent(bytes -> bootstrap.childOption(ChannelOption.SO_RCVBUF, bytes));
    return bootstrap;
  }

  /** The broker and its connections. */
  public ConnectionEnvironment environment() {
    return environment;
  }

  /** Where it listens, with the ports that the system chose. */
  public List<InetSocketAddress> addresses() {
    return listeners.stream().map(c -> (InetSocketAddress) c.localAddress()).toList();
  }

  /**
   * Takes no more connections, closes those that are open with 320 CONNECTION_FORCED, and stops.
   */
  @Override
  public void close() {
    listeners.forEach(listener -> listener.close().awaitUninterruptibly());
    environment.open().forEach(AmqpConnection::shutDown);
    long deadline = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
    while (!environment.open().isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    metadata.close();
  }
}
