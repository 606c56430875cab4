package io.mayflymq.server.net;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.config.AuthSettings;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.config.TcpSettings;
import io.mayflymq.server.connection.AmqpConnectionHandler;
import io.mayflymq.server.connection.ConnectionEnvironment;
import io.mayflymq.server.connection.OpenConnection;
import io.mayflymq.server.connection.ProxyProtocol;
import io.mayflymq.server.tls.ReloadingTls;
import io.mayflymq.server.tls.TlsException;
import io.mayflymq.shovel.client.InnerEntrance;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The broker on its sockets: listeners that spread connections over the event loops. */
public final class AmqpServer implements AutoCloseable {
  private static final int LARGEST_READ = 256 * 1024;
  private static final WriteBufferWaterMark WATER_MARKS =
      new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

  /** How long clients have to answer connection.close when the broker stops: a few round trips. */
  private static final long CLOSE_OK_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** How long the remaining connections may take to end after their sockets are closed. */
  private static final long HANG_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final String SHUTDOWN = "broker forced connection closure with reason 'shutdown'";

  private final EventLoops loops;
  private final ConnectionEnvironment environment;
  private final MaintenanceMode maintenance;
  private final InnerListener inner;

  // Set once, at the start.
  private ClientListeners plain;
  private ClientListeners encrypted;

  /** Removes the listener for changes of the configuration. */
  private Runnable forget = () -> {};

  private AmqpServer(
      LiveConfiguration configuration, EventLoops loops, Served served, AuthChain logins) {
    this.loops = loops;
    environment =
        new ConnectionEnvironment(
            served.broker(),
            served.accessControl(),
            logins,
            served.sessions(),
            mechanisms(configuration.settings().auth()),
            () -> configuration.settings().protocol(),
            served.alarms(),
            served.parameters());
    served.sessions().setLimitsListener(environment.rates());
    maintenance = new MaintenanceMode(this, served.broker()::cluster);
    inner =
        new InnerListener(
            mechanisms ->
                bootstrap(
                    configuration.settings().tcp(),
                    false,
                    channel -> begin(channel, environment.offering(mechanisms), null)),
            environment.open());
    served
        .alarms()
        .addListener(
            new Alarms.Listener() {
              @Override
              public void lastCleared() {
                environment.open().forEach(OpenConnection::alarmsCleared);
              }
            });
  }

  private static List<SaslMechanism> mechanisms(AuthSettings auth) {
    List<SaslMechanism> offered = new ArrayList<>();
    for (String name : auth.mechanisms()) {
      switch (name) {
        case "PLAIN" -> offered.add(new SaslMechanism.Plain());
        case "AMQPLAIN" -> offered.add(new SaslMechanism.AmqPlain());
        case "EXTERNAL" -> offered.add(new SaslMechanism.External(auth.certificateLogin()));
        case "ANONYMOUS" ->
            offered.add(
                new SaslMechanism.Anonymous(
                    new Credentials(auth.anonymousUser(), auth.anonymousPassword())));
        default -> throw new IllegalArgumentException("unknown mechanism " + name);
      }
    }
    return offered;
  }

  /** What connections need: the broker, access control, alarms and global parameters. */
  public record Served(
      Broker broker,
      AccessControl accessControl,
      Sessions sessions,
      Alarms alarms,
      GlobalParameters parameters) {}

  /**
   * Binds all listeners.
   *
   * @param loops the event loops of connections
   * @param served the broker that they connect to
   * @param logins by what users log in
   * @throws StartException if one of them cannot be bound; then none is
   */
  public static AmqpServer start(
      LiveConfiguration configuration, EventLoops loops, Served served, AuthChain logins)
      throws StartException {
    ServerSettings settings = configuration.settings();
    ReloadingTls tls = tls(configuration);
    AmqpServer server = new AmqpServer(configuration, loops, served, logins);
    if (tls != null) {
      server.forget = configuration.onChange(changed -> tls.look());
    }
    boolean started = false;
    try {
      server.plain =
          ClientListeners.bind(
              "listeners.tcp.", settings.listeners(), server.clients(settings.tcp(), null));
      server.encrypted =
          ClientListeners.bind(
              "listeners.ssl.", settings.tlsListeners(), server.clients(settings.tcp(), tls));
      started = true;
      return server;
    } finally {
      if (!started) {
        server.close();
      }
    }
  }

  private static ReloadingTls tls(LiveConfiguration configuration) throws StartException {
    if (configuration.settings().tlsListeners().isEmpty()) {
      return null;
    }
    try {
      return ReloadingTls.load(() -> configuration.settings().tls());
    } catch (TlsException e) {
      throw new SettingsException(e.getMessage(), e);
    }
  }

  private ServerBootstrap clients(TcpSettings tcp, ReloadingTls tls) {
    return bootstrap(tcp, tcp.proxyProtocol(), channel -> begin(channel, environment, tls));
  }

  private ServerBootstrap bootstrap(TcpSettings tcp, boolean behindProxy, Consumer<Channel> begin) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops.group())
            .channel(
                loops.areEpoll() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
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
                    if (behindProxy) {
                      ProxyProtocol.expect(
                          channel, environment, home(channel), header -> begin.accept(channel));
                    } else {
                      begin.accept(channel);
                    }
                  }
                });
    tcp.sendBuffer().ifPresent(bytes -> bootstrap.childOption(ChannelOption.SO_SNDBUF, bytes));
    tcp.receiveBuffer().ifPresent(bytes -> bootstrap.childOption(ChannelOption.SO_RCVBUF, bytes));
    return bootstrap;
  }

  private void begin(Channel channel, ConnectionEnvironment served, ReloadingTls tls) {
    if (tls != null) {
      tls.encrypt(channel);
    }
    channel.pipeline().addLast(new AmqpConnectionHandler(served, home(channel)));
  }

  private Shard home(Channel channel) {
    return environment.broker().shards().on(loops.of(channel.eventLoop()));
  }

  /** Returns the broker and its connections. */
  public ConnectionEnvironment environment() {
    return environment;
  }

  /** Returns how parts of the broker connect to it. */
  public InnerEntrance inner() {
    return inner;
  }

  /** Returns what puts the node into maintenance mode. */
  public MaintenanceMode maintenance() {
    return maintenance;
  }

  /** Returns where it listens, with the ports that the system chose. */
  public List<InetSocketAddress> addresses() {
    return plain.addresses();
  }

  /** Returns where it listens for clients that speak TLS. */
  public List<InetSocketAddress> tlsAddresses() {
    return encrypted.addresses();
  }

  /** Accepts no more connections; those that are open stay. Any thread of the API may call. */
  public synchronized void suspendListeners() {
    Stream.of(plain, encrypted).filter(Objects::nonNull).forEach(ClientListeners::close);
  }

  /**
   * Accepts connections again. Any thread of the API may call.
   *
   * @throws StartException if an address is in use by now
   */
  public synchronized void resumeListeners() throws StartException {
    plain.resume();
    encrypted.resume();
  }

  /**
   * Closes all connections with 320 CONNECTION_FORCED. The socket of a client that does not answer
   * in time is closed, so that clients cannot delay this.
   *
   * @param reason the text that clients are told
   */
  void closeConnections(String reason) {
    environment.open().forEach(connection -> connection.forceClose(reason));
    if (!awaitNoneOpen(CLOSE_OK_NANOS)) {
      environment.open().forEach(OpenConnection::hangUp);
      awaitNoneOpen(HANG_UP_NANOS);
    }
  }

  /** Accepts no more connections, and closes those that are open. */
  @Override
  public void close() {
    forget.run();
    inner.close();
    suspendListeners();
    closeConnections(SHUTDOWN);
  }

  /** Accepts no more connections, and closes the sockets of those that are open. */
  public void hangUp() {
    suspendListeners();
    dropConnections();
  }

  /** Closes the sockets of all connections, and returns when that is done. */
  public void dropConnections() {
    environment.open().forEach(OpenConnection::hangUp);
    awaitNoneOpen(HANG_UP_NANOS);
  }

  private boolean awaitNoneOpen(long patienceNanos) {
    long start = System.nanoTime();
    while (!environment.open().isEmpty()) {
      if (System.nanoTime() - start > patienceNanos) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
