package io.mayflymq.test;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client with one channel, in confirm mode. */
final class Client implements AutoCloseable {
  private final Connection connection;
  final Channel channel;

  private Client(Connection connection) throws Exception {
    this.connection = connection;
    this.channel = connection.createChannel();
    channel.confirmSelect();
  }

  static Client of(MayflyBroker broker) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(broker.uri());
    factory.setAutomaticRecoveryEnabled(false);
    return new Client(factory.newConnection());
  }

  void queue(String name, Map<String, Object> arguments) throws Exception {
    channel.queueDeclare(name, true, false, false, arguments);
  }

  /** Publishes persistent messages, and returns when they are confirmed. */
  void publish(String queue, String... bodies) throws Exception {
    for (String body : bodies) {
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, bytes(body));
    }
    channel.waitForConfirmsOrDie(30_000);
  }

  void publish(String queue, BasicProperties properties, String body) throws Exception {
    channel.basicPublish("", queue, properties, bytes(body));
    channel.waitForConfirmsOrDie(30_000);
  }

  /** Takes all messages of a queue. */
  List<String> take(String queue) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      bodies.add(new String(got.getBody(), StandardCharsets.UTF_8));
    }
    return bodies;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    connection.abort(1_000);
  }
}
