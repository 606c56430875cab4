package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies that add their keys to those of others, for the clients, in lists and over restarts. */
@OwnBroker
class MergedPoliciesIT {
  private static final String BASE =
      "{\"pattern\":\".\",\"apply-to\":\"queues\","
          + "\"definition\":{\"max-length\":2,\"overflow\":\"reject-publish\"}}";
  private static final String LARGE =
      "{\"pattern\":\"^orders\",\"apply-to\":\"queues\",\"priority\":5,\"merge\":true,"
          + "\"definition\":{\"max-length\":3}}";
  private static final String SUM = "{\"max-length\":3,\"overflow\":\"reject-publish\"}";

  @TempDir Path data;

  private EmbeddedBroker broker;

  @BeforeEach
  void start() {
    broker = EmbeddedBroker.builder().data(data).start();
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private Http http() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private JsonNode queue(String name) throws Exception {
    return http().get("queues/%2F/" + name).json();
  }

  @Test
  void keysAddUpForClientsAndAfterARestart() throws Exception {
    http().put("queues/%2F/orders", "{\"durable\":true}");
    http().put("queues/%2F/mails", "{\"durable\":true}");
    http().put("policies/%2F/base", BASE);
    assertThat(http().put("policies/%2F/large", LARGE).status()).isEqualTo(201);
    for (int start = 0; start < 2; start++) {
      assertThat(queue("orders").path("policy").asText()).isEqualTo("large");
      assertThat(queue("orders").path("effective_policy_definition").toString()).isEqualTo(SUM);
      assertThat(queue("mails").path("effective_policy_definition").path("max-length").asInt())
          .isEqualTo(2);
      assertThat(http().get("policies/%2F/large").json().path("merge").asBoolean()).isTrue();
      assertThat(http().get("policies/%2F/base").json().has("merge")).isFalse();
      if (start == 0) {
        broker.close();
        start();
      }
    }
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "orders", null, new byte[1]);
      }
      assertThat(channel.waitForConfirms()).isTrue();
      channel.basicPublish("", "orders", null, new byte[1]);
      assertThat(channel.waitForConfirms()).as("the fourth message").isFalse();
    }
    http().delete("policies/%2F/base");
    assertThat(queue("orders").path("effective_policy_definition").toString())
        .isEqualTo("{\"max-length\":3}");
  }

  @Test
  void dryRunTellsTheSumAndDefinitionsHaveBoth() throws Exception {
    http().put("queues/%2F/orders", "{\"durable\":true}");
    http().put("policies/%2F/base", BASE);
    JsonNode forecast = http().put("policies/%2F/large/dry-run", LARGE).json();
    assertThat(forecast.at("/queues/0/after").toString()).isEqualTo(SUM);
    assertThat(forecast.at("/effect/summary").asText()).isEqualTo("matches 1 queue: applies to 1");
    http().put("policies/%2F/large", LARGE);
    String definitions = http().get("definitions").raw().body();
    http().delete("policies/%2F/large");
    assertThat(http().post("definitions", definitions).status()).isEqualTo(204);
    assertThat(queue("orders").path("effective_policy_definition").toString()).isEqualTo(SUM);
    assertThat(
            http()
                .put(
                    "policies/%2F/wrong",
                    "{\"pattern\":\".\",\"definition\":{\"max-length\":1},\"merge\":\"yes\"}")
                .raw()
                .body())
        .contains("merge should be a boolean, actually was <<\\\"yes\\\">>");
  }
}
