package io.mayflymq.it.process;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of rabbitmq.conf about the whole node, as their users see the effect. */
@BlackBox
@OwnBroker
class RabbitMqKeysIT {
  private static final int NOT_ALLOWED = 530;

  @Test
  void connectionsAndChannelsOfTheNodeAreLimited() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("connection_max", 2)
                .set("channel_max_per_node", 3)
                .start();
        RawClient first = RawClient.openChannel(broker.port());
        RawClient second = RawClient.openChannel(broker.port())) {
      first.channelOpen(2);
      try (RawClient third = new RawClient(broker.port())) {
        third.tune(2047, 131072, 0);
        third.sendOpen("/");
        assertThat(third.expectConnectionClose(NOT_ALLOWED).text())
            .contains("connection refused: node connection limit (2) is reached");
      }
      second.sendChannelOpen(2);
      assertThat(second.expectConnectionClose(NOT_ALLOWED).text())
          .contains("number of channels opened on node")
          .contains("has reached the maximum allowed limit of 3");
      // The connection that was closed has left its place and its channel to another one.
      RawClient.openChannel(broker.port()).close();
    }
  }

  @Test
  void limitOfConnectionsIsChangedAtRunTime() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      assertThat(ControlCommand.of(broker).run("set_config", "connection_max", "0").exit())
          .isZero();
      try (RawClient refused = new RawClient(broker.port())) {
        refused.tune(2047, 131072, 0);
        refused.sendOpen("/");
        refused.expectConnectionClose(NOT_ALLOWED);
      }
      assertThat(ControlCommand.of(broker).run("set_config", "connection_max", "infinity").exit())
          .isZero();
      RawClient.open(broker.port()).close();
    }
  }

  @Test
  void vhostsQueuesAndConsumersAreLimited() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("vhost_max", 2)
                .set("cluster_queue_limit", 3)
                .set("consumer_max_per_channel", 2)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.put("vhosts/second", "{}").status()).isEqualTo(201);
      assertThat(http.put("vhosts/second", "{\"description\": \"changed\"}").status())
          .isEqualTo(204);
      String tooMany = "cannot create vhost 'third': vhost limit of 2 is reached";
      Http.Reply refused = http.put("vhosts/third", "{}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reason()).isEqualTo(tooMany);
      ControlCommand control = ControlCommand.of(broker);
      assertThat(control.run("add_vhost", "third").err()).contains(tooMany);
      refused =
          http.post(
              "definitions?strict=true",
              "{\"vhosts\": [{\"name\": \"second\"}, {\"name\": \"third\"}]}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reason()).contains(tooMany);

      assertThat(http.put("queues/second/a", "{\"durable\": true}").status()).isEqualTo(201);
      Channel channel = connection.createChannel();
      channel.queueDeclare("b", false, false, false, null);
      channel.queueDeclare("c", false, true, true, null);
      channel.queueDeclare("c", false, true, true, null);
      Channel failing = connection.createChannel();
      assertChannelError(
          failing,
          406,
          "PRECONDITION_FAILED - cannot declare queue 'd': queue limit in cluster (3) is reached",
          () -> failing.queueDeclare("d", false, false, false, null));
      channel.queueDelete("b");
      channel.queueDeclare("d", false, false, false, null);
      assertThat(control.run("set_config", "cluster_queue_limit", "infinity").exit()).isZero();
      channel.queueDeclare("e", false, false, false, null);

      Connection consuming = broker.factory().newConnection();
      Channel full = consuming.createChannel();
      full.basicConsume("d", new DefaultConsumer(full));
      full.basicCancel(full.basicConsume("e", new DefaultConsumer(full)));
      full.basicConsume("e", new DefaultConsumer(full));
      consuming.createChannel().basicConsume("e", new DefaultConsumer(full));
      assertConnectionError(
          consuming,
          NOT_ALLOWED,
          "NOT_ALLOWED - reached maximum (2) of consumers per channel",
          () -> full.basicConsume("e", new DefaultConsumer(full)));
    }
  }

  @Test
  void clusterNameOfTheConfigurationIsShownToClientsAndByTheApi(@TempDir Path data)
      throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.put("cluster-name", "{\"name\": \"by the api\"}").status()).isEqualTo(204);
    }
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().data(data).set("cluster_name", "blue \"one\"").start();
        Connection connection = broker.factory().newConnection()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.get("cluster-name").json().path("name").asText()).isEqualTo("blue \"one\"");
      assertThat(http.get("overview").json().path("cluster_name").asText())
          .isEqualTo("blue \"one\"");
      assertThat(connection.getServerProperties().get("cluster_name").toString())
          .isEqualTo("blue \"one\"");
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      assertThat(
              Http.as(broker.httpPort(), "guest", "guest")
                  .get("cluster-name")
                  .json()
                  .path("name")
                  .asText())
          .isEqualTo("blue \"one\"");
    }
  }

  @Test
  void managementIsServedBelowThePathPrefixOnly() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("management.path_prefix", "/mayfly").start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.send("GET", "/mayfly/api/whoami", null).json().path("name").asText())
          .isEqualTo("guest");
      assertThat(http.get("whoami").status()).isEqualTo(404);
      assertThat(http.get("whoami").reason()).contains("/mayfly");
      Http.Reply bare = http.anonymous().send("HEAD", "/mayfly", null);
      assertThat(bare.status()).isEqualTo(301);
      assertThat(bare.raw().headers().firstValue("location")).contains("/mayfly/");
      assertThat(http.anonymous().send("HEAD", "/mayfly/", null).status()).isEqualTo(200);
      assertThat(http.anonymous().send("HEAD", "/mayfly/app.js", null).status()).isEqualTo(200);
      assertThat(http.anonymous().send("HEAD", "/mayflyapi/whoami", null).status()).isEqualTo(404);
      assertThat(
              http.send("GET", "/mayfly/api/openapi.json", null)
                  .json()
                  .at("/servers/0/url")
                  .asText())
          .isEqualTo("../api");
      // The control command does not go through the listener with the prefix.
      assertThat(ControlCommand.of(broker).run("list_vhosts").exit()).isZero();
    }
  }

  @Test
  void newVhostsHaveTheDefaultLimitsOfTheirNames() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("default_limits.vhosts.1.pattern", "^tenant-")
            .set("default_limits.vhosts.1.max_connections", 4)
            .set("default_limits.vhosts.1.max_queues", 5)
            .start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      for (String vhost : new String[] {"tenant-a", "other"}) {
        assertThat(http.put("vhosts/" + vhost, "{}").status()).isEqualTo(201);
      }
      JsonNode limits = http.get("vhost-limits/tenant-a").json().at("/0/value");
      assertThat(limits.path("max-connections").asInt()).isEqualTo(4);
      assertThat(limits.path("max-queues").asInt()).isEqualTo(5);
      assertThat(http.get("vhost-limits/other").json().at("/0/value").size()).isZero();
    }
  }

  @Test
  void definitionsAreLoadedByTheNameOfTheManagementPlugin(@TempDir Path directory)
      throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("definitions.json"),
            "{\"vhosts\": [{\"name\": \"/\"}], \"users\": [{\"name\": \"guest\", \"password\":"
                + " \"guest\", \"tags\": \"administrator\"}], \"permissions\": [{\"user\":"
                + " \"guest\", \"vhost\": \"/\", \"configure\": \".*\", \"write\": \".*\","
                + " \"read\": \".*\"}], \"queues\": [{\"name\": \"q\", \"vhost\": \"/\","
                + " \"durable\": true, \"auto_delete\": false, \"arguments\": {}}]}");
    for (Map.Entry<String, Object> key :
        Map.<String, Object>of("management.load_definitions", file, "definitions.local.path", file)
            .entrySet()) {
      try (EmbeddedBroker broker =
          EmbeddedBroker.builder().set(key.getKey(), key.getValue()).start()) {
        assertThat(Http.as(broker.httpPort(), "guest", "guest").get("queues/%2F/q").status())
            .as(key.getKey())
            .isEqualTo(200);
      }
    }
  }

  @Test
  void exchangesOfTheBrokerAreLimited() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("cluster_exchange_limit", 8).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare("a", "fanout");
      channel.exchangeDeclare("a", "fanout");
      Channel failing = connection.createChannel();
      assertChannelError(
          failing,
          406,
          "PRECONDITION_FAILED - cannot declare exchange 'b' in vhost '/': exchange limit of 8 is"
              + " reached",
          () -> failing.exchangeDeclare("b", "fanout"));
      channel.exchangeDelete("a");
      channel.exchangeDeclare("b", "fanout");
    }
  }

  @Test
  void typesOfQueuesCanBeDisabledAndStreamsBeTheDefault() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("queue_types.quorum.enabled", false)
            .set("default_queue_type", "stream")
            .start()) {
      Connection connection = broker.factory().newConnection();
      Channel channel = connection.createChannel();
      channel.queueDeclare("by-default", true, false, false, null);
      channel.queueDeclare("classic", false, true, false, null);
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(http.get("queues/%2F/by-default").json().get("type").asText()).isEqualTo("stream");
      assertThat(http.get("queues/%2F/classic").json().get("type").asText()).isEqualTo("classic");
      Channel failing = connection.createChannel();
      assertConnectionError(
          connection,
          541,
          "INTERNAL_ERROR - Cannot declare a queue 'queue 'q' in vhost '/'' of type"
              + " 'rabbit_quorum_queue': the corresponding feature flag is disabled:"
              + " queue_types.quorum.enabled = false",
          () -> failing.queueDeclare("q", true, false, false, Map.of("x-queue-type", "quorum")));
    }
  }

  @Test
  void tagsAreShown() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("cluster_tags.region", "eu")
            .set("cluster_tags.zone", "eu-1")
            .set("node_tags.rack", "a7")
            .start()) {
      JsonNode overview = Http.as(broker.httpPort(), "guest", "guest").get("overview").json();
      assertThat(overview.get("cluster_tags").toString())
          .isEqualTo("{\"region\":\"eu\",\"zone\":\"eu-1\"}");
      assertThat(overview.get("node_tags").toString()).isEqualTo("{\"rack\":\"a7\"}");
    }
  }

  @Test
  void passwordsFollowTheRule() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set(
                "credential_validator.validation_backend",
                "rabbit_credential_validator_min_password_length")
            .set("credential_validator.min_length", 8)
            .start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      Http.Reply refused = http.put("users/a", "{\"password\": \"short\", \"tags\": \"\"}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reason()).isEqualTo("minimum required password length is 8");
      assertThat(http.put("users/a", "{\"password\": \"8 bytes.\", \"tags\": \"\"}").status())
          .isEqualTo(201);
      assertThat(http.put("users/none", "{\"tags\": \"\"}").status())
          .as("a user without a password")
          .isEqualTo(201);
      ControlCommand control = ControlCommand.of(broker);
      assertThat(control.run("change_password", "a", "short").err())
          .contains("minimum required password length is 8");
      refused =
          http.post(
              "definitions?strict=true",
              "{\"users\": [{\"name\": \"b\", \"password\": \"short\", \"tags\": \"\"}]}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reason()).contains("minimum required password length is 8");
    }
  }

  @Test
  void passwordsMatchTheExpression() throws Exception {
    String backend = "rabbit_credential_validator_password_regexp";
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("credential_validator.validation_backend", backend)
            .set("credential_validator.regexp", "(?=.*[0-9])(?=.*[a-z])")
            .start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      Http.Reply refused = http.put("users/a", "{\"password\": \"letters\", \"tags\": \"\"}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.reason())
          .isEqualTo("provided password does not match the validator regular expression");
      assertThat(http.put("users/a", "{\"password\": \"l3tters\", \"tags\": \"\"}").status())
          .isEqualTo(201);
    }
    EmbeddedBroker without =
        EmbeddedBroker.builder().set("credential_validator.validation_backend", backend).launch();
    assertThat(without.awaitExit()).isEqualTo(78);
    assertThat(without.output())
        .contains(
            "mayfly: credential_validator.validation_backend = "
                + backend
                + ": expected a regular expression in credential_validator.regexp; there is none");
  }

  /** As RabbitMQ's interceptors; what a publisher has set is kept, or replaced. */
  @Test
  @SuppressWarnings("JavaUtilDate") // the client's API
  void messagesGetTimeAndNode() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("message_interceptors.incoming.set_header_timestamp.overwrite", false)
                .set("message_interceptors.incoming.set_header_routing_node.overwrite", true)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", false, true, false, null);
      byte[] body = {1, 2, 3};
      long before = System.currentTimeMillis();
      channel.basicPublish("", "q", null, body);
      channel.basicPublish(
          "",
          "q",
          new BasicProperties.Builder()
              .timestamp(new Date(5_000))
              .headers(Map.of("x-routed-by", "me", "timestamp_in_ms", 3, "other", 1))
              .build(),
          body);
      GetResponse plain = channel.basicGet("q", true);
      Map<String, Object> headers = plain.getProps().getHeaders();
      assertThat((Long) headers.get("timestamp_in_ms")).isGreaterThanOrEqualTo(before);
      assertThat(plain.getProps().getTimestamp().getTime() / 1_000)
          .isEqualTo((Long) headers.get("timestamp_in_ms") / 1_000);
      assertThat(headers.get("x-routed-by").toString()).contains("@");
      assertThat(plain.getBody()).isEqualTo(body);
      GetResponse own = channel.basicGet("q", true);
      assertThat(own.getProps().getTimestamp()).isEqualTo(new Date(5_000));
      assertThat(own.getProps().getHeaders())
          .containsEntry("timestamp_in_ms", 3)
          .containsEntry("other", 1);
      assertThat(own.getProps().getHeaders().get("x-routed-by").toString())
          .isEqualTo(headers.get("x-routed-by").toString());
      assertThat(own.getBody()).isEqualTo(body);
    }
  }

  /** As RabbitMQ's interceptor; a time that the publisher has set is replaced. */
  @Test
  void consumersAreToldWhenMessagesWereSent() throws Exception {
    String header = "x-opt-rabbitmq-sent-time";
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("message_interceptors.outgoing.timestamp.enabled", true)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", false, false, false, null);
      BlockingQueue<BasicProperties> returned = new LinkedBlockingQueue<>();
      channel.addReturnListener(message -> returned.add(message.getProperties()));
      byte[] body = new byte[200_000];
      body[199_999] = 7;
      long before = System.currentTimeMillis();
      BasicProperties own =
          new BasicProperties.Builder().headers(Map.of(header, "mine", "other", 1)).build();
      for (BasicProperties properties : new BasicProperties[] {null, own, own}) {
        channel.basicPublish("", "q", properties, body);
      }
      channel.basicPublish("", "unknown", true, own, body);
      assertThat(returned.take().getHeaders().get(header)).hasToString("mine");
      GetResponse got = channel.basicGet("q", true);
      assertThat((Long) got.getProps().getHeaders().get(header)).isGreaterThanOrEqualTo(before);
      assertThat(got.getBody()).isEqualTo(body);
      JsonNode headers =
          Http.as(broker.httpPort(), "guest", "guest")
              .post(
                  "queues/%2F/q/get",
                  "{\"count\": 1, \"ackmode\": \"ack_requeue_false\", \"encoding\": \"auto\"}")
              .json()
              .get(0)
              .get("properties")
              .get("headers");
      assertThat(headers.get(header).asLong()).isGreaterThanOrEqualTo(before);
      assertThat(headers.get("other").asInt()).isEqualTo(1);
      BlockingQueue<Delivery> delivered = new LinkedBlockingQueue<>();
      channel.basicConsume("q", true, (tag, message) -> delivered.add(message), tag -> {});
      Delivery delivery = delivered.take();
      assertThat((Long) delivery.getProperties().getHeaders().get(header))
          .isGreaterThanOrEqualTo(before);
      assertThat(delivery.getProperties().getHeaders()).containsEntry("other", 1);
      assertThat(delivery.getBody()).isEqualTo(body);
      String replies = "amq.rabbitmq.reply-to";
      channel.basicConsume(replies, true, (tag, message) -> delivered.add(message), tag -> {});
      channel.queueDeclare("requests", false, true, false, null);
      channel.basicPublish(
          "", "requests", new BasicProperties.Builder().replyTo(replies).build(), body);
      String replyTo = channel.basicGet("requests", true).getProps().getReplyTo();
      channel.basicPublish("", replyTo, null, body);
      assertThat((Long) delivered.take().getProperties().getHeaders().get(header))
          .isGreaterThanOrEqualTo(before);
    }
  }
}
