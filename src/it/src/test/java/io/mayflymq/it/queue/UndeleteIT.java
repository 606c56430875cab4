package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bringing back queues that were deleted. */
@BlackBox
@MayflyOnly("a queue of RabbitMQ that is deleted is gone")
class UndeleteIT {
  private static final int HOUR = 3_600_000;

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
      BasicProperties persistent = new BasicProperties.Builder().deliveryMode(2).build();
      channel.basicPublish("", queue, persistent, Amqp.bytes("m" + number));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    channel.close();
  }

  private Http.Reply undelete(String queue, String body) throws Exception {
    return http.post("deleted-queues/%2F/" + queue + "/undelete", body);
  }

  private List<JsonNode> deleted(String queue) throws Exception {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode each : http.get("deleted-queues/%2F").json()) {
      if (each.path("name").asText().equals(queue)) {
        found.add(each);
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void deadLettersThatWaitCountAndWaitAgain(String type, Amqp amqp) throws Exception {
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
    awaitWaiting(queue, 2);
    channel.queueDelete(queue);
    assertThat(deleted(queue).get(0).path("messages").asInt()).isEqualTo(3);
    assertThat(deleted(queue).get(0).path("message_bytes").asInt()).isEqualTo(6);
    JsonNode forecast = http.post("deleted-queues/%2F/" + queue + "/undelete/dry-run", "{}").json();
    assertThat(forecast.path("would_be_restored").asInt()).isEqualTo(3);
    assertThat(undelete(queue, "{}").json().path("restored").asInt()).isEqualTo(3);
    awaitWaiting(queue, 2);
    assertThat(amqp.drain(queue)).containsExactly("m2");
  }

  private void awaitWaiting(String queue, int count) {
    await()
        .atMost(Patience.TIME)
        .until(() -> http.get("queues/%2F/" + queue).json().path("messages_dlx").asInt() == count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void queueIsBackWithMessagesInOrderAndBindings(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    Channel channel = amqp.newChannel();
    String exchange = amqp.name();
    channel.exchangeDeclare(exchange, "direct", true);
    channel.queueBind(queue, exchange, "gone");
    channel.queueBind(queue, "amq.topic", "orders.#");
    publish(amqp, queue, 0, 5);
    GetResponse taken = channel.basicGet(queue, false);
    long before = System.currentTimeMillis();
    assertThat(channel.queueDelete(queue).getMessageCount()).isEqualTo(4);
    channel.exchangeDelete(exchange);

    assertThat(http.get("queues/%2F/" + queue).status()).isEqualTo(404);
    JsonNode listed = deleted(queue).get(0);
    assertThat(listed.path("deleted_at").asLong()).isGreaterThanOrEqualTo(before - 1_000);
    // The millisecond of the deletion had begun.
    assertThat(listed.path("recoverable_until").asLong())
        .isEqualTo(listed.path("deleted_at").asLong() + HOUR + 1);
    assertThat(listed.path("deleted_by").asText()).isEqualTo("guest");
    assertThat(listed.path("messages").asInt()).isEqualTo(5);
    assertThat(listed.path("message_bytes").asInt()).isEqualTo(10);
    assertThat(listed.path("type").asText()).isEqualTo(type);
    JsonNode forecast = http.post("deleted-queues/%2F/" + queue + "/undelete/dry-run", "{}").json();
    assertThat(forecast.path("would_be_restored").asInt()).isEqualTo(5);

    JsonNode report = undelete(queue, "{}").json();
    assertThat(report.path("restored").asInt()).isEqualTo(5);
    assertThat(report.path("bindings").asInt()).isEqualTo(1);
    assertThat(report.path("missing_bindings").get(0).path("source").asText()).isEqualTo(exchange);
    assertThat(deleted(queue)).isEmpty();

    // The one who had it has it no more.
    channel.basicAck(taken.getEnvelope().getDeliveryTag(), false);
    channel.basicPublish("amq.topic", "orders.new", null, Amqp.bytes("new"));
    GetResponse first = amqp.newChannel().basicGet(queue, true);
    assertThat(Amqp.text(first.getBody())).isEqualTo("m0");
    assertThat(first.getEnvelope().isRedeliver()).isTrue();
    Map<?, ?> header = (Map<?, ?>) first.getProps().getHeaders().get("x-restored");
    assertThat(header.get("reason")).hasToString("deleted");
    assertThat(amqp.drain(queue)).containsExactly("m1", "m2", "m3", "m4", "new");
  }

  @ParameterizedTest
  @CsvSource({"classic,http", "quorum,http", "classic,lease", "quorum,lease", "classic,auto"})
  void whateverDeletesTheQueueItCanBeBroughtBack(String type, String cause, Amqp amqp)
      throws Exception {
    String queue = amqp.name();
    Map<String, Object> arguments = new HashMap<>();
    arguments.put("x-queue-type", type);
    arguments.put("x-recoverable", HOUR);
    if (cause.equals("lease")) {
      arguments.put("x-expires", 600);
    }
    Channel channel = amqp.newChannel();
    channel.queueDeclare(queue, true, false, cause.equals("auto"), arguments);
    publish(amqp, queue, 0, 3);
    switch (cause) {
      case "http" -> http.delete("queues/%2F/" + queue);
      case "auto" -> {
        channel.basicQos(1);
        String tag = channel.basicConsume(queue, false, (t, delivery) -> {}, t -> {});
        channel.basicCancel(tag);
      }
      default -> {
        // It goes by itself.
      }
    }
    await().atMost(Patience.TIME).until(() -> deleted(queue).size() == 1);
    assertThat(deleted(queue).get(0).path("deleted_by").asText())
        .isEqualTo(cause.equals("http") ? "guest" : "rmq-internal");

    assertThat(undelete(queue, "{}").json().path("restored").asInt()).isEqualTo(3);

    assertThat(amqp.drain(queue)).containsExactly("m0", "m1", "m2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatWasPurgedBeforeComesBackToo(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    publish(amqp, queue, 0, 2);
    amqp.newChannel().queuePurge(queue);
    publish(amqp, queue, 2, 4);
    amqp.newChannel().queueDelete(queue);
    assertThat(undelete(queue, "{}").json().path("restored").asInt()).isEqualTo(2);
    assertThat(http.post("queues/%2F/" + queue + "/restore", "{}").json().path("restored").asInt())
        .isEqualTo(2);
    assertThat(amqp.drain(queue)).containsExactly("m0", "m1", "m2", "m3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void whatIsOverBeginsAnewAlsoWhileTimeStandsStill(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of());
    publish(amqp, queue, 0, 1);
    amqp.newChannel().queueDelete(queue);
    Time.pass(600);
    String pause = "operator-policies/%2F/" + queue;
    String keys = "{\"pause\":\"deliveries\",\"pause-ttl\":\"stop\"}";
    http.put(pause, PolicyFixture.policy(queue, keys));
    String ttl = "policies/%2F/" + queue;
    http.put(ttl, PolicyFixture.policy(queue, "{\"message-ttl\":500}"));
    try {
      assertThat(undelete(queue, "{}").json().path("restored").asInt()).isEqualTo(1);
      Deliveries deliveries = Deliveries.from(amqp.newChannel(), queue, true);
      http.delete(pause);
      assertThat(deliveries.next().body()).isEqualTo("m0");
    } finally {
      http.delete(pause);
      http.delete(ttl);
    }
  }

  @Test
  void idThatIsNoNumberIsNamed(Target target) {
    ControlCommand.Outcome wrong =
        ControlCommand.of(target).run("undelete_queue", "orders", "--id", "abc");
    assertThat(wrong.exit()).isEqualTo(64);
    assertThat(wrong.err())
        .startsWith(
            "Error (argument validation): Invalid options for this command:",
            "--id : abc",
            "expected a whole number");
  }

  @Test
  void queueThatIsNotAmongTheDeletedOnesIsNamed(Target target, Amqp amqp) {
    String queue = amqp.name();
    ControlCommand.Outcome wrong = ControlCommand.of(target).run("undelete_queue", queue);
    assertThat(wrong.exit()).as("as for other queues that are not there").isEqualTo(65);
    assertThat(wrong.err())
        .containsExactly(
            "Error:", "no deleted queue '%s' in vhost '/' can be brought back".formatted(queue));
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void scheduledMessagesAreCountedToo(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of("x-deliver-at-header", "at"));
    publish(amqp, queue, 0, 2);
    Channel channel = amqp.confirming();
    BasicProperties later =
        new BasicProperties.Builder()
            .deliveryMode(2)
            .headers(Map.of("at", System.currentTimeMillis() + HOUR))
            .build();
    channel.basicPublish("", queue, later, Amqp.bytes("later"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    channel.queueDelete(queue);
    JsonNode listed = deleted(queue).get(0);
    assertThat(listed.path("messages").asInt()).isEqualTo(2);
    assertThat(listed.path("messages_scheduled").asInt()).isEqualTo(1);
    undelete(queue, "{}");
    assertThat(http.get("queues/%2F/" + queue).json().path("messages_scheduled").asInt())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void timeIsExact(String type, Amqp amqp) throws Exception {
    String queue = declared(amqp, type, Map.of("x-recoverable", 1_500));
    publish(amqp, queue, 0, 2);
    amqp.newChannel().queueDelete(queue);
    long until = deleted(queue).get(0).path("recoverable_until").asLong();
    await().atMost(Patience.TIME).until(() -> deleted(queue).isEmpty());
    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(until);
    Http.Reply late = undelete(queue, "{}");
    assertThat(late.status()).isEqualTo(404);
    assertThat(late.reason())
        .contains("no deleted queue '%s' in vhost '/' can be brought back".formatted(queue));
  }

  @Test
  void queueOfThatNameIsInTheWay(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    publish(amqp, queue, 0, 2);
    Channel channel = amqp.newChannel();
    channel.queueDelete(queue);
    channel.queueDeclare(queue, true, false, false, Map.of("x-recoverable", HOUR));

    for (String kind : List.of("/dry-run", "")) {
      Http.Reply taken = http.post("deleted-queues/%2F/" + queue + "/undelete" + kind, "{}");
      assertThat(taken.status()).isEqualTo(400);
      assertThat(taken.reason()).contains("there is a queue of that name");
    }
    String other = queue + "-2";
    assertThat(undelete(queue, "{\"name\":\"" + other + "\"}").json().path("restored").asInt())
        .isEqualTo(2);
    assertThat(amqp.drain(other)).containsExactly("m0", "m1");
    channel.queueDelete(other);
    channel.queueDelete(queue);
  }

  @Test
  void anotherNameNeedsThePermissionsToRead(Target target, Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    Channel channel = amqp.newChannel();
    channel.queueBind(queue, "amq.direct", "a");
    channel.queueDelete(queue);
    String user = amqp.name();
    assertThat(http.put("users/" + user, "{\"password\":\"p\",\"tags\":\"management\"}").status())
        .isEqualTo(201);
    Http own = Http.as(target.httpPort(), user, "p");
    String path = "deleted-queues/%2F/" + queue + "/undelete";
    String named = "{\"name\":\"" + queue + "-own\"}";
    String both = queue + "|" + queue + "-own";
    Map<String, String> refused = new LinkedHashMap<>();
    refused.put(rights(both, both, queue + "-own"), "read access to queue '" + queue + "'");
    refused.put(rights(both, both, both), "read access to exchange 'amq.direct'");
    refused.put(rights(both, queue, ".*"), "write access to queue '" + queue + "-own'");
    refused.put(rights(queue, both, ".*"), "configure access to queue '" + queue + "-own'");
    for (Map.Entry<String, String> each : refused.entrySet()) {
      http.put("permissions/%2F/" + user, each.getKey());
      for (String kind : List.of("/dry-run", "")) {
        Http.Reply reply = own.post(path + kind, named);
        assertThat(reply.status()).as(each.getKey()).isEqualTo(401);
        assertThat(reply.reason()).contains(each.getValue());
      }
    }
    http.put("permissions/%2F/" + user, rights(both, both, queue + "|amq.direct"));
    assertThat(own.post(path, named).json().path("bindings").asInt()).isOne();
    channel.queueDelete(queue + "-own");
    http.delete("users/" + user);
  }

  private static String rights(String configure, String write, String read) {
    return "{\"configure\":\"^(%s)$\",\"write\":\"^(%s)$\",\"read\":\"^(%s)$\"}"
        .formatted(configure, write, read);
  }

  @Test
  void lastOneOfThatNameIsMeantUnlessAnIdIsGiven(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    Channel channel = amqp.newChannel();
    publish(amqp, queue, 0, 1);
    channel.queueDelete(queue);
    long first = deleted(queue).get(0).path("id").asLong();
    channel.queueDeclare(queue, true, false, false, Map.of("x-recoverable", HOUR));
    publish(amqp, queue, 1, 2);
    channel.queueDelete(queue);
    assertThat(undelete(queue, "{}").status()).isEqualTo(200);
    assertThat(amqp.drain(queue)).containsExactly("m1");
    channel.queueDelete(queue);
    assertThat(undelete(queue, "{\"id\":" + first + "}").status()).isEqualTo(200);
    assertThat(amqp.drain(queue)).containsExactly("m0");
  }

  @Test
  void withoutTheKeyAQueueIsGone(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.newChannel().queueDelete(queue);
    assertThat(deleted(queue)).isEmpty();
    assertThat(undelete(queue, "{}").status()).isEqualTo(404);
  }

  @Test
  void fullLimitLetsTheOldestGo(Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of("x-recoverable-bytes", 250));
    publish(amqp, queue, 0, 5);
    amqp.newChannel().queueDelete(queue);
    assertThat(undelete(queue, "{}").json().path("restored").asInt()).isEqualTo(2);
    assertThat(amqp.drain(queue)).containsExactly("m3", "m4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'id':'last'} | 400 | id should be the id of a deleted queue",
        "{'id':-1} | 400 | id should be the id of a deleted queue",
        "{'as':'x'} | 400 | field should be one of id, name",
        "{'name':5} | 400 | name should be a text, actually was 5",
        "{'name':''} | 400 | name should be the name of a queue",
        "{'name':'a\\nb'} | 400 | in which clients can have no line breaks, actually was",
        "{'name':'%s'} | 400 | queue name too long: 256 bytes, at most 255 are allowed",
        "{'name':'amq.x'} | 401 | contains reserved prefix 'amq.*'"
      })
  void badRequestsAreRefused(String body, int status, String text, Amqp amqp) throws Exception {
    String queue = declared(amqp, "classic", Map.of());
    amqp.newChannel().queueDelete(queue);
    String json = body.formatted("ü".repeat(128)).replace('\'', '"');
    for (String kind : List.of("/dry-run", "")) {
      Http.Reply refused = http.post("deleted-queues/%2F/" + queue + "/undelete" + kind, json);
      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused.reason()).contains(text);
    }
    assertThat(undelete(queue, "{}").status()).isEqualTo(200);
  }
}
