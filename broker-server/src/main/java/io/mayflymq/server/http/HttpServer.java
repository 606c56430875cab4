package io.mayflymq.server.http;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of HTTP/1.1: listeners, one event loop for all connections, and the workers that answer
 * requests.
 *
 * <p>The server has its own loop, so that no HTTP request runs on a loop that serves AMQP. One loop
 * is enough: it decodes, encrypts and copies, and workers do everything else. As there is only one,
 * the state of connections needs no locks. Its buffers are not pooled: few are in use at a time,
 * and a pool would keep megabytes for a server that is mostly idle.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(HttpServer.class);
  private static final WriteBufferWaterMark WATER_MARKS =
      new WriteBufferWaterMark(64 * 1024, 128 * 1024);
  private static final int LARGEST_READ = 64 * 1024;
  private static final int BACKLOG = 1024;

  /** How long requests that are being answered may take when the server closes. */
  private static final long CLOSE_MILLIS = 5_000;

  /** The state that the connections of a server share. Its maps are used on the event loop only. */
  record Shared(
      HttpLimits limits,
      HttpService service,
      Workers workers,
      HttpConnections<HttpConnection> connections,
      BodyBuffer.Budget bodies,
      PendingResponses<HttpConnection> answers,
      Faults faults) {
    /** Creates the state without connections and answers. */
    Shared(HttpLimits limits, HttpService service, Workers workers, Faults faults) {
      this(
          limits,
          service,
          workers,
          new HttpConnections<>(limits.maxConnections()),
          new BodyBuffer.Budget(limits.maxBodies()),
          new PendingResponses<>(limits.maxAnswers(), HttpConnection::waitsForClient),
          faults);
    }

    /** Closes connections whose answers take the room that others need. */
    void makeRoom(long now) {
      for (HttpConnection other = answers.displaced(now);
          other != null;
          other = answers.displaced(now)) {
        LOGGER.debug("HTTP: a client that reads too slowly is disconnected to make room");
        other.close();
      }
    }

    /** The answer of a connection is over, so others that wait may begin. */
    void ended(HttpConnection connection, long now) {
      answers.end(connection);
      for (HttpConnection next = answers.next(now); next != null; next = answers.next(now)) {
        next.sendWaiting();
      }
    }

    /** Makes room for a connection; false if there is none. */
    boolean enter(HttpConnection connection) {
      if (connections.isFull()) {
        HttpConnection displaced = connections.displaced(HttpConnection::isStuck);
        if (displaced == null) {
          return false;
        }
        displaced.close();
      }
      connections.add(connection);
      return true;
    }
  }

  private final boolean epoll = Epoll.isAvailable();
  private final EventLoopGroup group;
  private final Shared shared;
  private final List<Channel> listeners = new ArrayList<>();
  private volatile boolean closing;

  /**
   * Creates a server without listeners.
   *
   * @param name the prefix of its threads' names
   * @param threads makes them; a request that fails by a defect is reported there
   */
  public HttpServer(String name, HttpLimits limits, HttpService service, BrokerThreads threads) {
    this.group =
        new MultiThreadIoEventLoopGroup(
            1,
            threads.essentials(
                name + "-io",
                (loop, threadName) ->
                    new FastThreadLocalThread(() -> run(loop, threads.faults()), threadName)),
            epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    this.shared =
        new Shared(
            limits, service, new Workers(limits, threads.auxiliaries(name)), threads.faults());
  }

  /** Runs a loop, and reports the exception that ends it, which Netty would only log. */
  private void run(Runnable loop, Faults faults) {
    loop.run();
    if (!closing) {
      faults.fatal("thread " + Thread.currentThread().getName(), null);
    }
  }

  /**
   * Binds an address; connections are accepted after {@link #start}.
   *
   * @param encryption puts what speaks TLS at the end of a new connection's pipeline; null for
   *     plain HTTP
   * @return the address with the port that the system chose, if it was to
   * @throws IOException if the address cannot be bound; the message is the reason only
   */
  public InetSocketAddress listen(InetSocketAddress address, Consumer<Channel> encryption)
      throws IOException {
    ChannelFuture binding =
        new ServerBootstrap()
            .group(group)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(512, 2048, LARGEST_READ))
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    initialize(channel, encryption);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!binding.isSuccess()) {
      throw new IOException(reason(binding.cause()), binding.cause());
    }
    listeners.add(binding.channel());
    return (InetSocketAddress) binding.channel().localAddress();
  }

  /**
   * Returns the reason of the system; Netty's native transport puts the failed call and its number
   * before it.
   */
  private static String reason(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return cause instanceof UnresolvedAddressException
        ? "unknown host"
        : message.substring(message.lastIndexOf(": ") + 1).strip();
  }

  private void initialize(Channel channel, Consumer<Channel> encryption) {
    HttpConnection connection = new HttpConnection(shared, encryption != null);
    channel.pipeline().addLast(new FirstBytes(encryption != null));
    if (encryption != null) {
      encryption.accept(channel);
    }
    channel
        .pipeline()
        .addLast(new StrictRequestDecoder(shared.limits(), connection::bytesCame))
        .addLast(new HttpResponseEncoder())
        .addLast(new FlowControlHandler())
        .addLast(connection);
  }

  /** Begins to accept connections. */
  public void start() {
    listeners.forEach(listener -> listener.config().setAutoRead(true));
  }

  /**
   * Accepts no more connections and requests. Requests that are being answered have five seconds to
   * complete; then all connections are closed. May be called by any thread but the server's own.
   */
  @Override
  public void close() {
    closing = true;
    listeners.forEach(listener -> listener.close().awaitUninterruptibly());
    EventLoop loop = group.next();
    CompletableFuture<Void> allEnded = new CompletableFuture<>();
    loop.execute(
        () -> {
          shared.connections().all().forEach(HttpConnection::closeAfterRequest);
          shared.connections().whenEmpty(() -> allEnded.complete(null));
        });
    try {
      allEnded.get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.info("HTTP: requests that are being answered are cut off");
    }
    loop.submit(() -> shared.connections().all().forEach(HttpConnection::close))
        .awaitUninterruptibly();
    shared.workers().close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
