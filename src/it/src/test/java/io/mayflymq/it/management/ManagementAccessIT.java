package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests users, permissions, virtual hosts and limits in the management API, and their effects. */
@BlackBox
class ManagementAccessIT extends AccessFixture {
  /** RabbitMQ 3.10's hash of the password {@code test12} with the salt 908dc60a. */
  private static final String HASH_OF_TEST12 = "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR";

  private static final String LONG_NAME = "x".repeat(256);

  private void permit(String user, String vhost) throws Exception {
    assertThat(http.put("permissions/" + vhost + "/" + user, ALL).status()).isEqualTo(201);
  }

  /** Behind RabbitMQ's reason there may be more words. */
  private static void assertBadRequest(Http.Reply reply, String reason) {
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.error()).isEqualTo("bad_request");
    assertThat(reply.json().path("reason").toString()).startsWith(reason.replaceAll("\"$", ""));
  }

  private static void assertNotFound(Http.Reply reply) {
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.error()).isEqualTo("Object Not Found");
  }

  // Virtual hosts

  @Test
  void addsChangesAndDeletesAVirtualHost(Amqp amqp) throws Exception {
    String name = amqp.name();
    String path = "vhosts/" + name;
    made.add(path);
    assertThat(http.put(path, null).status()).isEqualTo(201);
    assertThat(http.put(path, "{\"description\":\"d\",\"tags\":\"a, b\"}").status()).isEqualTo(204);
    JsonNode vhost = http.get(path).json();
    assertThat(vhost.path("description").asText()).isEqualTo("d");
    assertThat(vhost.path("tags")).hasToString("[\"a\",\"b\"]");
    assertThat(vhost.path("metadata"))
        .hasToString("{\"description\":\"d\",\"tags\":[\"a\",\"b\"]}");
    assertThat(vhost.path("default_queue_type").asText()).isEqualTo("classic");
    assertThat(vhost.path("tracing").asBoolean()).isFalse();
    assertThat(http.put(path, "{\"tags\":[\"c\"]}").status()).isEqualTo(204);
    assertThat(http.get(path).json().path("description").asText()).isEmpty();
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertNotFound(http.delete(path));
    assertNotFound(http.get(path));
  }

  @Test
  @MayflyOnly("3.10 does not know default queue types yet")
  void aVirtualHostHasADefaultQueueType(Amqp amqp) throws Exception {
    String path = "vhosts/" + vhost(amqp);
    assertThat(http.put(path, "{\"default_queue_type\":\"classic\"}").status()).isEqualTo(204);
    assertThat(http.get(path).json().path("default_queue_type").asText()).isEqualTo("classic");
    assertBadRequest(
        http.put(path, "{\"default_queue_type\":\"x\"}"),
        "\"Unsupported default queue type 'x': expected classic, quorum or stream\"");
    for (String each : List.of(path, "vhosts/none")) {
      assertBadRequest(
          http.put(each, "{\"default_queue_type\":\"\"}"),
          "\"default_queue_type must not be an empty string\"");
    }
    assertNotFound(http.get("vhosts/none"));
    assertThat(http.get(path).json().path("default_queue_type").asText()).isEqualTo("classic");
  }

  @Test
  void aProtectedVirtualHostIsNotDeleted(Amqp amqp) throws Exception {
    String path = "vhosts/" + vhost(amqp);
    assertThat(http.get(path).json().path("protected_from_deletion").asBoolean()).isFalse();
    assertThat(http.post(path + "/deletion/protection", null).status()).isEqualTo(204);
    Http.Reply refused = http.delete(path);
    assertThat(refused.status()).isEqualTo(412);
    assertThat(refused.error()).isEqualTo("precondition_failed");
    assertThat(refused.reason())
        .startsWith("Refusing to delete virtual host '")
        .endsWith("' because it is protected from deletion");
    assertThat(http.put(path, "{\"description\":\"d\"}").status()).isEqualTo(204);
    JsonNode vhost = http.get(path).json();
    assertThat(vhost.path("protected_from_deletion").asBoolean()).isTrue();
    assertThat(vhost.path("metadata").path("protected_from_deletion").asBoolean()).isTrue();
    for (int i = 0; i < 2; i++) {
      assertThat(http.delete(path + "/deletion/protection").status()).isEqualTo(204);
    }
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertThat(http.post(path + "/deletion/protection", null).status()).isEqualTo(404);
  }

  @Test
  @MayflyOnly("a bulk deletion leaves protected users out there, and answers 204")
  void aProtectedUserIsChangedByTheControlCommandOnly(Amqp amqp) throws Exception {
    String name = user(amqp, "protected");
    String path = "users/" + name;
    for (Http.Reply refused :
        List.of(
            http.put(path, "{\"tags\":\"\"}"),
            http.delete(path),
            http.post("users/bulk-delete", "{\"users\":[\"" + name + "\"]}"))) {
      assertBadRequest(refused, "\"Protected users cannot be modified via the HTTP API\"");
    }
    assertThat(http.get(path).json().path("tags")).hasToString("[\"protected\"]");
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("set_user_tags", name, "management").exit()).isZero();
    assertThat(http.delete(path).status()).isEqualTo(204);
  }

  @Test
  void whatAProtectedUserMayDoIsChanged(Amqp amqp) throws Exception {
    String user = user(amqp, "protected");
    String vhost = vhost(amqp);
    String topics = "{\"exchange\":\"amq.topic\",\"write\":\"\",\"read\":\"\"}";
    assertThat(http.put("permissions/" + vhost + "/" + user, ALL).status()).isEqualTo(201);
    assertThat(http.put("topic-permissions/" + vhost + "/" + user, topics).status()).isEqualTo(201);
    assertThat(http.put("user-limits/" + user + "/max-channels", "{\"value\":5}").status())
        .isEqualTo(204);
    for (String path :
        List.of(
            "user-limits/" + user + "/max-channels",
            "topic-permissions/" + vhost + "/" + user,
            "permissions/" + vhost + "/" + user)) {
      assertThat(http.delete(path).status()).as(path).isEqualTo(204);
    }
    ControlCommand.of(target).run("delete_user", user);
  }

  @Test
  @MayflyOnly("a policymaker can there, and not on cluster-name")
  void onlyAdministratorsChangeGlobalParametersOfTheBroker(Amqp amqp) throws Exception {
    Http policymaker = Http.as(target.httpPort(), user(amqp, "policymaker"), "p");
    for (String name :
        List.of("cluster_name", "internal_cluster_id", "imported_definition_hash_value")) {
      String path = "global-parameters/" + name;
      assertThat(policymaker.put(path, "{\"value\":\"x\"}").status()).as(name).isEqualTo(401);
      assertThat(policymaker.delete(path).status()).as(name).isEqualTo(401);
    }
    assertThat(policymaker.get("global-parameters/internal_cluster_id").status()).isEqualTo(200);
    assertThat(policymaker.put("cluster-name", "{\"name\":\"x\"}").status()).isEqualTo(401);
  }

  @Test
  @MayflyOnly("it takes no notice of it there")
  void theProtectionOfAVirtualHostIsNotChangedWithIt(Amqp amqp) throws Exception {
    String path = "vhosts/" + vhost(amqp);
    for (String body :
        List.of(
            "{\"metadata\":{\"protected_from_deletion\":true}}",
            "{\"protected_from_deletion\":true}")) {
      assertBadRequest(
          http.put(path, body),
          "\"protected_from_deletion is false: it is changed by POST of vhosts/{name}/deletion/protection\"");
    }
    http.post(path + "/deletion/protection", null);
    String same = http.get(path).json().toString();
    assertThat(http.put(path, same).status()).isEqualTo(204);
    assertBadRequest(
        http.put(path, "{\"metadata\":{\"protected_from_deletion\":false}}"),
        "\"protected_from_deletion is true: it is changed by DELETE of vhosts/{name}/deletion/protection\"");
    assertThat(http.delete(path + "/deletion/protection").status()).isEqualTo(204);
    assertThat(http.put(path, "{\"metadata\":{\"protected_from_deletion\":false}}").status())
        .isEqualTo(204);
  }

  @Test
  @MayflyOnly("RabbitMQ does not explain settings")
  void aMonitorSeesThePoliciesThatApplyAndNoOthers(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String queue = "queues/" + vhost + "/q";
    assertThat(http.put(queue, "{}").status()).isEqualTo(201);
    http.put("exchanges/" + vhost + "/q", "{\"type\":\"direct\"}");
    for (String name : List.of("policies", "operator-policies")) {
      http.put(
          name + "/" + vhost + "/applies-" + name.length(),
          "{\"pattern\":\"^q$\",\"definition\":{\"max-length\":%d},\"priority\":2}"
              .formatted(name.length()));
    }
    http.put(
        "policies/" + vhost + "/secret",
        "{\"pattern\":\"x\",\"definition\":{\"max-length\":4711}}");
    String monitor = user(amqp, "monitoring");
    Http seen = Http.as(target.httpPort(), monitor, "p");
    JsonNode effective = seen.get(queue + "/effective").json();
    assertThat(effective.path("policy").asText()).isEqualTo("applies-8");
    assertThat(effective.path("settings").path(0).path("value").asInt()).isEqualTo(8);
    assertThat(effective.path("settings").path(0).path("losers")).isEmpty();
    assertThat(effective.path("candidates")).isEmpty();
    assertThat(seen.get("exchanges/" + vhost + "/q/effective").json().path("candidates")).isEmpty();
    permit(monitor, vhost);
    effective = seen.get(queue + "/effective").json();
    assertThat(effective.path("candidates").findValuesAsText("name")).contains("secret");
    assertThat(effective.path("settings").path(0).path("losers").path(0).path("value").asInt())
        .isEqualTo(17);
    assertThat(seen.get("policies/" + vhost).json().findValuesAsText("name")).contains("secret");
  }

  @Test
  void aUserHasAtMost32Tags(Amqp amqp) throws Exception {
    String name = user(amqp, "");
    String tags = String.join(",", Collections.nCopies(33, "t"));
    assertBadRequest(
        http.put("users/" + name, "{\"tags\":\"" + tags + "\"}"),
        "\"A user can have at most 32 tags (received 33)\"");
    assertThat(http.put("users/" + name, "{\"tags\":\"" + tags.substring(2) + "\"}").status())
        .isEqualTo(204);
  }

  @Test
  @MayflyOnly("as above")
  void definitionsKeepTheProtectionOfAVirtualHost(Amqp amqp) throws Exception {
    String name = amqp.name();
    made.add("vhosts/" + name);
    String definitions =
        "{\"vhosts\":[{\"name\":\"%s\",\"metadata\":{\"protected_from_deletion\":true}}]}"
            .formatted(name);
    assertThat(http.post("definitions", definitions).status()).isEqualTo(204);
    assertThat(http.delete("vhosts/" + name).status()).isEqualTo(412);
    assertThat(http.get("definitions").json().path("vhosts").findValuesAsText("name"))
        .contains(name);
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("delete_vhost", name).exit()).isNotZero();
    assertThat(control.run("disable_vhost_deletion_protection", name).exit()).isZero();
    assertThat(control.run("enable_vhost_deletion_protection", name).exit()).isZero();
    assertThat(http.get("vhosts/" + name).json().path("protected_from_deletion").asBoolean())
        .isTrue();
    assertThat(http.delete("vhosts/" + name + "/deletion/protection").status()).isEqualTo(204);
  }

  @Test
  void deletingAVirtualHostClosesItsConnections(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    assertThat(http.get("permissions/" + vhost + "/guest").json().path("read").asText())
        .as("what the user may do who added it")
        .isEqualTo(".*");
    Connection connection = connect(vhost, "guest", "guest");
    Channel channel = connection.createChannel();
    channel.queueDeclare("q", true, false, false, null);
    assertThat(http.delete("vhosts/" + vhost).status()).isEqualTo(204);
    Awaitility.await("the connection is closed")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
    assertNotFound(http.get("queues/" + vhost + "/q"));
    assertNotFound(http.get("permissions/" + vhost + "/guest"));
  }

  @Test
  void startsAVirtualHostOnItsNode(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String node = http.get("overview").json().path("node").asText();
    assertThat(http.post("vhosts/" + vhost + "/start/" + node, null).status()).isEqualTo(204);
    assertBadRequest(
        http.post("vhosts/" + vhost + "/start/mayfly@nowhere", null),
        "\"Request to node mayfly@nowhere failed with nodedown\"");
    assertThat(http.post("vhosts/" + amqp.name() + "/start/" + node, null).reason())
        .contains("no_such_vhost");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{bad | \"not_json\"",
        "[1] | \"not_json\"",
      })
  void aVirtualHostOfBadJsonIsNotAdded(String body, String reason, Amqp amqp) throws Exception {
    String path = "vhosts/" + amqp.name();
    assertBadRequest(http.put(path, body), reason);
    assertNotFound(http.get(path));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"description\":5} | [\"not_string\",5]",
        "{\"tags\":5} | \"tags should be a list of texts, or a text with commas, actually was 5\"",
        "{\"tags\":[\"a\",null]} | \"tags should be a list of texts, or a text with commas,"
            + " actually was [\\\"a\\\",null]\"",
        "{\"tags\":[\"\"]} | \"invalid tag '': expected 1 to 255 bytes without a comma\"",
      })
  @MayflyOnly("there the first two are kept as they are, and the others 500")
  void aVirtualHostOfWrongTypesIsNotAdded(String body, String reason, Amqp amqp) throws Exception {
    String path = "vhosts/" + amqp.name();
    assertBadRequest(http.put(path, body), reason);
    assertNotFound(http.get(path));
  }

  @ParameterizedTest
  @CsvSource({"vhosts", "users", "global-parameters"})
  @MayflyOnly("takes names of any length, which no client can send")
  void aNameOf256BytesIsRefused(String things) throws Exception {
    String body = "{\"tags\":\"\",\"password\":\"p\",\"value\":1}";
    Http.Reply reply = http.put(things + "/" + LONG_NAME, body);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains("must not be longer than 255 bytes: '" + LONG_NAME + "'");
    assertNotFound(http.get(things + "/" + LONG_NAME));
  }

  // Users

  @Test
  void addsChangesAndDeletesAUser(Amqp amqp) throws Exception {
    String name = user(amqp, "management");
    String path = "users/" + name;
    permit(name, "%2F");
    connect("/", name, "p").close();
    assertThat(Http.as(target.httpPort(), name, "p").get("whoami").status()).isEqualTo(200);
    String changed = "{\"password\":\"other\",\"tags\":[\"monitoring\",\"x\"]}";
    assertThat(http.put(path, changed).status()).isEqualTo(204);
    JsonNode user = http.get(path).json();
    assertThat(user.path("name").asText()).isEqualTo(name);
    assertThat(user.path("tags")).hasToString("[\"monitoring\",\"x\"]");
    assertThat(user.path("hashing_algorithm").asText()).isEqualTo("rabbit_password_hashing_sha256");
    assertThat(user.path("limits")).hasToString("{}");
    assertThatThrownBy(() -> connect("/", name, "p"))
        .isInstanceOf(AuthenticationFailureException.class);
    Connection connection = connect("/", name, "other");
    assertThat(http.delete(path).status()).isEqualTo(204);
    Awaitility.await("the connection is closed")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
    assertNotFound(http.delete(path));
    assertNotFound(http.get(path));
  }

  @Test
  void aUserCanHaveAPasswordHash(Amqp amqp) throws Exception {
    String name = amqp.name();
    String path = "users/" + name;
    made.add(path);
    String body = "{\"password_hash\":\"" + HASH_OF_TEST12 + "\",\"tags\":\"\"}";
    assertThat(http.put(path, body).status()).isEqualTo(201);
    assertThat(http.get(path).json().path("password_hash").asText()).isEqualTo(HASH_OF_TEST12);
    permit(name, "%2F");
    connect("/", name, "test12").close();
    String sha512 = body.replace("}", ",\"hashing_algorithm\":\"rabbit_password_hashing_sha512\"}");
    assertThat(http.put(path, sha512).status()).isEqualTo(204);
    assertThat(http.get(path).json().path("hashing_algorithm").asText())
        .isEqualTo("rabbit_password_hashing_sha512");
    assertThatThrownBy(() -> connect("/", name, "test12"))
        .isInstanceOf(AuthenticationFailureException.class);
  }

  @Test
  void aUserWithoutAPasswordCannotLogIn(Amqp amqp) throws Exception {
    String name = user(amqp, "management");
    assertThat(http.put("users/" + name, "{\"tags\":\"management\"}").status()).isEqualTo(204);
    assertThat(http.get("users/" + name).json().path("password_hash").asText()).isEmpty();
    Http as = Http.as(target.httpPort(), name, "p");
    assertThat(as.get("whoami").status()).isEqualTo(401);
    assertThat(Http.as(target.httpPort(), name, "").get("whoami").status()).isEqualTo(401);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"password\":\"p\"} | \"tags_not_present\"",
        "{bad | \"not_json\"",
        "[] | \"not_json\"",
        "{\"password_hash\":\"%%%\",\"tags\":\"\"} | [\"not_base64\",\"%%%\"]",
        "{\"password\":\"p\",\"password_hash\":\"cGFz\",\"tags\":\"\"}"
            + " | \"both_password_and_password_hash_are_provided\"",
      })
  void aBadUserIsNotAdded(String body, String reason, Amqp amqp) throws Exception {
    String path = "users/" + amqp.name();
    assertBadRequest(http.put(path, body), reason);
    assertNotFound(http.get(path));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"password\":5,\"tags\":\"\"} | [\"not_string\",5]",
        "{\"tags\":{}} | \"tags should be a list of texts, or a text with commas,"
            + " actually was {}\"",
        "{\"tags\":[\"a,b\"]} | \"invalid tag 'a,b': expected 1 to 255 bytes without a comma\"",
        "{\"password_hash\":\"cGFz\",\"tags\":\"\",\"hashing_algorithm\":\"x\"}"
            + " | \"unknown hashing algorithm 'x'\"",
        "{\"tags\":\"\",\"limits\":5} | \"user-limits should be an object, actually was 5\"",
        "{\"tags\":\"\",\"limits\":{\"max-queues\":3}}"
            + " | \"Unrecognised terms [{<<\\\"max-queues\\\">>,3}] in user-limits: expected one"
            + " of max-connections, max-channels, publish-rate, publish-burst, delivery-rate,"
            + " delivery-burst\"",
      })
  @MayflyOnly("some of these are 500 there, others are taken")
  void aUserOfWrongTypesIsNotAdded(String body, String reason, Amqp amqp) throws Exception {
    String path = "users/" + amqp.name();
    assertBadRequest(http.put(path, body), reason);
    assertNotFound(http.get(path));
  }

  @Test
  void deletesUsersInBulk(Amqp amqp) throws Exception {
    String one = user(amqp, "");
    String two = user(amqp, "");
    String both = "{\"users\":[\"" + one + "\",\"" + two + "\"]}";
    assertThat(http.post("users/bulk-delete", both).status()).isEqualTo(204);
    assertNotFound(http.get("users/" + one));
    assertNotFound(http.get("users/" + two));
    assertBadRequest(http.post("users/bulk-delete", "{}"), "\"[{key_missing,users}]\"");
    assertBadRequest(http.post("users/bulk-delete", "{\"users\":[3]}"), "[\"no_such_user\",3]");
  }

  @Test
  @MayflyOnly("500 for what is no list")
  void bulkDeletionNeedsAList(Amqp amqp) throws Exception {
    String name = user(amqp, "");
    assertBadRequest(
        http.post("users/bulk-delete", "{\"users\":\"" + name + "\"}"),
        "\"users should be a list of names, actually was \\\"" + name + "\\\"\"");
    assertThat(http.get("users/" + name).status()).isEqualTo(200);
  }

  // Permissions

  @Test
  void setsAndClearsPermissions(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String user = user(amqp, "");
    String path = "permissions/" + vhost + "/" + user;
    assertThatThrownBy(() -> connect(vhost, user, "p")).isInstanceOf(IOException.class);
    assertThat(http.put(path, ALL).status()).isEqualTo(201);
    assertThat(http.put(path, ALL.replace(".*", "^mine")).status()).isEqualTo(204);
    assertThat(http.get(path).json().path("configure").asText()).isEqualTo("^mine");
    try (Connection connection = connect(vhost, user, "p")) {
      connection.createChannel().queueDeclare("mine", false, true, true, null);
      Channel channel = connection.createChannel();
      assertThatThrownBy(() -> channel.queueDeclare("yours", false, true, true, null))
          .hasStackTraceContaining("ACCESS_REFUSED");
    }
    assertThat(http.get("users/" + user + "/permissions").json()).hasSize(1);
    assertThat(http.get("vhosts/" + vhost + "/permissions").json()).isNotEmpty();
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertNotFound(http.delete(path));
    assertNotFound(http.get(path));
    assertThatThrownBy(() -> connect(vhost, user, "p")).isInstanceOf(IOException.class);
  }

  @Test
  void invalidPermissionsAreRefused(Amqp amqp) throws Exception {
    String user = user(amqp, "");
    String path = "permissions/%2F/" + user;
    assertBadRequest(
        http.put(path, "{\"write\":\"\"}"), "\"[{key_missing,configure},{key_missing,read}]\"");
    assertThat(http.put(path, ALL.replace(".*", "(")).status()).isEqualTo(400);
    assertBadRequest(
        http.put("permissions/" + amqp.name() + "/" + user, ALL), "\"vhost_or_user_not_found\"");
    assertBadRequest(
        http.put("permissions/%2F/" + amqp.name(), ALL), "\"vhost_or_user_not_found\"");
    assertNotFound(http.get(path));
  }

  @Test
  @MayflyOnly("the reason is in numbers there; 500 for what is no text")
  void explainsInvalidPatterns(Amqp amqp) throws Exception {
    String user = user(amqp, "");
    assertThat(http.put("permissions/%2F/" + user, ALL.replace(".*", "(")).reason())
        .startsWith("invalid regular expression '('");
    assertBadRequest(
        http.put("permissions/%2F/" + user, ALL.replace("\".*\"", "5")), "[\"not_string\",5]");
    String topic = "{\"exchange\":\"amq.topic\",\"write\":\"(\",\"read\":\"\"}";
    assertThat(http.put("topic-permissions/%2F/" + user, topic).reason())
        .startsWith("invalid regular expression '('");
    assertNotFound(http.get("topic-permissions/%2F/" + user));
  }

  @Test
  void setsAndClearsTopicPermissions(Amqp amqp) throws Exception {
    String user = user(amqp, "");
    permit(user, "%2F");
    String path = "topic-permissions/%2F/" + user;
    String body = "{\"exchange\":\"amq.topic\",\"write\":\"^a\",\"read\":\"^b\"}";
    assertNotFound(http.get(path));
    assertThat(http.put(path, body).status()).isEqualTo(201);
    assertThat(http.put(path, body).status()).isEqualTo(204);
    assertThat(http.get(path).json().get(0).path("write").asText()).isEqualTo("^a");
    assertThat(http.get("users/" + user + "/topic-permissions").json()).hasSize(1);
    try (Connection connection = connect("/", user, "p")) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish("amq.topic", "a.b", null, new byte[1]);
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      channel.basicPublish("amq.topic", "b.a", null, new byte[1]);
      Awaitility.await("the channel is closed")
          .atMost(Patience.TIME)
          .until(() -> !channel.isOpen());
      assertThat(channel.getCloseReason().getReason().toString()).contains("ACCESS_REFUSED");
    }
    assertBadRequest(
        http.put(path, "{\"write\":\"\",\"read\":\"\"}"), "\"[{key_missing,exchange}]\"");
    assertBadRequest(
        http.put("topic-permissions/%2F/" + amqp.name(), body), "\"vhost_or_user_not_found\"");
    assertThat(http.delete(path).status()).isEqualTo(204);
    assertNotFound(http.delete(path));
  }

  // Permissions

  @ParameterizedTest
  @CsvSource({
    "PUT, vhosts/nope",
    "DELETE, vhosts/%2F",
    "PUT, users/nope",
    "DELETE, users/guest",
    "POST, users/bulk-delete",
    "PUT, permissions/%2F/guest",
    "DELETE, permissions/%2F/guest",
    "PUT, topic-permissions/%2F/guest",
    "DELETE, topic-permissions/%2F/guest",
    "PUT, vhost-limits/%2F/max-queues",
    "DELETE, vhost-limits/%2F/max-queues",
    "PUT, user-limits/guest/max-channels",
    "DELETE, user-limits/guest/max-channels",
    "GET, definitions",
    "POST, definitions",
    "GET, definitions/%2F",
    "POST, definitions/%2F",
    "PUT, cluster-name",
    "GET, global-parameters",
    "PUT, global-parameters/nope",
    "GET, users/guest"
  })
  void onlyAdministratorsCanChangeUsersAndVirtualHosts(String method, String path, Amqp amqp)
      throws Exception {
    String user = user(amqp, "management");
    permit(user, "%2F");
    String body = method.equals("PUT") || method.equals("POST") ? "{}" : null;
    Http.Reply reply = Http.as(target.httpPort(), user, "p").send(method, "/api/" + path, body);
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.error()).isEqualTo("not_authorised");
  }

  @Test
  @MayflyOnly("RabbitMQ has it since 3.13")
  void theApiHashesPasswords(Amqp amqp) throws Exception {
    ControlCommand control = ControlCommand.of(target);
    String byApi = http.get("auth/hash_password/p%2Fw").json().path("ok").asText();
    String byCommand = control.run("hash_password", "p/w", "-s").text();
    String fromInput = control.runWith("p/w\n", "hash_password", "-s").text();
    for (String hash : List.of(byApi, byCommand, fromInput.replace("Password: ", ""))) {
      String name = user(amqp, "management");
      String body = "{\"password_hash\":\"" + hash + "\",\"tags\":\"management\"}";
      assertThat(http.put("users/" + name, body).status()).isEqualTo(204);
      assertThat(Http.as(target.httpPort(), name, "p/w").get("whoami").status())
          .as(hash)
          .isEqualTo(200);
    }
  }

  @Test
  void aUserAndItsPermissionsAreOneRequest(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String user = amqp.name();
    String path = "users/" + user;
    made.add(path);
    String permissions = "{\"%s\":{\"configure\":\"a\",\"write\":\"b\",\"read\":\"c\"}}";
    String body = "{\"password\":\"secret\",\"tags\":\"\",\"permissions\":%s}";
    Http.Reply refused = http.put(path, body.formatted(permissions.formatted("no-such-vhost")));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.json().path("reason")).hasToString("[\"no_such_vhost\",\"no-such-vhost\"]");
    assertNotFound(http.get(path));
    assertThat(http.put(path, body.formatted(permissions.formatted(vhost))).status())
        .isEqualTo(201);
    JsonNode given = http.get("permissions/" + vhost + "/" + user).json();
    assertThat(given.path("configure").asText()).isEqualTo("a");
    assertThat(given.path("read").asText()).isEqualTo("c");
    Http.Reply incomplete =
        http.put(path, body.formatted("{\"%s\":{\"configure\":\"\"}}".formatted(vhost)));
    assertThat(incomplete.status()).isEqualTo(400);
    assertThat(incomplete.reason()).isEqualTo("[{key_missing,write},{key_missing,read}]");
  }

  @Test
  void theAdministratorOfOldClientsIsATag(Amqp amqp) throws Exception {
    String path = "users/" + amqp.name();
    made.add(path);
    assertThat(http.put(path, "{\"password\":\"secret\",\"administrator\":true}").status())
        .isEqualTo(201);
    assertThat(http.get(path).json().path("tags")).hasToString("[\"administrator\"]");
    assertThat(http.put(path, "{\"password\":\"secret\",\"administrator\":false}").status())
        .isEqualTo(204);
    assertThat(http.get(path).json().path("tags")).isEmpty();
  }

  @Test
  void anEmptyPasswordLetsNoUserIn(Amqp amqp) throws Exception {
    String user = amqp.name();
    made.add("users/" + user);
    assertThat(http.put("users/" + user, "{\"password\":\"\",\"tags\":\"administrator\"}").status())
        .isEqualTo(201);
    assertThat(Http.as(amqp.target().httpPort(), user, "").get("whoami").status()).isEqualTo(401);
  }

  @Test
  void usersThatDoNotExistCanBeDeletedTogether(Amqp amqp) throws Exception {
    String user = amqp.name();
    made.add("users/" + user);
    http.put("users/" + user, "{\"password\":\"secret\",\"tags\":\"\"}");
    String body = "{\"users\":[\"no-such-user\",\"%s\"]}".formatted(user);
    assertThat(http.post("users/bulk-delete", body).status()).isEqualTo(204);
    assertNotFound(http.get("users/" + user));
  }
}
