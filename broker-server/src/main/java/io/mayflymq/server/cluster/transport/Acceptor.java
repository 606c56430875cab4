package io.mayflymq.server.cluster.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** Takes connections of other nodes. */
@ChannelHandler.Sharable
final class Acceptor extends ChannelInitializer<Channel> {
  private final LocalNode local;
  private final ConnectionSetup setup;
  private final CallHandlers handlers;
  private final RefusalLog refusals;
  private final UnfinishedHandshakes unfinished = new UnfinishedHandshakes();
  private final Map<String, Set<NodeFrameHandler>> established = new ConcurrentHashMap<>();
  private final Map<Purpose.Kind, LinkAcceptor> served = new ConcurrentHashMap<>();

  Acceptor(LocalNode local, ConnectionSetup setup, CallHandlers handlers, RefusalLog refusals) {
    this.local = local;
    this.setup = setup;
    this.handlers = handlers;
    this.refusals = refusals;
  }

  void serve(Purpose.Kind kind, LinkAcceptor links) {
    served.put(kind, links);
  }

  /** Closes the connections of a node, or of all nodes with null. */
  void close(String node, String why) {
    established.forEach(
        (name, connections) -> {
          if (node == null || name.equals(node)) {
            connections.forEach(each -> each.closeSoon(why));
          }
        });
  }

  @Override
  protected void initChannel(Channel channel) {
    setup.prepare(channel, false);
    Result result = new Result();
    result.handshake = new IncomingHandshake(local, result, setup.times().handshake());
    channel.pipeline().addLast(result.handshake);
    unfinished.add(result.handshake, address(channel));
  }

  /** Returns the address of the other side; null if the connection is gone already. */
  private static InetAddress address(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress remote ? remote.getAddress() : null;
  }

  private NodeFrameHandler register(
      String node, Function<Consumer<String>, NodeFrameHandler> make) {
    Set<NodeFrameHandler> connections =
        established.computeIfAbsent(node, any -> ConcurrentHashMap.newKeySet());
    NodeFrameHandler[] made = new NodeFrameHandler[1];
    made[0] = make.apply(why -> connections.remove(made[0]));
    connections.add(made[0]);
    return made[0];
  }

  private final class Result implements HandshakeResult {
    private IncomingHandshake handshake;

    @Override
    public ChannelHandler established(
        Channel channel, NodeIdentity node, int version, Purpose purpose) {
      unfinished.remove(handshake);
      refusals.established(node.name());
      if (node.name().equals(local.name())) {
        // The node has found itself; there is nothing more to say.
        channel.eventLoop().execute(channel::close);
        return new CallConnection(node.name(), setup.times(), why -> {});
      }
      if (purpose.kind() != Purpose.Kind.CALLS) {
        return link(channel, node, version, purpose);
      }
      return register(
          node.name(),
          closed -> new AnswerConnection(node.name(), handlers, setup.times(), closed));
    }

    private ChannelHandler link(Channel channel, NodeIdentity node, int version, Purpose purpose) {
      LinkAcceptor links = served.get(purpose.kind());
      if (links == null) {
        NodeFrameHandler refused =
            new AnswerConnection(node.name(), handlers, setup.times(), why -> {});
        channel
            .eventLoop()
            .execute(
                () ->
                    refused.close(
                        "node %s does not serve %s yet".formatted(local.name(), purpose.kind())));
        return refused;
      }
      NodeFrameHandler handler =
          register(node.name(), closed -> links.accept(node, version, purpose, closed));
      LoopMove.move(channel, links.loop(purpose), setup, handler::opened);
      return handler;
    }

    @Override
    public void failed(Channel channel, String reason, boolean refusal) {
      unfinished.remove(handshake);
      InetAddress from = address(channel);
      String address = from == null ? "an unknown address" : from.getHostAddress();
      Optional<NodeIdentity> claimed = handshake.claimed();
      if (claimed.isPresent()) {
        String node = claimed.get().name();
        refusals.failed(
            node,
            "a connection from node %s at %s was refused: %s".formatted(node, address, reason));
      } else {
        refusals.refused(
            address, "a connection from %s was refused: %s".formatted(address, reason));
      }
    }
  }
}
