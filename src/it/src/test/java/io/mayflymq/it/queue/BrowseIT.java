package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looking at messages without taking them. */
@BlackBox
@MayflyOnly("RabbitMQ shows messages only by taking them")
class BrowseIT extends AccessFixture {
  private JsonNode browse(String queue, String query) throws Exception {
    Http.Reply reply = http.get("queues/%2F/" + queue + "/messages" + query);
    assertThat(reply.status()).isEqualTo(200);
    return reply.json();
  }

  private static List<String> payloads(JsonNode page) {
    return page.path("items").findValuesAsText("payload");
  }

  @Test
  void browsingReturnsPagesInQueueOrder(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    for (String body : List.of("a", "b", "c")) {
      amqp.publish(queue, body);
    }
    JsonNode page = browse(queue, "?count=2");
    assertThat(payloads(page)).containsExactly("a", "b");
    assertThat(page.path("messages_ready").asInt()).isEqualTo(3);
    assertThat(page.path("next").asInt()).isEqualTo(2);
    page = browse(queue, "?from=2&count=2");
    assertThat(payloads(page)).containsExactly("c");
    assertThat(page.path("items").get(0).path("position").asInt()).isEqualTo(2);
    assertThat(page.path("next").isNull()).isTrue();
    assertThat(payloads(browse(queue, "?from=3"))).isEmpty();
    assertThat(amqp.drain(queue)).containsExactly("a", "b", "c");
  }

  @Test
  void browsingReturnsAllFieldsOfAMessage(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-message-ttl", 60_000));
    long before = System.currentTimeMillis();
    amqp.publish(
        queue,
        new BasicProperties.Builder()
            .messageId("m")
            .expiration("50000")
            .headers(Map.of("h", 1))
            .build(),
        "12345");
    JsonNode message = browse(queue, "?truncate=2").path("items").get(0);
    assertThat(message.path("enqueued_at").asLong()).isBetween(before, System.currentTimeMillis());
    assertThat(message.path("deadline").asLong())
        .isEqualTo(message.path("enqueued_at").asLong() + 50_001);
    assertThat(message.path("ttl_left_ms").asLong()).isBetween(1L, 50_001L);
    assertThat(message.path("redelivered").asBoolean()).isFalse();
    assertThat(message.path("delivery_count").isNull()).isTrue();
    assertThat(message.path("routing_key").asText()).isEqualTo(queue);
    assertThat(message.path("properties").path("message_id").asText()).isEqualTo("m");
    assertThat(message.path("properties").path("headers").path("h").asInt()).isEqualTo(1);
    assertThat(message.path("payload").asText()).isEqualTo("12");
    assertThat(message.path("payload_bytes").asInt()).isEqualTo(5);
    assertThat(payloads(browse(queue, "?encoding=base64"))).containsExactly("MTIzNDU=");
  }

  @Test
  void browsingDoesNotRenewTheQueueLease(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-expires", 900));
    amqp.publish(queue, "a");
    // Browsing does not renew the lease of the queue.
    Awaitility.await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> http.get("queues/%2F/" + queue + "/messages").status() == 404);
  }

  @Test
  void browsingDoesNotChangeTheRedeliveredFlag(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Channel channel = amqp.channel();
    channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
    amqp.publish(queue, "first");
    amqp.publish(queue, "second");
    GetResponse first = channel.basicGet(queue, false);
    channel.basicReject(first.getEnvelope().getDeliveryTag(), true);
    amqp.awaitReady(queue, 2);
    for (int i = 0; i < 2; i++) {
      JsonNode items = browse(queue, "").path("items");
      assertThat(items.findValuesAsText("redelivered")).containsExactly("true", "false");
      assertThat(items.findValuesAsText("delivery_count")).containsExactly("1", "0");
    }
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isTrue();
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isFalse();
    channel.queueDelete(queue);
  }

  @Test
  void browsingFollowsPriorityOrder(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 5));
    for (int priority : List.of(1, 5, 0, 5)) {
      amqp.publish(queue, new BasicProperties.Builder().priority(priority).build(), "p" + priority);
    }
    assertThat(payloads(browse(queue, ""))).containsExactly("p5", "p5", "p1", "p0");
    assertThat(payloads(browse(queue, "?from=2"))).containsExactly("p1", "p0");
  }

  @Test
  void browsingShowsStreamsWithOffsets(Amqp amqp) throws Exception {
    String queue = amqp.name();
    amqp.channel().queueDeclare(queue, true, false, false, Map.of("x-queue-type", "stream"));
    try {
      for (String body : List.of("a", "b", "c")) {
        amqp.publish(queue, body);
      }
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(payloads(browse(queue, "?from=1"))).containsExactly("b", "c"));
      assertThat(browse(queue, "").path("items").findValuesAsText("sequence"))
          .containsExactly("0", "1", "2");
    } finally {
      amqp.channel().queueDelete(queue);
    }
  }

  @Test
  void browsingWithInvalidParametersIsRefused(Amqp amqp) throws Exception {
    assertThat(http.get("queues/%2F/" + amqp.name() + "/messages").status()).isEqualTo(404);
    String queue = amqp.queue();
    for (String query : List.of("from=-1", "from=x", "count=0", "count=1001", "encoding=rot13")) {
      assertThat(http.get("queues/%2F/" + queue + "/messages?" + query).status())
          .as(query)
          .isEqualTo(400);
    }
    assertThat(http.get("queues/%2F/" + queue + "/messages?count=1001").reason())
        .isEqualTo("count should be a number from 1 to 1000, actually was 1001");
  }

  @Test
  void browsingNeedsReadPermission(Amqp amqp) throws Exception {
    String user = user(amqp, "monitoring");
    String queue = amqp.queue();
    String path = "queues/%2F/" + queue + "/messages";
    Http unprivileged = Http.as(target.httpPort(), user, "p");
    assertThat(unprivileged.get(path).status()).as("without any permission").isEqualTo(404);
    assertThat(
            http.put(
                    "permissions/%2F/" + user,
                    "{\"configure\":\".*\",\"write\":\".*\",\"read\":\"\"}")
                .status())
        .isEqualTo(201);
    assertThat(unprivileged.get(path).status()).isEqualTo(401);
    assertThat(http.put("permissions/%2F/" + user, ALL).status()).isEqualTo(204);
    assertThat(unprivileged.get(path).status()).isEqualTo(200);
  }

  @Test
  void theBrowseCommandShowsMessages(Amqp amqp) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String queue = amqp.queue();
    for (String body : List.of("a", "b", "c")) {
      amqp.publish(queue, new BasicProperties.Builder().messageId("id-" + body).build(), body);
    }
    assertThat(control.run("browse_queue", "-s", queue, "position", "message_id", "payload").out())
        .containsExactly("0\tid-a\ta", "1\tid-b\tb", "2\tid-c\tc");
    assertThat(
            control
                .run("browse_queue", "-s", "--from", "1", "--limit", "1", queue, "payload")
                .out())
        .containsExactly("b");
    assertThat(control.run("browse_queue", amqp.name()).exit()).isNotZero();
    assertThat(amqp.ready(queue)).isEqualTo(3);
  }

  /** What memory has no room for is read from the disk, and the broker stays as quick as it is. */
  @Test
  void browsingReadsMessagesFromDisk(@TempDir Path data) throws Exception {
    try (BrokerProcess broker =
            BrokerProcess.builder()
                .data(data)
                .set("vm_memory_high_watermark.absolute", "200MB")
                .set("vm_memory_high_watermark_paging_ratio", "0.01")
                .start();
        var connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.queueDeclare("big", true, false, false, null);
      byte[] body = new byte[20_000];
      for (int i = 0; i < 2000; i++) {
        body[0] = (byte) ('a' + i % 26);
        channel.basicPublish("", "big", null, body.clone());
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      Http own = Http.as(broker.httpPort(), "guest", "guest");
      JsonNode page = own.get("queues/%2F/big/messages?from=900&count=1000&truncate=1").json();
      assertThat(page.path("item_count").asInt()).as("a page has 16 MiB at most").isEqualTo(839);
      assertThat(page.path("next").asInt()).isEqualTo(1739);
      for (int i = 0; i < page.path("item_count").asInt(); i++) {
        JsonNode message = page.path("items").get(i);
        assertThat(message.path("payload").asText())
            .isEqualTo(Character.toString('a' + (900 + i) % 26));
        assertThat(message.path("payload_bytes").asInt()).isEqualTo(20_000);
      }
      assertThat(channel.messageCount("big")).isEqualTo(2000);
    }
  }
}
