package io.mayflymq.it.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests redrives. */
@BlackBox
@MayflyOnly("RabbitMQ leaves that to shovels")
class RedriveIT extends AccessFixture {
  /** Starts a redrive and waits for its end. */
  private JsonNode redrive(String queue, String body) throws Exception {
    Http.Reply begun = http.post("queues/%2F/" + queue + "/redrive", body);
    assertThat(begun.status()).as("%s", begun.json()).isEqualTo(200);
    return Awaitility.await()
        .until(
            () -> http.get("queues/%2F/" + queue + "/redrive").json(),
            report -> !report.path("ended_at").isNull());
  }

  /** Publishes messages to a queue and rejects them. */
  private static void kill(Amqp amqp, String exchange, String key, String queue, String... bodies)
      throws Exception {
    Channel channel = amqp.confirming();
    for (String body : bodies) {
      channel.basicPublish(exchange, key, Amqp.PLAIN, Amqp.bytes(body));
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      GetResponse got = channel.basicGet(queue, false);
      channel.basicReject(got.getEnvelope().getDeliveryTag(), false);
    }
  }

  @Test
  void redrivesAMessageToTheQueueItWasDeadLetteredFrom(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    kill(amqp, "", queue, queue, "a", "b", "c");
    amqp.awaitReady(dead, 3);
    JsonNode report = redrive(dead, "{}");
    assertThat(report.path("state").asText()).isEqualTo("done");
    assertThat(report.path("moved").asInt()).isEqualTo(3);
    assertThat(report.path("moved_to").path(queue).asInt()).isEqualTo(3);
    assertThat(report.path("skipped").asInt()).isZero();
    assertThat(http.get("queues/%2F/" + dead).json().path("message_stats").path("redriven").asInt())
        .isEqualTo(3);
    GetResponse first = amqp.channel().basicGet(queue, true);
    assertThat(first.getEnvelope().isRedeliver()).isFalse();
    assertThat(first.getEnvelope().getRoutingKey()).isEqualTo(queue);
    assertThat(first.getProps().getHeaders()).isEqualTo(Map.of("x-redrive-count", 1L));
    assertThat(amqp.drain(queue)).containsExactly("b", "c");
  }

  @Test
  void redrivesAMessageThroughItsOriginalExchange(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String exchange = amqp.exchange(BuiltinExchangeType.TOPIC);
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    String second = amqp.queue();
    amqp.bind(queue, exchange, "orders.*");
    kill(amqp, exchange, "orders.new", queue, "a");
    amqp.awaitReady(dead, 1);
    amqp.bind(second, exchange, "orders.new");
    JsonNode report = redrive(dead, "{\"to_original\":true,\"keep_deaths\":true}");
    assertThat(report.path("moved").asInt()).isEqualTo(1);
    assertThat(amqp.drain(second)).containsExactly("a");
    GetResponse back = amqp.channel().basicGet(queue, true);
    assertThat(back.getEnvelope().getExchange()).isEqualTo(exchange);
    assertThat(back.getEnvelope().getRoutingKey()).isEqualTo("orders.new");
    assertThat(Headers.deaths(back.getProps()).get(0)).containsEntry("queue", queue);
  }

  @Test
  void redrivesOnlyMessagesThatMatchTheFilter(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    amqp.publishExpiring(queue, 0, "expired");
    kill(amqp, "", queue, queue, "rejected");
    amqp.publish(dead, "stray");
    amqp.awaitReady(dead, 3);
    JsonNode dryRun =
        http.post(
                "queues/%2F/" + dead + "/redrive/dry-run", "{\"filter\":{\"reason\":\"expired\"}}")
            .json();
    assertThat(dryRun.path("moved").asInt()).isEqualTo(1);
    assertThat(amqp.ready(dead)).isEqualTo(3);
    JsonNode report = redrive(dead, "{\"filter\":{\"reason\":\"expired\"}}");
    assertThat(report.path("moved").asInt()).isEqualTo(1);
    assertThat(report.path("skipped_because")).hasToString("{\"not_wanted\":2}");
    assertThat(amqp.drain(queue)).containsExactly("expired");
    assertThat(redrive(dead, "{}").path("skipped_because")).hasToString("{\"no_history\":1}");
    GetResponse stray = amqp.channel().basicGet(dead, true);
    assertThat(Amqp.text(stray.getBody())).isEqualTo("stray");
    assertThat(stray.getEnvelope().isRedeliver()).isFalse();
  }

  @Test
  void limitsItsRateAndCanBeStopped(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    kill(amqp, "", queue, queue, "a", "b", "c");
    amqp.awaitReady(dead, 3);
    String path = "queues/%2F/" + dead + "/redrive";
    assertThat(http.get(path).status()).isEqualTo(404);
    assertThat(http.post(path, "{\"rate\":1}").json().path("state").asText()).isEqualTo("running");
    Http.Reply second = http.post(path, "{}");
    assertThat(second.status()).isEqualTo(400);
    assertThat(second.reason())
        .isEqualTo("queue '%s' in vhost '/' is being redriven".formatted(dead));
    JsonNode stopped = http.delete(path).json();
    assertThat(stopped.path("state").asText()).isEqualTo("stopped");
    assertThat(stopped.path("moved").asInt() + amqp.ready(dead)).isEqualTo(3);
  }

  @Test
  void pausesDuringAnAlarm(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    kill(amqp, "", queue, queue, "a", "b", "c");
    amqp.awaitReady(dead, 3);
    String path = "queues/%2F/" + dead + "/redrive";
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("set_disk_free_limit", "1000TB").exit()).isZero();
    try {
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(http.get("health/checks/alarms").status()).isEqualTo(503));
      http.post(path, "{}");
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(http.get(path).json().path("state").asText()).isEqualTo("paused"));
      assertThat(http.get(path).json().path("moved").asInt()).isZero();
    } finally {
      assertThat(control.run("set_disk_free_limit", "50MB").exit()).isZero();
    }
    Awaitility.await()
        .untilAsserted(
            () -> assertThat(http.get(path).json().path("state").asText()).isEqualTo("done"));
    assertThat(http.get(path).json().path("moved").asInt()).isEqualTo(3);
  }

  @Test
  void invalidRedriveRequestsAre400(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String path = "queues/%2F/" + queue + "/redrive";
    for (List<String> wrong :
        List.of(
            List.of("{\"limit\":0}", "limit should be a number, 1 or more, actually was 0"),
            List.of("{\"rate\":\"x\"}", "rate should be a number, 1 or more, actually was \"x\""),
            List.of("{\"keep_deaths\":1}", "keep_deaths should be true or false, actually was 1"),
            List.of(
                "{\"speed\":1}",
                "field should be one of filter, keep_deaths, limit, rate, to,"
                    + " to_original, actually was speed"),
            List.of(
                "{\"filter\":{\"colour\":\"red\"}}",
                "filter should be one of message_id, queue, reason, actually was colour"),
            List.of("{\"filter\":3}", "filter should be an object, actually was 3"),
            List.of(
                "{\"to\":\"q\",\"to_original\":true}", "to and to_original exclude each other"))) {
      Http.Reply reply = http.post(path, wrong.get(0));
      assertThat(reply.status()).as(wrong.get(0)).isEqualTo(400);
      assertThat(reply.reason()).isEqualTo(wrong.get(1));
    }
    assertThat(http.post("queues/%2F/" + amqp.name() + "/redrive", "{}").status()).isEqualTo(404);
  }

  @Test
  void needsReadAndWritePermissions(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    kill(amqp, "", queue, queue, "a");
    amqp.awaitReady(dead, 1);
    String user = user(amqp, "management");
    String path = "queues/%2F/" + dead + "/redrive";
    Http stranger = Http.as(target.httpPort(), user, "p");
    assertThat(stranger.post(path, "{}").status()).isEqualTo(404);
    String readOnly = "{\"configure\":\"\",\"write\":\"\",\"read\":\".*\"}";
    assertThat(http.put("permissions/%2F/" + user, readOnly).status()).isEqualTo(201);
    assertThat(stranger.post(path, "{}").status()).isEqualTo(200);
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(stranger.get(path).json().path("skipped_because"))
                    .hasToString("{\"forbidden\":1}"));
    assertThat(amqp.ready(dead)).isEqualTo(1);
  }

  @Test
  void theCommandRedrivesMessages(Amqp amqp) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    String other = amqp.queue();
    kill(amqp, "", queue, queue, "a", "b", "c", "d");
    amqp.awaitReady(dead, 4);
    assertThat(control.run("redrive_status", dead).err())
        .contains("Queue '%s' in vhost '/' was never redriven".formatted(dead));
    List<String> dryRun = control.run("redrive_queue", "-q", dead, "--dry-run").out();
    assertThat(dryRun)
        .containsExactly(
            "Dry run: nothing was changed",
            "would be moved: 4",
            "  " + queue + ": 4",
            "would be skipped: 0",
            "A queue that is full, or becomes so, may refuse some of them");
    assertThat(
            control
                .run(
                    "redrive_queue",
                    "-q",
                    dead,
                    "--filter",
                    "reason=rejected",
                    "--filter",
                    "queue=" + queue,
                    "--limit",
                    "2")
                .out())
        .contains("moved: 2");
    assertThat(control.run("redrive_queue", dead, "--to", other, "--rate", "100").exit()).isZero();
    assertThat(control.run("redrive_status", "-q", dead).out()).contains("  " + other + ": 2");
    assertThat(amqp.drain(queue)).containsExactly("a", "b");
    assertThat(amqp.drain(other)).containsExactly("c", "d");
    assertThat(control.run("redrive_queue", amqp.name()).exit()).isEqualTo(65);
    List<String> bad = new ArrayList<>(control.run("redrive_queue", dead, "--filter", "x").err());
    assertThat(bad.get(0)).contains("filter 'x' should be key=value");
  }

  @Test
  void noMessageGoesToAnInternalExchange(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    amqp.bind(queue, exchange, "");
    kill(amqp, exchange, "k", queue, "a");
    amqp.awaitReady(dead, 1);
    Channel channel = amqp.channel();
    channel.exchangeDelete(exchange);
    channel.exchangeDeclare(exchange, "fanout", false, true, true, null);
    String target = amqp.queue();
    amqp.bind(target, exchange, "");
    JsonNode report = redrive(dead, "{\"to_original\":true}");
    assertThat(report.path("skipped_because")).hasToString("{\"forbidden\":1}");
    assertThat(amqp.ready(target)).isZero();
  }
}
