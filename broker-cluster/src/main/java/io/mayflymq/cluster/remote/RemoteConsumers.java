package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.ConsumerRank;
import io.mayflymq.cluster.link.DeliveryCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The consumers here of queues of another node, and what is delivered to them. On the shard of the
 * link.
 *
 * <p>Sequence numbers of deliveries are given to channels with the number of the connection that
 * they came by in their upper bits. So a settlement that comes after the connection was lost is
 * known as too late, also one of basic.get, whatever is delivered under the same number by then.
 */
final class RemoteConsumers implements EndOfBurstListener {
  /** Tells the owning node how much a consumer may be sent ahead. */
  @FunctionalInterface
  interface WindowRequest {
    CompletableFuture<Void> send(RemoteConsumer consumer);
  }

  private static final int EPOCH_SHIFT = 48;
  private static final int EPOCHS = 1 << 15;

  private final Shard shard;
  private final ShardCommandSender commands;
  private final LinkNames.Output output;
  private final WindowRequest windows;
  private final ByteWriter frame = new ByteWriter();
  private final Consumer ofGet = Consumer.ofGet();

  /** In the order in which they were added. */
  private final Map<Consumer, RemoteConsumer> all = new LinkedHashMap<>();

  private final Map<Long, RemoteConsumer> byNumber = new HashMap<>();
  private final List<RemoteConsumer> credited = new ArrayList<>();
  private long lastNumber;
  private long epoch;
  private int version;
  private DeliveryCodec deliveries;

  /** The one that the last message of a frame was for; null outside. */
  private RemoteConsumer receiver;

  /**
   * Creates it without consumers.
   *
   * @param commands by which messages are put back
   */
  RemoteConsumers(
      Shard shard, ShardCommandSender commands, LinkNames.Output output, WindowRequest windows) {
    this.shard = shard;
    this.commands = commands;
    this.output = output;
    this.windows = windows;
  }

  /** Returns what sends commands that no connection has given. */
  ShardCommandSender commands() {
    return commands;
  }

  /** A new connection begins, with frames of this version. */
  void begin(int ofFrames) {
    version = ofFrames;
    deliveries = new DeliveryCodec(version);
    epoch = (epoch + 1) % EPOCHS;
  }

  /** Adds a consumer that is about to join its queue. */
  RemoteConsumer add(Queue queue, Consumer consumer) {
    lastNumber++;
    RemoteConsumer added = new RemoteConsumer(lastNumber, queue, consumer, this::releaseOver);
    all.put(consumer, added);
    byNumber.put(lastNumber, added);
    return added;
  }

  /** Writes what lets a consumer join its queue, by the present connection. */
  void writeSubscription(RemoteConsumer consumer, ByteWriter out) {
    consumer.writeSubscription(out, version);
  }

  /** A consumer has joined its queue. */
  void joined(RemoteConsumer consumer, ByteReader answer) {
    boolean isFirst = !consumer.isJoined();
    consumer.setJoined();
    if (version >= LinkVersion.OF_RANKS && answer.remaining() > 0) {
      consumer.setRank(ConsumerRank.read(answer));
    }
    if (isFirst && answer.remaining() > 0) {
      consumer.beginsAt(answer.number());
    }
  }

  /** A consumer is the single active one of its queue from here on. */
  void active(ByteReader in) {
    RemoteConsumer consumer = byNumber.get(in.number());
    if (consumer != null) {
      consumer.setActive();
    }
  }

  /** Returns a consumer; null if it is not known. */
  RemoteConsumer of(Consumer consumer) {
    return all.get(consumer);
  }

  void remove(RemoteConsumer consumer) {
    all.remove(consumer.consumer(), consumer);
    byNumber.remove(consumer.number(), consumer);
  }

  /**
   * A consumer is about to be cancelled: what is held for it goes back, and what is on its way to
   * it.
   *
   * @return done when all of it has gone back
   */
  CompletableFuture<Void> stop(RemoteConsumer consumer) {
    if (consumer.stopped() == null) {
      CompletableFuture<Void> stopped = new CompletableFuture<>();
      consumer.setStopped(stopped);
      consumer.changeWindow(0);
      windows
          .send(consumer)
          .whenComplete(
              (done, failure) -> {
                consumer.windowChanged();
                putBack(consumer);
                stopped.complete(null);
              });
      // Behind the window, or it would come again.
      putBack(consumer);
    }
    return consumer.stopped();
  }

  /** Puts a message back that {@code basic.get} has taken by the present connection. */
  void putBackFetched(Queue queue, long sequence) {
    commands.release(queue, ofGet, here(sequence), here(sequence));
    commands.flush();
  }

  /** What is held for a consumer goes back. */
  void putBack(RemoteConsumer consumer) {
    release(consumer);
    commands.flush();
  }

  private void release(RemoteConsumer consumer) {
    consumer.letGo(held -> release(consumer, held));
  }

  private void release(RemoteConsumer consumer, long sequence) {
    commands.release(consumer.queue(), consumer.consumer(), sequence, sequence);
  }

  /** The owning node takes back what is held for a consumer, as its deadlines have changed. */
  void recall(ByteReader in) {
    long number = in.number();
    RemoteConsumer consumer = byNumber.get(number);
    if (consumer != null) {
      release(consumer);
      consumer.creditReleased();
      commands.flush();
      credit(consumer);
    }
    output.send(LinkFrame.RECALLED, frame.clear().number(number));
  }

  /** Its queue has let a consumer go, and sends no more. */
  void left(RemoteConsumer consumer) {
    consumer.setLeft();
    if (consumer.isOver()) {
      remove(consumer);
    }
  }

  /** Returns the number for channels of a delivery of this connection; -1 stays. */
  long here(long sequence) {
    return sequence < 0 ? sequence : (epoch << EPOCH_SHIFT) | sequence;
  }

  /** Returns the number at home of a delivery; -1 if it came by an earlier connection. */
  long atHome(long sequence) {
    return sequence >>> EPOCH_SHIFT == epoch ? numberAtHome(sequence) : -1;
  }

  /** Returns the number at home of a delivery of any connection. */
  static long numberAtHome(long sequence) {
    return sequence & ((1L << EPOCH_SHIFT) - 1);
  }

  /** Deliveries are being settled. Returns the number of the consumer; 0 if it is not known. */
  long settled(Consumer consumer, long count) {
    RemoteConsumer known = all.get(consumer);
    if (known == null) {
      return 0;
    }
    known.settled(count);
    if (known.isOver()) {
      remove(known);
    }
    return known.number();
  }

  /** Messages have arrived. */
  void deliver(ByteReader in) {
    deliveries.read(in, this::deliver);
    receiver = null;
  }

  private void deliver(
      long number, long sequence, Message message, boolean redelivered, long millisLeft) {
    if (receiver == null || receiver.number() != number) {
      receiver = byNumber.get(number);
    }
    RemoteConsumer consumer = receiver;
    if (consumer != null) {
      consumer.arrived(here(sequence), message, redelivered, millisLeft);
      changed(consumer);
    }
  }

  /** The time of what is held for a consumer may be over. */
  private void releaseOver(RemoteConsumer consumer) {
    consumer.letGoOver(over -> release(consumer, over));
    credit(consumer);
  }

  /** Does what follows from what a consumer holds and has taken. */
  private void changed(RemoteConsumer consumer) {
    if (consumer.isCancelled() || consumer.stopped() != null) {
      release(consumer);
      return;
    }
    fitWindow(consumer);
    if (consumer.releasesHeld()) {
      release(consumer);
    }
    if (consumer.releasesSurplus()) {
      release(consumer);
      consumer.creditReleased();
    }
    credit(consumer);
  }

  private void fitWindow(RemoteConsumer consumer) {
    long wanted = consumer.wantedWindow();
    if (wanted != consumer.window()) {
      consumer.changeWindow(wanted);
      windows
          .send(consumer)
          .whenComplete(
              (done, failure) -> {
                consumer.windowChanged();
                changed(consumer);
              });
    }
  }

  /** The channel of a consumer may have room again. */
  void resume(Consumer resumed) {
    RemoteConsumer consumer = all.get(resumed);
    if (consumer != null) {
      releaseOver(consumer);
      consumer.resume();
      changed(consumer);
    }
  }

  private void credit(RemoteConsumer consumer) {
    if (credited.isEmpty()) {
      shard.atEndOfBurst(this);
    }
    if (credited.isEmpty() || credited.get(credited.size() - 1) != consumer) {
      credited.add(consumer);
    }
  }

  @Override
  public void endOfBurst() {
    // What was released is to be back before the credit for it.
    commands.flush();
    for (RemoteConsumer consumer : credited) {
      long credit = consumer.takeCredit();
      if (credit > 0) {
        output.send(LinkFrame.CREDIT, frame.clear().number(consumer.number()).number(credit));
      }
    }
    credited.clear();
  }

  /** The queue of a consumer is deleted. */
  void cancelled(ByteReader in) {
    RemoteConsumer consumer = byNumber.get(in.number());
    if (consumer != null) {
      cancel(consumer);
    }
  }

  private void cancel(RemoteConsumer consumer) {
    consumer.setCancelled();
    consumer.letGo(gone -> {});
    remove(consumer);
    consumer.consumer().outlet().cancelled(consumer.consumer());
  }

  /** A queue has moved: its consumers join it at its new place, and what is held is there again. */
  void moved(Queue queue) {
    for (RemoteConsumer consumer : List.copyOf(all.values())) {
      if (consumer.queue() == queue) {
        all.remove(consumer.consumer(), consumer);
        if (consumer.consumer().acknowledges()) {
          byNumber.remove(consumer.number(), consumer);
        } // Else what is on its way here is nowhere else.
        consumer.letGo(gone -> {});
        if (consumer.isServed()) {
          consumer.consumer().outlet().moved(consumer.consumer());
        }
        consumer.setMoved();
      }
    }
  }

  /** Returns those whose clients expect messages, in the order in which they joined. */
  List<RemoteConsumer> served() {
    return all.values().stream().filter(RemoteConsumer::isServed).toList();
  }

  /** A consumer could not join again: its client is told that it is cancelled. */
  void excluded(RemoteConsumer consumer) {
    if (consumer.isServed()) {
      cancel(consumer);
    }
  }

  /**
   * The connection was lost, and there will be another one: all stay, but what is held or not
   * settled is ready again at home.
   */
  void suspend() {
    credited.clear();
    // Settlements come too late from here on.
    epoch = (epoch + 1) % EPOCHS;
    byNumber.values().removeIf(consumer -> all.get(consumer.consumer()) != consumer);
    for (RemoteConsumer consumer : List.copyOf(all.values())) {
      consumer.begins();
      if (consumer.isOver()) {
        remove(consumer);
      }
    }
  }

  /** The node was lost: all are cancelled, and what is held is there again. */
  void lost() {
    List<RemoteConsumer> lost = new ArrayList<>(all.values());
    all.clear();
    byNumber.clear();
    credited.clear();
    // Settlements come too late from here on.
    epoch = (epoch + 1) % EPOCHS;
    for (RemoteConsumer consumer : lost) {
      consumer.letGo(gone -> {});
      if (consumer.isServed()) {
        consumer.setCancelled();
        consumer.consumer().outlet().cancelled(consumer.consumer());
      }
    }
  }
}
