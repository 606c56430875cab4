package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.queue.QueueHost;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes a copy of every message that a client of a virtual host publishes or gets to the
 * exchange {@code amq.rabbitmq.trace}, while it is on. Any thread may call.
 *
 * <p>Source: RabbitMQ, "Firehose Tracer".
 */
public final class Firehose {
  private final QueueHost vhost;
  private volatile boolean on;

  /** Creates the tracer of a virtual host, off. */
  public Firehose(QueueHost vhost) {
    this.vhost = vhost;
  }

  /**
   * Whose message it is.
   *
   * @param node the name of this node
   * @param connection the name of the connection
   * @param channel its number in the connection
   * @param user who is logged in
   */
  public record Client(String node, String connection, int channel, String user) {}

  /** Whether messages are copied; to be asked before the others are called. */
  public boolean isOn() {
    return on;
  }

  /** Begins or ends copying. */
  public void turn(boolean toOn) {
    on = toOn;
  }

  /**
   * A client has published a message.
   *
   * @param routedQueues the names of the queues that it goes to
   */
  public void published(Message message, List<String> routedQueues, Client client) {
    FieldTable.Builder headers = headers(message, client);
    headers.put("routed_queues", texts(routedQueues));
    copy(message, "publish." + message.exchange().value(), headers);
  }

  /** A client gets a message of a queue. */
  public void delivered(Message message, String queue, boolean redelivered, Client client) {
    FieldTable.Builder headers = headers(message, client);
    headers.put("redelivered", redelivered ? 1 : 0);
    copy(message, "deliver." + queue, headers);
  }

  /** A copy is not copied once more, or there would be no end to it. */
  private void copy(Message message, String routingKey, FieldTable.Builder headers) {
    if (message.exchange().value().equals(ExchangeDefinition.TRACE)) {
      return;
    }
    InternalPublisher.publish(
        vhost.routing(),
        Message.ofBroker(
            ExchangeDefinition.TRACE,
            shortened(routingKey),
            BasicProperties.builder().headers(headers.build()).build(),
            message.body()),
        vhost::nowMillis);
  }

  /** A key has less room than the word and a name may need. */
  private static ShortString shortened(String routingKey) {
    String key = routingKey;
    while (key.getBytes(StandardCharsets.UTF_8).length > ShortString.MAX_BYTES) {
      key = key.substring(0, key.offsetByCodePoints(key.length(), -1));
    }
    return ShortString.of(key);
  }

  private FieldTable.Builder headers(Message message, Client client) {
    BasicProperties properties = message.properties();
    List<String> keys = new ArrayList<>();
    keys.add(message.routingKey().value());
    if (properties.headers() != null) {
      keys.addAll(message.carbonCopies(properties.headers()));
    }
    keys.addAll(message.blindKeys());
    return FieldTable.builder()
        .put("exchange_name", message.exchange().value())
        .put("routing_keys", texts(keys))
        .put("properties", table(properties))
        .put("node", client.node())
        .put("vhost", vhost.name())
        .put("connection", client.connection())
        .put("channel", client.channel())
        .put("user", client.user());
  }

  private static FieldValue texts(List<String> texts) {
    return new FieldValue.Array(texts.stream().<FieldValue>map(FieldValue::of).toList());
  }

  private static FieldTable table(BasicProperties properties) {
    FieldTable.Builder table = FieldTable.builder();
    put(table, "content_type", properties.contentType());
    put(table, "content_encoding", properties.contentEncoding());
    if (properties.headers() != null) {
      table.put("headers", properties.headers());
    }
    put(table, "delivery_mode", properties.deliveryMode());
    put(table, "priority", properties.priority());
    put(table, "correlation_id", properties.correlationId());
    put(table, "reply_to", properties.replyTo());
    put(table, "expiration", properties.expiration());
    put(table, "message_id", properties.messageId());
    put(table, "timestamp", properties.timestamp());
    put(table, "type", properties.type());
    put(table, "user_id", properties.userId());
    put(table, "app_id", properties.appId());
    put(table, "cluster_id", properties.clusterId());
    return table.build();
  }

  private static void put(FieldTable.Builder table, String name, String text) {
    if (text != null) {
      table.put(name, text);
    }
  }

  /** As RabbitMQ a signed int, unless the number needs more. */
  private static void put(FieldTable.Builder table, String name, Number number) {
    if (number == null) {
      return;
    }
    long value = number.longValue();
    table.put(
        name,
        value == (int) value ? new FieldValue.Int32((int) value) : new FieldValue.Int64(value));
  }
}
