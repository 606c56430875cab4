package io.mayflymq.it.routing;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Target;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests the copies of all messages at the exchange {@code amq.rabbitmq.trace}. */
@BlackBox
@Isolated("it traces everything")
class FirehoseIT {
  private ControlCommand control;

  @BeforeEach
  void turnOn(Target target) {
    control = ControlCommand.of(target);
    assertThat(control.run("trace_on").exit()).isZero();
  }

  @AfterEach
  void turnOff() {
    assertThat(control.run("trace_off").exit()).isZero();
  }

  /** Consumes the copies for an exchange or a queue. */
  private static Deliveries copies(Amqp amqp, String key) throws Exception {
    String queue = amqp.queue();
    amqp.bind(queue, "amq.rabbitmq.trace", key);
    return Deliveries.from(amqp.newChannel(), queue, true);
  }

  @Test
  void aPublishedMessageIsCopied(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    amqp.bind(queue, exchange, "");
    Deliveries copies = copies(amqp, "publish." + exchange);
    Channel channel = amqp.channel();
    channel.basicPublish(
        exchange,
        "key",
        new BasicProperties.Builder()
            .contentType("text/plain")
            .deliveryMode(2)
            .priority(3)
            .headers(Map.of("a", 1, "CC", List.of("other")))
            .build(),
        bytes("body"));
    Delivery copy = copies.next();
    assertThat(copy.body()).isEqualTo("body");
    assertThat(copy.envelope().getExchange()).isEqualTo("amq.rabbitmq.trace");
    Map<String, Object> headers = Headers.of(copy.properties());
    assertThat(headers)
        .containsEntry("exchange_name", exchange)
        .containsEntry("routing_keys", List.of("key", "other"))
        .containsEntry("vhost", "/")
        .containsEntry("user", "guest")
        .containsEntry("channel", channel.getChannelNumber())
        .containsEntry("routed_queues", List.of(queue))
        .containsKeys("node", "connection")
        .doesNotContainKey("redelivered");
    assertThat(headers.get("properties"))
        .isEqualTo(
            Map.of(
                "content_type",
                "text/plain",
                "delivery_mode",
                2,
                "priority",
                3,
                "headers",
                Map.of("a", 1, "CC", List.of("other"))));
    copies.assertNothing();
  }

  @Test
  void deliveredAndGotMessagesAreCopied(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries copies = copies(amqp, "deliver." + queue);
    amqp.publish(queue, "a");
    Channel channel = amqp.channel();
    long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
    assertThat(Headers.of(copies.next().properties()))
        .containsEntry("exchange_name", "")
        .containsEntry("routing_keys", List.of(queue))
        .containsEntry("redelivered", 0)
        .containsEntry("channel", channel.getChannelNumber())
        .doesNotContainKey("routed_queues");
    channel.basicNack(tag, false, true);
    amqp.awaitReady(queue, 1);
    assertThat(Deliveries.from(channel, queue, true).next().body()).isEqualTo("a");
    Delivery again = copies.next();
    assertThat(again.body()).isEqualTo("a");
    assertThat(Headers.of(again.properties())).containsEntry("redelivered", 1);
  }

  @Test
  void nothingIsCopiedWhileTheTracerIsOff(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries copies = copies(amqp, "#." + queue);
    Deliveries published = copies(amqp, "publish.");
    turnOff();
    amqp.publish(queue, "a");
    assertThat(amqp.drain(queue)).containsExactly("a");
    copies.assertNothing();
    published.assertNothing();
  }
}
