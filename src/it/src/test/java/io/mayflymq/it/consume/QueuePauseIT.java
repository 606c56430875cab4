package io.mayflymq.it.consume;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Time;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues that are paused: what waits, what goes on, and where it is seen. */
@BlackBox
@MayflyOnly("RabbitMQ cannot pause queues")
class QueuePauseIT extends PolicyFixture {
  private String queue;

  private Channel declare(Amqp amqp, String type, Map<String, Object> more) throws Exception {
    queue = amqp.name();
    Channel channel = amqp.newChannel();
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", type);
    channel.queueDeclare(queue, true, false, false, arguments);
    return channel;
  }

  private String path() {
    return "queues/%2F/" + queue + "/pause";
  }

  private int pause(String what) throws Exception {
    return http.put(path(), "{\"what\":\"" + what + "\"}").status();
  }

  private void resume() throws Exception {
    assertThat(http.delete(path()).status()).isEqualTo(204);
  }

  private JsonNode shown() throws Exception {
    return http.get("queues/%2F/" + queue).json();
  }

  @AfterEach
  void resumeWhatIsLeft() throws Exception {
    if (queue != null) {
      http.delete(path());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void consumersGetNothingWhileDeliveriesArePaused(String type, Amqp amqp) throws Exception {
    Channel channel = declare(amqp, type, Map.of());
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "before");
    Deliveries.Delivery held = deliveries.next();
    assertThat(pause("deliveries")).isEqualTo(201);
    assertThat(shown().path("paused").asText()).isEqualTo("deliveries");
    amqp.publish(queue, "during");
    amqp.awaitReady(queue, 1);
    assertThat(amqp.get(queue)).isNull();
    channel.basicNack(held.tag(), false, true);
    amqp.awaitReady(queue, 2);
    deliveries.assertNothing();
    resume();
    assertThat(shown().has("paused")).isFalse();
    assertThat(deliveries.next(2)).containsExactlyInAnyOrder("before", "during");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void messagesExpireWhileDeliveriesArePaused(String type, Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Channel channel = declare(amqp, type, Amqp.deadLetterTo(dead, Map.of()));
    pause("deliveries");
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publishExpiring(queue, 20, "late");
    amqp.awaitReady(dead, 1);
    deliveries.assertNothing();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void timeStandsStillIfThatIsAsked(String type, Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Channel channel = declare(amqp, type, Amqp.deadLetterTo(dead, Map.of("x-message-ttl", 60_000)));
    assertThat(http.put(path(), "{\"what\":\"deliveries\",\"ttl\":\"stop\"}").status())
        .isEqualTo(201);
    assertThat(shown().path("paused_ttl").asText()).isEqualTo("stop");
    amqp.publishExpiring(queue, 20, "brief");
    amqp.publish(queue, "longer");
    Time.pass(200);
    assertThat(amqp.ready(queue)).isEqualTo(2);
    assertThat(amqp.ready(dead)).isZero();
    JsonNode longer = http.get("queues/%2F/" + queue + "/messages").json().path("items").get(1);
    assertThat(longer.path("ttl_left_ms").asInt()).isBetween(30_000, 60_001);
    resume();
    assertThat(shown().has("paused_ttl")).isFalse();
    amqp.awaitReady(dead, 1);
    assertThat(Deliveries.from(channel, queue, true).next().body()).isEqualTo("longer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void withATtlOfZeroConsumersGetWhatTheyCanTakeAfterThePause(String type, Amqp amqp)
      throws Exception {
    String dead = amqp.queue();
    Channel channel = declare(amqp, type, Amqp.deadLetterTo(dead, Map.of("x-message-ttl", 0)));
    http.put(path(), "{\"what\":\"deliveries\",\"ttl\":\"stop\"}");
    channel.basicQos(1);
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "first");
    amqp.publish(queue, "second");
    amqp.awaitReady(queue, 2);
    resume();
    assertThat(deliveries.next().body()).isEqualTo("first");
    amqp.awaitReady(dead, 1);
    assertThat(amqp.get(dead)).isEqualTo("second");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void timeStandsStillByAPolicy(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of("x-message-ttl", 1_000));
    http.put("policies/%2F/" + name, policy(queue, "{\"pause-ttl\":\"stop\"}"));
    assertThat(shown().has("paused_ttl")).as("deliveries go on").isFalse();
    pause("deliveries");
    assertThat(shown().path("paused_ttl").asText()).isEqualTo("stop");
    assertThat(http.put(path(), "{\"what\":\"deliveries\",\"ttl\":\"run\"}").status())
        .isEqualTo(204);
    assertThat(shown().has("paused_ttl")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void publishersWaitAndNothingIsLost(String type, Amqp amqp) throws Exception {
    declare(amqp, type, Map.of());
    pause("publishing");
    Connection connection = amqp.newConnection();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    connection.addBlockedListener(told::add, () -> told.add("unblocked"));
    Channel publisher = connection.createChannel();
    publisher.confirmSelect();
    BlockingQueue<Long> confirmed = new LinkedBlockingQueue<>();
    publisher.addConfirmListener(
        (number, multiple) -> confirmed.add(number), (number, multiple) -> confirmed.add(-number));
    for (int number = 0; number < 100; number++) {
      publisher.basicPublish("", queue, null, Amqp.bytes("m" + number));
    }
    assertThat(told.poll(Patience.SECONDS, SECONDS))
        .isEqualTo("queue '%s' in vhost '/' is paused".formatted(queue));
    assertThat(amqp.ready(queue)).isZero();
    assertThat(confirmed).isEmpty();
    String other = amqp.queue();
    amqp.publish(other, "elsewhere");
    amqp.awaitReady(other, 1);
    resume();
    assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("unblocked");
    assertThat(publisher.waitForConfirms(Patience.SECONDS * 1000L)).isTrue();
    assertThat(amqp.ready(queue)).isEqualTo(100);
    assertThat(amqp.get(queue)).isEqualTo("m0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatWaitsForRoomDoesNotEnterAPausedQueue(String type, Amqp amqp) throws Exception {
    declare(
        amqp,
        type,
        Map.of("x-max-length", 1, "x-overflow", "block", "x-block-timeout", Patience.MILLIS));
    Connection connection = amqp.newConnection();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    connection.addBlockedListener(told::add, () -> told.add("unblocked"));
    Channel publisher = connection.createChannel();
    publisher.confirmSelect();
    publisher.basicPublish("", queue, null, Amqp.bytes("first"));
    publisher.basicPublish("", queue, null, Amqp.bytes("waits"));
    assertThat(told.poll(Patience.SECONDS, SECONDS))
        .isEqualTo("queue '%s' in vhost '/' is full".formatted(queue));
    assertThat(pause("publishing")).isEqualTo(201);
    assertThat(amqp.get(queue)).isEqualTo("first");
    assertThat(amqp.get(queue)).as("there is room").isNull();
    resume();
    assertThat(publisher.waitForConfirms(Patience.SECONDS * 1000L)).isTrue();
    assertThat(amqp.get(queue)).isEqualTo("waits");
  }

  @Test
  void consumersGoOnWhilePublishingIsPaused(Amqp amqp) throws Exception {
    Channel channel = declare(amqp, "classic", Map.of());
    amqp.publish(queue, "before");
    amqp.awaitReady(queue, 1);
    pause("publishing");
    assertThat(Deliveries.from(channel, queue, true).next().body()).isEqualTo("before");
  }

  @Test
  void deadLettersAndScheduledMessagesEnterAPausedQueue(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    pause("both");
    String source = amqp.queue(Amqp.deadLetterTo(queue, Map.of()));
    amqp.publishExpiring(source, 1, "dead");
    amqp.awaitReady(queue, 1);
  }

  @Test
  void whatAConnectionHasSentBeforeItsEndIsNotLost(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    pause("publishing");
    Connection connection = amqp.newConnection();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    connection.addBlockedListener(told::add, () -> told.add("unblocked"));
    Channel publisher = connection.createChannel();
    publisher.basicPublish("", queue, null, Amqp.bytes("first"));
    publisher.basicPublish("", queue, null, Amqp.bytes("second"));
    assertThat(told.poll(Patience.SECONDS, SECONDS)).contains("is paused");
    assertThat(amqp.ready(queue)).isZero();
    connection.abort(1);
    amqp.awaitReady(queue, 2);
  }

  @Test
  void aDeletedQueueHoldsNoPublisher(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    pause("publishing");
    Connection connection = amqp.newConnection();
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    connection.addBlockedListener(told::add, () -> told.add("unblocked"));
    Channel publisher = connection.createChannel();
    publisher.confirmSelect();
    publisher.basicPublish("", queue, null, Amqp.bytes("to nowhere"));
    assertThat(told.poll(Patience.SECONDS, SECONDS)).contains("is paused");
    amqp.newChannel().queueDelete(queue);
    assertThat(told.poll(Patience.SECONDS, SECONDS)).isEqualTo("unblocked");
    assertThat(publisher.waitForConfirms(Patience.SECONDS * 1000L)).isTrue();
  }

  @Test
  void transactionWaitsWithItsCommit(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    pause("publishing");
    Channel channel = amqp.newConnection().createChannel();
    channel.txSelect();
    channel.basicPublish("", queue, null, Amqp.bytes("in a transaction"));
    Thread committing =
        new Thread(
            () -> {
              try {
                channel.txCommit();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    committing.start();
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("connections").json().toString().contains("\"state\":\"blocked\""));
    assertThat(amqp.ready(queue)).isZero();
    resume();
    committing.join(Patience.SECONDS * 1000L);
    amqp.awaitReady(queue, 1);
  }

  @Test
  void httpSaysWhatIsWrong(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    assertThat(pause("everything")).isEqualTo(400);
    Http.Reply wrong = http.put(path(), "{\"what\":\"everything\"}");
    assertThat(wrong.raw().body())
        .contains("what should be one of deliveries, publishing, both, actually was");
    assertThat(http.put(path(), "{\"wat\":\"both\"}").raw().body())
        .contains("field should be what, ttl or add, actually was wat");
    assertThat(http.put(path(), "{\"ttl\":\"walk\"}").raw().body())
        .contains("ttl should be one of run, stop, actually was");
    assertThat(http.put(path(), "{\"what\":\"publishing\",\"ttl\":\"stop\"}").raw().body())
        .contains("ttl should be run where what is publishing");
    assertThat(http.delete(path()).status()).isEqualTo(404);
    assertThat(http.delete(path()).raw().body()).contains("is not paused");
    assertThat(http.put(path(), "{}").status()).isEqualTo(201);
    assertThat(pause("publishing")).isEqualTo(204);
    Http.Reply refused =
        http.post(
            "exchanges/%2F/amq.default/publish",
            ("{\"properties\":{},\"routing_key\":\"%s\",\"payload\":\"x\","
                    + "\"payload_encoding\":\"string\"}")
                .formatted(queue));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body()).contains("is paused, and its publishers wait");
  }

  private JsonNode add(String body) throws Exception {
    Http.Reply reply = http.put(path(), "{\"add\":true,%s}".formatted(body));
    assertThat(reply.status()).isIn(201, 204);
    return shown();
  }

  @Test
  void whatIsPausedStaysSoWhenMoreIs(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    add("\"what\":\"deliveries\",\"ttl\":\"stop\"");
    assertThat(add("\"what\":\"deliveries\"").path("paused_ttl").asText()).isEqualTo("stop");
    JsonNode both = add("\"what\":\"publishing\"");
    assertThat(both.path("paused").asText()).isEqualTo("both");
    assertThat(both.path("paused_ttl").asText()).isEqualTo("stop");
    assertThat(add("\"what\":\"publishing\",\"ttl\":\"run\"").has("paused_ttl")).isFalse();
    assertThat(pause("publishing")).isEqualTo(204);
    assertThat(shown().path("paused").asText()).as("no more than that").isEqualTo("publishing");
    assertThat(
            http.put(path(), "{\"add\":true,\"what\":\"publishing\",\"ttl\":\"stop\"}")
                .raw()
                .body())
        .contains("ttl should be run where what is publishing");
    assertThat(http.put(path(), "{\"add\":\"more\"}").status()).isEqualTo(400);
    resume();
    assertThat(shown().has("paused")).isFalse();
  }

  @Test
  void whatAPolicyPausesStaysPausedBesideThat(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    http.put("policies/%2F/" + name, policy(queue, "{\"pause\":\"publishing\"}"));
    assertThat(pause("deliveries")).isEqualTo(201);
    assertThat(shown().path("paused").asText()).isEqualTo("both");
    resume();
    assertThat(shown().path("paused").asText()).isEqualTo("publishing");
  }

  @Test
  void anotherPolicyOfTheNameIsLeftAlone(Amqp amqp) throws Exception {
    declare(amqp, "classic", Map.of());
    String other = "operator-policies/%2F/pause:" + queue;
    http.put(other, policy(queue, "{\"max-length\":5}"));
    for (Http.Reply refused : List.of(http.put(path(), "{}"), http.delete(path()))) {
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.raw().body())
          .contains(
              "operator policy 'pause:%s' in vhost '/' is not a pause of queue '%s'"
                  .formatted(queue, queue));
    }
    assertThat(http.get(other).json().path("definition").path("max-length").asInt()).isEqualTo(5);
    http.delete(other);
    assertThat(pause("both")).isEqualTo(201);
  }

  @Test
  void policiesPauseQueuesToo(Amqp amqp) throws Exception {
    Channel channel = declare(amqp, "classic", Map.of());
    Deliveries deliveries = Deliveries.from(channel, queue, true);
    http.put("policies/%2F/" + name, policy(queue, "{\"pause\":\"deliveries\"}"));
    amqp.publish(queue, "waits");
    amqp.awaitReady(queue, 1);
    assertThat(http.delete(path()).raw().body()).contains("is paused by policies");
    http.delete("policies/%2F/" + name);
    assertThat(deliveries.next().body()).isEqualTo("waits");
  }
}
