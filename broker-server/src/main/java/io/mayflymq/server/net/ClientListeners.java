package io.mayflymq.server.net;

import io.mayflymq.server.config.ListenerSettings;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sockets that accept one kind of clients. They can be closed for a while; the addresses stay.
 * Belongs to one thread at a time.
 */
final class ClientListeners implements AutoCloseable {
  private final String keys;
  private final ServerBootstrap bootstrap;
  private final Map<ListenerSettings, InetSocketAddress> addresses = new LinkedHashMap<>();
  private final List<Channel> open = new ArrayList<>();

  private ClientListeners(String keys, ServerBootstrap bootstrap) {
    this.keys = keys;
    this.bootstrap = bootstrap;
  }

  /**
   * Binds all of them.
   *
   * @param keys what their keys in the configuration begin with
   * @throws StartException if one cannot be bound; then none is
   */
  static ClientListeners bind(String keys, List<ListenerSettings> wanted, ServerBootstrap bootstrap)
      throws StartException {
    ClientListeners bound = new ClientListeners(keys, bootstrap);
    for (ListenerSettings listener : wanted) {
      bound.addresses.put(listener, bound.open(listener, listener.address()));
    }
    return bound;
  }

  private InetSocketAddress open(ListenerSettings listener, InetSocketAddress address)
      throws StartException {
    ChannelFuture binding = bootstrap.bind(address).awaitUninterruptibly();
    if (!binding.isSuccess()) {
      close();
      throw StartException.cannotListen(keys + listener.name(), listener, binding.cause());
    }
    open.add(binding.channel());
    return (InetSocketAddress) binding.channel().localAddress();
  }

  /** Returns where clients connect, with the ports that the system chose. */
  List<InetSocketAddress> addresses() {
    return List.copyOf(addresses.values());
  }

  /**
   * Accepts connections again, at the same addresses. Does nothing if it does.
   *
   * @throws StartException if an address is in use by now; then none is bound
   */
  void resume() throws StartException {
    if (open.isEmpty()) {
      for (Map.Entry<ListenerSettings, InetSocketAddress> listener : addresses.entrySet()) {
        open(listener.getKey(), listener.getValue());
      }
    }
  }

  /** Accepts no more connections; those that are open stay. */
  @Override
  public void close() {
    open.forEach(listener -> listener.close().awaitUninterruptibly());
    open.clear();
  }
}
