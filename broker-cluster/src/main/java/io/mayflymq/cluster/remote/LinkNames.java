package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import java.util.HashMap;
import java.util.Map;

/** How queues, consumers and messages are named on a link. On its shard. */
final class LinkNames implements RemoteCommands.Names<Queue> {
  /** With more queues than these all numbers are taken back. */
  private static final int MOST_QUEUES = 100_000;

  /** Sends a frame. */
  @FunctionalInterface
  interface Output {
    void send(int type, ByteWriter body);
  }

  private final Shard shard;
  private final RemoteConsumers consumers;
  private final Output output;
  private final ByteWriter frame = new ByteWriter();
  private final MessageCodec messages = new MessageCodec();
  private final Map<Queue, Long> queues = new HashMap<>();

  LinkNames(Shard shard, RemoteConsumers consumers, Output output) {
    this.shard = shard;
    this.consumers = consumers;
    this.output = output;
  }

  /** A new connection begins. */
  void begin() {
    queues.clear();
  }

  @Override
  public long queue(Queue queue) {
    Long known = queues.get(queue);
    if (known != null) {
      return known;
    }
    long number = queues.size();
    queues.put(queue, number);
    output.send(
        LinkFrame.QUEUE,
        frame
            .clear()
            .number(number)
            .text(queue.vhost().name())
            .text(queue.name())
            .number(queue.id()));
    return number;
  }

  /** To be called before a frame is begun. */
  void forgetIfMany() {
    if (queues.size() > MOST_QUEUES) {
      queues.clear();
      output.send(LinkFrame.FORGET_QUEUES, frame.clear());
    }
  }

  @Override
  public long consumer(Consumer consumer, long settled) {
    return consumers.settled(consumer, settled);
  }

  @Override
  public long sequence(Consumer consumer, long sequence) {
    return consumers.atHome(sequence);
  }

  @Override
  public MessageCodec messages() {
    return messages;
  }

  @Override
  public long now() {
    return shard.now();
  }
}
