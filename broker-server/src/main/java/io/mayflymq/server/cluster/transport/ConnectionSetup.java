package io.mayflymq.server.cluster.transport;

import io.mayflymq.server.tls.ReloadingTls;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;

/**
 * What the connections between nodes have in common, on either side.
 *
 * @param tls null for none
 * @param epoll whether the loops are Linux's epoll
 */
record ConnectionSetup(TransportTimes times, ReloadingTls tls, boolean epoll) {
  static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

  private static final int LARGEST_READ = 256 * 1024;

  static RecvByteBufAllocator receiveBuffers() {
    return new AdaptiveRecvByteBufAllocator(512, 4096, LARGEST_READ);
  }

  Class<? extends SocketChannel> socketClass() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** Adds what comes before the handshake. */
  void prepare(Channel channel, boolean outgoing) {
    if (tls != null) {
      if (outgoing) {
        tls.encryptOutgoing(channel);
      } else {
        tls.encrypt(channel);
      }
    }
    channel.pipeline().addLast(idleHandler());
  }

  /**
   * Returns what observes whether the other side is there. It stays on one loop. Its second event
   * in a row means that the other side is lost: at the first one this loop itself may have stood
   * still, and what has arrived meanwhile is not read yet.
   */
  IdleStateHandler idleHandler() {
    int half = (times.lost() + 1) / 2;
    return new IdleStateHandler(half, times.heartbeat(), 0, TimeUnit.MILLISECONDS);
  }
}
