package io.mayflymq.server.net;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The event loops of the broker: each runs one shard and many connections. */
public final class EventLoops implements AutoCloseable {
  private final boolean epoll = Epoll.isAvailable();
  private final EventLoopGroup group;
  private final List<NettyLoop> ordered = new ArrayList<>();
  private final Map<EventLoop, NettyLoop> byLoop = new HashMap<>();
  private volatile boolean closing;

  /**
   * Starts so many of them.
   *
   * @param threads makes them; if one ends before {@link #close}, so does the process
   */
  public EventLoops(int count, BrokerThreads threads) {
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    group =
        new MultiThreadIoEventLoopGroup(
            count,
            threads.essentials(
                "shard",
                (loop, name) -> new FastThreadLocalThread(() -> run(loop, threads.faults()), name)),
            io);
    group.forEach(
        executor -> {
          NettyLoop loop = new NettyLoop((EventLoop) executor, threads.faults());
          ordered.add(loop);
          byLoop.put(loop.loop(), loop);
        });
  }

  /** Netty catches what a loop ends by, and only logs it. */
  private void run(Runnable loop, Faults faults) {
    loop.run();
    if (!closing) {
      faults.fatal("thread " + Thread.currentThread().getName(), null);
    }
  }

  /** Returns all loops, as the core sees them; in the same order at each call. */
  public List<? extends io.mayflymq.core.runtime.EventLoop> all() {
    return ordered;
  }

  /** Returns whether they use Linux's epoll, and so do their channels. */
  public boolean areEpoll() {
    return epoll;
  }

  /** Returns the loops as Netty sees them, in the order of {@link #all}. */
  public EventLoopGroup group() {
    return group;
  }

  /** Returns one of the loops, as Netty sees it. */
  public EventLoop netty(io.mayflymq.core.runtime.EventLoop loop) {
    return ((NettyLoop) loop).loop();
  }

  /** Returns one of the loops, as the core sees it. */
  public io.mayflymq.core.runtime.EventLoop of(EventLoop loop) {
    return byLoop.get(loop);
  }

  /** Stops them; what is still to be done is done within two seconds or dropped. */
  @Override
  public void close() {
    closing = true;
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
