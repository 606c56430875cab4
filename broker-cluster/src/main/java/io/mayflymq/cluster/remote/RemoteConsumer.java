package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.cluster.link.ConsumerWindow;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.remote.HeldMessages.Held;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.StreamOffset;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.vhost.queue.ConsumerOriginCodec;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * A consumer here of a queue on another node. On the shard of the queue.
 *
 * <p>What arrives and its channel has no room for is held, and no credit is given for it.
 *
 * <p>If the channel shares its limit among its consumers, its room is theirs to take, and what is
 * held here could be delivered to others. So the consumer has a window of one message then, and a
 * message that there is no room for is released: it goes back to its queue, and there is credit for
 * it when the channel has room again. Since nothing is sent before that, this consumer gets
 * messages in order. Another one may have got later messages by then, and gets what is released
 * behind them. The limit may be set later. What was sent ahead until the owning node has narrowed
 * the window is released at once when that is done, for the same reason.
 *
 * <p>If a rate bounds what its client gets, little is sent ahead of it. That is held until it is
 * its turn, also if the channel shares its limit: a turn comes once, and what came for it later
 * would miss it. What was sent ahead before there was the rate goes back.
 *
 * <p>What is held is released when its time is over, and expires at the owning node. What its queue
 * does not take back has no such time.
 */
final class RemoteConsumer {
  /** What a message counts besides its content, in bytes; as on the owning node. */
  private static final int BYTES_PER_MESSAGE = 64;

  private final long number;
  private final Queue queue;
  private final Consumer consumer;
  private final HeldMessages held;
  private ConsumerRank rank = ConsumerRank.NONE;
  private long window;
  private int windowsUnderWay;

  /** Whether more was sent ahead than what a rate admits since then. */
  private boolean narrowed;

  private long taken;
  private long released;
  private long unsettled;

  /** The offset of the next message that its client gets from a stream; -1 if it is not known. */
  private long nextOffset = -1;

  private boolean joined;
  private CompletableFuture<Void> stopped;
  private boolean cancelled;
  private boolean left;
  private boolean moved;

  /**
   * Creates it.
   *
   * @param isOver called when the time of what is held may be over
   */
  RemoteConsumer(
      long number,
      Queue queue,
      Consumer consumer,
      java.util.function.Consumer<RemoteConsumer> isOver) {
    this.number = number;
    this.queue = queue;
    this.consumer = consumer;
    this.held = new HeldMessages(queue.shard(), () -> isOver.accept(this));
    this.window = wantedWindow();
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

  long window() {
    return window;
  }

  /** Returns how far ahead it may be sent messages now. */
  long wantedWindow() {
    if (consumer.outlet().sharesRoom()) {
      return ConsumerWindow.ONE_MESSAGE;
    }
    int most = consumer.outlet().mostAhead();
    return most == Integer.MAX_VALUE ? ConsumerWindow.FULL : ConsumerWindow.paced(most);
  }

  /** The owning node is told of another window. */
  void changeWindow(long changed) {
    narrowed = changed < window && ConsumerWindow.isPaced(changed);
    window = changed;
    windowsUnderWay++;
  }

  /** The owning node keeps to the window that it was told, and what it had sent before is here. */
  void windowChanged() {
    windowsUnderWay--;
  }

  /** Returns when nothing is on its way to it any more; null if it has not been stopped. */
  CompletableFuture<Void> stopped() {
    return stopped;
  }

  /** It is about to be cancelled. What is on its way to it is held, and goes back. */
  void setStopped(CompletableFuture<Void> done) {
    stopped = done;
  }

  /**
   * Writes what an owning node needs to know to let it join its queue.
   *
   * @param version see {@link LinkVersion}
   */
  void writeSubscription(ByteWriter out, int version) {
    out.number(number)
        .shortString(consumer.tag())
        .bit(consumer.acknowledges())
        .bit(consumer.exclusive())
        .number(consumer.prefetch())
        .table(arguments())
        .number(window);
    ConsumerOriginCodec.write(out, consumer.outlet().origin());
    if (version >= LinkVersion.OF_RANKS) {
      rank.write(out);
    }
    // A node of a release that does not know this leaves it unread.
    out.text(consumer.outlet().clientName());
  }

  /** It has another place among the consumers of its queue. */
  void setRank(ConsumerRank changed) {
    rank = changed;
  }

  /** It is the single active one of its queue from here on. */
  void setActive() {
    rank = rank.activated();
  }

  /** In a stream it goes on behind what its client has got, when it joins again. */
  private FieldTable arguments() {
    return nextOffset < 0
        ? consumer.arguments()
        : consumer.arguments().with(StreamOffset.HEADER, new FieldValue.Int64(nextOffset));
  }

  /** It has joined a stream, at this offset. */
  void beginsAt(long offset) {
    nextOffset = offset;
  }

  /** It has joined the queue. */
  void setJoined() {
    joined = true;
  }

  boolean isJoined() {
    return joined;
  }

  /** Whether its client is to be told when it goes. */
  boolean isServed() {
    return joined && !cancelled;
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** It gets no more messages. */
  void setCancelled() {
    cancelled = true;
  }

  /** Its queue has moved: it gets no more messages, and is to join again. */
  void setMoved() {
    moved = true;
    cancelled = true;
  }

  boolean hasMoved() {
    return moved;
  }

  /**
   * The connection was lost, and it joins again by the next one: what is held is ready again, as is
   * what was delivered and is not settled. All credit begins anew.
   */
  void begins() {
    letGo(gone -> {});
    taken = 0;
    released = 0;
    unsettled = 0;
    window = wantedWindow();
    narrowed = false;
  }

  /** Its queue has let it go: nothing arrives for it any more. */
  void setLeft() {
    left = true;
  }

  /** Deliveries are settled. */
  void settled(long count) {
    unsettled -= count;
  }

  /** Whether nothing more is to come of it. */
  boolean isOver() {
    return left && unsettled <= 0;
  }

  private static long bytes(Message message) {
    return (long) message.content().length + BYTES_PER_MESSAGE;
  }

  /**
   * A message has arrived.
   *
   * @param millisLeft how long it may be held, in ms
   */
  void arrived(long sequence, Message message, boolean redelivered, long millisLeft) {
    if (sequence >= 0) {
      unsettled++;
    }
    if (held.isEmpty() && stopped == null && consumer.outlet().reserve(consumer)) {
      taken += bytes(message);
      deliver(sequence, message, redelivered);
    } else {
      held.add(sequence, message, redelivered, millisLeft);
    }
  }

  /** Its channel may have room again. */
  void resume() {
    while (!held.isEmpty()
        && !cancelled
        && stopped == null
        && consumer.outlet().reserve(consumer)) {
      Held next = held.poll();
      taken += bytes(next.message());
      deliver(next);
    }
    creditReleased();
  }

  private void deliver(Held next) {
    deliver(next.sequence(), next.message(), next.redelivered());
  }

  private void deliver(long sequence, Message message, boolean redelivered) {
    if (nextOffset >= 0) {
      nextOffset = RemoteConsumers.numberAtHome(sequence) + 1;
    }
    consumer.outlet().deliver(consumer, sequence, message, redelivered);
  }

  /** Whether what is held should go back to its queue. A stream does not take it back. */
  boolean releasesHeld() {
    return window == ConsumerWindow.ONE_MESSAGE && mayRelease() && !consumer.outlet().awaitsTurn();
  }

  private boolean mayRelease() {
    return !held.isEmpty()
        && windowsUnderWay == 0
        && consumer.acknowledges()
        && queue.settings().type() != QueueType.STREAM;
  }

  /**
   * Whether what was sent ahead before there was a rate should go back to its queue. Once, when the
   * owning node keeps to the narrower window.
   */
  boolean releasesSurplus() {
    boolean over = narrowed && windowsUnderWay == 0;
    narrowed &= !over;
    return over && mayRelease();
  }

  /**
   * Lets go what is held. What its queue has no more, as nothing settles it, is delivered all the
   * same.
   *
   * @param release gets the sequence numbers of the rest, in order
   */
  void letGo(LongConsumer release) {
    for (Held next = held.poll(); next != null; next = held.poll()) {
      if (next.sequence() < 0) {
        deliver(next);
      } else {
        released += bytes(next.message());
        release.accept(next.sequence());
      }
    }
  }

  /**
   * Lets go what is held and whose time is over; there is credit for it at once.
   *
   * @param release gets the sequence numbers, in order
   */
  void letGoOver(LongConsumer release) {
    for (Held over : held.takeOver()) {
      taken += bytes(over.message());
      release.accept(over.sequence());
    }
  }

  /** What was let go gets credit now, though its channel may have no room. */
  void creditReleased() {
    taken += released;
    released = 0;
  }

  /** Returns how much credit is to be given back now; 0 for none yet. */
  long takeCredit() {
    if (taken < Math.max(window / 4, 1)) {
      return 0;
    }
    long credit = taken;
    taken = 0;
    return credit;
  }
}
