package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages through the management API: publish, get. */
@BlackBox
class ManagementMessagesIT {
  private Target target;
  private Http http;

  @BeforeEach
  void open(Target target) {
    this.target = target;
    http = target.http();
  }

  @Test
  void publishesAndGetsMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Http.Reply published =
        http.post(
            "exchanges/%2F/amq.default/publish",
            ("{\"properties\":{\"delivery_mode\":2,\"headers\":{\"a\":1},\"expiration\":\"60000\"},"
                    + "\"routing_key\":\"%s\",\"payload\":\"aGVsbG8=\","
                    + "\"payload_encoding\":\"base64\"}")
                .formatted(queue));
    assertThat(published.json().path("routed").asBoolean()).isTrue();
    JsonNode looked =
        http.post(
                "queues/%2F/" + queue + "/get",
                "{\"count\":5,\"ackmode\":\"ack_requeue_true\",\"encoding\":\"auto\"}")
            .json();
    assertThat(looked).hasSize(1);
    JsonNode message = looked.get(0);
    assertThat(message.path("payload").asText()).isEqualTo("hello");
    assertThat(message.path("payload_encoding").asText()).isEqualTo("string");
    assertThat(message.path("payload_bytes").asInt()).isEqualTo(5);
    assertThat(message.path("message_count").asInt()).isZero();
    assertThat(message.path("redelivered").asBoolean()).isFalse();
    assertThat(message.path("properties").path("headers").path("a").asInt()).isEqualTo(1);
    assertThat(message.path("properties").path("delivery_mode").asInt()).isEqualTo(2);
    JsonNode taken =
        http.post(
                "queues/%2F/" + queue + "/get",
                "{\"count\":5,\"ackmode\":\"ack_requeue_false\",\"encoding\":\"base64\","
                    + "\"truncate\":2}")
            .json();
    assertThat(taken.get(0).path("redelivered").asBoolean()).isTrue();
    assertThat(taken.get(0).path("payload").asText()).isEqualTo("aGU=");
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void gettingWithRejectDeadLetters(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of()));
    amqp.publish(queue, "rejected");
    http.post(
        "queues/%2F/" + queue + "/get",
        "{\"count\":1,\"ackmode\":\"reject_requeue_false\",\"encoding\":\"auto\"}");
    amqp.awaitReady(dead, 1);
  }

  @Test
  void anUnroutablePublishIsReportedAsNotRouted() throws Exception {
    Http.Reply reply =
        http.post(
            "exchanges/%2F/amq.direct/publish",
            "{\"properties\":{},\"routing_key\":\"nowhere\",\"payload\":\"p\","
                + "\"payload_encoding\":\"string\"}");
    assertThat(reply.json().path("routed").isBoolean()).isTrue();
    assertThat(reply.json().path("routed").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "amq.default | {\"properties\":{},\"routing_key\":\"q\",\"payload\":\"p\"}"
            + " | \"[{key_missing,payload_encoding}]\"",
        "amq.default | {\"properties\":{},\"routing_key\":\"q\",\"payload\":\"p\","
            + "\"payload_encoding\":\"foo\"} | [\"unsupported_encoding\",\"foo\"]",
        "amq.default | {\"properties\":{},\"routing_key\":\"q\",\"payload\":\"*\","
            + "\"payload_encoding\":\"base64\"} | [\"not_base64\",\"*\"]",
        "amq.default | {\"properties\":{},\"routing_key\":\"q\",\"payload\":5,"
            + "\"payload_encoding\":\"string\"} | \"payload_not_string\"",
        "amq.rabbitmq.trace | {\"properties\":{},\"routing_key\":\"q\",\"payload\":\"p\","
            + "\"payload_encoding\":\"string\"} | \"403 ACCESS_REFUSED - cannot publish to internal"
            + " exchange 'amq.rabbitmq.trace' in vhost '/'\"",
        "amq.default | {\"properties\":{\"expiration\":\"abc\"},\"routing_key\":\"q\","
            + "\"payload\":\"p\",\"payload_encoding\":\"string\"}"
            + " | \"406 PRECONDITION_FAILED - invalid expiration 'abc': no_integer\"",
        "amq.default | {\"properties\":{\"priority\":\"x\"},\"routing_key\":\"q\","
            + "\"payload\":\"p\",\"payload_encoding\":\"string\"} | [\"not_int\",\"priority\"]",
      })
  void anInvalidPublishIs400(String exchange, String body, String reason) throws Exception {
    Http.Reply reply = http.post("exchanges/%2F/" + exchange + "/publish", body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.json().path("reason")).hasToString(reason);
  }

  private static final String PUBLISH =
      "{\"properties\":{},\"routing_key\":\"q\",\"payload\":\"p\",\"payload_encoding\":\"string\"}";
  private static final String GET =
      "{\"count\":1,\"ackmode\":\"ack_requeue_true\",\"encoding\":\"auto\"}";

  private static void assertError(Http.Reply reply, int status, String error, String reason) {
    assertThat(reply.status()).isEqualTo(status);
    assertThat(reply.error()).isEqualTo(error);
    assertThat(reply.reason()).startsWith(reason);
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    assertError(
        http.post("exchanges/%2F/nope/publish", PUBLISH), 404, "not_found", "exchange_not_found");
    assertError(
        http.post("exchanges/nope/x/publish", PUBLISH), 404, "not_found", "vhost_not_found");
    assertError(http.post("queues/%2F/nope/get", GET), 404, "not_found", "queue_not_found");
    assertError(http.post("queues/nope/q/get", GET), 404, "not_found", "vhost_not_found");
    assertError(
        http.post("queues/%2F/nope/get", GET.replace("ack_requeue_true", "x")),
        400,
        "bad_request",
        "Invalid ackmode value: x. Valid values are: ack_requeue_true, ack_requeue_false,"
            + " reject_requeue_true, reject_requeue_false");
  }

  @Test
  void aPublishWithoutPermissionIs400AndAGetIs401(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String user = amqp.name();
    assertThat(http.put("users/" + user, "{\"password\":\"p\",\"tags\":\"management\"}").status())
        .isEqualTo(201);
    try {
      http.put("permissions/%2F/" + user, "{\"configure\":\"\",\"write\":\"topic\",\"read\":\"\"}");
      http.put(
          "topic-permissions/%2F/" + user,
          "{\"exchange\":\"amq.topic\",\"write\":\"^ok$\",\"read\":\"\"}");
      Http mine = Http.as(target.httpPort(), user, "p");
      assertError(
          mine.post("exchanges/%2F/amq.topic/publish", PUBLISH),
          400,
          "bad_request",
          "403 ACCESS_REFUSED - write access to topic 'q' in exchange 'amq.topic' in vhost '/' refused for user '"
              + user
              + "'");
      assertError(
          mine.post("exchanges/%2F/amq.default/publish", PUBLISH),
          400,
          "bad_request",
          "403 ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '/' refused for user '"
              + user
              + "'");
      assertError(
          mine.post("exchanges/%2F/nope/publish", PUBLISH), 404, "not_found", "exchange_not_found");
      assertError(
          mine.post("queues/%2F/" + queue + "/get", GET),
          401,
          "not_authorised",
          "ACCESS_REFUSED - read access to queue '%s' in vhost '/' refused for user '%s'"
              .formatted(queue, user));
    } finally {
      http.delete("users/" + user);
    }
  }

  @Test
  @MayflyOnly("RabbitMQ takes it")
  void theRangeOfANumberThatIsTooLargeIsTold(Amqp amqp) throws Exception {
    assertError(
        http.post(
            "queues/%2F/" + amqp.queue() + "/get",
            GET.replace("\"count\":1", "\"count\":99999999999999999999")),
        400,
        "bad_request",
        "count should be a number from -9223372036854775808 to 9223372036854775807, actually was 99999999999999999999");
  }

  @Test
  void aStreamIsNotGot(Amqp amqp) throws Exception {
    String stream = amqp.name();
    amqp.channel().queueDeclare(stream, true, false, false, Map.of("x-queue-type", "stream"));
    assertError(
        http.post("queues/%2F/" + stream + "/get", GET),
        400,
        "bad_request",
        "540 basic.get not supported by stream queues queue '" + stream + "' in vhost '/'");
    amqp.channel().queueDelete(stream);
  }
}
