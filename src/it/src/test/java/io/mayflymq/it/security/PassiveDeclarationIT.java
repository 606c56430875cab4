package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A passive declaration tells whether there is a queue or exchange, and how much is in a queue. It
 * needs one permission for that name, whichever, as in RabbitMQ since 4.3.1.
 */
@BlackBox
class PassiveDeclarationIT extends AccessFixture {
  private String vhost;
  private String user;
  private Connection guest;

  @BeforeEach
  void declare(Amqp amqp) throws Exception {
    vhost = vhost(amqp);
    user = user(amqp, "");
    guest = connect(vhost, "guest", "guest");
    Channel channel = guest.createChannel();
    channel.queueDeclare("q", true, false, false, null);
    channel.basicPublish("", "q", null, new byte[1]);
    channel.queueDeclare("locked", false, true, false, null);
    channel.exchangeDeclare("x", "fanout");
  }

  @AfterEach
  void close() throws IOException {
    guest.close();
  }

  /** Permits the three kinds of access for names that begin with {@code other}, and one for all. */
  private void permit(String kind) throws Exception {
    String none = ALL.replace(".*", "^other");
    String body = none.replace(kind + "\":\"^other", kind + "\":\".*");
    assertThat(http.put("permissions/" + vhost + "/" + user, body).status()).isIn(201, 204);
  }

  private void assertRefused(int code, String text, Call call) throws Exception {
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      assertChannelError(channel, code, text, () -> call.on(channel));
    }
  }

  private interface Call {
    void on(Channel channel) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(strings = {"configure", "write", "read"})
  void onePermissionIsEnough(String kind) throws Exception {
    permit(kind);
    try (Connection connection = connect(vhost, user, "p")) {
      Channel channel = connection.createChannel();
      channel.queueDeclarePassive("q");
      channel.exchangeDeclarePassive("x");
      channel.exchangeDeclarePassive("amq.direct");
    }
    assertRefused(
        404,
        "NOT_FOUND - no queue 'absent' in vhost '%s'".formatted(vhost),
        channel -> channel.queueDeclarePassive("absent"));
    assertRefused(
        404,
        "NOT_FOUND - no exchange 'absent' in vhost '%s'".formatted(vhost),
        channel -> channel.exchangeDeclarePassive("absent"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"q", "locked", "absent"})
  void nothingIsToldOfQueuesWithoutAny(String queue) throws Exception {
    permit("none");
    assertRefused(
        403,
        "ACCESS_REFUSED - configure access to queue '%s' in vhost '%s' refused for user '%s'"
            .formatted(queue, vhost, user),
        channel -> channel.queueDeclarePassive(queue));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "absent", "amq.direct", "amq.absent", "amq.default"})
  void nothingIsToldOfExchangesWithoutAny(String exchange) throws Exception {
    permit("none");
    assertRefused(
        403,
        "ACCESS_REFUSED - configure access to exchange '%s' in vhost '%s' refused for user '%s'"
            .formatted(exchange, vhost, user),
        channel -> channel.exchangeDeclarePassive(exchange));
  }

  @Test
  void theDefaultExchangeIsNeverDeclared() throws Exception {
    permit("configure");
    assertRefused(
        403,
        "ACCESS_REFUSED - operation not permitted on the default exchange",
        channel -> channel.exchangeDeclarePassive(""));
  }
}
