package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.cluster.link.ConsumerWindow;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * A consumer on another node. It may be sent so many bytes ahead of what its client's channel there
 * has taken: its window. The other node gives credit back as the channel takes messages, so a
 * consumer that its client holds up holds up no other one. Credit is noted on the queue's shard,
 * behind the commands that came before it: what the other node has released is back by then, and is
 * sent first.
 *
 * <p>The other node is told how long each message may be delivered, and releases it when that is
 * over. When the deadlines in the queue change, all that it holds is recalled: it comes back, and
 * is sent again with its new time, if that is not over. Nothing is sent in between, so the order
 * stays.
 *
 * <p>The wake-up must not be missed when the connection is writable again: the queue's shard first
 * notes that the consumer waits and then looks for room once more; the link's shard looks whether
 * the consumer waits when the connection is writable. Both are volatile, so one of them sees the
 * other.
 */
final class OwnerConsumer implements ConsumerTarget {
  /** What a message counts besides its content, in bytes. */
  static final int BYTES_PER_MESSAGE = 64;

  private final long number;
  private final Queue queue;
  private final OwnerDeliveries deliveries;
  private final java.util.function.Consumer<OwnerConsumer> hasMoved;
  private final OpenDeliveries open = new OpenDeliveries();
  private Consumer consumer;
  private ConsumerOrigin origin;
  private String clientName = "";

  /** Null unless its queue is replicated, and its node knows ranks. */
  private ConsumerRank rank;

  private boolean isCancelled;

  // Of the queue's shard

  private long window;
  private long sent;
  private long taken;
  private int recalls;

  private volatile boolean waits;

  /**
   * Creates it.
   *
   * @param hasMoved told when its queue has moved: the other node lets it join there
   */
  OwnerConsumer(
      long number,
      Queue queue,
      long window,
      OwnerDeliveries deliveries,
      java.util.function.Consumer<OwnerConsumer> hasMoved) {
    this.hasMoved = hasMoved;
    this.number = number;
    this.queue = queue;
    this.window = window;
    this.deliveries = deliveries;
  }

  /** Sets the consumer whose target this is: once, before it joins its queue. */
  void setConsumer(Consumer made) {
    consumer = made;
  }

  /** Sets its channel on the other node: once, before it joins its queue. */
  void setOrigin(ConsumerOrigin channel) {
    origin = channel;
  }

  /** Sets the name that its client has given its connection: once, before it joins its queue. */
  void setClientName(String name) {
    clientName = name;
  }

  /** Sets its place among consumers of a replicated queue at the last leader. */
  void setRank(ConsumerRank before) {
    rank = before;
  }

  /** Returns its place among the consumers of a replicated queue at the last leader. */
  ConsumerRank rank() {
    return rank == null ? ConsumerRank.NONE : rank;
  }

  @Override
  public ConsumerOrigin origin() {
    return origin;
  }

  @Override
  public String clientName() {
    return clientName;
  }

  long number() {
    return number;
  }

  Queue queue() {
    return queue;
  }

  Consumer consumer() {
    return consumer;
  }

  /** Its deliveries that are not settled; of the link's shard. */
  OpenDeliveries open() {
    return open;
  }

  /** Of the link's shard. */
  boolean isCancelled() {
    return isCancelled;
  }

  /** The other node has cancelled it. On the link's shard. */
  void setCancelled() {
    isCancelled = true;
  }

  /** Its channel has taken so many bytes. On the link's shard. */
  void credit(long bytes) {
    onQueue(() -> taken(bytes));
  }

  private void taken(long bytes) {
    taken += bytes;
    resume();
  }

  /** Sets how many bytes it may be sent ahead. On the link's shard; done when that holds. */
  CompletableFuture<Void> setWindow(long bytes) {
    return queue
        .shard()
        .call(
            () -> {
              window = bytes;
              resume();
              return null;
            });
  }

  /**
   * What was held for it on the other node when it was recalled is released. On the link's shard.
   */
  void recalled() {
    onQueue(
        () -> {
          recalls--;
          resume();
        });
  }

  /** The connection is writable again. On the link's shard. */
  void wake() {
    if (waits) {
      onQueue(this::resume);
    }
  }

  private void onQueue(Runnable task) {
    Shard shard = queue.shard();
    if (shard.isCurrent()) {
      shard.run(task);
    } else {
      shard.execute(task);
    }
  }

  private void resume() {
    if (waits) {
      waits = false;
      queue.onShard().resume(consumer);
    }
  }

  /** On the queue's shard. */
  @Override
  public boolean isPaced() {
    return ConsumerWindow.isPaced(window);
  }

  private boolean hasRoom() {
    return sent - taken < window && recalls == 0 && deliveries.isWritable();
  }

  @Override
  public boolean reserve(Consumer asking) {
    if (hasRoom()) {
      return true;
    }
    waits = true;
    if (hasRoom()) {
      waits = false;
      return true;
    }
    return false;
  }

  @Override
  public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
    sent += message.content().length + BYTES_PER_MESSAGE;
    // What is not acknowledged has left its queue, and dies nowhere else.
    long deadline =
        sequence >= 0 && deliveries.haveTimes()
            ? queue.onShard().deadline(sequence)
            : Deadlines.NEVER;
    deliveries.deliver(this, sequence, message, redelivered, deadline);
  }

  @Override
  public void deadlinesChange() {
    if (consumer.acknowledges() && deliveries.haveTimes()) {
      recalls++;
      deliveries.sendBehind(this, LinkFrame.RECALL);
    }
  }

  @Override
  public void activated(Consumer active) {
    if (rank != null) {
      deliveries.sendBehind(this, LinkFrame.ACTIVE);
    }
  }

  @Override
  public void moved(Consumer gone) {
    hasMoved.accept(this);
  }

  @Override
  public void cancelled(Consumer gone) {
    deliveries.sendBehind(this, LinkFrame.CANCELLED);
  }
}
