package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.PolicyFixture;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What policies would do, and what counts for a queue or exchange, by the management API. */
@BlackBox
class ManagementForecastIT extends PolicyFixture {
  @Test
  @MayflyOnly("no such path")
  void aDryRunReturnsTheEffectsAndChangesNothing(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    for (int i = 0; i < 3; i++) {
      amqp.publish(queue, "message");
    }
    amqp.awaitReady(queue, 3);
    String path = "policies/%2F/" + name;
    String body = policy(queue, "{\"max-length\":1,\"expires\":600000}");
    Http.Reply reply = http.put(path + "/dry-run", body);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.json().path("overflowing").asInt()).isEqualTo(2);
    assertThat(reply.json().path("dropped").asInt()).isEqualTo(2);
    assertThat(reply.json().path("starting_to_expire").asInt()).isEqualTo(1);
    JsonNode change = reply.json().path("queues").path(0);
    assertThat(change.path("name").asText()).isEqualTo(queue);
    assertThat(change.path("before").has("max-length")).isFalse();
    assertThat(change.path("after").path("max-length").asInt()).isEqualTo(1);
    assertThat(http.get(path).status()).isEqualTo(404);
    assertThat(amqp.ready(queue)).isEqualTo(3);

    assertThat(http.delete(path + "/dry-run").status()).isEqualTo(404);
    http.put(path, policy(queue, "{\"max-length\":5}"));
    JsonNode without = http.delete(path + "/dry-run").json();
    assertThat(without.path("queues").path(0).path("before").path("max-length").asInt())
        .isEqualTo(5);
    assertThat(http.get(path).status()).isEqualTo(200);
    Http.Reply bad = http.put(path + "/dry-run", policy(queue, "{\"max-length\":-1}"));
    assertThat(bad.status()).isEqualTo(400);
    assertThat(bad.reason()).contains("-1 is not a valid maximum length");
  }

  @Test
  @MayflyOnly("no such path")
  void aPolicySaysWhatItAppliesTo(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String path = "policies/%2F/" + name;
    String other = "policies/%2F/" + name + "-other";
    http.put(path, policy(queue, "{\"max-length\":1}"));
    JsonNode effect = http.get(path + "/effect").json();
    assertThat(effect.path("summary").asText()).isEqualTo("matches 1 queue: applies to 1");

    JsonNode dry = http.put(other + "/dry-run", policy(queue, "{\"expires\":60000}")).json();
    String kept =
        "matches 1 queue: applies to 0; 1 keeps '%s' (same priority 5, first by name)"
            .formatted(name);
    assertThat(dry.at("/effect/summary").asText()).isEqualTo(kept);
    assertThat(http.get(other + "/effect").status()).isEqualTo(404);
    assertThat(http.put(other, policy(queue, "{\"expires\":60000}")).status()).isEqualTo(201);
    JsonNode shown = http.get(other + "/effect").json();
    assertThat(shown.path("summary").asText()).isEqualTo(kept);
    assertThat(shown.at("/queues/matched").asInt()).isEqualTo(1);
    assertThat(shown.at("/queues/applied").asInt()).isZero();
    assertThat(shown.at("/queues/kept/0/policy").asText()).isEqualTo(name);
    http.delete(other);
  }

  @Test
  @MayflyOnly("no such path")
  void aDryRunFollowsTheOrderOfAPriorityQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 5));
    String path = "policies/%2F/" + name;
    http.put(path, policy(queue, "{\"expiry-mode\":\"lazy\"}"));
    amqp.publishExpiring(queue, 1, "old");
    String byHead = policy(queue, "{\"expiry-mode\":\"head\"}");
    await().until(() -> http.put(path + "/dry-run", byHead).json().path("expiring").asInt() == 1);
    amqp.publish(queue, new BasicProperties.Builder().priority(5).build(), "before it");
    assertThat(http.put(path + "/dry-run", byHead).json().path("expiring").asInt()).isZero();
  }

  @Test
  @MayflyOnly("no such path")
  void aDryRunIncludesExchanges(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    JsonNode found =
        http.put(
                "policies/%2F/" + name + "/dry-run",
                policy(exchange, "{\"alternate-exchange\":\"other\"}"))
            .json();
    assertThat(found.path("exchanges").path(0).path("name").asText()).isEqualTo(exchange);
    assertThat(found.path("exchanges").path(0).path("after").asText()).isEqualTo("other");
  }

  @Test
  @MayflyOnly("no such path")
  void returnsTheEffectiveSettingsOfAQueueWithTheirSources(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 50));
    http.put("policies/%2F/" + name, policy(queue, "{\"max-length\":20,\"message-ttl\":60000}"));
    http.put("operator-policies/%2F/" + name, policy(queue, "{\"max-length\":30}"));
    JsonNode found = http.get("queues/%2F/" + queue + "/effective").json();
    assertThat(found.path("policy").asText()).isEqualTo(name);
    assertThat(found.path("operator_policy").asText()).isEqualTo(name);
    assertThat(found.path("effective_policy_definition").path("max-length").asInt()).isEqualTo(20);
    JsonNode length = found.path("settings").path(0);
    assertThat(length.path("key").asText()).isEqualTo("max-length");
    assertThat(length.path("value").asInt()).isEqualTo(20);
    assertThat(length.path("origin").asText()).isEqualTo("policy");
    assertThat(length.path("losers")).hasSize(2);
    assertThat(names(found.path("candidates"))).contains(name);
    assertThat(http.get("queues/%2F/nope/effective").status()).isEqualTo(404);
    assertThat(http.get("queues/nope/q/effective").status()).isEqualTo(404);
  }

  @Test
  @MayflyOnly("no such path")
  void returnsTheEffectiveSettingsOfAnExchangeWithTheirSources(Amqp amqp) throws Exception {
    String exchange =
        amqp.exchange(BuiltinExchangeType.DIRECT, Map.of("alternate-exchange", "mine"));
    http.put("policies/%2F/" + name, policy(exchange, "{\"alternate-exchange\":\"other\"}"));
    JsonNode found = http.get("exchanges/%2F/" + exchange + "/effective").json();
    JsonNode setting = found.path("settings").path(0);
    assertThat(setting.path("value").asText()).isEqualTo("mine");
    assertThat(setting.path("origin").asText()).isEqualTo("argument");
    assertThat(setting.path("losers").path(0).path("value").asText()).isEqualTo("other");
    assertThat(http.get("exchanges/%2F/nope/effective").status()).isEqualTo(404);
    assertThat(http.get("exchanges/%2F/amq.default/effective").status()).isEqualTo(200);
  }
}
