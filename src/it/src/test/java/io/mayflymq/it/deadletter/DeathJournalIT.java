package io.mayflymq.it.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Why messages died: counters, the journal, and who may read it. */
@BlackBox
@MayflyOnly("RabbitMQ does not remember how messages died")
class DeathJournalIT extends AccessFixture {
  private static BasicProperties id(String id) {
    return new BasicProperties.Builder().messageId(id).build();
  }

  private JsonNode deaths(String queue) throws Exception {
    return http.get("deaths?queue=" + queue).json();
  }

  private JsonNode awaitDeath(String queue) {
    return Awaitility.await().until(() -> deaths(queue), list -> !list.isEmpty()).get(0);
  }

  private JsonNode stats(String queue) throws Exception {
    return http.get("queues/%2F/" + queue).json().path("message_stats");
  }

  @Test
  void recordsAnExpiredMessage(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    amqp.publish(
        queue, new BasicProperties.Builder().messageId("m-1").expiration("30").build(), "body");
    JsonNode death = awaitDeath(queue);
    assertThat(death.path("message_id").asText()).isEqualTo("m-1");
    assertThat(death.path("vhost").asText()).isEqualTo("/");
    assertThat(death.path("exchange").asText()).isEmpty();
    assertThat(death.path("routing_key").asText()).isEqualTo(queue);
    assertThat(death.path("reason").asText()).isEqualTo("expired");
    assertThat(death.path("decided_by").asText()).isEqualTo("expiration");
    assertThat(death.path("lateness_ms").asLong())
        .isEqualTo(death.path("time").asLong() - death.path("deadline").asLong())
        .isNotNegative();
    assertThat(death.path("fate").asText()).isEqualTo("dead_lettered");
    assertThat(death.path("dead_letter_routing_keys")).hasToString("[\"" + dead + "\"]");
    assertThat(death.path("dead_letter_queues")).hasToString("[\"" + dead + "\"]");
    assertThat(stats(queue).path("expired").asInt()).isEqualTo(1);
    assertThat(stats(queue).path("dead_lettered").asInt()).isEqualTo(1);
  }

  @Test
  void recordsWhyAMessageWasDropped(Amqp amqp) throws Exception {
    String without = amqp.queue(Map.of("x-message-ttl", 0));
    amqp.publish(without, id("without"), "b");
    assertThat(awaitDeath(without).path("fate").asText()).isEqualTo("no_exchange");
    assertThat(awaitDeath(without).path("decided_by").asText()).isEqualTo("message-ttl");
    assertThat(stats(without).path("dropped_no_exchange").asInt()).isEqualTo(1);

    String missing = amqp.queue(Map.of("x-max-length", 0, "x-dead-letter-exchange", amqp.name()));
    amqp.publish(missing, id("missing"), "b");
    assertThat(awaitDeath(missing).path("fate").asText()).isEqualTo("exchange_missing");
    assertThat(awaitDeath(missing).path("decided_by").asText()).isEqualTo("max-length");
    assertThat(stats(missing).path("dropped_exchange_missing").asInt()).isEqualTo(1);

    String unroutable =
        amqp.queue(Map.of("x-max-length-bytes", 1, "x-dead-letter-exchange", "amq.direct"));
    amqp.publish(unroutable, id("unroutable"), "body");
    assertThat(awaitDeath(unroutable).path("fate").asText()).isEqualTo("unroutable");
    assertThat(awaitDeath(unroutable).path("decided_by").asText()).isEqualTo("max-length-bytes");
    assertThat(stats(unroutable).path("dropped_unroutable").asInt()).isEqualTo(1);

    String cycle = amqp.name();
    amqp.queue(cycle, Amqp.deadLetterTo(cycle, Map.of("x-message-ttl", 10)));
    amqp.publish(cycle, id("cycle"), "b");
    assertThat(awaitDeath(cycle).path("fate").asText()).isEqualTo("cycle");
    assertThat(stats(cycle).path("dropped_cycle").asInt()).isEqualTo(1);
  }

  @Test
  void distinguishesRejectionsFromTheDeliveryLimit(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Channel channel = amqp.channel();
    channel.queueDeclare(
        queue, true, false, false, Map.of("x-queue-type", "quorum", "x-delivery-limit", 0));
    amqp.publish(queue, id("returned"), "b");
    amqp.publish(queue, id("rejected"), "b");
    GetResponse returned = channel.basicGet(queue, false);
    GetResponse rejected = channel.basicGet(queue, false);
    channel.basicReject(returned.getEnvelope().getDeliveryTag(), true);
    channel.basicReject(rejected.getEnvelope().getDeliveryTag(), false);
    Awaitility.await().until(() -> deaths(queue).size() == 2);
    assertThat(
            http.get("deaths?message_id=returned&queue=" + queue).json().findValuesAsText("reason"))
        .containsExactly("delivery_limit");
    assertThat(
            http.get("deaths?reason=rejected&queue=" + queue).json().findValuesAsText("message_id"))
        .containsExactly("rejected");
    assertThat(stats(queue).path("delivery_limit").asInt()).isEqualTo(1);
    assertThat(stats(queue).path("rejected").asInt()).isEqualTo(1);
    channel.queueDelete(queue);
  }

  @ParameterizedTest
  @CsvSource({
    "x-consumer-timeout, dead-letter, rejected, consumer-timeout",
    "x-lock-duration, dead-letter, rejected, consumer-timeout",
    "x-lock-duration, requeue, delivery_limit, delivery-limit"
  })
  void recordsAConsumerTimeout(
      String timeout, String action, String reason, String setting, Amqp amqp) throws Exception {
    String dead = amqp.queue();
    Map<String, Object> arguments =
        Map.of(timeout, 1_000, "x-consumer-timeout-action", action, "x-delivery-limit", 0);
    String queue = amqp.queue(Amqp.deadLetterTo(dead, arguments));
    amqp.publish(queue, id("m"), "b");
    Deliveries.from(amqp.newChannel(), queue, false).next();
    JsonNode death = awaitDeath(queue);
    assertThat(death.path("reason").asText()).isEqualTo(reason);
    assertThat(death.path("decided_by").asText()).isEqualTo(setting);
    assertThat(death.path("dead_letter_queues")).hasToString("[\"" + dead + "\"]");
  }

  @Test
  void keepsEntriesOfADeletedQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    String path = "queues/%2F/" + queue + "/deaths";
    assertThat(http.get(path).json()).isEmpty();
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, id("m" + i), "b");
    }
    amqp.channel().queueDelete(queue);
    assertThat(http.get(path).json().findValuesAsText("message_id"))
        .containsExactly("m2", "m1", "m0");
    JsonNode page = http.get(path + "?page=2&page_size=2&columns=message_id").json();
    assertThat(page.path("items")).hasToString("[{\"message_id\":\"m0\"}]");
    assertThat(page.path("page_count").asInt()).isEqualTo(2);
    assertThat(http.get("queues/%2F/" + amqp.name() + "/deaths").status()).isEqualTo(404);
  }

  @Test
  void showsOnlyVirtualHostsThatTheUserCanAccess(Amqp amqp) throws Exception {
    String user = user(amqp, "management");
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    amqp.publish(queue, id("secret"), "b");
    awaitDeath(queue);
    Http unprivileged = Http.as(target.httpPort(), user, "p");
    assertThat(unprivileged.get("deaths").json()).isEmpty();
    assertThat(unprivileged.get("deaths/%2F").status()).isEqualTo(404);
    assertThat(unprivileged.get("queues/%2F/" + queue + "/deaths").status()).isEqualTo(404);
    assertThat(http.put("permissions/%2F/" + user, ALL).status()).isEqualTo(201);
    assertThat(unprivileged.get("deaths?queue=" + queue).json()).hasSize(1);
  }

  @Test
  void invalidParametersOfTheJournalAre400() throws Exception {
    Http.Reply reply = http.get("deaths?reason=boredom");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .isEqualTo(
            "reason should be one of rejected, expired, maxlen, delivery_limit, queue_expired,"
                + " queue_deleted, deleted, moved, actually was boredom");
    assertThat(http.get("deaths?limit=-1").reason())
        .isEqualTo("limit should be a number from 0 to 100000, actually was -1");
  }

  @Test
  void listDeathsPrintsTheJournal(Amqp amqp) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String queue = amqp.queue(Map.of("x-message-ttl", 0));
    amqp.publish(queue, id("one"), "b");
    amqp.publish(queue, id("two"), "b");
    awaitDeath(queue);
    assertThat(
            control
                .run("list_deaths", "-s", "--queue", queue, "message_id", "decided_by", "fate")
                .out())
        .containsExactly("two\tmessage-ttl\tno_exchange", "one\tmessage-ttl\tno_exchange");
    assertThat(
            control.run("list_deaths", "-s", "--queue", queue, "--limit", "1", "message_id").out())
        .containsExactly("two");
    assertThat(control.run("list_deaths", "-s", "--queue", queue, "--reason", "maxlen").out())
        .isEmpty();
    assertThat(control.run("list_queues", "-s", "name", "expired", "dropped_no_exchange").out())
        .contains(queue + "\t2\t2");
    assertThat(control.run("explain_policy", "queue", queue).out())
        .contains("  expired: 2", "  dropped_no_exchange: 2");
    assertThat(control.run("list_deaths", "--reason", "boredom").exit()).isNotZero();
  }

  @Test
  void theJournalSizeIsConfigurable(Amqp amqp, @TempDir Path data) throws Exception {
    for (int size : List.of(0, 2)) {
      try (EmbeddedBroker broker =
          EmbeddedBroker.builder()
              .data(data.resolve("size-" + size))
              .set("shards", 1)
              .set("death_journal.size", size)
              .start()) {
        Http own = Http.as(broker.httpPort(), "guest", "guest");
        try (var connection = broker.factory().newConnection()) {
          Channel channel = connection.createChannel();
          channel.confirmSelect();
          channel.queueDeclare("q", false, false, false, Map.of("x-message-ttl", 0));
          for (int i = 0; i < 5; i++) {
            channel.basicPublish("", "q", id("m" + i), Amqp.bytes("b"));
          }
          channel.waitForConfirmsOrDie(Patience.MILLIS);
        }
        assertThat(own.get("deaths").json().findValuesAsText("message_id"))
            .hasSize(size)
            .isEqualTo(size == 0 ? List.of() : List.of("m4", "m3"));
        assertThat(own.get("queues/%2F/q").json().path("message_stats").path("expired").asInt())
            .isEqualTo(5);
      }
    }
  }

  @Test
  void theJournalSurvivesARestart(@TempDir Path data) throws Exception {
    try (RestartedBroker broker = RestartedBroker.at(data).start()) {
      for (Ending ending : List.of(Ending.SIGTERM, Ending.KILL)) {
        String queue = broker.queue("q-" + ending, Map.of("x-message-ttl", 0));
        broker.publish(queue, id("of-" + ending), Amqp.bytes("b"));
        Awaitility.await("the file")
            .atMost(Patience.TIME)
            .until(() -> contains(data.resolve("deaths"), "of-" + ending));
        broker.restart(ending);
      }
      assertThat(broker.http().get("deaths").json().findValuesAsText("message_id"))
          .containsExactly("of-" + Ending.KILL, "of-" + Ending.SIGTERM);
      JsonNode reach = broker.http().get("queues/%2F/q-" + Ending.KILL + "/deaths/reach").json();
      assertThat(reach.path("kept").asInt()).isEqualTo(2);
      assertThat(reach.path("gone").asInt()).isZero();
      assertThat(reach.path("since").isNull()).isTrue();
    }
  }

  private static boolean contains(Path directory, String text) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(text)) {
          return true;
        }
      }
    }
    return false;
  }
}
