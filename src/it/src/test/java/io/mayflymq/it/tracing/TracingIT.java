package io.mayflymq.it.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that a receiver of OTLP gets the way of a message as one trace. */
@BlackBox
@OwnBroker
class TracingIT {
  private static final String PUBLISHER = "b7ad6b7169203331";
  private static final int TTL_MILLIS = 30;

  private static OtlpReceiver receiver;
  private static EmbeddedBroker broker;
  private static Connection connection;
  private static Channel channel;

  @BeforeAll
  static void start() throws Exception {
    receiver = new OtlpReceiver();
    broker =
        EmbeddedBroker.builder()
            .set("tracing.otlp.endpoint", receiver.endpoint())
            .set("tracing.otlp.headers.authorization", "Bearer secret")
            .set("tracing.service_name", "orders-broker")
            .start();
    connection = broker.factory().newConnection();
    channel = connection.createChannel();
    channel.confirmSelect();
  }

  @AfterAll
  static void stop() throws Exception {
    connection.close();
    broker.close();
    receiver.close();
  }

  private static void publish(String queue, String traceparent) throws Exception {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .deliveryMode(2)
            .headers(Map.of("traceparent", traceparent))
            .build();
    channel.basicPublish("", queue, properties, new byte[] {'x'});
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static GetResponse get(String queue) {
    return await()
        .atMost(Patience.TIME)
        .until(() -> channel.basicGet(queue, false), got -> got != null);
  }

  private static List<OtlpReceiver.Received> spansOf(String trace) {
    return receiver.spans().stream().filter(span -> span.trace().equals(trace)).toList();
  }

  private static OtlpReceiver.Received span(String trace, String name) {
    return await()
        .atMost(Patience.TIME)
        .until(
            () -> spansOf(trace).stream().filter(span -> span.name().equals(name)).toList(),
            found -> found.size() == 1)
        .get(0);
  }

  @Test
  void aMessageIsFollowedFromThePublishThroughItsDeathAndRedriveToTheAcknowledgement()
      throws Exception {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    channel.queueDeclare("dead", true, false, false, Map.of());
    channel.queueDeclare(
        "expiring",
        true,
        false,
        false,
        Map.of(
            "x-message-ttl", TTL_MILLIS,
            "x-dead-letter-exchange", "",
            "x-dead-letter-routing-key", "dead"));
    publish("expiring", "00-" + trace + "-" + PUBLISHER + "-01");

    OtlpReceiver.Received route = span(trace, "route (default)");
    OtlpReceiver.Received inQueue = span(trace, "queue expiring");
    OtlpReceiver.Received deadLetter = span(trace, "dead-letter expiring");
    assertThat(route.parent()).isEqualTo(PUBLISHER);
    assertThat(route.attributes())
        .containsEntry("messaging.rabbitmq.destination.routing_key", "expiring")
        .containsEntry("mayfly.queues", "1");
    assertThat(route.resource())
        .containsEntry("service.name", "orders-broker")
        .containsKeys("service.instance.id", "service.version");
    assertThat(inQueue.parent()).isEqualTo(PUBLISHER);
    assertThat(inQueue.millis()).isGreaterThanOrEqualTo(TTL_MILLIS);
    assertThat(inQueue.attributes())
        .containsEntry("mayfly.left", "expired")
        .containsEntry("mayfly.trigger", "message-ttl");
    assertThat(deadLetter.parent()).isEqualTo(inQueue.id());
    assertThat(deadLetter.attributes()).containsEntry("mayfly.outcome", "dead_lettered");

    GetResponse got = get("dead");
    assertThat(String.valueOf(got.getProps().getHeaders().get("traceparent")))
        .isEqualTo("00-" + trace + "-" + inQueue.id() + "-01");
    channel.basicNack(got.getEnvelope().getDeliveryTag(), false, true);
    OtlpReceiver.Received inDead = span(trace, "queue dead");
    OtlpReceiver.Received delivery = span(trace, "deliver dead");
    assertThat(inDead.parent()).isEqualTo(inQueue.id());
    assertThat(delivery.parent()).isEqualTo(inDead.id());
    assertThat(delivery.attributes()).containsEntry("mayfly.settlement", "requeued");

    channel.queueDeclare("again", true, false, false, Map.of());
    assertThat(ControlCommand.of(broker).run("redrive_queue", "dead", "--to", "again").exit())
        .isZero();
    got = get("again");
    channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    OtlpReceiver.Received redrive = span(trace, "redrive dead");
    assertThat(redrive.parent()).isEqualTo(inQueue.id());
    OtlpReceiver.Received inAgain = span(trace, "queue again");
    assertThat(inAgain.parent()).isEqualTo(redrive.id());
    OtlpReceiver.Received last = span(trace, "deliver again");
    assertThat(last.parent()).isEqualTo(inAgain.id());
    assertThat(last.attributes()).containsEntry("mayfly.settlement", "acknowledged");
    assertThat(receiver.authorizations()).isNotEmpty().containsOnly("Bearer secret");
  }

  @Test
  void whatIsPublishedIsDeliveredUnchangedAndTracedOnlyIfThePublisherSampledIt() throws Exception {
    String unsampled = "1af7651916cd43dd8448eb211c80319c";
    String sampled = "2af7651916cd43dd8448eb211c80319c";
    channel.queueDeclare("plain", true, false, false, Map.of());
    publish("plain", "00-" + unsampled + "-" + PUBLISHER + "-00");
    publish("plain", "00-" + sampled + "-" + PUBLISHER + "-01");
    for (int i = 0; i < 2; i++) {
      GetResponse got = get("plain");
      assertThat(String.valueOf(got.getProps().getHeaders().get("traceparent")))
          .contains(PUBLISHER);
      channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    }
    assertThat(span(sampled, "deliver plain").attributes())
        .containsEntry("mayfly.settlement", "acknowledged");
    assertThat(spansOf(sampled)).hasSize(3);
    assertThat(spansOf(unsampled)).isEmpty();
  }
}
