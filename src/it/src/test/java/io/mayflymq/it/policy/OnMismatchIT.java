package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.ChannelErrors;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues that are declared again with other arguments: refused, kept or adopted by a policy. */
@OwnBroker
class OnMismatchIT {
  private static final String QUEUE = "orders";
  private static final Map<String, Object> MINUTE = Map.of("x-message-ttl", 60_000);

  @TempDir Path data;

  private EmbeddedBroker broker;

  @BeforeEach
  void start() {
    broker = EmbeddedBroker.builder().data(data).start();
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private void restart() {
    broker.close();
    start();
  }

  private Http http() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  private JsonNode arguments() throws Exception {
    return http().get("queues/%2F/" + QUEUE).json().path("arguments");
  }

  private void rule(String value) throws Exception {
    Http.Reply reply =
        http()
            .put(
                "policies/%2F/rule",
                "{\"pattern\":\".\",\"definition\":{\"on-mismatch\":" + value + "}}");
    assertThat(reply.status()).as("%s", reply.json()).isIn(201, 204);
  }

  private void declare(String type, Map<String, Object> arguments) throws Exception {
    try (Connection connection = broker.factory().newConnection()) {
      declare(connection, type, arguments);
    }
  }

  private static void declare(Connection connection, String type, Map<String, Object> arguments)
      throws IOException {
    Map<String, Object> all = new HashMap<>(arguments);
    if (!type.equals("classic")) {
      all.put("x-queue-type", type);
    }
    connection.createChannel().queueDeclare(QUEUE, true, false, false, all);
  }

  /** Returns the text of the error of such a declaration. */
  private String refusal(Map<String, Object> arguments) {
    Throwable failure = catchThrowable(() -> declare("classic", arguments));
    assertThat(failure).isInstanceOf(IOException.class);
    return failure.getCause().getMessage();
  }

  private long counted(String counter) throws Exception {
    JsonNode overview = http().get("overview").json();
    return overview.path("churn_rates").path(counter).asLong();
  }

  @Test
  void withoutARuleADifferenceIsRefused() throws Exception {
    declare("classic", MINUTE);
    assertThat(refusal(Map.of()))
        .contains("reply-code=406")
        .contains("inequivalent arg 'x-message-ttl' for queue 'orders' in vhost '/'");
    rule("\"refuse\"");
    assertThat(refusal(Map.of())).contains("inequivalent arg 'x-message-ttl'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum", "stream"})
  void keepAnswersOkAndChangesNothing(String type) throws Exception {
    Map<String, Object> first = Map.of("x-max-length-bytes", 1_000_000);
    declare(type, first);
    rule("\"keep\"");
    for (int i = 0; i < 3; i++) {
      declare(type, Map.of("x-max-length-bytes", 2_000_000));
      declare("classic", Map.of());
    }
    assertThat(arguments().path("x-max-length-bytes").asLong()).isEqualTo(1_000_000);
    assertThat(counted("queue_kept")).isEqualTo(6);
    assertThat(counted("queue_adopted")).isZero();
    assertThat(http().get("queues/%2F/orders/effective").json().path("settings").toString())
        .contains("{\"key\":\"on-mismatch\",\"value\":\"keep\",\"origin\":\"policy\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void adoptTakesOverWhatIsNewAndWhatIsLeftOut(String type) throws Exception {
    declare(type, Map.of("x-max-length", 10, "x-overflow", "reject-publish"));
    rule("\"adopt\"");
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", QUEUE, null, bytes("m" + i));
      }
      channel.waitForConfirms();
      declare(connection, type, Map.of("x-max-length", 1, "x-expires", 3_600_000));
      assertThat(channel.queueDeclarePassive(QUEUE).getMessageCount()).isEqualTo(1);
      assertThat(channel.basicGet(QUEUE, true).getBody()).isEqualTo(bytes("m2"));
    }
    assertAdopted();
    restart();
    assertAdopted();
    declare(type, Map.of("x-message-ttl", 1));
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.basicPublish("", QUEUE, null, bytes("late"));
      await()
          .atMost(Patience.TIME)
          .until(() -> channel.queueDeclarePassive(QUEUE).getMessageCount() == 0);
    }
    assertThat(counted("queue_adopted")).isEqualTo(1);
  }

  @Test
  void aStreamAdoptsItsRetention() throws Exception {
    declare("stream", Map.of("x-max-length-bytes", 1_000_000));
    rule("\"adopt\"");
    declare("stream", Map.of("x-max-age", "1D"));
    for (int start = 0; start < 2; start++) {
      assertThat(arguments().toString()).doesNotContain("x-max-length-bytes");
      assertThat(http().get("queues/%2F/orders/effective").json().path("settings").toString())
          .contains("{\"key\":\"max-age\",\"value\":\"1D\",\"origin\":\"argument\"");
      if (start == 0) {
        restart();
      }
    }
  }

  private void assertAdopted() throws Exception {
    JsonNode adopted = arguments();
    assertThat(adopted.path("x-max-length").asLong()).isEqualTo(1);
    assertThat(adopted.path("x-expires").asLong()).isEqualTo(3_600_000);
    assertThat(adopted.has("x-overflow")).isFalse();
  }

  @Test
  void aTableDecidesByArgument() throws Exception {
    declare("classic", Map.of("x-message-ttl", 60_000, "x-max-length", 5));
    rule("{\"x-message-ttl\":\"adopt\",\"x-max-length\":\"keep\",\"*\":\"refuse\"}");
    declare("classic", Map.of("x-message-ttl", 50_000, "x-max-length", 6));
    assertThat(arguments().toString())
        .contains("\"x-message-ttl\":50000")
        .contains("\"x-max-length\":5");
    assertThat(refusal(Map.of("x-message-ttl", 40_000, "x-expires", 1_000)))
        .contains("inequivalent arg 'x-expires'");
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(50_000);
  }

  @Test
  void theConfigurationDecidesWhereNoPolicyDoes() throws Exception {
    broker.close();
    broker =
        EmbeddedBroker.builder()
            .data(data)
            .set("defaults.on-mismatch", "adopt")
            .set("defaults.deliver-at-header", "at")
            .start();
    declare("classic", MINUTE);
    declare("classic", Map.of("x-message-ttl", 50_000));
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(50_000);
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.basicPublish(
          "",
          QUEUE,
          new BasicProperties.Builder().headers(Map.of("at", Long.MAX_VALUE)).build(),
          bytes("never"));
      assertThat(ChannelErrors.awaitShutdown(channel).getReason().toString())
          .contains("invalid header 'at'");
    }
    rule("\"refuse\"");
    assertThat(refusal(Map.of())).contains("inequivalent arg 'x-message-ttl'");
  }

  @Test
  void operatorsDecideLast() throws Exception {
    declare("classic", MINUTE);
    rule("\"adopt\"");
    http()
        .put(
            "operator-policies/%2F/strict",
            "{\"pattern\":\".\",\"apply-to\":\"queues\",\"definition\":{\"on-mismatch\":\"refuse\"}}");
    assertThat(refusal(Map.of())).contains("inequivalent arg 'x-message-ttl'");
  }

  @Test
  void whatCannotBeAdoptedIsToldWhenThePolicyIsSet() throws Exception {
    Http.Reply reply =
        http()
            .put(
                "policies/%2F/rule",
                "{\"pattern\":\".\",\"definition\":{\"on-mismatch\":{\"x-queue-type\":\"adopt\"}}}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.raw().body())
        .contains("x-queue-type")
        .contains("of a queue cannot be adopted")
        .contains("expected refuse or keep");
    declare("classic", MINUTE);
    rule("\"adopt\"");
    assertThat(refusal(Map.of("x-message-ttl", 60_000, "x-max-priority", 5)))
        .contains("inequivalent arg 'x-max-priority'");
  }

  @Test
  void anInvalidValueStaysAnError() throws Exception {
    declare("classic", MINUTE);
    for (String word : new String[] {"keep", "adopt"}) {
      rule("\"" + word + "\"");
      assertThat(refusal(Map.of("x-message-ttl", -1)))
          .contains(
              "invalid arg 'x-message-ttl' for queue 'orders' in vhost '/': {value_negative,-1}");
      assertThat(refusal(Map.of("x-dead-letter-routing-key", "k")))
          .contains("routing_key_but_no_dlx_defined");
    }
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(60_000);
  }

  @Test
  void theManagementApiAndDefinitionsFollowTheSameRules() throws Exception {
    declare("classic", MINUTE);
    String other = "{\"durable\":true,\"arguments\":{\"x-message-ttl\":5000}}";
    assertThat(http().put("queues/%2F/orders", other).status()).isEqualTo(400);
    rule("\"adopt\"");
    assertThat(http().put("queues/%2F/orders", other).status()).isEqualTo(204);
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(5_000);
    String definitions = http().get("definitions").raw().body();
    assertThat(definitions).contains("\"on-mismatch\":\"adopt\"");
    declare("classic", Map.of("x-message-ttl", 7_000));
    assertThat(http().post("definitions", definitions).status()).isEqualTo(204);
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(5_000);
    rule("{\"x-message-ttl\":\"refuse\"}");
    declare("classic", Map.of("x-message-ttl", 5_000));
    String shown = http().get("policies/%2F/rule").json().path("definition").toString();
    assertThat(shown).isEqualTo("{\"on-mismatch\":{\"x-message-ttl\":\"refuse\"}}");
    restart();
    assertThat(http().get("policies/%2F/rule").json().path("definition").toString())
        .isEqualTo(shown);
    assertThat(refusal(Map.of("x-message-ttl", 9_000))).contains("inequivalent arg");
  }

  @Test
  void aSharedQueueStaysWhenAClientThatWantsItForItselfHasGone() throws Exception {
    declare("classic", Map.of());
    rule("{\"exclusive\":\"keep\"}");
    try (Connection connection = broker.factory().newConnection()) {
      connection.createChannel().queueDeclare(QUEUE, true, true, false, Map.of());
    }
    assertThat(http().get("queues/%2F/orders").json().path("exclusive").asBoolean()).isFalse();
    try (Connection connection = broker.factory().newConnection();
        Connection other = broker.factory().newConnection()) {
      connection.createChannel().queueDeclare("own", false, true, false, Map.of());
      Throwable failure =
          catchThrowable(
              () -> other.createChannel().queueDeclare("own", false, false, false, Map.of()));
      assertThat(failure.getCause().getMessage()).contains("reply-code=405");
    }
  }

  @Test
  void adoptingNeedsThePermissionsOfADeclaration() throws Exception {
    declare("classic", Map.of());
    rule("\"adopt\"");
    http().put("users/ann", "{\"password\":\"ann\",\"tags\":\"\"}");
    http().put("permissions/%2F/ann", "{\"configure\":\"^orders\",\"write\":\"\",\"read\":\".*\"}");
    ConnectionFactory factory = broker.factory();
    factory.setUsername("ann");
    factory.setPassword("ann");
    try (Connection connection = factory.newConnection()) {
      declare(connection, "classic", MINUTE);
      Throwable failure =
          catchThrowable(
              () -> declare(connection, "classic", Map.of("x-dead-letter-exchange", "amq.fanout")));
      assertThat(failure.getCause().getMessage())
          .contains("reply-code=403")
          .contains("write access to exchange 'amq.fanout'");
    }
    http().put("permissions/%2F/ann", "{\"configure\":\"\",\"write\":\".*\",\"read\":\".*\"}");
    try (Connection connection = factory.newConnection()) {
      Throwable failure = catchThrowable(() -> declare(connection, "classic", Map.of()));
      assertThat(failure.getCause().getMessage())
          .contains("reply-code=403")
          .contains("configure access to queue 'orders'");
    } catch (AlreadyClosedException e) {
      // The error has closed it.
    }
    assertThat(arguments().path("x-message-ttl").asLong()).isEqualTo(60_000);
  }

  @Test
  void anAdoptedDeadLetterQueueIsMade() throws Exception {
    declare("classic", Map.of());
    rule("\"adopt\"");
    declare("classic", Map.of("x-dead-letter-queue", "auto", "x-message-ttl", 1));
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.basicPublish("", QUEUE, null, bytes("late"));
      await()
          .atMost(Patience.TIME)
          .until(() -> channel.queueDeclarePassive("orders.$dlq").getMessageCount() == 1);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
