package io.mayflymq.server.net;

import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.ServerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The listeners of the broker and the event loops behind them. */
public final class AmqpServer implements AutoCloseable {
  private final EventLoopGroup loops;
  private final List<Channel> listeners = new ArrayList<>();

  private AmqpServer(EventLoopGroup loops) {
    this.loops = loops;
  }

  /**
   * Binds all listeners.
   *
   * @throws StartException if one of them cannot be bound; then none is
   */
  public static AmqpServer start(ServerSettings settings) throws StartException {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    AmqpServer server = new AmqpServer(new MultiThreadIoEventLoopGroup(settings.shards(), io));
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(server.loops)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, settings.tcp().backlog())
            .childOption(ChannelOption.TCP_NODELAY, settings.tcp().nodelay())
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.close();
                  }
                });
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

  /** Where it listens, with the ports that the system chose. */
  public List<InetSocketAddress> addresses() {
    return listeners.stream().map(c -> (InetSocketAddress) c.localAddress()).toList();
  }

  @Override
  public void close() {
    listeners.forEach(listener -> listener.close().awaitUninterruptibly());
    loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
