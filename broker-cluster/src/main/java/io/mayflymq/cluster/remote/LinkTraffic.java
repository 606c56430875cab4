package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import io.mayflymq.protocol.types.ChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What goes over the connections of a link, one after the other: the frames in both directions, and
 * what is open between them. When it is sent, and what becomes of it with a connection, is the
 * link's to say. On the link's shard.
 */
final class LinkTraffic {
  private static final int HAS_CONSEQUENCES = 1;

  private final ByteWriter frame = new ByteWriter();
  private final LinkNames names;
  private final OpenBatches batches = new OpenBatches();
  private final OpenRequests requests;
  private final RemoteConsumers consumers;
  private final Consumer<LinkRequest<?>> ask;
  private LinkPort port;

  /**
   * Creates it without a connection.
   *
   * @param ask asks a queue for a consumer
   * @param unreachable returns the error for a queue that cannot be asked
   */
  LinkTraffic(
      Shard shard,
      Partitions partitions,
      Consumer<LinkRequest<?>> ask,
      Function<Queue, ChannelException> unreachable) {
    this.ask = ask;
    this.requests = new OpenRequests(unreachable);
    this.consumers =
        new RemoteConsumers(
            shard,
            new ShardCommandSender(shard, partitions, () -> {}, false),
            this::sendFrame,
            this::changeWindow);
    this.names = new LinkNames(shard, consumers, this::sendFrame);
  }

  OpenBatches batches() {
    return batches;
  }

  OpenRequests requests() {
    return requests;
  }

  RemoteConsumers consumers() {
    return consumers;
  }

  private CompletableFuture<Void> changeWindow(RemoteConsumer consumer) {
    LinkRequest<Void> request =
        new LinkRequest<>(
            consumer.queue(),
            RequestKind.WINDOW,
            out -> out.number(consumer.number()).number(consumer.window()),
            in -> null);
    ask.accept(request);
    return request.answer();
  }

  /** A connection begins. */
  void begin(LinkPort opened) {
    port = opened;
    names.begin();
    consumers.begin(opened.version());
  }

  /** The connection has ended; what is open stays so. */
  void end() {
    port = null;
  }

  /** Returns the present connection; null if there is none. */
  LinkPort port() {
    return port;
  }

  private void sendFrame(int type, ByteWriter body) {
    if (port != null) {
      port.send(type, body);
    }
  }

  /** Sends an open batch. One that cannot be written throws, and is open no more. */
  void send(long number, RemoteCommands<Queue> commands) {
    names.forgetIfMany();
    names.messages().begin();
    try {
      frame.clear().number(number).octet(commands.hasConsequences() ? HAS_CONSEQUENCES : 0);
      commands.encode(frame, names);
    } catch (RuntimeException e) {
      batches.remove(number);
      throw e;
    }
    sendFrame(LinkFrame.COMMANDS, frame);
  }

  /** The same for an open request. */
  void send(long number, LinkRequest<?> request) {
    try {
      request.write(number, names, frame);
    } catch (RuntimeException e) {
      requests.remove(number);
      throw e;
    }
    sendFrame(LinkFrame.REQUEST, frame);
  }

  /** A frame has arrived by the connection. */
  void frame(int type, ByteReader body) {
    switch (type) {
      case LinkFrame.DELIVER -> consumers.deliver(body);
      case LinkFrame.RETURNED -> batches.returned(body);
      case LinkFrame.ARRIVED -> batches.arrived(body);
      case LinkFrame.ANSWER -> requests.answered(body);
      case LinkFrame.ERROR -> requests.failed(body);
      case LinkFrame.MOVED -> requests.moved(body);
      case LinkFrame.CANCELLED -> consumers.cancelled(body);
      case LinkFrame.RECALL -> consumers.recall(body);
      case LinkFrame.ACTIVE -> consumers.active(body);
      default -> throw new ByteFormatException("unexpected frame of type " + type);
    }
  }
}
