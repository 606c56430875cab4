package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A virtual host with something of everything that the page shows: exchanges, queues of all types,
 * messages that expire, dead letters, scheduled messages, consumers, policies. Publishes until it
 * is ended, which deletes it.
 */
final class BusyVhost {
  static final String NAME = "page";

  /** A user who sees everything and may change nothing, with the password {@code p}. */
  static final String MONITOR = "page-monitor";

  /** A user who may read the queues of the virtual host only, with the password {@code p}. */
  static final String READER = "page-reader";

  private static final int TELEMETRY = 60;

  private final Http http;
  private final Connection publishing;
  private final Connection consuming;
  private final Thread publisher;
  private volatile boolean stopped;

  private BusyVhost(Http http, Connection publishing, Connection consuming, Channel channel) {
    this.http = http;
    this.publishing = publishing;
    this.consuming = consuming;
    publisher = new Thread(() -> publishUntilStopped(channel), "page-publisher");
    publisher.setDaemon(true);
    publisher.start();
  }

  static BusyVhost open(Target target) throws Exception {
    Http http = target.http();
    assertThat(http.put("vhosts/" + NAME, "{\"description\":\"for the page\"}").status())
        .isEqualTo(201);
    http.put("users/" + MONITOR, "{\"password\":\"p\",\"tags\":\"monitoring\"}");
    http.put("users/" + READER, "{\"password\":\"p\",\"tags\":\"management\"}");
    http.put(
        "permissions/" + NAME + "/" + READER,
        "{\"configure\":\"\",\"write\":\"\",\"read\":\".*\"}");
    http.put(
        "policies/" + NAME + "/telemetry",
        "{\"pattern\":\"^telemetry\",\"definition\":{\"message-ttl\":30000,\"expires\":3600000},"
            + "\"apply-to\":\"queues\"}");
    http.put(
        "operator-policies/" + NAME + "/cap",
        "{\"pattern\":\".*\",\"definition\":{\"max-length\":100000},\"apply-to\":\"queues\"}");
    http.put("vhost-limits/" + NAME + "/max-queues", "{\"value\":1000}");
    ConnectionFactory factory = target.factory();
    factory.setVirtualHost(NAME);
    Connection publishing = factory.newConnection("orders service");
    Connection consuming = factory.newConnection("billing worker");
    Channel channel = publishing.createChannel();
    declare(channel);
    consume(consuming.createChannel());
    return new BusyVhost(http, publishing, consuming, channel);
  }

  private static void declare(Channel channel) throws IOException {
    channel.exchangeDeclare("shop.events", "topic", true);
    channel.exchangeDeclare("dead", "fanout", true);
    channel.exchangeDeclare(
        "later", "x-delayed-message", true, false, Map.of("x-delayed-type", "direct"));
    channel.queueDeclare("failed", true, false, false, null);
    channel.queueBind("failed", "dead", "");
    channel.queueDeclare(
        "orders",
        true,
        false,
        false,
        Map.of("x-message-ttl", 60_000, "x-dead-letter-exchange", "dead", "x-max-length", 500));
    channel.queueBind("orders", "shop.events", "order.*");
    channel.queueDeclare(
        "billing",
        true,
        false,
        false,
        Map.of("x-queue-type", "quorum", "x-dead-letter-exchange", "dead"));
    channel.queueBind("billing", "shop.events", "order.paid");
    channel.queueDeclare("audit", true, false, false, Map.of("x-queue-type", "stream"));
    channel.queueBind("audit", "shop.events", "#");
    channel.queueDeclare("session.4711", false, false, false, Map.of("x-expires", 3_600_000));
    channel.queueDeclare("reminders", true, false, false, null);
    channel.queueBind("reminders", "later", "reminders");
    for (int i = 0; i < TELEMETRY; i++) {
      channel.queueDeclare("telemetry." + i, true, false, false, null);
    }
    for (int i = 1; i <= 3; i++) {
      channel.basicPublish(
          "later",
          "reminders",
          new BasicProperties.Builder()
              .messageId("reminder-" + i)
              .headers(Map.of("x-delay", 3_600_000 * i))
              .build(),
          "later".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void consume(Channel channel) throws IOException {
    channel.basicQos(20);
    channel.queueDeclare("exclusive", false, true, false, null);
    channel.basicConsume(
        "billing",
        false,
        "billing-1",
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body)
              throws IOException {
            if (envelope.getDeliveryTag() % 10 == 0) {
              getChannel().basicReject(envelope.getDeliveryTag(), false);
            } else {
              getChannel().basicAck(envelope.getDeliveryTag(), false);
            }
          }
        });
  }

  private void publishUntilStopped(Channel channel) {
    try {
      for (int i = 0; !stopped; i++) {
        BasicProperties properties =
            new BasicProperties.Builder().messageId("o-" + i).deliveryMode(2).build();
        String key = i % 3 == 0 ? "order.paid" : "order.new";
        byte[] body = ("{\"order\":" + i + "}").getBytes(StandardCharsets.UTF_8);
        channel.basicPublish("shop.events", key, properties, body);
        channel.basicPublish("", "telemetry." + i % TELEMETRY, null, body);
        Thread.sleep(10);
      }
    } catch (IOException | InterruptedException e) {
      // The connection is closed at the end.
    }
  }

  /** Publishes no more, and deletes the virtual host and the users. */
  void end() throws Exception {
    stopped = true;
    publisher.join();
    publishing.close();
    consuming.close();
    http.delete("vhosts/" + NAME);
    http.delete("users/" + MONITOR);
    http.delete("users/" + READER);
  }
}
