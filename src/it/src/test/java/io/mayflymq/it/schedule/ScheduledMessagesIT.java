package io.mayflymq.it.schedule;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests counting, listing, cancelling and purging of scheduled messages. */
@BlackBox
@MayflyOnly("the plugin can do nothing of that")
class ScheduledMessagesIT {
  private static final int HOUR = 3_600_000;

  private Http http;
  private ControlCommand control;
  private Channel channel;
  private String exchange;
  private String queue;

  @BeforeEach
  void declare(Amqp amqp) throws Exception {
    http = amqp.target().http();
    control = ControlCommand.of(amqp.target());
    channel = amqp.confirming();
    exchange = amqp.name();
    channel.exchangeDeclare(
        exchange, "x-delayed-message", false, false, Map.of("x-delayed-type", "topic"));
    queue = amqp.queue();
    amqp.bind(queue, exchange, "#");
  }

  private void publish(String id, String key, long delay) throws Exception {
    BasicProperties properties =
        new BasicProperties.Builder().messageId(id).headers(Map.of("x-delay", delay)).build();
    channel.basicPublish(exchange, key, properties, bytes("body of " + id));
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private JsonNode queueObject() throws Exception {
    return http.get("queues/%2F/" + queue).json();
  }

  private JsonNode scheduled(String query) throws Exception {
    Http.Reply reply = http.get("queues/%2F/" + queue + "/scheduled" + query);
    assertThat(reply.status()).isEqualTo(200);
    return reply.json();
  }

  private static List<String> ids(JsonNode page) {
    List<String> ids = new ArrayList<>();
    page.get("items").forEach(item -> ids.add(item.get("message_id").textValue()));
    return ids;
  }

  @Test
  void scheduledMessagesAreCountedSeparately(Amqp amqp) throws Exception {
    publish("a", "k", HOUR);
    publish("b", "k", HOUR);
    amqp.publish(queue, "ready");
    JsonNode object = queueObject();
    assertThat(object.get("messages_delayed").intValue()).isEqualTo(2);
    assertThat(object.get("messages_scheduled").intValue()).isEqualTo(2);
    assertThat(object.get("message_bytes_delayed").intValue()).isEqualTo(2 * "body of a".length());
    assertThat(object.get("messages").intValue()).isEqualTo(1);
    assertThat(object.get("messages_ready").intValue()).isEqualTo(1);
    assertThat(http.get("overview").json().at("/queue_totals/messages_delayed").intValue())
        .isGreaterThanOrEqualTo(2);
    assertThat(http.get("vhosts/%2F").json().get("messages_delayed").intValue())
        .isGreaterThanOrEqualTo(2);
    assertThat(control.run("list_queues", "-s", "name", "messages", "messages_delayed").out())
        .contains(queue + "\t1\t2");
  }

  @Test
  void aPageListsScheduledMessagesByDueTime() throws Exception {
    long before = System.currentTimeMillis();
    publish("c", "key.c", 3L * HOUR);
    publish("a", "key.a", HOUR);
    publish("b", "key.b", 2L * HOUR);
    long after = System.currentTimeMillis();

    JsonNode page = scheduled("");
    assertThat(ids(page)).containsExactly("a", "b", "c");
    assertThat(page.get("next").isNull()).isTrue();
    JsonNode first = page.get("items").get(0);
    assertThat(first.get("due_at").longValue()).isBetween(before + HOUR, after + HOUR + 1);
    assertThat(first.get("enqueued_at").longValue()).isBetween(before - 1, after);
    assertThat(first.get("payload_bytes").intValue()).isEqualTo("body of a".length());
    assertThat(first.get("exchange").textValue()).isEqualTo(exchange);
    assertThat(first.get("routing_key").textValue()).isEqualTo("key.a");

    Outcome listed = control.run("list_scheduled", queue, "-s");
    assertThat(listed.out()).hasSize(3);
    String[] row = listed.out().get(0).split("\t");
    assertThat(row[0]).isEqualTo("a");
    assertThat(Instant.parse(row[1]).toEpochMilli()).isEqualTo(first.get("due_at").longValue());
    assertThat(control.run("list_scheduled", queue, "-s", "--limit", "1").out()).hasSize(1);
  }

  @Test
  void pagesOfScheduledMessagesHaveNoGapsOrDuplicates() throws Exception {
    for (int i = 0; i < 7; i++) {
      publish("m" + i, "k", HOUR + (i * 3 % 7) * 1000L);
    }
    List<String> seen = new ArrayList<>();
    JsonNode page = scheduled("?limit=3");
    while (true) {
      seen.addAll(ids(page));
      if (page.get("next").isNull()) {
        break;
      }
      page = scheduled("?limit=3&after=" + page.get("next").textValue());
    }
    assertThat(seen).containsExactly("m0", "m5", "m3", "m1", "m6", "m4", "m2");
  }

  @Test
  void invalidPageParametersAreRefused() throws Exception {
    for (String query : List.of("limit=0", "limit=1001", "limit=x", "after=x", "after=1")) {
      Http.Reply reply = http.get("queues/%2F/" + queue + "/scheduled?" + query);
      assertThat(reply.status()).as(query).isEqualTo(400);
    }
    assertThat(http.get("queues/%2F/no-such-queue/scheduled").status()).isEqualTo(404);
    assertThat(control.run("list_scheduled", "no-such-queue").exit()).isEqualTo(69);
    assertThat(control.run("list_scheduled", queue, "--limit", "0").exit()).isEqualTo(64);
  }

  @Test
  void aScheduledMessageIsCancelledByItsId() throws Exception {
    publish("keep", "k", HOUR);
    publish("a/b c", "k", HOUR);
    publish("by command", "k", HOUR);
    String path = "queues/%2F/" + queue + "/scheduled/";
    assertThat(http.delete(path + "no%20such").status()).isEqualTo(404);
    assertThat(http.delete(path + "a%2Fb%20c").status()).isEqualTo(204);
    assertThat(http.delete(path + "a%2Fb%20c").status()).isEqualTo(404);
    assertThat(control.run("cancel_scheduled", queue, "by command").exit()).isZero();
    assertThat(control.run("cancel_scheduled", queue, "by command").exit()).isEqualTo(69);
    assertThat(ids(scheduled(""))).containsExactly("keep");
    assertThat(queueObject().get("messages_delayed").intValue()).isEqualTo(1);
  }

  @Test
  void purgingTheQueueKeepsScheduledMessages(Amqp amqp) throws Exception {
    publish("a", "k", HOUR);
    amqp.publish(queue, "ready");
    assertThat(channel.queuePurge(queue).getMessageCount()).isEqualTo(1);
    assertThat(queueObject().get("messages_delayed").intValue()).isEqualTo(1);
  }

  @Test
  void scheduledMessagesArePurgedSeparately(Amqp amqp) throws Exception {
    for (int i = 0; i < 1_000; i++) {
      channel.basicPublish(
          exchange,
          "k",
          new BasicProperties.Builder().headers(Map.of("x-delay", HOUR)).build(),
          bytes("x"));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    amqp.publish(queue, "ready");
    assertThat(http.delete("queues/%2F/" + queue + "/scheduled").status()).isEqualTo(204);
    assertThat(queueObject().get("messages_delayed").intValue()).isZero();
    assertThat(amqp.drain(queue)).containsExactly("ready");
    publish("again", "k", HOUR);
    assertThat(control.run("purge_queue", queue, "--scheduled").exit()).isZero();
    assertThat(queueObject().get("messages_delayed").intValue()).isZero();
  }

  @Test
  void deletingTheQueueDeletesScheduledMessages(Amqp amqp) throws Exception {
    publish("a", "k", 300);
    channel.queueDelete(queue);
    amqp.queue(queue, Map.of());
    publish("marker", "k", 0);
    amqp.bind(queue, exchange, "#");
    publish("b", "k", 600);
    amqp.awaitReady(queue, 1);
    assertThat(amqp.drain(queue)).containsExactly("body of b");
  }

  @Test
  void scheduledMessagesDoNotKeepALeaseByDefault(Amqp amqp) throws Exception {
    String leased = amqp.queue(Map.of("x-expires", 2_000));
    amqp.bind(leased, exchange, "#");
    publish("a", "k", HOUR);
    Awaitility.await()
        .pollInSameThread()
        .until(() -> http.get("queues/%2F/" + leased).status() == 404);
  }

  @Test
  void scheduledMessagesCanKeepALease(Amqp amqp) throws Exception {
    String leased =
        amqp.queue(Map.of("x-expires", 2_000, "x-expires-activity", "consume,get,scheduled"));
    amqp.bind(leased, exchange, "#");
    publish("a", "k", 3_500);
    Awaitility.await()
        .pollInSameThread()
        .until(() -> http.get("queues/%2F/" + leased).json().path("messages_ready").asInt() == 1);
    Awaitility.await()
        .pollInSameThread()
        .until(() -> http.get("queues/%2F/" + leased).status() == 404);
  }

  @Test
  void aQueueWithScheduledMessagesIsNotEmptyForItsLease(Amqp amqp) throws Exception {
    String leased =
        amqp.queue(Map.of("x-expires", 1_000, "x-expires-condition", "unused-and-empty"));
    amqp.bind(leased, exchange, "#");
    publish("a", "k", 3_500);
    Awaitility.await()
        .pollInSameThread()
        .until(() -> http.get("queues/%2F/" + leased).json().path("messages_ready").asInt() == 1);
    assertThat(amqp.get(leased)).isEqualTo("body of a");
    Awaitility.await()
        .pollInSameThread()
        .until(() -> http.get("queues/%2F/" + leased).status() == 404);
  }
}
