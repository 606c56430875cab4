package io.mayflymq.it.deadletter;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests which reasons are dead-lettered, routing keys by reason, headers, and automatic dead letter
 * queues.
 */
@OwnBroker
class DeadLetterOptionsIT {
  private static final String OWN = "orders.$dlq";

  @TempDir Path data;
  private RestartedBroker broker;

  @BeforeEach
  void open() {
    broker = RestartedBroker.embedded(data);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private static Map<String, Object> toDeadLetterQueue(Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-dead-letter-exchange", "");
    arguments.put("x-dead-letter-routing-key", "dead");
    return arguments;
  }

  private long count(String queue) throws Exception {
    return broker.channel().messageCount(queue);
  }

  private void reject(String queue) throws Exception {
    Channel channel = broker.channel();
    channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
  }

  private GetResponse awaitMessage(String queue) throws Exception {
    await(queue).atMost(Patience.TIME).until(() -> count(queue) > 0);
    return broker.get(queue);
  }

  @Test
  void deadLetterOnSelectsTheReasons() throws Exception {
    broker.start();
    broker.queue("dead");
    for (String on : List.of("none", "rejected", "expired,maxlen")) {
      broker.queue(on, toDeadLetterQueue(Map.of("x-max-length", 1, "x-dead-letter-on", on)));
      broker.publish(on, on + " too many", on + " rejected");
      reject(on);
    }
    await().atMost(Patience.TIME).until(() -> count("dead") == 2);
    assertThat(broker.bodies("dead"))
        .containsExactlyInAnyOrder("rejected rejected", "expired,maxlen too many");
  }

  @Test
  void eachReasonCanHaveItsOwnRoutingKey() throws Exception {
    broker.start();
    broker.queue("dead");
    broker.queue("dead of age");
    broker.queue(
        "q",
        toDeadLetterQueue(
            Map.of("x-message-ttl", 600_000, "x-dead-letter-routing-key-expired", "dead of age")));
    broker.publish("q", "rejected");
    reject("q");
    broker.publish("q", RestartedBroker.PERSISTENT.builder().expiration("0").build(), new byte[0]);
    assertThat(RestartedBroker.body(awaitMessage("dead"))).isEqualTo("rejected");
    assertThat(RestartedBroker.body(awaitMessage("dead of age"))).isEmpty();
  }

  @Test
  void serviceBusHeadersAreAddedToDeadLetters() throws Exception {
    broker.start();
    broker.queue("dead");
    Map<String, Object> arguments =
        toDeadLetterQueue(
            Map.of("x-message-ttl", 1, "x-dead-letter-headers", "x-death,service-bus"));
    broker.queue("q", arguments);
    broker.publish("q", "m");
    Map<String, Object> headers = Headers.of(awaitMessage("dead").getProps());
    assertThat(headers)
        .containsEntry("DeadLetterReason", "TTLExpiredException")
        .containsEntry(
            "DeadLetterErrorDescription", "The message expired in queue 'q' and was dead lettered.")
        .containsKey("x-death");
  }

  @Test
  void classicQueuesSupportDeliveryLimits() throws Exception {
    broker.start();
    broker.queue("dead");
    broker.queue("q", toDeadLetterQueue(Map.of("x-delivery-limit", 1)));
    broker.publish("q", "poison");
    Channel channel = broker.channel();
    GetResponse first = channel.basicGet("q", false);
    channel.basicReject(first.getEnvelope().getDeliveryTag(), true);
    GetResponse second = channel.basicGet("q", false);
    assertThat(Headers.of(second.getProps())).containsEntry("x-delivery-count", 1L);
    channel.basicReject(second.getEnvelope().getDeliveryTag(), true);
    assertThat(Headers.history(awaitMessage("dead").getProps()))
        .containsExactly("delivery_limit q 1");
    assertThat(count("q")).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aQueueCanHaveAnAutomaticDeadLetterQueue(Ending ending) throws Exception {
    broker = RestartedBroker.ended(data, ending, 1).start();
    broker.queue("orders", Map.of("x-dead-letter-queue", "auto", "x-message-ttl", 1));
    // In the dead letter queue nothing expires and nothing is dead-lettered.
    http()
        .put(
            "policies/%2F/all",
            "{\"pattern\":\"dlq\",\"definition\":{\"message-ttl\":1,\"max-length\":1}}");
    broker.publish("orders", "a", "b");
    await().atMost(Patience.TIME).until(() -> count(OWN) == 2);
    broker.restart(ending);
    assertThat(count(OWN)).isEqualTo(2);
    assertThat(Headers.history(broker.get(OWN).getProps())).containsExactly("expired orders 1");
    assertThat(http().get("queues/%2F/orders.$dlq/effective").json().path("settings")).isEmpty();

    assertChannelError(
        broker.channel(),
        406,
        "PRECONDITION_FAILED - queue 'orders.$dlq' in vhost '/' is the dead letter queue of 'orders' and goes with it",
        () -> broker.channel().queueDelete(OWN));
    broker.channel().queueDelete("orders");
    assertChannelError(
        broker.channel(),
        404,
        "NOT_FOUND - no queue 'orders.$dlq' in vhost '/'",
        () -> broker.channel().queueDeclarePassive(OWN));
  }

  @Test
  void aPolicyCanSetAutomaticDeadLetterQueues() throws Exception {
    broker.start();
    broker.queue("orders");
    Http http = http();
    http.put(
        "policies/%2F/p",
        "{\"pattern\":\"^orders$\",\"definition\":{\"dead-letter-queue\":\"auto\"}}");
    broker.publish("orders", "m");
    reject("orders");
    assertThat(RestartedBroker.body(awaitMessage(OWN))).isEqualTo("m");
    assertChannelError(
        broker.channel(),
        406,
        "PRECONDITION_FAILED - invalid arg 'x-dead-letter-queue-of' for queue 'mine' in vhost '/': such queues come with"
            + " dead-letter-queue auto",
        () ->
            broker
                .channel()
                .queueDeclare(
                    "mine", true, false, false, Map.of("x-dead-letter-queue-of", "orders")));
  }

  @Test
  void anotherQueueWithTheNameOfAnAutomaticOneIsNotUsed() throws Exception {
    broker.start();
    broker.queue(OWN);
    assertChannelError(
        broker.channel(),
        406,
        "PRECONDITION_FAILED - invalid arg 'x-dead-letter-queue' for queue 'orders' in vhost '/': queue 'orders.$dlq'"
            + " in vhost '/' is there already, and was not made with it",
        () -> broker.queue("orders", Map.of("x-dead-letter-queue", "auto")));
    http()
        .put(
            "policies/%2F/p",
            "{\"pattern\":\"^orders$\",\"definition\":{\"dead-letter-queue\":\"auto\"}}");
    broker.queue("orders");
    broker.publish("orders", "m");
    reject("orders");
    await().atMost(Patience.TIME).until(() -> count("orders") == 0);
    assertThat(http().get("queues/%2F/orders/deaths").json().path(0).path("fate").asText())
        .isEqualTo("unroutable");
    assertThat(count(OWN)).isZero();
    // It stays when the queue goes.
    broker.channel().queueDelete("orders");
    assertThat(count(OWN)).isZero();
  }

  private Http http() {
    return Http.as(broker.process().httpPort(), "guest", "guest");
  }
}
