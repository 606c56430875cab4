package io.mayflymq.server.net;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The threads of the broker: each is a shard's and, beside it, that of many connections. */
public final class EventLoops implements AutoCloseable {
  private final boolean epoll = Epoll.isAvailable();
  private final EventLoopGroup group;
  private final List<NettyLoop> ordered = new ArrayList<>();
  private final Map<EventLoop, NettyLoop> byLoop = new HashMap<>();

  /** Starts so many of them. */
  public EventLoops(int count) {
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group = new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory("shard"), io);
    group.forEach(
        executor -> {
          NettyLoop loop = new NettyLoop((EventLoop) executor);
          ordered.add(loop);
          byLoop.put(loop.loop(), loop);
        });
  }

  /** All of them, as the core sees them; the same order at each call. */
  public List<? extends io.mayflymq.core.runtime.EventLoop> all() {
    return ordered;
  }

  /** Whether they use Linux's epoll, and so do their channels. */
  boolean areEpoll() {
    return epoll;
  }

  EventLoopGroup group() {
    return group;
  }

  /** One of them, as the core sees it. */
  io.mayflymq.core.runtime.EventLoop of(EventLoop loop) {
    return byLoop.get(loop);
  }

  /** Stops them; what is still to be done is done within two seconds or dropped. */
  @Override
  public void close() {
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
