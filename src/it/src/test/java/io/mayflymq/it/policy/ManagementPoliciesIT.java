package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.http.client.Client;
import com.rabbitmq.http.client.ClientParameters;
import com.rabbitmq.http.client.domain.PolicyInfo;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import io.mayflymq.it.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies, operator policies and parameters by the management API. */
@BlackBox
class ManagementPoliciesIT extends PolicyFixture {
  // Setting and clearing

  @ParameterizedTest
  @ValueSource(strings = {"policies", "operator-policies"})
  void setsListsAndClearsPolicies(String kind) throws Exception {
    String path = kind + "/%2F/" + name;
    assertThat(http.get(path).status()).isEqualTo(404);
    assertThat(http.put(path, policy(name, "{\"max-length\":7}")).status()).isEqualTo(201);
    assertThat(http.put(path, policy(name, "{\"max-length\":8}")).status()).isEqualTo(204);
    JsonNode found = http.get(path).json();
    assertThat(found.toString())
        .isEqualTo(
            "{\"vhost\":\"/\",\"name\":\"%s\",\"pattern\":\"^%s\",\"apply-to\":\"all\","
                    .formatted(name, name)
                + "\"definition\":{\"max-length\":8},\"priority\":5}");
    assertThat(http.get(kind).json()).contains(found);
    assertThat(http.get(kind + "/%2F").json()).contains(found);
    assertThat(http.get(path + "?columns=name").json().toString())
        .isEqualTo("{\"name\":\"%s\"}".formatted(name));
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.delete(path).status()).isEqualTo(404);
    assertThat(names(http.get(kind).json())).doesNotContain(name);
  }

  @Test
  void applyToAndPriorityDefaultToAllAndZero() throws Exception {
    http.put("policies/%2F/" + name, "{\"pattern\":\"^none$\",\"definition\":{\"max-length\":1}}");
    JsonNode found = http.get("policies/%2F/" + name).json();
    assertThat(found.path("apply-to").asText()).isEqualTo("all");
    assertThat(found.path("priority").asInt()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"policies", "operator-policies"})
  void missingPoliciesAre404(String kind) throws Exception {
    for (String path : List.of(kind + "/nope", kind + "/%2F/nope", kind + "/nope/nope")) {
      Http.Reply reply = http.get(path);
      assertThat(reply.status()).as(path).isEqualTo(404);
      assertThat(reply.reason()).isEqualTo("Not Found");
    }
    Http.Reply reply = http.put(kind + "/nope/p", policy("none", "{\"max-length\":7}"));
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.error()).isEqualTo("not_found");
    assertThat(reply.reason()).startsWith("vhost_not_found");
    assertThat(http.delete(kind + "/nope/p").status()).isEqualTo(404);
    assertThat(http.post(kind + "/%2F/p", "{}").status()).isEqualTo(405);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | [{key_missing,pattern},{key_missing,definition}]",
        "{\"pattern\":\"q\"} | [{key_missing,definition}]",
        "{bad | not_json",
        "[1] | not_json",
        "{\"pattern\":\"q\",\"definition\":{}} | no policy provided",
        "{\"pattern\":\"q\",\"definition\":{\"dead-letter-exchange\":\"x\"}}"
            + "| [{<<\"dead-letter-exchange\">>,<<\"x\">>}] are not recognised policy settings",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":-1}} | -1 is not a valid maximum length",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":\"5\"}}"
            + "| <<\"5\">> is not a valid maximum length",
        "{\"pattern\":\"(\",\"definition\":{\"max-length\":5}}"
            + "| pattern should be regular expression but is invalid: {\"missing )\",1}",
        "{\"pattern\":5,\"definition\":{\"max-length\":5}} | pattern should be a binary but was 5",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":5},\"priority\":\"x\"}"
            + "| priority should be a number, actually was <<\"x\">>",
      })
  void invalidPoliciesAre400AndChangeNothing(String body, String reason) throws Exception {
    Http.Reply reply = http.put("operator-policies/%2F/" + name, body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(reply.reason().replaceFirst("^Validation failed\n\n", "")).startsWith(reason);
    assertThat(http.get("operator-policies/%2F/" + name).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @MayflyOnly("500, or taken")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"pattern\":\"q\",\"definition\":[]}"
            + "| parse error while reading policy definition: []. Validator: policy_validator.",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":5},\"apply-to\":5}"
            + "| apply-to '5' unrecognised; should be one of: 'queues', 'classic_queues', "
            + " 'quorum_queues', 'streams', 'exchanges', or 'all'",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":5},\"priority\":1.5}"
            + "| priority should be a whole number from -2147483648 to 2147483647, actually was 1.5",
        "{\"pattern\":null,\"definition\":{\"max-length\":5}}"
            + "| pattern should be a binary but was null",
        "{\"pattern\":\"q\",\"definition\":{\"foo\":1}}"
            + "| [{<<\"foo\">>,1}] are not recognised policy settings",
        "{\"pattern\":\"q\",\"definition\":{\"expires\":99999999999999999999}}"
            + "| 99999999999999999999 is not a valid queue expiry",
      })
  void moreInvalidPoliciesAre400AndChangeNothing(String body, String reason) throws Exception {
    Http.Reply reply = http.put("policies/%2F/" + name, body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).startsWith("Validation failed\n\n%s\n".formatted(reason));
    assertThat(http.get("policies/%2F/" + name).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @MayflyOnly("RabbitMQ's text only")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"pattern\":\"q\",\"definition\":{\"max-lenght\":1}}"
            + "| 'max-lenght' is no key of policies; did you mean 'max-length'?",
        "{\"pattern\":\"q\",\"definition\":{\"message-ttl\":-1}}"
            + "| 'message-ttl' is -1: expected a whole number from 0 to 9223372036854775807",
        "{\"pattern\":\"q\",\"definition\":{\"overflow\":\"drop-haed\"}}"
            + "| 'overflow' is drop-haed: expected one of: drop-head, reject-publish,"
            + " reject-publish-dlx, block; did you mean 'drop-head'?",
        "{\"pattern\":\"q\",\"definition\":{\"max-length\":1},\"apply-to\":\"queus\"}"
            + "| apply-to: did you mean 'queues'?",
      })
  void anErrorEndsWithWhatWasExpectedAndProbablyMeant(String body, String end) throws Exception {
    Http.Reply reply = http.put("policies/%2F/" + name, body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).startsWith("Validation failed\n\n").endsWith("\n" + end + "\n");
  }

  @Test
  @MayflyOnly("names of any length")
  void aNameHas255BytesAtMost() throws Exception {
    String path = "policies/%2F/" + "n".repeat(256);
    Http.Reply reply = http.put(path, policy("none", "{\"max-length\":1}"));
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains("policy name must not exceed 255 bytes");
    assertThat(http.get(path).status()).isEqualTo(404);
  }

  @Test
  void anInvalidChangeLeavesThePolicyUnchanged() throws Exception {
    String path = "policies/%2F/" + name;
    http.put(path, policy(name, "{\"max-length\":7}"));
    assertThat(http.put(path, policy(name, "{\"max-length\":-7}")).status()).isEqualTo(400);
    assertThat(http.get(path).json().path("definition").path("max-length").asInt()).isEqualTo(7);
  }

  @Test
  void policiesAreListedByPriorityWithTheHighestLast() throws Exception {
    String low = "{\"pattern\":\"^none$\",\"definition\":{\"max-length\":1},\"priority\":-1}";
    String first = "policies/%2F/" + name;
    String second = "policies/%2F/0" + name;
    try {
      http.put(second, policy("none", "{\"max-length\":1}"));
      http.put(first, low);
      List<String> names = names(http.get("policies/%2F").json());
      assertThat(names.indexOf(name)).isLessThan(names.indexOf("0" + name));
    } finally {
      http.delete(second);
    }
  }

  // What they do

  @Test
  void aPolicyTakesEffect(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    http.put(
        "policies/%2F/" + name, policy(queue, "{\"max-length\":1,\"overflow\":\"drop-head\"}"));
    amqp.publish(queue, "first");
    amqp.publish(queue, "second");
    amqp.awaitReady(queue, 1);
    assertThat(amqp.get(queue)).isEqualTo("second");
  }

  /** RabbitMQ's management shows most objects only after the next statistics. */
  private JsonNode await(String path, Predicate<JsonNode> wanted) {
    return Awaitility.await(path)
        .atMost(Patience.TIME)
        .until(() -> http.get(path).json(), json -> !json.isMissingNode() && wanted.test(json));
  }

  @Test
  void aQueueShowsItsPolicies(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String path = "queues/%2F/" + queue;
    JsonNode before = await(path, json -> json.has("operator_policy"));
    assertThat(before.path("policy").isNull()).isTrue();
    assertThat(before.path("operator_policy").isNull()).isTrue();
    assertThat(before.path("effective_policy_definition").size()).isZero();
    http.put("policies/%2F/" + name, policy(queue, "{\"max-length\":9,\"expires\":600000}"));
    http.put("operator-policies/%2F/" + name, policy(queue, "{\"max-length\":8}"));
    JsonNode after = await(path, json -> json.path("policy").asText().equals(name));
    assertThat(after.path("operator_policy").asText()).isEqualTo(name);
    assertThat(after.path("effective_policy_definition").toString())
        .isEqualTo("{\"expires\":600000,\"max-length\":8}");
    JsonNode listed =
        await(
            "queues/%2F?columns=name,policy&page=1&name=" + queue,
            json -> json.path("items").path(0).path("policy").asText().equals(name));
    assertThat(names(listed.path("items"))).containsExactly(queue);
  }

  @Test
  void anExchangeShowsItsPolicy(Amqp amqp) throws Exception {
    String exchange = amqp.exchange(BuiltinExchangeType.DIRECT);
    String path = "exchanges/%2F/" + exchange;
    assertThat(http.get(path).json().has("policy")).isFalse();
    http.put("policies/%2F/" + name, policy(exchange, "{\"alternate-exchange\":\"other\"}"));
    assertThat(await(path, json -> json.has("policy")).path("policy").asText()).isEqualTo(name);
  }

  @Test
  void aQueueShowsPersistentMessagesAndTheTimestampOfTheHead() throws Exception {
    String path = "queues/%2F/" + name;
    assertThat(http.put(path, "{\"durable\":true}").status()).isEqualTo(201);
    try {
      JsonNode empty = await(path, json -> json.has("messages_persistent"));
      assertThat(empty.path("messages_persistent").asInt()).isZero();
      assertThat(empty.path("head_message_timestamp").isNull()).isTrue();
      publish("{\"delivery_mode\":2,\"timestamp\":1600000000}", "abc");
      publish("{\"delivery_mode\":1}", "abcd");
      publish("{\"delivery_mode\":2}", "abcde");
      JsonNode full = await(path, json -> json.path("messages_persistent").asInt() == 2);
      assertThat(full.path("message_bytes_persistent").asInt()).isEqualTo(8);
      assertThat(full.path("head_message_timestamp").asLong()).isEqualTo(1_600_000_000);
      http.post(
          path + "/get", "{\"count\":1,\"ackmode\":\"ack_requeue_false\",\"encoding\":\"auto\"}");
      JsonNode less = await(path, json -> json.path("messages_persistent").asInt() == 1);
      assertThat(less.path("message_bytes_persistent").asInt()).isEqualTo(5);
      assertThat(less.path("head_message_timestamp").isNull()).isTrue();
      http.delete(path + "/contents");
      await(path, json -> json.path("message_bytes_persistent").asInt() == 0);
    } finally {
      http.delete(path);
    }
  }

  @Test
  void anIdleQueueShowsIdleSince(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    JsonNode idle = await("queues/%2F/" + queue, json -> json.has("idle_since"));
    Instant since = OffsetDateTime.parse(idle.path("idle_since").asText()).toInstant();
    assertThat(since).isBetween(Instant.now().minusSeconds(60), Instant.now());
  }

  private void publish(String properties, String payload) throws Exception {
    Http.Reply reply =
        http.post(
            "exchanges/%2F/amq.default/publish",
            "{\"properties\":%s,\"routing_key\":\"%s\",\"payload\":\"%s\","
                    .formatted(properties, name, payload)
                + "\"payload_encoding\":\"string\"}");
    assertThat(reply.json().path("routed").asBoolean()).isTrue();
  }

  // Parameters

  @Test
  void operatorPoliciesAreParameters() throws Exception {
    http.put("operator-policies/%2F/" + name, policy("none", "{\"max-length\":7}"));
    String path = "parameters/operator_policy/%2F/" + name;
    JsonNode found = http.get(path).json();
    assertThat(found.path("value").path("definition").path("max-length").asInt()).isEqualTo(7);
    assertThat(found.path("value").path("apply-to").asText()).isEqualTo("all");
    assertThat(found.path("component").asText()).isEqualTo("operator_policy");
    assertThat(found.path("vhost").asText()).isEqualTo("/");
    for (String list :
        List.of("parameters", "parameters/operator_policy", "parameters/operator_policy/%2F")) {
      assertThat(http.get(list).json()).as(list).contains(found);
    }
    String value =
        "{\"value\":{\"pattern\":\"^none$\",\"definition\":{\"max-length\":9},\"priority\":1,"
            + "\"apply-to\":\"queues\"}}";
    assertThat(http.put(path, value).status()).isEqualTo(204);
    JsonNode changed = http.get("operator-policies/%2F/" + name).json();
    assertThat(changed.path("definition").path("max-length").asInt()).isEqualTo(9);
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.get(path).status()).isEqualTo(404);
    assertThat(http.put(path, value).status()).isEqualTo(201);
  }

  @Test
  void otherParametersAreRefused() throws Exception {
    String value = "{\"value\":{\"pattern\":\"^none$\",\"definition\":{\"max-length\":9}}}";
    Http.Reply unknown = http.put("parameters/nope/%2F/p", value);
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.reason()).isEqualTo("Validation failed\n\ncomponent nope not found\n");
    Http.Reply policy = http.put("parameters/policy/%2F/p", value);
    assertThat(policy.status()).isEqualTo(400);
    assertThat(policy.reason()).isEqualTo("policies may not be set using this method");
    Http.Reply empty = http.put("parameters/operator_policy/%2F/p", "{}");
    assertThat(empty.status()).isEqualTo(400);
    assertThat(empty.reason()).isEqualTo("[{key_missing,value}]");
    Http.Reply vhost = http.put("parameters/operator_policy/nope/p", value);
    assertThat(vhost.status()).isEqualTo(404);
    assertThat(vhost.reason()).startsWith("vhost_not_found");
    assertThat(http.get("parameters/nope").json()).isEmpty();
    assertThat(http.get("parameters/nope/%2F/p").status()).isEqualTo(404);
    assertThat(http.get("parameters/operator_policy/nope").status()).isEqualTo(404);
    assertThat(http.delete("parameters/operator_policy/%2F/nope").status()).isEqualTo(404);
    assertThat(http.delete("parameters/nope/%2F/p").status()).isEqualTo(404);
  }

  @Test
  void limitsOfAVirtualHostAreAParameter() throws Exception {
    http.put("vhosts/" + name, "{}");
    try {
      String path = "parameters/vhost-limits/" + name + "/limits";
      assertThat(http.put(path, "{\"value\":{\"max-queues\":5}}").status()).isEqualTo(201);
      assertThat(http.put(path, "{\"value\":{\"max-connections\":7}}").status()).isEqualTo(204);
      assertThat(http.get("vhost-limits/" + name).json().get(0).path("value").toString())
          .isEqualTo("{\"max-connections\":7}");
      String refusal = http.put(path, "{\"value\":{\"max-cats\":7}}").reason();
      // RabbitMQ means it for a page in HTML.
      assertThat(refusal.replace("&lt;", "<").replace("&gt;", ">"))
          .startsWith("Validation failed\n\nUnrecognised terms [{<<\"max-cats\">>,7}] in limits");
      assertThat(http.delete(path).status()).isEqualTo(204);
      assertThat(http.delete(path).status()).isEqualTo(404);
      assertThat(http.get(path).status()).isEqualTo(404);
    } finally {
      http.delete("vhosts/" + name);
    }
  }

  @Test
  void anOperatorPolicyAmongParametersIsChecked() throws Exception {
    Http.Reply reply =
        http.put(
            "parameters/operator_policy/%2F/" + name,
            "{\"value\":{\"pattern\":\"^none$\",\"definition\":{\"max-length\":-9},\"priority\":1}}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason())
        .startsWith("Validation failed\n\n-9 is not a valid maximum length\n");
    assertThat(http.get("operator-policies/%2F/" + name).status()).isEqualTo(404);
  }

  // RabbitMQ's client

  @Test
  void hopManagesPolicies(Target target, Amqp amqp) throws Exception {
    Client hop =
        new Client(
            new ClientParameters()
                .url("http://127.0.0.1:" + target.httpPort() + "/api/")
                .username("guest")
                .password("guest"));
    hop.declarePolicy("/", name, new PolicyInfo(name, 3, "queues", Map.of("max-length", 5)));
    hop.declareOperatorPolicy(
        "/", name, new PolicyInfo(name, 3, "queues", Map.of("max-length", 6)));
    for (List<PolicyInfo> found :
        List.of(
            hop.getPolicies(),
            hop.getPolicies("/"),
            hop.getOperatorPolicies(),
            hop.getOperatorPolicies("/"))) {
      assertThat(found).extracting(PolicyInfo::getName).contains(name);
    }
    hop.deletePolicy("/", name);
    hop.deleteOperatorPolicy("/", name);
    assertThat(hop.getPolicies()).extracting(PolicyInfo::getName).doesNotContain(name);
    assertThat(hop.getOperatorPolicies()).extracting(PolicyInfo::getName).doesNotContain(name);
  }

  // Permissions

  @Test
  @OwnBroker
  void userTagsDecideWhoCanChangePolicies(@TempDir Path directory) throws Exception {
    Path definitions =
        Files.writeString(
            directory.resolve("definitions.json"),
            """
            {"vhosts":[{"name":"/"},{"name":"other"}],
             "users":[{"name":"guest","password":"x","tags":"administrator"},
                      {"name":"maker","password":"x","tags":"policymaker"},
                      {"name":"monitor","password":"x","tags":"monitoring"},
                      {"name":"manager","password":"x","tags":"management"}],
             "permissions":[
               {"user":"maker","vhost":"/","configure":"","write":"","read":""},
               {"user":"manager","vhost":"/","configure":"","write":"","read":""}]}
            """);
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("load_definitions", definitions).start()) {
      int port = broker.httpPort();
      Http admin = Http.as(port, "guest", "x");
      Http maker = Http.as(port, "maker", "x");
      Http monitor = Http.as(port, "monitor", "x");
      Http manager = Http.as(port, "manager", "x");
      String body = policy("q", "{\"max-length\":7}");
      String value = "{\"value\":%s}".formatted(body);

      assertThat(admin.put("policies/other/p", body).status()).isEqualTo(201);
      assertThat(admin.put("operator-policies/%2F/o", body).status()).isEqualTo(201);
      assertThat(maker.put("policies/%2F/p", body).status()).isEqualTo(201);
      assertThat(maker.get("policies/%2F/p").status()).isEqualTo(200);
      assertThat(maker.put("policies/%2F/p/dry-run", body).status()).isEqualTo(200);
      assertThat(names(maker.get("policies").json())).containsExactly("p");
      assertThat(maker.get("policies").json().path(0).path("vhost").asText()).isEqualTo("/");
      assertThat(admin.get("policies").json()).hasSize(2);
      assertThat(names(manager.get("operator-policies").json())).containsExactly("o");
      assertThat(names(maker.get("parameters").json())).containsExactly("o");
      assertThat(monitor.get("policies").json()).isEmpty();

      String object = "User not authorised to access object";
      String administrator = "Not administrator user";
      for (Http.Reply hidden :
          List.of(
              maker.put("policies/other/p", body),
              maker.delete("policies/other/p"),
              maker.get("policies/other"),
              monitor.get("policies/%2F"),
              maker.get("parameters/operator_policy/other"))) {
        assertThat(hidden.status()).as(hidden.toString()).isEqualTo(404);
      }
      for (Http http : List.of(manager, monitor)) {
        assertRefused(http.get("policies/%2F/p"), object);
        assertRefused(http.put("policies/%2F/p", body), object);
        assertRefused(http.delete("policies/%2F/p"), object);
        assertRefused(http.put("policies/%2F/p/dry-run", body), object);
        assertRefused(http.delete("policies/%2F/p/dry-run"), object);
        assertRefused(http.get("parameters"), object);
      }
      for (Http http : List.of(maker, manager, monitor)) {
        assertRefused(http.get("operator-policies/%2F/o"), administrator);
        assertRefused(http.put("operator-policies/%2F/o", body), administrator);
        assertRefused(http.delete("operator-policies/%2F/o"), administrator);
        assertRefused(http.put("operator-policies/%2F/o/dry-run", body), administrator);
      }
      assertRefused(maker.put("parameters/operator_policy/%2F/o", value), administrator);
      assertRefused(maker.delete("parameters/operator_policy/%2F/o"), administrator);
      assertThat(admin.get("operator-policies/%2F/o").status()).isEqualTo(200);
      assertThat(admin.get("policies").json()).hasSize(2);
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  private static void assertRefused(Http.Reply reply, String reason) {
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.error()).isEqualTo("not_authorised");
    assertThat(reply.reason()).isEqualTo(reason);
  }
}
