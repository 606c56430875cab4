package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkConnector;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import java.util.ArrayDeque;

/**
 * The way from one shard to the queues of another node: all that concerns such a queue goes over
 * one connection, so its order is kept. On the shard only.
 *
 * <p>Before the connection was opened for the first time, what is to be sent waits for it. Later,
 * while it is lost, everything fails at once: batches come back as lost, requests fail, and
 * consumers are told that they are cancelled. What was sent over an earlier connection is not
 * answered any more, and what it has delivered cannot be settled any more: the owning node has put
 * it back.
 */
final class RemoteLink implements LinkListener, QueueLink {
  private enum State {
    UNUSED,
    OPENING,
    UP,
    DOWN
  }

  private final String node;
  private final Shard shard;
  private final LinkConnector connector;
  private final LinkTraffic traffic;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private State state = State.UNUSED;

  private record Waiting(Runnable send, Runnable lost) {}

  RemoteLink(String node, Shard shard, Partitions partitions, LinkConnector connector) {
    this.node = node;
    this.shard = shard;
    this.connector = connector;
    this.traffic =
        new LinkTraffic(
            shard, partitions, this::ask, queue -> OwnerErrors.unreachable(queue, node));
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public RemoteConsumers consumers() {
    return traffic.consumers();
  }

  @Override
  public void send(RemoteCommands<Queue> commands) {
    whenUp(() -> traffic.send(traffic.batches().add(commands), commands), commands::lost);
  }

  @Override
  public void ask(LinkRequest<?> request) {
    whenUp(
        () -> traffic.send(traffic.requests().add(request), request),
        () -> traffic.requests().lose(request));
  }

  private void whenUp(Runnable send, Runnable lost) {
    switch (state) {
      case UP -> send.run();
      case DOWN -> lost.run();
      case OPENING -> waiting.add(new Waiting(send, lost));
      case UNUSED -> {
        state = State.OPENING;
        waiting.add(new Waiting(send, lost));
        connector.connect(node, shard, this);
      }
    }
  }

  @Override
  public void up(LinkPort opened) {
    state = State.UP;
    traffic.begin(opened);
    while (state == State.UP && !waiting.isEmpty()) {
      waiting.poll().send().run();
    }
  }

  @Override
  public void frame(int type, ByteReader body) {
    traffic.frame(type, body);
  }

  @Override
  public void writable() {
    // What is sent here is limited by those who send it.
  }

  @Override
  public void lost(String why) {
    state = State.DOWN;
    traffic.end();
    traffic.consumers().lost();
    traffic.batches().lost();
    traffic.requests().lose(any -> true);
    while (!waiting.isEmpty()) {
      waiting.poll().lost().run();
    }
  }
}
