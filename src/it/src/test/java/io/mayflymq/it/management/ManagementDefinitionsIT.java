package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests limits, global parameters, the cluster name and definitions in the management API. */
@BlackBox
class ManagementDefinitionsIT extends AccessFixture {
  private static void assertBadRequest(Http.Reply reply, String reason) {
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(reply.reason()).startsWith(reason);
  }

  private static void assertNotFound(Http.Reply reply) {
    assertThat(reply.status()).isEqualTo(404);
  }

  @Test
  void definitionsHaveATagThatTellsWhetherTheyHaveChanged(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String path = "definitions/" + vhost;
    String tag = etag(http.get(path));
    assertThat(http.get(path, "If-None-Match", tag).status()).isEqualTo(304);
    assertThat(http.get(path, "If-None-Match", "\"other\", W/" + tag).status()).isEqualTo(304);
    assertThat(http.get(path, "If-None-Match", "\"other\"").status()).isEqualTo(200);
    assertThat(http.get(path, "If-Match", "\"other\"").status()).isEqualTo(412);
    assertThat(http.get(path, "If-Match", tag).status()).isEqualTo(200);
    assertThat(etag(http.get("definitions"))).isNotEqualTo(tag);
    http.put("queues/" + vhost + "/q", "{\"durable\":true}");
    Http.Reply changed = http.get(path, "If-None-Match", tag);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(etag(changed)).isNotEqualTo(tag);
  }

  @Test
  @MayflyOnly("RabbitMQ has no lint")
  void whatCanGoWrongWithTheDefinitionsIsTold(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    assertThat(http.get("lint/" + vhost).json()).isEmpty();
    http.put("queues/" + vhost + "/q", "{\"durable\":true,\"arguments\":{\"x-max-length\":5}}");
    JsonNode found = http.get("lint/" + vhost).json();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).path("rule").asText()).isEqualTo("drops-when-full");
    assertThat(found.get(0).path("level").asText()).isEqualTo("warning");
    assertThat(found.get(0).path("object").asText())
        .isEqualTo("queue 'q' in vhost '%s'".formatted(vhost));
    assertThat(found.get(0).path("message").asText()).contains("the oldest messages are dropped");
    assertThat(http.get("lint").json().toString()).contains(found.get(0).toString());
    assertNotFound(http.get("lint/none"));
  }

  private static String etag(Http.Reply reply) {
    return reply.raw().headers().firstValue("etag").orElseThrow();
  }

  // Limits

  @Test
  void limitsTheQueuesOfAVirtualHost(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String path = "vhost-limits/" + vhost;
    assertThat(http.get(path).json()).isEmpty();
    assertThat(http.put(path + "/max-queues", "{\"value\":1}").status()).isEqualTo(204);
    assertThat(http.put(path + "/max-connections", "{\"value\":7}").status()).isEqualTo(204);
    JsonNode limits = http.get(path).json();
    assertThat(limits).hasSize(1);
    assertThat(limits.get(0).path("vhost").asText()).isEqualTo(vhost);
    assertThat(limits.get(0).path("value").path("max-queues").asInt()).isEqualTo(1);
    assertThat(limits.get(0).path("value").path("max-connections").asInt()).isEqualTo(7);
    try (Connection connection = connect(vhost, "guest", "guest")) {
      connection.createChannel().queueDeclare("one", true, false, false, null);
      Channel channel = connection.createChannel();
      assertThatThrownBy(() -> channel.queueDeclare("two", true, false, false, null))
          .hasStackTraceContaining("queue limit in vhost '" + vhost + "'");
      assertThat(http.delete(path + "/max-queues").status()).isEqualTo(204);
      connection.createChannel().queueDeclare("two", true, false, false, null);
    }
    assertThat(http.get(path).json().get(0).path("value")).hasToString("{\"max-connections\":7}");
    assertThat(http.delete(path + "/nope").status()).isEqualTo(204);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "max-queues | {} | [{key_missing,value}]",
        "max-queues | [1] | not_json",
        "max-queues | {\"value\":\"7\"}"
            + " | Validation failed##max-queues should be a number, actually was <<\"7\">>#",
        "max-queues | {\"value\":2147483648} | Validation failed##max-queues should be a whole"
            + " number from -2147483648 to 2147483647, actually was 2147483648#",
        "max-queues | {\"value\":99999999999999999999} | Validation failed##max-queues should be a"
            + " whole number from -2147483648 to 2147483647, actually was 99999999999999999999#",
        "nope | {\"value\":1}"
            + " | Validation failed##Unrecognised terms [{<<\"nope\">>,1}] in limits",
      })
  void aBadLimitOfAVirtualHostIsNotSet(String limit, String body, String reason, Amqp amqp)
      throws Exception {
    String path = "vhost-limits/" + vhost(amqp);
    assertBadRequest(http.put(path + "/" + limit, body), reason.replace('#', '\n'));
    assertThat(http.get(path).json()).isEmpty();
  }

  @Test
  void limitsOfMissingVirtualHostsAndUsersAre404(Amqp amqp) throws Exception {
    String name = amqp.name();
    Http.Reply reply = http.put("vhost-limits/" + name + "/max-queues", "{\"value\":1}");
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.reason()).startsWith("vhost_not_found");
    assertNotFound(http.get("vhost-limits/" + name));
    assertNotFound(http.get("user-limits/" + name));
    Http.Reply user = http.put("user-limits/" + name + "/max-channels", "{\"value\":1}");
    assertThat(user.status()).isEqualTo(400);
    assertThat(user.json().path("reason")).hasToString("[\"no_such_user\",\"" + name + "\"]");
  }

  @Test
  void limitsTheConnectionsOfAUser(Amqp amqp) throws Exception {
    String user = user(amqp, "management");
    http.put("permissions/%2F/" + user, ALL);
    String path = "user-limits/" + user;
    assertThat(http.get(path).json()).isEmpty();
    assertThat(http.put(path + "/max-connections", "{\"value\":0}").status()).isEqualTo(204);
    assertThat(http.put(path + "/max-channels", "{\"value\":9}").status()).isEqualTo(204);
    assertThat(http.get(path).json().get(0).path("value").path("max-channels").asInt())
        .isEqualTo(9);
    assertThat(http.get("users/" + user).json().path("limits").path("max-connections").asInt())
        .isZero();
    assertThatThrownBy(() -> connect("/", user, "p")).isInstanceOf(IOException.class);
    assertThat(http.delete(path + "/max-connections").status()).isEqualTo(204);
    connect("/", user, "p").close();
    String again = "{\"password\":\"p\",\"tags\":\"\",\"limits\":{\"max-connections\":3}}";
    assertThat(http.put("users/" + user, again).status()).isEqualTo(204);
    assertThat(http.get("users/" + user).json().path("limits").size()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "max-channels | {} | [{key_missing,value}]",
        "max-channels | {\"value\":\"x\"}"
            + " | max-channels should be a number, actually was <<\"x\">>",
        "max-queues | {\"value\":6} | Unrecognised terms [{<<\"max-queues\">>,6}] in user-limits",
      })
  void aBadLimitOfAUserIsNotSet(String limit, String body, String reason, Amqp amqp)
      throws Exception {
    String path = "user-limits/" + user(amqp, "management");
    assertBadRequest(http.put(path + "/" + limit, body), reason);
    assertThat(http.get(path).json()).isEmpty();
  }

  @Test
  @MayflyOnly("shows the limits of all users to all users of the API; 500 for no user")
  void aUserSeesOnlyTheirOwnLimits(Amqp amqp) throws Exception {
    String one = user(amqp, "management");
    String two = user(amqp, "management");
    http.put("user-limits/" + one + "/max-channels", "{\"value\":1}");
    http.put("user-limits/" + two + "/max-channels", "{\"value\":2}");
    Http as = Http.as(target.httpPort(), one, "p");
    assertThat(as.get("user-limits").json())
        .hasToString("[{\"user\":\"" + one + "\",\"value\":{\"max-channels\":1}}]");
    assertThat(as.get("user-limits/" + two).status()).isEqualTo(401);
    assertNotFound(http.delete("user-limits/" + amqp.name() + "/max-channels"));
    assertNotFound(http.delete("vhost-limits/" + amqp.name() + "/max-queues"));
  }

  // Global parameters and the name of the cluster

  @Test
  void keepsGlobalParameters(Amqp amqp) throws Exception {
    String name = amqp.name();
    String path = "global-parameters/" + name;
    made.add(path);
    assertThat(http.put(path, "{\"value\":{\"a\":[1,null,\"x\"]}}").status()).isEqualTo(201);
    JsonNode found = http.get(path).json();
    assertThat(found.path("name").asText()).isEqualTo(name);
    assertThat(found.path("value")).hasToString("{\"a\":[1,null,\"x\"]}");
    assertThat(http.put(path, "{\"value\":2,\"name\":\"other\"}").status()).isEqualTo(204);
    assertThat(http.get("global-parameters").json().findValuesAsText("name")).contains(name);
    assertBadRequest(http.put(path, "{}"), "[{key_missing,value}]");
    assertBadRequest(http.put(path, "[]"), "not_json");
    assertThat(http.get(path).json().path("value").asInt()).isEqualTo(2);
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertNotFound(http.delete(path));
    assertNotFound(http.get(path));
  }

  @Test
  void setsTheClusterName(Amqp amqp) throws Exception {
    String before = http.get("cluster-name").json().path("name").asText();
    String name = amqp.name();
    try {
      assertThat(http.put("cluster-name", "{\"name\":\"" + name + "\"}").status()).isEqualTo(204);
      assertThat(http.get("cluster-name").json().path("name").asText()).isEqualTo(name);
      assertThat(http.get("overview").json().path("cluster_name").asText()).isEqualTo(name);
      try (Connection connection = target.factory().newConnection()) {
        assertThat(connection.getServerProperties().get("cluster_name")).hasToString(name);
      }
      assertBadRequest(http.put("cluster-name", "{}"), "[{key_missing,name}]");
      assertThat(http.get("cluster-name").json().path("name").asText()).isEqualTo(name);
    } finally {
      http.put("cluster-name", "{\"name\":\"" + before + "\"}");
    }
  }

  // Definitions

  @Test
  void exportsAndImportsAVirtualHost(Amqp amqp) throws Exception {
    String from = vhost(amqp);
    String into = vhost(amqp);
    http.put("queues/" + from + "/q", "{\"arguments\":{\"x-message-ttl\":60000}}");
    http.put("exchanges/" + from + "/x", "{\"type\":\"topic\"}");
    http.post("bindings/" + from + "/e/x/q/q", "{\"routing_key\":\"a.*\"}");
    Http.Reply exported = http.get("definitions/" + from);
    assertThat(exported.status()).isEqualTo(200);
    assertThat(exported.json().path("queues").get(0).has("vhost")).isFalse();
    assertThat(http.post("definitions/" + into, exported.raw().body()).status()).isEqualTo(204);
    JsonNode queue = http.get("queues/" + into + "/q").json();
    assertThat(queue.path("arguments").path("x-message-ttl").asInt()).isEqualTo(60_000);
    assertThat(http.get("bindings/" + into + "/e/x/q/q").json()).hasSize(1);
  }

  /** On a broker of its own, as the definitions of all others would be imported too. */
  @Test
  @OwnBroker
  void exportsAndImportsTheBroker(Amqp amqp) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      open(new Target(broker.port(), broker, "MayflyMQ"));
      String vhost = vhost(amqp);
      String user = user(amqp, "management");
      http.put("permissions/" + vhost + "/" + user, ALL);
      http.put("queues/" + vhost + "/q", "{}");
      Http.Reply exported = http.get("definitions?download=d.json");
      assertThat(exported.raw().headers().firstValue("content-disposition"))
          .contains("attachment; filename=d.json");
      assertThat(exported.json().path("vhosts").findValuesAsText("name")).contains(vhost, "/");
      http.delete("vhosts/" + vhost);
      http.delete("users/" + user);
      assertThat(http.post("definitions", exported.raw().body()).status()).isEqualTo(204);
      assertThat(http.get("queues/" + vhost + "/q").status()).isEqualTo(200);
      assertThat(http.get("permissions/" + vhost + "/" + user).json().path("read").asText())
          .isEqualTo(".*");
      connect(vhost, user, "p").close();
      made.clear();
    }
  }

  @Test
  @MayflyOnly("keeps parameters only of components that it has, and does not tell what it skipped")
  void skippedDefinitionsAreToldAndUnknownParametersExportedAgain(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String parameter =
        "{\"component\":\"vendor-plugin\",\"vhost\":\"%s\",\"name\":\"s\",\"value\":{\"src-queue\":\"q\"}}"
            .formatted(vhost);
    String body = "{\"parameters\":[%s]}".formatted(parameter);
    Http.Reply reply = http.post("definitions", body);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.json().path("imported").asInt()).isZero();
    assertThat(reply.json().path("skipped").get(0).asText())
        .isEqualTo(
            "parameter 's' of component 'vendor-plugin' in vhost '%s': there is no such component here:"
                    .formatted(vhost)
                + " kept and exported again, without effect");
    assertThat(http.get("definitions/" + vhost).json().path("parameters").get(0).path("value"))
        .hasToString("{\"src-queue\":\"q\"}");
    assertThat(http.get("parameters/vendor-plugin/" + vhost + "/s").json().path("value"))
        .hasToString("{\"src-queue\":\"q\"}");
    assertBadRequest(
        http.put("parameters/vendor-plugin/" + vhost + "/t", "{\"value\":1}"),
        "Validation failed\n\ncomponent vendor-plugin not found\n");
    assertThat(http.delete("parameters/vendor-plugin/" + vhost + "/s").status()).isEqualTo(204);
    assertNotFound(http.delete("parameters/vendor-plugin/" + vhost + "/s"));
    assertThat(http.post("definitions?report=true", "{}").json())
        .hasToString("{\"imported\":0,\"skipped\":[]}");
    assertThat(http.post("definitions", "{}").status()).isEqualTo(204);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{bad",
        "[]",
        "\"text\"",
        "{\"permissions\":[{\"user\":\"guest\",\"vhost\":\"/\",\"configure\":\"(\","
            + "\"write\":\"\",\"read\":\"\"}]}",
        "{\"queues\":[{\"name\":\"q\",\"vhost\":\"nowhere\",\"durable\":true,"
            + "\"auto_delete\":false,\"arguments\":{}}]}",
      })
  void badDefinitionsAreRefused(String body) throws Exception {
    Http.Reply reply = http.post("definitions?strict=true", body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(http.get("permissions/%2F/guest").json().path("configure").asText()).isEqualTo(".*");
  }

  @Test
  @MayflyOnly("stops at the first thing that is wrong, and keeps what came before it")
  void definitionsThatAreWrongAreLeftOut(Amqp amqp) throws Exception {
    String vhost = amqp.name();
    Http.Reply reply =
        http.post(
            "definitions",
            "{\"vhosts\":[{\"name\":\""
                + vhost
                + "\"}],\"users\":[{\"name\":5}],\"queues\":[{\"name\":\"q\"}]}");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.json())
        .hasToString(
            "{\"imported\":1,\"skipped\":[\"users[0]: 'name' is 5: expected a text\","
                + "\"queues[0] ('q'): 'vhost' is missing\"]}");
    assertThat(http.get("vhosts/" + vhost).status()).isEqualTo(200);
    http.delete("vhosts/" + vhost);
  }

  /** Each beside a queue that is right. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'name':'x','vhost':'/','type':'stream','auto_delete':true}] | queue 'x' in vhost '/': invalid property 'auto-delete'",
        "{'name':'good','vhost':'/','arguments':{'x-max-length':1}}] | queue 'good' in vhost '/': it is in the document twice, with different properties",
        "{'name':'b','vhost':'/'}],'exchanges':[{'name':'amq.bar','vhost':'/','type':'topic'}] | exchange 'amq.bar' in vhost '/'",
        "{'name':'b','vhost':'/'}],'bindings':[{'source':'nope','vhost':'/','destination':'good','destination_type':'queue','routing_key':''}] | there is no such exchange",
        "{'name':'b','vhost':'/'}],'foo':[] | 'foo': not a part of definitions that is known here",
        "{'name':'b','vhost':'/'}],'queues':[] | 'queues' is there twice in one object",
      })
  @MayflyOnly("stops at the first thing that is wrong, and keeps what came before it")
  void strictImportIsMadeCompletelyOrNotAtAll(String wrong, String message, Amqp amqp)
      throws Exception {
    String good = amqp.name();
    String body =
        "{'queues':[{'name':'good','vhost':'/'},%s}"
            .formatted(wrong)
            .replace('\'', '"')
            .replace("\"good\"", '"' + good + '"');
    Http.Reply reply = http.post("definitions?strict=true", body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains(message.replace("'good'", "'" + good + "'"));
    assertNotFound(http.get("queues/%2F/" + good));
    assertNotFound(http.get("queues/%2F/b"));
  }

  @Test
  @MayflyOnly("adds the virtual host before it reads the whole request")
  void aVirtualHostStaysAsItIsIfTheRequestIsRefused(Amqp amqp) throws Exception {
    String vhost = amqp.name();
    assertThat(http.put("vhosts/" + vhost, "{\"tracing\":\"x\"}").status()).isEqualTo(400);
    assertNotFound(http.get("vhosts/" + vhost));
    assertThat(http.put("vhosts/" + vhost, "{\"description\":\"a\"}").status()).isEqualTo(201);
    assertThat(http.put("vhosts/" + vhost, "{\"description\":\"b\",\"tracing\":\"x\"}").status())
        .isEqualTo(400);
    assertThat(http.get("vhosts/" + vhost).json().path("description").asText()).isEqualTo("a");
    http.delete("vhosts/" + vhost);
  }

  /** As RabbitMQ 4.3 has it. */
  @Test
  @MayflyOnly("3.13 refuses it")
  void aDeliveryLimitOfMinusOneIsTakenEverywhere(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    Map<String, Object> quorum = Map.of("x-queue-type", "quorum");
    String policy = "{\"pattern\":\"^%s$\",\"definition\":{\"delivery-limit\":-1}}";
    assertThat(http.put("policies/" + vhost + "/p", policy.formatted("policy")).status())
        .isEqualTo(201);
    assertThat(http.put("operator-policies/" + vhost + "/p", policy.formatted("operator")).status())
        .isEqualTo(201);
    try (Connection connection = connect(vhost, "guest", "guest")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare(
          "argument", true, false, false, Map.of("x-queue-type", "quorum", "x-delivery-limit", -1));
      channel.queueDeclare("policy", true, false, false, quorum);
      channel.queueDeclare("operator", true, false, false, quorum);
    }
    Http.Reply exported = http.get("definitions/" + vhost);
    String copy = vhost(amqp);
    assertThat(http.post("definitions/" + copy + "?strict=true", exported.raw().body()).status())
        .isEqualTo(204);
    JsonNode definitions = http.get("definitions/" + copy).json();
    assertThat(definitions.path("queues")).hasSize(3);
    assertThat(definitions.path("policies")).hasSize(1);
    assertThat(definitions.path("parameters")).hasSize(1);
  }

  @Test
  @MayflyOnly("stops at the first thing that is wrong, and keeps what came before it")
  void invalidDefinitionsReportAllErrorsAndChangeNothing(Amqp amqp) throws Exception {
    String vhost = amqp.name();
    Http.Reply reply =
        http.post(
            "definitions?strict=true",
            "{\"vhosts\":[{\"name\":\""
                + vhost
                + "\"}],\"users\":[{\"name\":5}],\"queues\":[{\"name\":\"q\"}]}");
    assertBadRequest(
        reply, "users[0]: 'name' is 5: expected a text\nqueues[0] ('q'): 'vhost' is missing");
    assertNotFound(http.get("vhosts/" + vhost));
    assertBadRequest(
        http.post("definitions?strict=true", "{\"queues\":5}"),
        "'queues': expected a list, found a number");
  }

  @Test
  void definitionsOfAMissingVirtualHostAre404(Amqp amqp) throws Exception {
    Http.Reply reply = http.post("definitions/" + amqp.name(), "{\"queues\":[]}");
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.reason()).startsWith("vhost_not_found");
    assertThat(http.get("definitions/" + amqp.name()).status()).isBetween(400, 404);
  }

  // Logins

  @Test
  void countsLogins() throws Exception {
    String node = http.get("overview").json().path("node").asText();
    String path = "auth/attempts/" + node;
    Http.as(target.httpPort(), "guest", "wrong").get("whoami");
    JsonNode counted = byProtocol(http.get(path).json(), "http");
    assertThat(counted.path("auth_attempts_failed").asLong()).isPositive();
    assertThat(counted.path("auth_attempts_succeeded").asLong()).isPositive();
    assertThat(http.get(path + "/source").json().isArray()).isTrue();
    assertThat(http.delete(path + "/source").status()).isEqualTo(204);
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertNotFound(http.get("auth/attempts/mayfly@nowhere"));
  }

  private static JsonNode byProtocol(JsonNode list, String protocol) {
    for (JsonNode entry : list) {
      if (entry.path("protocol").asText().equals(protocol)) {
        return entry;
      }
    }
    throw new AssertionError("nothing of " + protocol + " in " + list);
  }

  /** A change is safe when it is answered: a kill right after the answer loses nothing. */
  @Test
  @OwnBroker
  void answeredChangesSurviveAKill(@TempDir Path data) throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Http api = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(api.put("vhosts/v", "{\"description\":\"d\"}").status()).isEqualTo(201);
      api.put("vhost-limits/v/max-queues", "{\"value\":5}");
      api.put("users/u", "{\"password\":\"p\",\"tags\":\"\",\"limits\":{\"max-channels\":2}}");
      api.put("permissions/v/u", ALL);
      api.put("global-parameters/g", "{\"value\":[1]}");
      assertThat(api.put("cluster-name", "{\"name\":\"c\"}").status()).isEqualTo(204);
      broker.kill();
      broker.awaitExit();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      Http api = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(api.get("vhosts/v").json().path("description").asText()).isEqualTo("d");
      assertThat(api.get("vhost-limits/v").json().get(0).path("value"))
          .hasToString("{\"max-queues\":5}");
      assertThat(api.get("users/u").json().path("limits")).hasToString("{\"max-channels\":2}");
      assertThat(api.get("permissions/v/u").json().path("read").asText()).isEqualTo(".*");
      assertThat(api.get("global-parameters/g").json().path("value")).hasToString("[1]");
      assertThat(api.get("cluster-name").json().path("name").asText()).isEqualTo("c");
    }
  }

  @Test
  void definitionsCanBeUploadedByAForm(Amqp amqp) throws Exception {
    String vhost = amqp.name();
    made.add("vhosts/" + vhost);
    String json = "{\"vhosts\":[{\"name\":\"%s\"}]}".formatted(vhost);
    assertThat(upload("definitions", "other", json).status()).isEqualTo(400);
    for (String type : List.of("multipart/form-data", "multipart/form-data; boundary=none")) {
      assertThat(http.post("definitions", type, json).status()).as(type).isEqualTo(400);
    }
    assertThat(upload("definitions", "file", json).status()).isEqualTo(204);
    JsonNode permissions = http.get("permissions/" + vhost + "/guest").json();
    assertThat(permissions.path("configure").asText()).as("of who imports").isEqualTo(".*");
    String queues =
        "{\"queues\":[{\"name\":\"q\",\"type\":\"quorum\"}],"
            + "\"exchanges\":[{\"name\":\"e\",\"type\":\"fanout\",\"internal\":true}]}";
    assertThat(upload("definitions/" + vhost, "file", queues).status()).isEqualTo(204);
    JsonNode queue = http.get("queues/" + vhost + "/q").json();
    assertThat(queue.path("durable").asBoolean()).isTrue();
    assertThat(queue.path("auto_delete").asBoolean(true)).isFalse();
    assertThat(queue.path("type").asText()).isEqualTo("quorum");
    JsonNode exported = http.get("definitions/" + vhost).json();
    assertThat(exported.path("exchanges").path(0).path("internal").asBoolean()).isTrue();
  }

  private Http.Reply upload(String path, String part, String json) throws Exception {
    String form =
        """
        --limit\r
        Content-Disposition: form-data; name="%s"; filename="d.json"\r
        Content-Type: application/json\r
        \r
        %s\r
        --limit--\r
        """;
    return http.post(path, "multipart/form-data; boundary=limit", form.formatted(part, json));
  }
}
