package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.DeliveryCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends the messages of consumers on another node: those of a burst in one frame. On the link's
 * shard, but for {@link #deliver}, {@link #sendBehind}, {@link #isWritable} and {@link #haveTimes},
 * which are called on the shards of queues.
 */
final class OwnerDeliveries implements EndOfBurstListener {
  private static final int LARGEST_FRAME = 64 * 1024;

  /** Takes messages back that were handed out and cannot be sent any more. */
  @FunctionalInterface
  interface Undeliverable {
    void putBack(OwnerConsumer consumer, long sequence);
  }

  private record Delivery(
      OwnerConsumer consumer,
      long sequence,
      Message message,
      boolean redelivered,
      long deadlineMillis) {}

  private final Shard shard;
  private final LinkPort port;
  private final Undeliverable undeliverable;
  private final ByteWriter frame = new ByteWriter();
  private final DeliveryCodec deliveries;
  private final Handover[] handovers;
  private boolean waitsForEnd;

  /** Read on the shards of queues, too. */
  private volatile boolean closed;

  /**
   * Creates it for one connection.
   *
   * @param shard the link's
   * @param shards how many shards there are
   */
  OwnerDeliveries(Shard shard, int shards, LinkPort port, Undeliverable undeliverable) {
    this.shard = shard;
    this.port = port;
    this.undeliverable = undeliverable;
    this.deliveries = new DeliveryCodec(port.version());
    this.handovers = new Handover[shards];
  }

  boolean isWritable() {
    return !closed && port.isWritable();
  }

  /** Returns whether the other node is told how long messages may be delivered. */
  boolean haveTimes() {
    return port.version() >= LinkVersion.OF_DEADLINES;
  }

  /** Returns whether the other node knows ranks of consumers. */
  boolean haveRanks() {
    return port.version() >= LinkVersion.OF_RANKS;
  }

  /** Prepares for the queues of another shard. On the link's shard, before the first delivery. */
  void expectFrom(Shard other) {
    if (other != shard && handovers[other.index()] == null) {
      handovers[other.index()] = new Handover(other);
    }
  }

  /**
   * Delivers a message.
   *
   * @param deadlineMillis when it expires, in ms since the epoch
   */
  void deliver(
      OwnerConsumer consumer,
      long sequence,
      Message message,
      boolean redelivered,
      long deadlineMillis) {
    Shard from = consumer.queue().shard();
    if (from == shard) {
      write(consumer, sequence, message, redelivered, deadlineMillis);
    } else {
      handovers[from.index()].add(
          new Delivery(consumer, sequence, message, redelivered, deadlineMillis));
    }
  }

  /** Sends a frame with the number of a consumer, behind what was delivered to it. */
  void sendBehind(OwnerConsumer consumer, int type) {
    Shard from = consumer.queue().shard();
    if (from == shard) {
      sendNumber(consumer, type);
    } else {
      handovers[from.index()].endOfBurst();
      shard.execute(() -> sendNumber(consumer, type));
    }
  }

  private void sendNumber(OwnerConsumer consumer, int type) {
    send(type, new ByteWriter().number(consumer.number()));
  }

  private static PartitionTime timeOf(OwnerConsumer consumer) {
    return consumer.queue().partition().time();
  }

  private void write(
      OwnerConsumer consumer,
      long sequence,
      Message message,
      boolean redelivered,
      long deadlineMillis) {
    if (closed) {
      if (sequence >= 0) {
        undeliverable.putBack(consumer, sequence);
      }
      return;
    }
    if (frame.size() == 0) {
      deliveries.begin();
    }
    if (!waitsForEnd) {
      waitsForEnd = true;
      shard.atEndOfBurst(this);
    }
    if (sequence >= 0) {
      consumer.open().add(sequence);
    }
    long millisLeft =
        deadlineMillis == Deadlines.NEVER
            ? Deadlines.NEVER
            : Math.max(0, timeOf(consumer).toClock(deadlineMillis) - shard.now());
    deliveries.write(frame, consumer.number(), sequence, message, redelivered, millisLeft);
    if (frame.size() > LARGEST_FRAME) {
      passOn();
    }
  }

  /** Sends another frame, behind the messages. */
  void send(int type, ByteWriter body) {
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
                            each.consumer(),
                            each.sequence(),
                            each.message(),
                            each.redelivered(),
                            each.deadlineMillis())));
      }
    }
  }
}
