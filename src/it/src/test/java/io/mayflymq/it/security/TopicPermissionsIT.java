package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Topic permissions: by which routing keys a user may publish to an exchange with the rules of
 * topics, and bind to it. The user here may use keys that begin with {@code a}.
 */
@BlackBox
class TopicPermissionsIT extends AccessFixture {
  private String vhost;
  private String user;

  /** A topic exchange {@code x}, of which {@code q} takes all keys that the user may not use. */
  @BeforeEach
  void restrict(Amqp amqp) throws Exception {
    vhost = vhost(amqp);
    user = user(amqp, "management");
    assertThat(http.put("permissions/" + vhost + "/" + user, ALL).status()).isEqualTo(201);
    try (Connection guest = connect(vhost, "guest", "guest")) {
      Channel channel = guest.createChannel();
      channel.exchangeDeclare("x", "topic");
      channel.queueDeclare("q", true, false, false, null);
      channel.queueBind("q", "x", "x.#");
    }
    restrict("x");
  }

  private void restrict(String exchange) throws Exception {
    String body = "{\"exchange\":\"%s\",\"write\":\"^a\",\"read\":\"^a\"}".formatted(exchange);
    assertThat(http.put("topic-permissions/" + vhost + "/" + user, body).status()).isIn(201, 204);
  }

  private static BasicProperties headers(Map<String, Object> headers) {
    return new BasicProperties.Builder().headers(headers).build();
  }

  private void assertRefused(String access, Call call) throws Exception {
    assertThat(outcome(call))
        .isEqualTo(
            "403 ACCESS_REFUSED - %s in vhost '%s' refused for user '%s'"
                .formatted(access, vhost, user));
  }

  private interface Call {
    void on(Channel channel) throws IOException;
  }

  /** Returns with what the broker closes the channel; null if it does not. */
  private String outcome(Call call) throws Exception {
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      try {
        call.on(channel);
        channel.waitForConfirms();
        channel.exchangeDeclarePassive("amq.direct");
        return null;
      } catch (IOException | RuntimeException e) {
        await("the channel is closed").atMost(Patience.TIME).until(() -> !channel.isOpen());
      }
      AMQP.Channel.Close reason = (AMQP.Channel.Close) channel.getCloseReason().getReason();
      return reason.getReplyCode() + " " + reason.getReplyText();
    }
  }

  private String published(String exchange, String key, BasicProperties properties)
      throws Exception {
    return outcome(channel -> channel.basicPublish(exchange, key, properties, new byte[1]));
  }

  private long messages() throws Exception {
    try (Connection guest = connect(vhost, "guest", "guest")) {
      return guest.createChannel().messageCount("q");
    }
  }

  @Test
  void theRoutingKeyIsChecked() throws Exception {
    assertRefused(
        "write access to topic 'x.1' in exchange 'x'",
        channel -> channel.basicPublish("x", "x.1", null, new byte[1]));
    assertThat(published("x", "a.1", null)).isNull();
    assertThat(messages()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CC", "BCC"})
  void furtherKeysAreChecked(String header) throws Exception {
    assertRefused(
        "write access to topic 'x.2' in exchange 'x'",
        channel ->
            channel.basicPublish(
                "x", "a.1", headers(Map.of(header, List.of("a.2", "x.2", "x.3"))), new byte[1]));
    assertThat(published("x", "a.1", headers(Map.of(header, List.of("a.2", "a.3"))))).isNull();
    assertThat(messages()).isZero();
  }

  @Test
  void theFirstKeyThatIsNotAllowedIsNamed() throws Exception {
    BasicProperties both = headers(Map.of("CC", List.of("c"), "BCC", List.of("b")));
    assertRefused(
        "write access to topic 'c' in exchange 'x'",
        channel -> channel.basicPublish("x", "a", both, new byte[1]));
    assertRefused(
        "write access to topic 'k' in exchange 'x'",
        channel -> channel.basicPublish("x", "k", both, new byte[1]));
  }

  /** What is wrong with a message of which a key is not allowed either. */
  private enum Wrong {
    EXPIRATION("bad", null, "406 PRECONDITION_FAILED - invalid expiration 'bad'"),
    TYPE_OF_CC(
        null,
        null,
        "406 PRECONDITION_FAILED - invalid message:"
            + " {unacceptable_type_in_header,\"CC\",longstr}"),
    USER_ID(null, "another", "403 ACCESS_REFUSED - write access to topic");

    private final String expiration;
    private final String userId;
    private final String error;

    Wrong(String expiration, String userId, String error) {
      this.expiration = expiration;
      this.userId = userId;
      this.error = error;
    }

    BasicProperties properties() {
      Object copies = this == TYPE_OF_CC ? "x.1" : List.of("x.1");
      return new BasicProperties.Builder()
          .expiration(expiration)
          .userId(userId)
          .headers(Map.of("CC", copies))
          .build();
    }
  }

  @ParameterizedTest
  @EnumSource
  void ofSeveralErrorsTheSameOneIsToldAsByRabbitMq(Wrong wrong) throws Exception {
    assertThat(published("x", "a.1", wrong.properties())).startsWith(wrong.error);
    if (wrong != Wrong.TYPE_OF_CC) {
      BasicProperties withoutCopies = wrong.properties().builder().headers(null).build();
      assertThat(published("x", "x.1", withoutCopies)).startsWith(wrong.error);
    }
  }

  @Test
  void bindingsAreChecked() throws Exception {
    String refused = "read access to topic 'x.1' in exchange 'x'";
    assertRefused(refused, channel -> channel.queueBind("q", "x", "x.1"));
    assertRefused(refused, channel -> channel.queueUnbind("q", "x", "x.1"));
    assertRefused(refused, channel -> channel.exchangeBind("amq.fanout", "x", "x.1"));
    assertRefused(refused, channel -> channel.exchangeUnbind("amq.fanout", "x", "x.1"));
    assertThat(outcome(channel -> channel.queueBind("q", "x", "a.1"))).isNull();
  }

  @Test
  void otherTypesHaveNoTopics() throws Exception {
    BasicProperties copies = headers(Map.of("CC", List.of("x.2")));
    for (String exchange : List.of("amq.direct", "amq.fanout", "amq.headers")) {
      restrict(exchange);
      assertThat(published(exchange, "x.1", copies)).as(exchange).isNull();
    }
  }

  @Test
  void whatComesFromAnotherExchangeIsNotChecked() throws Exception {
    assertThat(
            outcome(
                channel -> {
                  channel.exchangeBind("x", "amq.fanout", "");
                  channel.exchangeDeclare(
                      "y", "direct", false, false, Map.of("alternate-exchange", "x"));
                  channel.queueDeclare(
                      "dying",
                      false,
                      false,
                      false,
                      Map.of(
                          "x-dead-letter-exchange",
                          "x",
                          "x-dead-letter-routing-key",
                          "x.1",
                          "x-max-length",
                          0));
                  channel.basicPublish("amq.fanout", "x.1", null, new byte[1]);
                  channel.basicPublish("y", "x.1", null, new byte[1]);
                  channel.basicPublish("", "dying", null, new byte[1]);
                }))
        .isNull();
    await("dead letter").atMost(Patience.TIME).until(() -> messages() == 3);
  }

  @Test
  @MayflyOnly("RabbitMQ answers 400 with this text")
  void publishingByHttpIsChecked() throws Exception {
    String body =
        """
        {"properties":{"headers":{"%s":["x.2"]}},"routing_key":"%s","payload":"",
         "payload_encoding":"string"}
        """;
    Http mine = Http.as(target.httpPort(), user, "p");
    String path = "exchanges/" + vhost + "/x/publish";
    String refused = "write access to topic 'x.%d' in exchange 'x'";
    assertThat(mine.post(path, body.formatted("CC", "a.1")).reason())
        .contains(refused.formatted(2));
    assertThat(mine.post(path, body.formatted("BCC", "a.1")).reason())
        .contains(refused.formatted(2));
    assertThat(mine.post(path, body.formatted("-", "x.1")).reason()).contains(refused.formatted(1));
    assertThat(mine.post(path, body.formatted("-", "a.1")).status()).isEqualTo(200);
    assertThat(messages()).isZero();
  }

  @Test
  @MayflyOnly("RabbitMQ has no redrive")
  void whoSendsDeadLettersBackNeedsTheirTopics() throws Exception {
    restrict("amq.fanout");
    try (Connection guest = connect(vhost, "guest", "guest")) {
      Channel channel = guest.createChannel();
      channel.queueDeclare("dead", true, false, false, null);
      Map<String, Object> arguments =
          Map.of(
              "x-message-ttl",
              0,
              "x-dead-letter-exchange",
              "",
              "x-dead-letter-routing-key",
              "dead");
      channel.queueDeclare("dying", true, false, false, arguments);
      channel.queueBind("dying", "x", "#");
      channel.queueBind("dying", "amq.fanout", "");
      channel.basicPublish("x", "x.1", null, new byte[1]);
      channel.basicPublish("amq.fanout", "x.1", null, new byte[1]);
      await("dead letters").atMost(Patience.TIME).until(() -> channel.messageCount("dead") == 2);
      channel.queueDelete("dying");
      channel.queueBind("q", "amq.fanout", "");
    }
    Http mine = Http.as(target.httpPort(), user, "p");
    String path = "queues/" + vhost + "/dead/redrive";
    assertThat(mine.post(path, "{\"to_original\":true}").status()).isEqualTo(200);
    await("the end of the redrive")
        .atMost(Patience.TIME)
        .untilAsserted(
            () -> assertThat(mine.get(path).json().path("state").asText()).isEqualTo("done"));
    JsonNode report = mine.get(path).json();
    assertThat(report.path("moved").asInt()).as("no topic of a fanout exchange").isEqualTo(1);
    assertThat(report.path("skipped_because")).hasToString("{\"forbidden\":1}");
  }

  @Test
  @MayflyOnly("RabbitMQ's plugin checks no topics of its exchanges")
  void delayedExchangesHaveTopicsToo() throws Exception {
    try (Connection guest = connect(vhost, "guest", "guest")) {
      Channel channel = guest.createChannel();
      channel.exchangeDeclare(
          "later", "x-delayed-message", false, false, Map.of("x-delayed-type", "topic"));
      channel.exchangeDeclare(
          "direct", "x-delayed-message", false, false, Map.of("x-delayed-type", "direct"));
    }
    restrict("later");
    restrict("direct");
    BasicProperties delayed = headers(Map.of("x-delay", 1));
    assertRefused(
        "write access to topic 'x.1' in exchange 'later'",
        channel -> channel.basicPublish("later", "x.1", delayed, new byte[1]));
    assertRefused(
        "write access to topic 'x.2' in exchange 'later'",
        channel ->
            channel.basicPublish(
                "later", "a.1", headers(Map.of("CC", List.of("x.2"))), new byte[1]));
    assertRefused(
        "read access to topic 'x.1' in exchange 'later'",
        channel -> channel.queueBind("q", "later", "x.1"));
    assertThat(published("later", "a.1", delayed)).isNull();
    assertThat(published("direct", "x.1", delayed)).isNull();
    assertThat(outcome(channel -> channel.queueBind("q", "direct", "x.1"))).isNull();
  }
}
