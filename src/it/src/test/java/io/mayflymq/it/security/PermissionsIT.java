package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each method needs the permissions of RabbitMQ's "Access Control", and is refused with 403 if one
 * of them is missing.
 */
@BlackBox
class PermissionsIT extends AccessFixture {
  /** A method, and what its user may not do: the beginning of the text of the refusal. */
  private enum Method {
    PUBLISH("write access to exchange 'x'", channel -> publish(channel, "x")),
    PUBLISH_TO_A_QUEUE("write access to exchange 'amq.default'", channel -> publish(channel, "")),
    CONSUME(
        "read access to queue 'q'", channel -> channel.basicConsume("q", (t, d) -> {}, t -> {})),
    GET("read access to queue 'q'", channel -> channel.basicGet("q", true)),
    PURGE("read access to queue 'q'", channel -> channel.queuePurge("q")),
    DECLARE_QUEUE("configure access to queue 'new'", channel -> declare(channel, Map.of())),
    DELETE_QUEUE("configure access to queue 'q'", channel -> channel.queueDelete("q")),
    DEAD_LETTER_TO_EXCHANGE(
        "write access to exchange 'x'",
        channel -> declare(channel, Map.of("x-dead-letter-exchange", "x"))),
    DEAD_LETTER_FROM_QUEUE(
        "read access to queue 'new'",
        channel -> declare(channel, Map.of("x-dead-letter-exchange", "x"))),
    DECLARE_EXCHANGE(
        "configure access to exchange 'new'", channel -> channel.exchangeDeclare("new", "fanout")),
    DELETE_EXCHANGE("configure access to exchange 'x'", channel -> channel.exchangeDelete("x")),
    BIND_TO_QUEUE("write access to queue 'q'", channel -> channel.queueBind("q", "x", "")),
    BIND_FROM_EXCHANGE("read access to exchange 'x'", channel -> channel.queueBind("q", "x", "")),
    BIND_TO_EXCHANGE("write access to exchange 'y'", channel -> channel.exchangeBind("y", "x", "")),
    UNBIND_QUEUE("write access to queue 'q'", channel -> channel.queueUnbind("q", "x", "")),
    UNBIND_EXCHANGE("read access to exchange 'x'", channel -> channel.exchangeUnbind("y", "x", ""));

    private final String access;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Call call;

    Method(String access, Call call) {
      this.access = access;
      this.call = call;
    }

    private static void publish(Channel channel, String exchange) throws IOException {
      channel.basicPublish(exchange, "q", null, new byte[1]);
    }

    private static void declare(Channel channel, Map<String, Object> arguments) throws IOException {
      channel.queueDeclare("new", false, false, false, arguments);
    }

    /** All permissions but the one that is missing. */
    private String permissions() {
      String missing = "\"" + access.substring(0, access.indexOf(' ')) + "\":\"";
      return ALL.replace(missing + ".*\"", missing + "\"");
    }
  }

  private interface Call {
    void on(Channel channel) throws IOException;
  }

  @ParameterizedTest
  @EnumSource
  void methodIsRefusedWithoutItsPermission(Method method, Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String user = user(amqp, "");
    try (Connection guest = connect(vhost, "guest", "guest")) {
      Channel channel = guest.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.exchangeDeclare("x", "fanout");
      channel.exchangeDeclare("y", "fanout");
    }
    String path = "permissions/" + vhost + "/" + user;
    assertThat(http.put(path, method.permissions()).status()).isEqualTo(201);
    try (Connection connection = connect(vhost, user, "p")) {
      assertThat(refusal(connection, method))
          .isEqualTo(
              "ACCESS_REFUSED - %s in vhost '%s' refused for user '%s'"
                  .formatted(method.access, vhost, user));
    }
    assertThat(http.put(path, ALL).status()).isEqualTo(204);
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      method.call.on(channel);
      channel.exchangeDeclarePassive("amq.direct");
    }
  }

  /** Returns the text with which the broker closes the channel. */
  private static String refusal(Connection connection, Method method) throws Exception {
    Channel channel = connection.createChannel();
    try {
      method.call.on(channel);
    } catch (IOException e) {
      // The close reason tells why.
    }
    await("the channel is closed").atMost(Patience.TIME).until(() -> !channel.isOpen());
    AMQP.Channel.Close reason = (AMQP.Channel.Close) channel.getCloseReason().getReason();
    assertThat(reason.getReplyCode()).isEqualTo(403);
    return reason.getReplyText();
  }
}
