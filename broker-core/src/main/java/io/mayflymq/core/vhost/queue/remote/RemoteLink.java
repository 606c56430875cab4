package io.mayflymq.core.vhost.queue.remote;

import io.mayflymq.core.link.LinkConnector;
import io.mayflymq.core.link.LinkFormatException;
import io.mayflymq.core.link.LinkFrame;
import io.mayflymq.core.link.LinkListener;
import io.mayflymq.core.link.LinkPort;
import io.mayflymq.core.link.LinkReader;
import io.mayflymq.core.link.LinkWriter;
import io.mayflymq.core.link.RequestKind;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueHome;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/*
 * The way from one shard to the queues of another node: all that concerns such a queue goes over one connection, so its order is kept.
 *
 * Before the connection was opened for the first time, what is to be sent waits for it. Later, while it is lost, everything fails at once: batches come back
 * as lost, requests fail, and consumers are told that they are cancelled. What was sent over an earlier connection is not answered any more, and what
 * it has delivered cannot be settled any more: the home node has put it back.
 */
/** The way from one shard to the queues of another node. On the shard only. */
final class RemoteLink implements LinkListener, QueueHome<Queue> {
  private static final int HAS_CONSEQUENCES = 1;

  private enum State {
    UNUSED,
    OPENING,
    UP,
    DOWN
  }

  private final String node;
  private final Shard shard;
  private final LinkConnector connector;
  private final LinkWriter frame = new LinkWriter();
  private final LinkNames names;
  private final OpenBatches batches = new OpenBatches();
  private final OpenRequests requests = new OpenRequests();
  private final RemoteConsumers consumers;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private State state = State.UNUSED;
  private LinkPort port;

  private record Waiting(Runnable send, Runnable lost) {}

  RemoteLink(String node, Shard shard, Partitions partitions, LinkConnector connector) {
    this.node = node;
    this.shard = shard;
    this.connector = connector;
    this.consumers =
        new RemoteConsumers(
            shard,
            new ShardCommandSender(shard, partitions, () -> {}, false),
            this::sendFrame,
            this::changeWindow);
    this.names = new LinkNames(shard, consumers, this::sendFrame);
  }

  @Override
  public String node() {
    return node;
  }

  /** Returns the consumers here of queues there. */
  RemoteConsumers consumers() {
    return consumers;
  }

  @Override
  public void send(RemoteCommands<Queue> commands) {
    whenUp(() -> sendNow(commands), commands::lost);
  }

  private void sendNow(RemoteCommands<Queue> commands) {
    names.forgetIfMany();
    names.messages().begin();
    long number = batches.add(commands);
    frame.clear().number(number).octet(commands.hasConsequences() ? HAS_CONSEQUENCES : 0);
    commands.encode(frame, names);
    port.send(LinkFrame.COMMANDS, frame);
  }

  /**
   * Asks the home node of a queue.
   *
   * @param write writes what the kind of request needs
   * @param read reads the answer
   * @return the answer; fails with 404 if the node cannot be reached
   */
  <T> CompletableFuture<T> ask(
      Queue queue, RequestKind kind, Consumer<LinkWriter> write, Function<LinkReader, T> read) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable lost = () -> answer.completeExceptionally(HomeErrors.unreachable(queue, node));
    whenUp(
        () -> {
          long of = names.queue(queue);
          frame.clear().number(requests.add(answer, read, lost)).octet(kind.code()).number(of);
          write.accept(frame);
          port.send(LinkFrame.REQUEST, frame);
        },
        lost);
    return answer;
  }

  private CompletableFuture<Void> changeWindow(RemoteConsumer consumer) {
    return ask(
        consumer.queue(),
        RequestKind.WINDOW,
        out -> out.number(consumer.number()).number(consumer.window()),
        in -> null);
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

  private void sendFrame(int type, LinkWriter body) {
    if (port != null) {
      port.send(type, body);
    }
  }

  @Override
  public void up(LinkPort opened) {
    port = opened;
    state = State.UP;
    names.begin();
    consumers.begin(opened.version());
    while (state == State.UP && !waiting.isEmpty()) {
      waiting.poll().send().run();
    }
  }

  @Override
  public void frame(int type, LinkReader body) {
    switch (type) {
      case LinkFrame.DELIVER -> consumers.deliver(body);
      case LinkFrame.RETURNED -> batches.returned(body);
      case LinkFrame.ARRIVED -> batches.arrived(body);
      case LinkFrame.ANSWER -> requests.answered(body);
      case LinkFrame.ERROR -> requests.failed(body);
      case LinkFrame.MOVED -> requests.moved(body);
      case LinkFrame.CANCELLED -> consumers.cancelled(body);
      case LinkFrame.RECALL -> consumers.recall(body);
      default -> throw new LinkFormatException("unexpected frame of type " + type);
    }
  }

  @Override
  public void writable() {
    // What is sent here is limited by those who send it.
  }

  @Override
  public void lost(String why) {
    port = null;
    state = State.DOWN;
    consumers.lost();
    batches.lost();
    requests.lost();
    while (!waiting.isEmpty()) {
      waiting.poll().lost().run();
    }
  }
}
