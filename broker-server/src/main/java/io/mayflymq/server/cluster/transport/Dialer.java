package io.mayflymq.server.cluster.transport;

import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.cluster.transport.OutgoingHandshake.Expected;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.ConnectException;
import java.net.InetSocketAddress;

/** Opens connections to other nodes. Any thread may call. */
final class Dialer {
  private static final String REFUSED = "Connection refused";

  private final LocalNode local;
  private final ConnectionSetup setup;
  private final PeriodicWork names;

  /**
   * Creates one.
   *
   * @param names the thread that looks up host names, as that blocks
   */
  Dialer(LocalNode local, ConnectionSetup setup, PeriodicWork names) {
    this.local = local;
    this.setup = setup;
    this.names = names;
  }

  /**
   * Connects.
   *
   * @param result told on the loop
   */
  void dial(InetSocketAddress address, EventLoop loop, Expected expected, HandshakeResult result) {
    if (address.isUnresolved()) {
      names.soon(
          "the lookup of a node's address",
          () -> {
            InetSocketAddress found =
                new InetSocketAddress(address.getHostString(), address.getPort());
            loop.execute(() -> connect(found, loop, expected, result));
          });
    } else if (loop.inEventLoop()) {
      connect(address, loop, expected, result);
    } else {
      loop.execute(() -> connect(address, loop, expected, result));
    }
  }

  private void connect(
      InetSocketAddress address, EventLoop loop, Expected expected, HandshakeResult result) {
    if (address.isUnresolved()) {
      result.failed(null, "host name '" + address.getHostString() + "' is unknown", false);
      return;
    }
    OutgoingHandshake handshake =
        new OutgoingHandshake(local, expected, result, setup.times().handshake());
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(setup.socketClass())
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, setup.times().connect())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ConnectionSetup.WATER_MARKS)
            .option(ChannelOption.RECVBUF_ALLOCATOR, ConnectionSetup.receiveBuffers())
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    setup.prepare(channel, true);
                    channel.pipeline().addLast(handshake);
                  }
                })
            .connect(address);
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            handshake.notConnected();
            String reason = reason(done.cause());
            if (reason.startsWith(REFUSED)) {
              result.connectionRefused();
            }
            result.failed(connecting.channel(), reason, false);
          }
        });
  }

  /** Netty adds the address behind the system's words, and the failed call before them. */
  private static String reason(Throwable cause) {
    Throwable original =
        cause instanceof ConnectException && cause.getCause() != null ? cause.getCause() : cause;
    String words = String.valueOf(original.getMessage());
    return words.substring(words.lastIndexOf("): ") < 0 ? 0 : words.lastIndexOf("): ") + 3);
  }
}
