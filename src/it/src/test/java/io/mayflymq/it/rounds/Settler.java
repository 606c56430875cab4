package io.mayflymq.it.rounds;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/**
 * Consumes from a queue and settles in a given way. Sends a request at intervals to learn which
 * settlements the broker has processed.
 */
final class Settler extends Traffic {
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How to settle. */
  enum Manner {
    /** Each message alone. */
    ONE_BY_ONE,
    /** Many with one acknowledgement. */
    MULTIPLE,
    /** Most are acknowledged, some requeued, some dropped by a rejection. */
    MIXED
  }

  private record Delivery(long tag, long id) {}

  private final Channel channel;
  private final String queue;
  private final LongFunction<ExpectedMessages> ledgers;
  private final Manner manner;
  private final Random random;
  private final int prefetch;
  private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
  private final List<Delivery> unsettled = new ArrayList<>();
  private final List<Long> unanswered = new ArrayList<>();

  /**
   * Creates a settler that does not consume yet.
   *
   * @param ledgers finds the ledger of an id
   */
  Settler(
      Connection connection,
      String queue,
      LongFunction<ExpectedMessages> ledgers,
      Manner manner,
      Random random)
      throws IOException {
    super("consumer of " + queue);
    this.queue = queue;
    this.ledgers = ledgers;
    this.manner = manner;
    this.random = random;
    prefetch = 30 + random.nextInt(300);
    channel = connection.createChannel();
  }

  @Override
  void work() throws IOException, InterruptedException {
    channel.basicQos(prefetch);
    channel.basicConsume(
        queue,
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
            deliveries.add(new Delivery(envelope.getDeliveryTag(), Stream.id(body)));
          }
        });
    long asked = System.nanoTime();
    while (true) {
      Delivery delivery = deliveries.poll(10, TimeUnit.MILLISECONDS);
      if (delivery != null) {
        settle(delivery);
        // Slower than the publishers, so that there is always a backlog.
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(900)));
      }
      if (System.nanoTime() - asked > ASK_NANOS) {
        channel.queueDeclarePassive(queue);
        unanswered.forEach(id -> ledgers.apply(id).settled(id));
        unanswered.clear();
        asked = System.nanoTime();
      }
    }
  }

  private void settle(Delivery delivery) throws IOException {
    switch (manner) {
      case ONE_BY_ONE -> {
        settling(delivery);
        channel.basicAck(delivery.tag, false);
        settled(delivery);
      }
      case MULTIPLE -> {
        unsettled.add(delivery);
        if (unsettled.size() >= Math.min(25, prefetch)) {
          unsettled.forEach(this::settling);
          channel.basicAck(delivery.tag, true);
          unsettled.forEach(this::settled);
          unsettled.clear();
        }
      }
      case MIXED -> {
        int choice = random.nextInt(10);
        if (choice == 0) {
          channel.basicReject(delivery.tag, true);
        } else {
          settling(delivery);
          if (choice == 1) {
            channel.basicReject(delivery.tag, false);
          } else {
            channel.basicAck(delivery.tag, false);
          }
          settled(delivery);
        }
      }
    }
  }

  private void settling(Delivery delivery) {
    ledgers.apply(delivery.id).settling(delivery.id);
  }

  private void settled(Delivery delivery) {
    unanswered.add(delivery.id);
  }
}
