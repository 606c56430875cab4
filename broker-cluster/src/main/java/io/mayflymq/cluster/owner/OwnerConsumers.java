package io.mayflymq.cluster.owner;

import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.ConsumerExit;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The consumers of a link, and what was delivered to them and to {@code basic.get} and is not
 * settled. On the link's shard.
 */
final class OwnerConsumers {
  private final Shard shard;
  private final ShardCommandSender commands;
  private final Consumer ofGet = Consumer.ofGet();
  private final Map<Long, OwnerConsumer> byNumber = new HashMap<>();
  private final Map<Queue, OpenDeliveries> fetched = new LinkedHashMap<>();

  /**
   * Creates it without consumers.
   *
   * @param shard of the link
   * @param commands by which deliveries are put back
   */
  OwnerConsumers(Shard shard, ShardCommandSender commands) {
    this.shard = shard;
    this.commands = commands;
  }

  void add(OwnerConsumer consumer) {
    byNumber.put(consumer.number(), consumer);
  }

  /** Returns a consumer; null if it is not known. */
  OwnerConsumer get(long number) {
    return byNumber.get(number);
  }

  void remove(OwnerConsumer consumer) {
    byNumber.remove(consumer.number(), consumer);
  }

  /** The other node has cancelled a consumer: it is forgotten when its deliveries are settled. */
  void cancelled(OwnerConsumer consumer) {
    consumer.setCancelled();
    forgetIfSettled(consumer);
  }

  private void forgetIfSettled(OwnerConsumer consumer) {
    if (consumer.isCancelled() && consumer.open().isEmpty()) {
      remove(consumer);
    }
  }

  /** A message was taken by {@code basic.get}. */
  void fetched(Queue queue, long sequence) {
    fetched.computeIfAbsent(queue, any -> new OpenDeliveries()).add(sequence);
  }

  /** Deliveries are settled. Returns the consumer; null if it is not known. */
  Consumer settled(Queue queue, long number, long from, long to) {
    if (number == 0) {
      OpenDeliveries open = fetched.get(queue);
      if (open == null || !remove(open, from, to)) {
        return null;
      }
      if (open.isEmpty()) {
        fetched.remove(queue);
      }
      return ofGet;
    }
    OwnerConsumer consumer = byNumber.get(number);
    if (consumer == null || consumer.queue() != queue || !remove(consumer.open(), from, to)) {
      return null;
    }
    forgetIfSettled(consumer);
    return consumer.consumer();
  }

  /** Returns whether all were there. */
  private static boolean remove(OpenDeliveries open, long from, long to) {
    for (long sequence = from; sequence <= to; sequence++) {
      if (!open.remove(sequence)) {
        return false;
      }
    }
    return true;
  }

  /** Deliveries that were settled are not, as the connection is lost: they go back. */
  void unsettled(Queue queue, Consumer consumer, long from, long to) {
    if (consumer == ofGet) {
      commands.requeue(queue, consumer, from, to);
    } else {
      commands.fail(queue, consumer, from, to);
    }
  }

  void wakeAll() {
    byNumber.values().forEach(OwnerConsumer::wake);
  }

  /**
   * The other node was lost: its consumers go, and what was delivered to them goes back. Those of
   * queues with a time for that stay until it is over, and get nothing meanwhile.
   *
   * @param absences what ends those times early
   */
  void close(Absences absences) {
    List<OwnerConsumer> now = new ArrayList<>();
    Map<Long, List<OwnerConsumer>> later = new LinkedHashMap<>();
    for (OwnerConsumer consumer : byNumber.values()) {
      long millis = consumer.queue().settings().deliveries().disconnectedMillis();
      (millis > 0 ? later.computeIfAbsent(millis, any -> new ArrayList<>()) : now).add(consumer);
    }
    byNumber.clear();
    later.forEach((millis, some) -> absences.begin(shard, millis, () -> end(some)));
    end(now);
    fetched.forEach(
        (queue, open) -> {
          for (long sequence : open.takeAll()) {
            commands.requeue(queue, ofGet, sequence, sequence);
          }
        });
    fetched.clear();
    commands.flush();
  }

  private void end(List<OwnerConsumer> consumers) {
    List<ConsumerExit> exits = new ArrayList<>();
    for (OwnerConsumer consumer : consumers) {
      if (!consumer.isCancelled()) {
        exits.add(ConsumerExit.begin(consumer.queue(), consumer.consumer()));
      }
      for (long sequence : consumer.open().takeAll()) {
        commands.fail(consumer.queue(), consumer.consumer(), sequence, sequence);
      }
    }
    commands.flush();
    exits.forEach(exit -> exit.finish(shard, commands::flush));
  }

  /** Puts a message back that was handed out and not sent. */
  void putBack(OwnerConsumer consumer, long sequence) {
    commands.release(consumer.queue(), consumer.consumer(), sequence, sequence);
  }

  /** Puts a message back that was taken by {@code basic.get} and not sent. */
  void putBackFetched(Queue queue, long sequence) {
    commands.release(queue, ofGet, sequence, sequence);
  }
}
