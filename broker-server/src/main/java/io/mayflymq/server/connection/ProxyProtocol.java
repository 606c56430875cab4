package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.AddressFamily;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The header of HAProxy's PROXY protocol, version 1 or 2, at the beginning of a connection, before
 * TLS. A proxy tells by it who has connected to it, and where. All that asks for the addresses of a
 * connection asks SocketPeer, so the log, the API, the check of loopback users and the login
 * throttle get the address of the client and not that of the proxy.
 *
 * <p>Until the header is complete nothing else is in the pipeline. A connection that begins with
 * anything else is closed: it has not come through the proxy, or the proxy is not set up for it.
 *
 * <p>A header without addresses (LOCAL, UNKNOWN, or of Unix sockets) is for connections of the
 * proxy itself, such as its health checks; then the addresses are those of the socket.
 *
 * <p>Source: The PROXY protocol, versions 1 and 2 (haproxy.org).
 */
public final class ProxyProtocol extends ChannelInboundHandlerAdapter {
  private final ConnectionEnvironment environment;
  private final Shard home;
  private final Consumer<ChannelPipeline> then;
  private Future<?> timeout;
  private boolean refused;

  private ProxyProtocol(
      ConnectionEnvironment environment, Shard home, Consumer<ChannelPipeline> then) {
    this.environment = environment;
    this.home = home;
    this.then = then;
  }

  /**
   * Lets a new connection begin with a header. Called when its pipeline is made.
   *
   * @param home the shard on its loop
   * @param then adds the handlers of the connection, when the header is complete
   */
  public static void expect(
      Channel socket,
      ConnectionEnvironment environment,
      Shard home,
      Consumer<ChannelPipeline> then) {
    socket
        .pipeline()
        .addLast(
            new FirstBytes(),
            new HAProxyMessageDecoder(true),
            new ProxyProtocol(environment, home, then));
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    timeout =
        context
            .executor()
            .schedule(
                () -> {
                  log(context).handshakeTimedOut();
                  context.close();
                },
                environment.settings().handshakeTimeoutMillis(),
                TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof HAProxyMessage header)) {
      // What follows a header that was refused.
      ReferenceCountUtil.release(message);
      return;
    }
    try {
      if (header.command() == HAProxyCommand.PROXY && hasAddresses(header)) {
        SocketPeer.comesThroughAProxy(
            context.channel(),
            address(header.sourceAddress(), header.sourcePort()),
            address(header.destinationAddress(), header.destinationPort()));
      }
    } finally {
      header.release();
    }
    timeout.cancel(false);
    then.accept(context.pipeline());
    context.fireChannelActive();
    context.pipeline().remove(this);
  }

  private static boolean hasAddresses(HAProxyMessage header) {
    AddressFamily family = header.proxiedProtocol().addressFamily();
    return family == AddressFamily.AF_IPv4 || family == AddressFamily.AF_IPv6;
  }

  private static InetSocketAddress address(String numeric, int port) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(numeric)), port);
    } catch (UnknownHostException e) {
      throw new HAProxyProtocolException("no address: " + numeric, e);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (timeout != null) {
      timeout.cancel(false);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (refused) {
      return;
    }
    refused = true;
    if (cause instanceof HAProxyProtocolException) {
      log(context).noProxyHeader(cause.getMessage());
    } else if (cause instanceof IOException) {
      log(context).socketError(cause);
    } else {
      log(context).internalError(cause, home.faults());
    }
    context.close();
  }

  private ConnectionLog log(ChannelHandlerContext context) {
    return new ConnectionLog(context.channel(), environment.linesBeforeLogin());
  }

  /**
   * Refuses a connection at its first byte that is not one of a header. Netty's decoder waits for
   * more bytes than the header of AMQP has.
   */
  private static final class FirstBytes extends ChannelInboundHandlerAdapter {
    private static final byte[] VERSION_1 = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VERSION_2 = {
      0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
    };

    private byte[] expected;
    private int seen;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
        byte next = bytes.getByte(i);
        if (expected == null) {
          expected = next == VERSION_1[0] ? VERSION_1 : VERSION_2;
        }
        if (next != expected[seen]) {
          String what = ForeignProtocol.withoutProxyHeader(bytes);
          bytes.release();
          context.pipeline().remove(HAProxyMessageDecoder.class);
          context.fireExceptionCaught(new HAProxyProtocolException(what));
          return;
        }
        seen++;
        if (seen == expected.length) {
          context.pipeline().remove(this);
          break;
        }
      }
      context.fireChannelRead(message);
    }
  }
}
