package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Target;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages through the management API: publish, get. */
@BlackBox
class ManagementMessagesIT {
  private Http http;

  @BeforeEach
  void open(Target target) {
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
        "nope | {\"properties\":{},\"routing_key\":\"q\",\"payload\":\"p\","
            + "\"payload_encoding\":\"string\"}"
            + " | \"404 NOT_FOUND - no exchange 'nope' in vhost '/'\"",
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
}
