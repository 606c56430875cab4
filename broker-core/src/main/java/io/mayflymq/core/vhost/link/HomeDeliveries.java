package io.mayflymq.core.vhost.link;

import io.mayflymq.core.link.LinkFrame;
import io.mayflymq.core.link.LinkPort;
import io.mayflymq.core.link.LinkWriter;
import io.mayflymq.core.link.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the messages of consumers on another node: those of a burst in one frame. On the link's
 * shard, but for {@link #deliver}, {@link #cancelled} and {@link #isWritable}, which are called on
 * the shards of queues.
 */
final class HomeDeliveries implements EndOfBurstListener {
  private static final int LARGEST_FRAME = 64 * 1024;
  private static final int REDELIVERED = 1;
  private static final int ACKNOWLEDGED = 2;

  /** Takes messages back that were handed out and cannot be sent any more. */
  @FunctionalInterface
  interface Undeliverable {
    void putBack(HomeConsumer consumer, long sequence);
  }

  private record Delivery(
      HomeConsumer consumer, long sequence, Message message, boolean redelivered) {}

  private final Shard shard;
  private final LinkPort port;
  private final Undeliverable undeliverable;
  private final LinkWriter frame = new LinkWriter();
  private final MessageCodec messages = new MessageCodec();
  private final Handover[] handovers;
  private boolean waitsForEnd;
  private boolean closed;

  /**
   * Creates it for one connection.
   *
   * @param shard the link's
   * @param shards how many shards there are
   */
  HomeDeliveries(Shard shard, int shards, LinkPort port, Undeliverable undeliverable) {
    this.shard = shard;
    this.port = port;
    this.undeliverable = undeliverable;
    this.handovers = new Handover[shards];
  }

  boolean isWritable() {
    return port.isWritable();
  }

  /** Prepares for the queues of another shard. On the link's shard, before the first delivery. */
  void expectFrom(Shard other) {
    if (other != shard && handovers[other.index()] == null) {
      handovers[other.index()] = new Handover(other);
    }
  }

  void deliver(HomeConsumer consumer, long sequence, Message message, boolean redelivered) {
    Shard from = consumer.queue().shard();
    if (from == shard) {
      write(consumer, sequence, message, redelivered);
    } else {
      handovers[from.index()].add(new Delivery(consumer, sequence, message, redelivered));
    }
  }

  /** The queue of a consumer is deleted. */
  void cancelled(HomeConsumer consumer) {
    Shard from = consumer.queue().shard();
    if (from == shard) {
      writeCancelled(consumer);
    } else {
      handovers[from.index()].endOfBurst();
      shard.execute(() -> writeCancelled(consumer));
    }
  }

  private void writeCancelled(HomeConsumer consumer) {
    send(LinkFrame.CANCELLED, new LinkWriter().number(consumer.number()));
  }

  private void write(HomeConsumer consumer, long sequence, Message message, boolean redelivered) {
    if (closed) {
      if (sequence >= 0) {
        undeliverable.putBack(consumer, sequence);
      }
      return;
    }
    if (frame.size() == 0) {
      messages.begin();
    }
    if (!waitsForEnd) {
      waitsForEnd = true;
      shard.atEndOfBurst(this);
    }
    frame.number(consumer.number());
    frame.octet((redelivered ? REDELIVERED : 0) | (sequence >= 0 ? ACKNOWLEDGED : 0));
    if (sequence >= 0) {
      consumer.open().add(sequence);
      frame.number(sequence);
    }
    messages.write(frame, message);
    if (frame.size() > LARGEST_FRAME) {
      passOn();
    }
  }

  /** Sends another frame, behind the messages. */
  void send(int type, LinkWriter body) {
    if (!closed) {
      passOn();
      port.send(type, body);
    }
  }

  private void passOn() {
    if (frame.size() > 0) {
      port.send(LinkFrame.DELIVER, frame);
      frame.clear();
    }
  }

  @Override
  public void endOfBurst() {
    waitsForEnd = false;
    if (!closed) {
      passOn();
    }
  }

  /** The connection was lost: what is handed over from now on goes back to its queue. */
  void close() {
    closed = true;
    frame.clear();
  }

  /** What the queues of another shard have for this link. On that shard. */
  private final class Handover implements EndOfBurstListener {
    private final Shard from;
    private List<Delivery> collected = new ArrayList<>();

    Handover(Shard from) {
      this.from = from;
    }

    void add(Delivery delivery) {
      if (collected.isEmpty()) {
        from.atEndOfBurst(this);
      }
      collected.add(delivery);
    }

    @Override
    public void endOfBurst() {
      if (!collected.isEmpty()) {
        List<Delivery> burst = collected;
        collected = new ArrayList<>();
        shard.execute(
            () ->
                burst.forEach(
                    each ->
                        write(
                            each.consumer(), each.sequence(), each.message(), each.redelivered())));
      }
    }
  }
}
