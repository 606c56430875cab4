package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests regular expressions that would take too much memory or time, at every place that accepts
 * one.
 */
@BlackBox
@OwnBroker
class LargePatternsIT {
  private static final String LARGE = "((a{1000}){1000}){1000}";
  private static final String TOO_LARGE = "regular expression is too large";

  private static BrokerProcess broker;
  private static Http http;

  @BeforeAll
  static void start() {
    broker = BrokerProcess.builder().jvm("-Xmx64m").start();
    http = Http.as(broker.httpPort(), "guest", "guest");
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.output()).noneMatch(line -> line.contains("OutOfMemory"));
    assertThat(broker.complaints()).isEmpty();
  }

  private static void assertRefused(Http.Reply reply) throws Exception {
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains(TOO_LARGE);
    assertThat(http.get("overview").status()).isEqualTo(200);
  }

  @Test
  void aLargePatternInAListFilterIsRefused() throws Exception {
    String filter =
        "?page=1&use_regex=true&name=" + URLEncoder.encode(LARGE, StandardCharsets.UTF_8);
    for (String list : new String[] {"queues", "exchanges", "connections"}) {
      assertRefused(http.get(list + filter));
    }
  }

  @Test
  void aPolicyWithALargePatternIsRefused() throws Exception {
    String policy = "{\"pattern\":\"%s\",\"definition\":{\"max-length\":1}}".formatted(LARGE);
    assertRefused(http.put("policies/%2F/large", policy));
    assertRefused(http.put("operator-policies/%2F/large", policy));
    assertThat(http.get("policies/%2F/large").status()).isEqualTo(404);
  }

  @Test
  void aPermissionWithALargePatternIsRefused() throws Exception {
    assertRefused(
        http.put(
            "permissions/%2F/guest",
            "{\"configure\":\".*\",\"write\":\"%s\",\"read\":\".*\"}".formatted(LARGE)));
    assertRefused(
        http.put(
            "topic-permissions/%2F/guest",
            "{\"exchange\":\"amq.topic\",\"write\":\".*\",\"read\":\"%s\"}".formatted(LARGE)));
    assertThat(http.get("permissions/%2F/guest").json().path("write").asText()).isEqualTo(".*");
  }

  @Test
  void anImportWithALargePatternIsRefused() throws Exception {
    assertRefused(
        http.send(
            "POST",
            "/api/definitions?strict=true",
            """
            {"policies":[{"vhost":"/","name":"imported","pattern":"%s",
             "definition":{"max-length":1}}]}
            """
                .formatted(LARGE)));
    assertThat(http.get("policies/%2F/imported").status()).isEqualTo(404);
  }

  /**
   * Each pattern is within its limit, but each declared name would be matched against all of them.
   */
  @Test
  void theSumOfAllPoliciesIsLimited() throws Exception {
    http.put("vhosts/many", "{}");
    String policy =
        "{\"pattern\":\"^(x[0-9]){1000,}(y[0-9]){600}\",\"definition\":{\"max-length\":1}}";
    Http.Reply reply = http.put("policies/many/p0", policy);
    int taken = 0;
    while (reply.status() == 201 && taken < 100) {
      taken++;
      reply = http.put("policies/many/p" + taken, policy);
    }
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains("the patterns of all policies in vhost 'many'");
    assertThat(taken).isBetween(10, 40);
    assertThat(http.get("policies/many").json()).hasSize(taken);
    assertThat(http.put("policies/many/p0", policy).status()).isEqualTo(204);
    assertThat(http.put("queues/many/q", "{}").status()).isEqualTo(201);
  }

  /**
   * Some of the policies are still within the limit: a strict import is done completely or not at
   * all, any other one leaves the others out.
   */
  @Test
  void importOfPoliciesThatAreTooLargeTogetherLeavesSomeOut() throws Exception {
    StringBuilder policies = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      policies
          .append(i == 0 ? "" : ",")
          .append("{\"vhost\":\"imported\",\"name\":\"p%d\",".formatted(i))
          .append("\"pattern\":\"^(x[0-9]){1000,}(y[0-9]){600}\",")
          .append("\"definition\":{\"max-length\":1}}");
    }
    String vhosts = "\"vhosts\":[{\"name\":\"imported\"}]";
    String definitions = "{%s,\"policies\":[%s]}".formatted(vhosts, policies);
    Http.Reply reply = http.post("definitions?strict=true", definitions);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains("the patterns of all policies in vhost 'imported'");
    assertThat(http.get("vhosts/imported").status()).isEqualTo(404);
    Http.Reply partly = http.post("definitions", definitions);
    assertThat(partly.status()).isEqualTo(200);
    int taken = http.get("policies/imported").json().size();
    assertThat(taken).isBetween(1, 99);
    assertThat(partly.json().path("imported").asInt()).isEqualTo(1 + taken);
    assertThat(partly.json().path("skipped")).hasSize(100 - taken);
  }

  @Test
  void aLargePatternInTheConfigurationIsReportedInOneLine() {
    try (EmbeddedBroker refused =
        EmbeddedBroker.builder().set("default_permissions.read", LARGE).launch()) {
      assertThat(refused.awaitExit()).isEqualTo(78);
      assertThat(refused.output())
          .containsExactly(
              "mayfly: --set: bad value '%s' for key 'default_permissions.read':".formatted(LARGE)
                  + " expected a regular expression, of at most 10000 characters with its"
                  + " repetitions written out");
    }
  }
}
