package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.rate.ConnectionRates;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes deliveries from the queues of one shard to one connection.
 *
 * <p>If both are on the same loop, a message is encoded at once. If not, the deliveries of a burst
 * are collected and handed over as one task at its end. The bytes in transit are limited: the shard
 * counts what it handed over, the connection counts what it wrote, and if the difference is too
 * large the consumer waits. It also waits if the connection's peer does not read.
 *
 * <p>The wake-up must not be missed. The shard first sets that a consumer waits and then checks
 * again; the connection first sets what it wrote (or becomes writable) and then checks whether a
 * consumer waits. Both fields are volatile, so one of them sees the other.
 */
public final class DeliveryLink implements EndOfBurstListener {
  private static final long MOST_BYTES_AHEAD = 1 << 20;
  private static final int BYTES_PER_MESSAGE = 64;

  private final Shard from;
  private final Shard to;
  private final ConnectionOutput output;
  private final ConnectionRates rates;
  private final List<ChannelConsumerTarget> waiting = new ArrayList<>();

  private DeliveryBatch open;
  private long handedOver;
  private volatile long written;
  private volatile boolean consumersWait;

  /**
   * Creates a link.
   *
   * @param from the shard of the queues
   * @param to the shard on the connection's loop
   * @param output the connection's output
   * @param rates that the connection's deliveries keep to
   */
  public DeliveryLink(Shard from, Shard to, ConnectionOutput output, ConnectionRates rates) {
    this.from = from;
    this.to = to;
    this.output = output;
    this.rates = rates;
  }

  /** Returns the rates that deliveries to the connection keep to. Any thread may call. */
  ConnectionRates rates() {
    return rates;
  }

  /**
   * Returns whether another message may be sent; if not, the consumer is woken when it may. On the
   * queues' shard.
   */
  boolean hasRoom(ChannelConsumerTarget consumer) {
    if (isOpen()) {
      return true;
    }
    waiting.add(consumer);
    consumersWait = true;
    if (isOpen()) {
      waiting.remove(consumer);
      consumersWait = !waiting.isEmpty();
      return true;
    }
    return false;
  }

  private boolean isOpen() {
    return output.isWritable() && handedOver - written < MOST_BYTES_AHEAD;
  }

  /** Sends a message. On the queues' shard. */
  void deliver(
      ConsumerOperations channel,
      DeliverySource source,
      long sequence,
      Message message,
      boolean redelivered) {
    if (from == to) {
      channel.deliver(source, sequence, message, redelivered);
      return;
    }
    if (open == null) {
      open = new DeliveryBatch();
      from.atEndOfBurst(this);
    }
    open.add(channel, source, sequence, message, redelivered);
    handedOver += message.content().length + BYTES_PER_MESSAGE;
  }

  /**
   * Notifies a channel that a consumer's queue is deleted, after the messages that were sent
   * before. On the queues' shard.
   */
  void cancelled(ConsumerOperations channel, Consumer consumer) {
    endOfBurst();
    to.execute(() -> channel.cancelled(consumer));
  }

  /**
   * Tells a channel that a consumer's queue has moved, after the messages that were sent before. On
   * the queues' shard.
   */
  void moved(ConsumerOperations channel, Consumer consumer) {
    endOfBurst();
    to.execute(() -> channel.moved(consumer));
  }

  @Override
  public void endOfBurst() {
    DeliveryBatch batch = open;
    if (batch != null) {
      open = null;
      long mark = handedOver;
      to.execute(
          () -> {
            try {
              batch.deliver();
            } finally {
              written = mark;
              wakeWaiting();
            }
          });
    }
  }

  /** Wakes waiting consumers, as the connection may have room again. On the connection's loop. */
  public void wakeWaiting() {
    if (consumersWait && output.isWritable()) {
      from.execute(this::resumeWaiting);
    }
  }

  private void resumeWaiting() {
    consumersWait = false;
    List<ChannelConsumerTarget> consumers = List.copyOf(waiting);
    waiting.clear();
    consumers.forEach(ChannelConsumerTarget::resume);
  }
}
