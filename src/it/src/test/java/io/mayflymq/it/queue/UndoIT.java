package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bringing messages back that have left a queue. */
@BlackBox
@MayflyOnly("what has left a queue of RabbitMQ is gone")
class UndoIT {
  private static final long HOUR = 3_600_000;

  private Http http;

  @BeforeEach
  void open(Target target) {
    http = target.http();
  }

  private static String declared(Amqp amqp, String type, Map<String, Object> more)
      throws Exception {
    String queue = amqp.name();
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    arguments.putIfAbsent("x-recoverable", HOUR);
    amqp.newChannel().queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  private static void publish(Amqp amqp, String queue, int from, int to) throws Exception {
    Channel channel = amqp.newChannel();
    channel.confirmSelect();
    for (int number = from; number < to; number++) {
      channel.basicPublish(
          "",
          queue,
          new BasicProperties.Builder().deliveryMode(2).build(),
          Amqp.bytes("m" + number));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    channel.close();
  }

  private JsonNode restore(String queue, String body) throws Exception {
    return http.post("queues/%2F/" + queue + "/restore", body).json();
  }

  private static List<String> drained(Amqp amqp, String queue) throws Exception {
    return amqp.drain(queue);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void purgeIsUndoneOnceAndInOrder(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    publish(amqp, queue, 0, 5);
    amqp.newChannel().queuePurge(queue);
    publish(amqp, queue, 5, 7);

    JsonNode forecast = http.post("queues/%2F/" + queue + "/restore/dry-run", "{}").json();
    assertThat(forecast.path("would_be_restored").asInt()).isEqualTo(5);
    JsonNode report = restore(queue, "{\"reasons\":[\"purged\"]}");
    assertThat(report.path("restored").asInt()).isEqualTo(5);
    assertThat(report.path("reasons").path("purged").asInt()).isEqualTo(5);
    assertThat(restore(queue, "{}").path("restored").asInt()).isZero();

    assertThat(drained(amqp, queue)).containsExactly("m0", "m1", "m2", "m3", "m4", "m5", "m6");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void purgeOfDeadLettersThatWaitIsUndone(String type, Amqp amqp) throws Exception {
    String full = amqp.name();
    amqp.newChannel()
        .queueDeclare(
            full, true, false, false, Map.of("x-max-length", 0, "x-overflow", "reject-publish"));
    String queue = declared(amqp, type, Amqp.deadLetterTo(full, Map.of()));
    publish(amqp, queue, 0, 3);
    Channel channel = amqp.newChannel();
    for (int i = 0; i < 2; i++) {
      channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
    }
    await().atMost(Patience.TIME).until(() -> shown(queue, "messages_dlx") == 2);
    channel.queuePurge(queue);
    assertThat(shown(queue, "messages_dlx")).isZero();
    assertThat(shown(queue, "recoverable_messages")).isEqualTo(3);
    JsonNode report = restore(queue, "{}");
    assertThat(report.path("restored").asInt()).isEqualTo(3);
    assertThat(report.path("reasons").path("purged").asInt()).isEqualTo(3);
    assertThat(Amqp.text(channel.basicGet(queue, true).getBody())).isEqualTo("m2");
    GetResponse dead = channel.basicGet(queue, true);
    assertThat(Amqp.text(dead.getBody())).isEqualTo("m0");
    assertThat(dead.getProps().getHeaders()).containsKeys("x-death", "x-restored");
    assertThat(drained(amqp, queue)).containsExactly("m1");
  }

  private int shown(String queue, String field) throws Exception {
    return http.get("queues/%2F/" + queue).json().path(field).asInt();
  }

  @Test
  void whatComesBackSaysWhyItHadLeft(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    publish(amqp, queue, 0, 1);
    Channel channel = amqp.newChannel();
    channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
    amqp.awaitReady(queue, 0);

    assertThat(restore(queue, "{}").path("reasons").path("rejected").asInt()).isEqualTo(1);

    GetResponse back = channel.basicGet(queue, true);
    assertThat(back.getEnvelope().isRedeliver()).isTrue();
    Map<?, ?> header = (Map<?, ?>) back.getProps().getHeaders().get("x-restored");
    assertThat(header.get("reason")).hasToString("rejected");
    assertThat(header.get("time")).isNotNull();
  }

  @Test
  void whatALimitHasDroppedComesBackWhenThereIsRoom(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of("x-max-length", 2));
    publish(amqp, queue, 0, 4);
    assertThat(drained(amqp, queue)).containsExactly("m2", "m3");

    assertThat(restore(queue, "{\"reasons\":[\"maxlen\"]}").path("restored").asInt()).isEqualTo(2);

    assertThat(drained(amqp, queue)).containsExactly("m0", "m1");
  }

  @Test
  void expiredMessagesBeginTheirTimeAnewOrStayAway(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    amqp.publishExpiring(queue, 20, "late");
    publish(amqp, queue, 0, 1);
    amqp.awaitReady(queue, 1);

    JsonNode left = restore(queue, "{\"expired\":\"leave\"}");
    assertThat(left.path("restored").asInt()).isZero();
    assertThat(left.path("expired").asInt()).isEqualTo(1);

    List<String> bodies = new ArrayList<>();
    amqp.newChannel()
        .basicConsume(
            queue, true, (tag, delivery) -> bodies.add(Amqp.text(delivery.getBody())), tag -> {});
    assertThat(restore(queue, "{}").path("restored").asInt()).isEqualTo(1);
    await().atMost(Patience.TIME).until(() -> bodies.equals(List.of("m0", "late")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void expiredMessagesBeginAnewAlsoWhileTimeStandsStill(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    amqp.publishExpiring(queue, 500, "late");
    String path = "queues/%2F/" + queue;
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get(path).json().path("recoverable_messages").asInt() == 1);
    String stop = "{\"what\":\"deliveries\",\"ttl\":\"stop\"}";
    assertThat(http.put(path + "/pause", stop).status()).isEqualTo(201);

    assertThat(restore(queue, "{\"expired\":\"leave\"}").path("expired").asInt()).isEqualTo(1);
    assertThat(restore(queue, "{}").path("restored").asInt()).isEqualTo(1);

    Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, true);
    http.delete(path + "/pause");
    assertThat(deliveries.next().body()).isEqualTo("late");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatWasDeliveredBeforeThePurgeIsRedelivered(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    publish(amqp, queue, 0, 2);
    Channel channel = amqp.newChannel();
    channel.basicNack(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false, true);
    Awaitility.await("both are ready")
        .atMost(Patience.TIME)
        .until(() -> channel.messageCount(queue) == 2);
    channel.queuePurge(queue);
    assertThat(restore(queue, "{}").path("restored").asInt()).isEqualTo(2);
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isTrue();
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void acknowledgedMessagesComeBackIfThatIsWanted(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of("x-recoverable-acked", true));
    publish(amqp, queue, 0, 3);
    assertThat(drained(amqp, queue)).hasSize(3);
    amqp.awaitReady(queue, 0);

    assertThat(restore(queue, "{}").path("reasons").path("acked").asInt()).isEqualTo(3);

    assertThat(drained(amqp, queue)).containsExactly("m0", "m1", "m2");
  }

  @Test
  void withoutTheKeyNothingIsKept(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    amqp.newChannel().queuePurge(queue);

    Http.Reply reply = http.post("queues/%2F/" + queue + "/restore", "{}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .isEqualTo(
            ("nothing of queue '%s' in vhost '/' can be brought back: 'recoverable' says for how"
                    + " long what leaves it is kept, and is not set")
                .formatted(queue));
  }

  @Test
  void policyBoundsWhatIsKept(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of("x-recoverable-bytes", 250));
    publish(amqp, queue, 0, 5);
    amqp.newChannel().queuePurge(queue);
    assertThat(http.get("queues/%2F/" + queue).json().path("recoverable_messages").asInt())
        .isEqualTo(2);

    assertThat(restore(queue, "{}").path("restored").asInt()).isEqualTo(2);

    assertThat(drained(amqp, queue)).containsExactly("m3", "m4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"since\":\"now\"}",
        "{\"since\":-1}",
        "{\"reasons\":[]}",
        "{\"reasons\":\"purged\"}",
        "{\"reasons\":[\"lost\"]}",
        "{\"expired\":\"later\"}",
        "{\"reason\":[\"purged\"]}"
      })
  void badRequestsAreRefusedAndNothingComesBack(String body, Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    publish(amqp, queue, 0, 1);
    amqp.newChannel().queuePurge(queue);
    Http.Reply refused = http.post("queues/%2F/" + queue + "/restore", body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).contains("should be");
    amqp.awaitReady(queue, 0);
  }
}
