package io.mayflymq.it.metrics;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Has a broker do everything that has a counter, a round after the other: publishes and their
 * outcomes, all kinds of deliveries, deaths of all reasons, objects that are created and deleted.
 *
 * <p>From the first round on there are a message that is ready, one that is not acknowledged, and
 * consumers.
 */
final class BusyBroker implements AutoCloseable {
  private static final int[] SIZES = {10, 500, 5_000, 50_000, 500_000};

  private final ConnectionFactory factory;
  private final Connection connection;
  private final Channel channel;
  private final Thread worker = new Thread(this::work, "busy");
  private volatile boolean closed;
  private Exception failure;

  private BusyBroker(ConnectionFactory factory) throws Exception {
    this.factory = factory;
    this.connection = factory.newConnection("busy");
    this.channel = connection.createChannel();
  }

  /** Does the first round, and goes on with further ones until it is closed. */
  static BusyBroker start(ConnectionFactory factory) throws Exception {
    BusyBroker busy = new BusyBroker(factory);
    busy.declare();
    busy.round();
    busy.worker.start();
    return busy;
  }

  private void work() {
    try {
      while (!closed) {
        round();
      }
    } catch (Exception e) {
      failure = e;
    }
  }

  private void declare() throws Exception {
    channel.confirmSelect();
    channel.queueDeclare("rest", false, false, false, null);
    channel.queueDeclare("work", true, false, false, null);
    channel.queueDeclare("auto", false, false, false, null);
    channel.queueDeclare("polled", false, false, false, null);
    channel.queueDeclare("log", true, false, false, Map.of("x-queue-type", "stream"));
    channel.queueDeclare("dead", true, false, false, Map.of("x-max-length", 100));
    channel.queueDeclare(
        "mortal",
        true,
        false,
        false,
        Map.of(
            "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead", "x-max-length", 4));
    channel.queueDeclare(
        "tried",
        true,
        false,
        false,
        Map.of(
            "x-queue-type", "quorum",
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "dead",
            "x-dead-letter-strategy", "at-least-once",
            "x-overflow", "reject-publish",
            "x-delivery-limit", 0));
    publish("rest", 1);
    publish("rest", 1);
    channel.basicGet("rest", false);
    channel.basicConsume(
        "work",
        false,
        (tag, delivery) -> channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false),
        tag -> {});
    channel.basicConsume("auto", true, (tag, delivery) -> {}, tag -> {});
  }

  private void publish(String queue, int bytes) throws IOException {
    channel.basicPublish("", queue, MessageProperties.MINIMAL_PERSISTENT_BASIC, new byte[bytes]);
  }

  private void round() throws Exception {
    for (int size : SIZES) {
      publish("work", size);
    }
    publish("auto", 1);
    publish("log", 1);
    channel.basicPublish("", "nowhere", false, null, new byte[1]);
    channel.basicPublish("", "nowhere", true, null, new byte[1]);
    poll();
    die();
    comeAndGo();
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private void poll() throws Exception {
    channel.queuePurge("polled");
    channel.basicGet("polled", true);
    publish("polled", 1);
    channel.basicNack(get("polled"), false, true);
    channel.basicAck(get("polled"), false);
    publish("polled", 1);
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    channel.basicGet("polled", true);
  }

  /** A message has to be there when its publish is confirmed. */
  private long get(String queue) throws Exception {
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    GetResponse got = channel.basicGet(queue, false);
    return got.getEnvelope().getDeliveryTag();
  }

  private void die() throws Exception {
    channel.basicPublish(
        "", "mortal", new BasicProperties.Builder().expiration("1").build(), new byte[1]);
    publish("tried", 1);
    channel.basicReject(get("tried"), false);
    publish("tried", 1);
    channel.basicReject(get("tried"), true);
    for (int i = 0; i < 6; i++) {
      publish("mortal", 1);
    }
  }

  private void comeAndGo() throws Exception {
    try (Connection brief = factory.newConnection("brief");
        Channel itsChannel = brief.createChannel()) {
      itsChannel.queueDeclare("", false, false, false, Map.of("x-expires", 1));
      itsChannel.queueDeclare("brief", false, false, false, null);
      itsChannel.queueDelete("brief");
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      worker.join(Patience.MILLIS);
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (failure != null) {
      throw new AssertionError("the load has failed", failure);
    }
  }
}
