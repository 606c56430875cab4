package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies for all virtual hosts whose names match: now and later, in lists and over restarts. */
@OwnBroker
class VhostPoliciesIT {
  private static final String MANY =
      "{\"vhosts\":\"^tenant-\",\"pattern\":\"^orders\",\"apply-to\":\"queues\","
          + "\"definition\":{\"max-length\":%d}}";
  private static final String OWN =
      "{\"pattern\":\".\",\"apply-to\":\"queues\",\"definition\":{\"max-length\":%d}}";

  @TempDir Path data;

  private EmbeddedBroker broker;

  @BeforeEach
  void start() throws Exception {
    broker = EmbeddedBroker.builder().data(data).start();
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private Http http() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private void addVhost(String name) throws Exception {
    http().put("vhosts/" + name, "{}");
    http().put("queues/" + name + "/orders", "{\"durable\":true}");
  }

  private JsonNode limit(String vhost) throws Exception {
    return http()
        .get("queues/" + vhost + "/orders")
        .json()
        .path("effective_policy_definition")
        .path("max-length");
  }

  private int set(String path, String policy, int limit) throws Exception {
    return http().put(path, policy.formatted(limit)).status();
  }

  @Test
  void aPolicyOfOneVirtualHostHasNoPatternOfMany() throws Exception {
    Http.Reply plain = http().put("policies/%2F/cap", MANY.formatted(7));
    assertThat(plain.status()).isEqualTo(400);
    assertThat(plain.reason())
        .isEqualTo(
            "vhosts is for policies of many virtual hosts, and this one would be for '/' alone: PUT it to"
                + " /api/vhost-policies/cap");
    for (String path : List.of("policies/%2F/cap/dry-run", "operator-policies/%2F/cap")) {
      assertThat(http().put(path, MANY.formatted(7)).status()).as(path).isEqualTo(400);
    }
    Http.Reply parameter =
        http().put("parameters/operator_policy/%2F/cap", "{\"value\":" + MANY.formatted(7) + "}");
    assertThat(parameter.status()).isEqualTo(400);
    assertThat(parameter.reason()).endsWith("/api/vhost-operator-policies/cap");
    assertThat(http().get("policies").json()).isEmpty();
    assertThat(http().get("operator-policies").json()).isEmpty();
  }

  @Test
  void aFieldThatIsNotKnownIsRefused() throws Exception {
    for (String path : List.of("vhost-policies/cap", "vhost-operator-policies/cap/dry-run")) {
      Http.Reply reply =
          http().put(path, MANY.formatted(7).replace("{\"vhosts", "{\"operator\":true,\"vhosts"));
      assertThat(reply.status()).as(path).isEqualTo(400);
      assertThat(reply.reason())
          .isEqualTo(
              "field should be one of apply-to, definition, merge, name, pattern, priority, vhosts,"
                  + " actually was operator");
    }
    assertThat(set("vhost-policies/cap", MANY, 7)).isEqualTo(201);
    String listed = http().get("vhost-policies/cap").raw().body();
    assertThat(http().put("vhost-policies/cap", listed).status()).isEqualTo(204);
  }

  @Test
  void theyCountInEachVirtualHostNowAndLater() throws Exception {
    addVhost("tenant-a");
    addVhost("other");
    assertThat(set("vhost-policies/cap", MANY, 7)).isEqualTo(201);
    addVhost("tenant-b");
    for (int i = 0; i < 2; i++) {
      assertThat(limit("tenant-a").asInt()).isEqualTo(7);
      assertThat(limit("tenant-b").asInt()).isEqualTo(7);
      assertThat(limit("other").isMissingNode()).isTrue();
      assertThat(http().get("vhost-policies/cap").json().path("vhosts").asText())
          .isEqualTo("^tenant-");
      assertThat(http().get("policies/tenant-b").json().toString())
          .contains("\"vhost\":\"tenant-b\",\"name\":\"cap\"")
          .contains("\"vhosts\":\"^tenant-\"");
      if (i == 0) {
        broker.close();
        start();
      }
    }
    assertThat(set("vhost-policies/cap", MANY, 8)).isEqualTo(204);
    assertThat(limit("tenant-a").asInt()).isEqualTo(8);
    assertThat(
            http().put("vhost-policies/cap", MANY.formatted(9).replace("tenant-", "oth")).status())
        .isEqualTo(204);
    assertThat(limit("tenant-a").isMissingNode()).isTrue();
    assertThat(limit("other").asInt()).isEqualTo(9);
    assertThat(http().delete("vhost-policies/cap").status()).isEqualTo(204);
    assertThat(http().delete("vhost-policies/cap").status()).isEqualTo(404);
    assertThat(limit("other").isMissingNode()).isTrue();
    broker.close();
    start();
    assertThat(http().get("vhost-policies").json()).isEmpty();
    assertThat(limit("other").isMissingNode()).isTrue();
  }

  @Test
  void priorityCountsTogetherWithTheVirtualHostsOwn() throws Exception {
    addVhost("tenant-a");
    set("vhost-policies/cap", MANY, 7);
    set("policies/tenant-a/cap", OWN, 5);
    assertThat(limit("tenant-a").asInt()).as("the own one, at equal priority").isEqualTo(5);
    JsonNode effective = http().get("queues/tenant-a/orders/effective").json();
    assertThat(effective.path("candidates").toString())
        .contains("'cap' has the same priority and is the virtual host's own");
    http()
        .put(
            "vhost-policies/cap",
            MANY.formatted(7).replace("\"vhosts\"", "\"priority\":3,\"merge\":true,\"vhosts\""));
    assertThat(limit("tenant-a").asInt()).isEqualTo(7);
    effective = http().get("queues/tenant-a/orders/effective").json();
    assertThat(effective.at("/settings/0").toString())
        .contains("\"policy\":\"cap\",\"vhosts\":\"^tenant-\"")
        .contains("\"value\":5,\"origin\":\"policy\",\"policy\":\"cap\",\"reason\"");
    set("vhost-operator-policies/bound", MANY, 2);
    assertThat(limit("tenant-a").asInt()).isEqualTo(2);
    assertThat(http().get("policies/tenant-a/cap").json().has("vhosts")).isFalse();
    http().delete("policies/tenant-a/cap");
    assertThat(http().get("policies/tenant-a/cap").status()).isEqualTo(404);
    http().delete("vhost-operator-policies/bound");
    assertThat(limit("tenant-a").asInt()).isEqualTo(7);
  }

  @Test
  void dryRunsAndEffectsNameTheVirtualHosts() throws Exception {
    addVhost("tenant-a");
    addVhost("tenant-b");
    JsonNode forecast = http().put("vhost-policies/cap/dry-run", MANY.formatted(7)).json();
    assertThat(forecast.path("queues")).hasSize(2);
    assertThat(forecast.at("/queues/1").toString())
        .startsWith(
            "{\"vhost\":\"tenant-b\",\"name\":\"orders\",\"before\":{},\"after\":{\"max-length\":7}");
    assertThat(limit("tenant-a").isMissingNode()).isTrue();
    set("vhost-policies/cap", MANY, 7);
    assertThat(http().get("vhost-policies/cap/effect").json().path("summary").asText())
        .isEqualTo(
            """
            matches 2 virtual hosts
            in 'tenant-a' it matches 1 queue: applies to 1
            in 'tenant-b' it matches 1 queue: applies to 1""");
    forecast = http().delete("vhost-policies/cap/dry-run").json();
    assertThat(forecast.at("/queues/0/after").toString()).isEqualTo("{}");
    JsonNode narrower =
        http()
            .put("vhost-policies/cap/dry-run", MANY.formatted(7).replace("tenant-", "tenant-b"))
            .json();
    assertThat(narrower.path("queues")).hasSize(1);
    assertThat(narrower.at("/queues/0/vhost").asText()).isEqualTo("tenant-a");
  }

  @Test
  void whatIsWrongIsNamed() throws Exception {
    assertThat(error("{\"pattern\":\".\",\"definition\":{\"max-length\":1}}")).contains("vhosts");
    assertThat(error(MANY.formatted(1).replace("^tenant-", "(")))
        .contains("vhosts: pattern should be regular expression but is invalid");
    assertThat(error(MANY.formatted(1).replace("\"^tenant-\"", "5")))
        .contains("vhosts should be a regular expression")
        .contains("actually was 5");
    assertThat(error(MANY.formatted(1).replace("max-length", "max-lenght")))
        .contains("did you mean 'max-length'?");
    http().put("users/maker", "{\"password\":\"maker\",\"tags\":\"policymaker\"}");
    http().put("permissions/%2F/maker", "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    Http maker = Http.as(broker.httpPort(), "maker", "maker");
    assertThat(maker.put("vhost-policies/cap", MANY.formatted(1)).status()).isEqualTo(401);
    assertThat(maker.get("vhost-policies").status()).isEqualTo(401);
  }

  private String error(String policy) throws Exception {
    Http.Reply reply = http().put("vhost-policies/cap", policy);
    assertThat(reply.status()).isEqualTo(400);
    return reply.raw().body();
  }

  @Test
  void definitionsHaveThemAndCopiesForOtherBrokers() throws Exception {
    addVhost("tenant-a");
    set("policies/tenant-a/cap", OWN, 5);
    set("vhost-policies/cap", MANY, 7);
    set("vhost-operator-policies/bound", MANY, 9);
    JsonNode definitions = http().get("definitions").json();
    assertThat(definitions.path("vhost_policies").toString())
        .contains("{\"name\":\"cap\",\"vhosts\":\"^tenant-\",\"pattern\":\"^orders\"")
        .contains("\"operator\":true");
    assertThat(names(definitions.path("policies"))).containsExactly("cap", "cap (for vhosts)");
    assertThat(definitions.at("/policies/1/copy_of_vhost_policy").asText()).isEqualTo("cap");
    JsonNode bound = definitions.at("/parameters/0");
    assertThat(bound.path("copy_of_vhost_policy").asText()).isEqualTo("bound");
    assertThat(bound.path("value").has("copy_of_vhost_policy"))
        .as("RabbitMQ refuses it there")
        .isFalse();
    assertThat(definitions.path("lost_in_rabbitmq").toString())
        .contains("policy 'cap' for virtual hosts '^tenant-': RabbitMQ has copies");
    http().delete("vhost-policies/cap");
    http().delete("vhost-operator-policies/bound");
    http().delete("policies/tenant-a/cap");
    Http.Reply imported = http().post("definitions?report=true", definitions.toString());
    assertThat(imported.json().path("skipped")).isEmpty();
    assertThat(names(http().get("policies/tenant-a").json())).containsExactly("cap", "cap");
    assertThat(names(http().get("vhost-operator-policies").json())).containsExactly("bound");
    assertThat(http().get("definitions").json().toString()).isEqualTo(definitions.toString());

    String one = http().get("definitions/tenant-a").raw().body();
    http().put("vhosts/tenant-c", "{}");
    http().put("vhosts/other", "{}");
    assertThat(http().post("definitions/tenant-c", one).status()).isEqualTo(204);
    assertThat(http().post("definitions/other", one).status()).isEqualTo(204);
    assertThat(names(http().get("policies/tenant-c").json())).containsExactly("cap", "cap");
    assertThat(names(http().get("policies/other").json()))
        .containsExactlyInAnyOrder("cap", "cap (for vhosts)");
  }

  @Test
  void commandsSetListExplainAndClearThem() throws Exception {
    addVhost("tenant-a");
    ControlCommand control = ControlCommand.of(broker);
    for (String kind : new String[] {"policy", "operator_policy"}) {
      String set = "set_" + kind;
      String definition = "{\"max-length\":%d}".formatted(kind.equals("policy") ? 7 : 5);
      assertThat(
              control
                  .run(set, "cap", "^orders", definition, "--vhosts", "^tenant-", "--dry-run")
                  .text())
          .contains("The policy matches 1 virtual host")
          .contains("orders in vhost 'tenant-a'");
      assertThat(control.run(set, "cap", "^orders", definition, "--vhosts", "^tenant-").text())
          .contains("in 'tenant-a' it matches 1 queue: applies to 1");
      ControlCommand.Outcome both =
          control.run(set, "cap", ".", definition, "--vhosts", "x", "--vhost", "tenant-a");
      assertThat(both.exit()).isEqualTo(65);
      assertThat(String.join("\n", both.err()))
          .contains("--vhosts and --vhost 'tenant-a': expected one of them");
    }
    assertThat(control.run("explain_policy", "queue", "orders", "--vhost", "tenant-a", "-q").text())
        .contains("max-length = 5, from operator policy 'cap' for virtual hosts '^tenant-'")
        .contains("not 7, from policy 'cap' for virtual hosts '^tenant-'")
        .contains("operator policy 'cap' for virtual hosts '^tenant-' (pattern '^orders'");
    assertThat(control.run("list_operator_policies", "--vhosts", "--silent").text())
        .isEqualTo("^tenant-\tcap\t^orders\tall\t{\"max-length\":5}\t0");
    assertThat(control.run("list_policies", "--vhost", "tenant-a", "-q").out())
        .containsExactly(
            "vhost\tname\tpattern\tapply-to\tdefinition\tpriority\tvhosts",
            "tenant-a\tcap\t^orders\tall\t{\"max-length\":7}\t0\t^tenant-");
    assertThat(control.run("list_policies", "-q").out()).isEmpty();
    for (String kind : new String[] {"policy", "operator_policy"}) {
      assertThat(control.run("clear_" + kind, "cap", "--vhosts").exit()).isZero();
      assertThat(control.run("clear_" + kind, "cap", "--vhosts").exit()).isEqualTo(69);
    }
    assertThat(limit("tenant-a").isMissingNode()).isTrue();
  }

  private static List<String> names(JsonNode policies) {
    List<String> names = new ArrayList<>();
    policies.forEach(policy -> names.add(policy.path("name").asText()));
    return names;
  }
}
