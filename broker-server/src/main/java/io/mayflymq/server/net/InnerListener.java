package io.mayflymq.server.net;

import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.server.connection.OpenConnection;
import io.mayflymq.shovel.client.InnerChannel;
import io.mayflymq.shovel.client.InnerEntrance;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Where parts of this broker connect to it: a port of the loopback address that the system chooses,
 * open from the first use on. Other clients that find it need a name and a password, as everywhere.
 */
final class InnerListener implements InnerEntrance, AutoCloseable {
  private static final int SECRET_BYTES = 32;

  private final Function<List<SaslMechanism>, ServerBootstrap> bootstrap;
  private final Collection<OpenConnection> connections;
  private final byte[] secret = new byte[SECRET_BYTES];
  private Channel listener;
  private boolean closed;

  /**
   * @param bootstrap makes what listens for clients with these mechanisms
   * @param connections that are open
   */
  InnerListener(
      Function<List<SaslMechanism>, ServerBootstrap> bootstrap,
      Collection<OpenConnection> connections) {
    this.bootstrap = bootstrap;
    this.connections = connections;
  }

  @Override
  public synchronized InetSocketAddress address() throws IOException {
    if (closed) {
      throw new IOException("the broker is stopping");
    }
    if (listener == null) {
      new SecureRandom().nextBytes(secret);
      ChannelFuture binding =
          bootstrap
              .apply(List.of(new SaslMechanism.Plain(), new SaslMechanism.Inner(MECHANISM, secret)))
              .bind(InetAddress.getLoopbackAddress(), 0)
              .awaitUninterruptibly();
      if (!binding.isSuccess()) {
        throw new IOException(
            "cannot listen on the loopback address: " + binding.cause().getMessage(),
            binding.cause());
      }
      listener = binding.channel();
    }
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public byte[] secret() {
    return secret.clone();
  }

  @Override
  public InnerChannel channel(int port, int channel) throws IOException {
    InetSocketAddress peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return connections.stream()
        .filter(connection -> connection.isFrom(peer))
        .findFirst()
        .orElseThrow(() -> new IOException("the connection was lost"))
        .within(channel);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (listener != null) {
      listener.close().awaitUninterruptibly();
    }
  }
}
