package io.mayflymq.it.control;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What RabbitMQ 4 took away: permitted unless {@code deprecated_features.permit} denies it. */
@BlackBox
@OwnBroker
class DeprecatedFeaturesIT {
  private static final String NOT_PERMITTED =
      "INTERNAL_ERROR - Feature `queue_master_locator` is deprecated.\n"
          + "By default, this feature is not permitted anymore.\n"
          + "The feature will be removed from a future major RabbitMQ version, regardless of the"
          + " configuration; actual version to be determined.\n"
          + "To con...";

  private static final String DENIED =
      "INTERNAL_ERROR - Feature `transient_nonexcl_queues` is deprecated.\n"
          + "Its use is not permitted per the configuration (overriding the default, which is"
          + " permitted):\n    \"deprecated_features.permit.transient_nonexcl_queues = false\"\n"
          + "Its use will not be permit...";

  private static EmbeddedBroker denying(String... features) throws Exception {
    EmbeddedBroker.Builder broker = EmbeddedBroker.builder();
    for (String feature : features) {
      broker.set("deprecated_features.permit." + feature, "false");
    }
    return broker.start();
  }

  /** The uses of each feature that was used, by its name. */
  private static Map<String, Integer> used(EmbeddedBroker broker) throws Exception {
    Map<String, Integer> uses = new LinkedHashMap<>();
    for (JsonNode feature :
        Http.as(broker.httpPort(), "guest", "guest").get("deprecated-features/used").json()) {
      assertThat(feature.path("state").asText()).isEqualTo("permitted");
      uses.put(feature.path("name").asText(), feature.path("uses").asInt());
    }
    return uses;
  }

  @Test
  void whatWasTakenAwayWorksAndItsUsesAreCounted() throws Exception {
    try (EmbeddedBroker broker = denying()) {
      assertThat(used(broker)).isEmpty();
      ConnectionFactory factory = broker.factory();
      factory.setRequestedFrameMax(4096);
      try (Connection connection = factory.newConnection()) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("transient", false, false, false, null);
        channel.queueDeclare("transient", false, false, false, null);
        channel.queueDeclare("own", false, true, false, null);
        channel.basicQos(1, true);
        channel.basicQos(1, false);
        channel.queueDeclare(
            "old",
            true,
            false,
            false,
            Map.of(
                "x-queue-mode",
                "lazy",
                "x-queue-version",
                1,
                "x-queue-master-locator",
                "min-masters",
                "x-consumer-timeout",
                60_000));
        Http http = Http.as(broker.httpPort(), "guest", "guest");
        assertThat(
                http.put(
                        "policies/%2F/p",
                        "{\"pattern\":\"x\",\"definition\":{\"queue-mode\":\"lazy\"}}")
                    .status())
            .isEqualTo(201);
      }
      assertThat(used(broker))
          .isEqualTo(
              Map.of(
                  "classic_queue_consumer_timeout", 1,
                  "classic_queue_mode", 2,
                  "classic_queue_version_1", 1,
                  "frame_max_below_8192", 1,
                  "global_qos", 1,
                  "queue_master_locator", 1,
                  "transient_nonexcl_queues", 1));
    }
  }

  @Test
  void deniedQueuesCloseTheConnectionAsIn43() throws Exception {
    try (EmbeddedBroker broker = denying("transient_nonexcl_queues", "queue_master_locator")) {
      Connection first = broker.factory().newConnection();
      Channel transients = first.createChannel();
      transients.queueDeclare("own", false, true, false, null);
      assertConnectionError(
          first, 541, DENIED, () -> transients.queueDeclare("q", false, false, false, null));
      Connection second = broker.factory().newConnection();
      Channel locators = second.createChannel();
      assertConnectionError(
          second,
          541,
          NOT_PERMITTED,
          () ->
              locators.queueDeclare(
                  "q", true, false, false, Map.of("x-queue-master-locator", "random")));
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      Http.Reply put = http.put("queues/%2F/q", "{\"durable\":false}");
      assertThat(put.status()).isEqualTo(400);
      assertThat(put.reason()).startsWith("Feature `transient_nonexcl_queues` is deprecated.\n");
      Http.Reply policy =
          http.put(
              "policies/%2F/p",
              "{\"pattern\":\"x\",\"definition\":{\"queue-master-locator\":\"random\"}}");
      assertThat(policy.status()).isEqualTo(400);
      assertThat(policy.reason())
          .isEqualTo(
              """
              Validation failed

              use of deprecated queue-master-locator argument is not permitted
              """);
      assertThat(used(broker)).isEmpty();
    }
  }

  @Test
  void aDeniedGlobalLimitIsThatOfEachConsumer() throws Exception {
    try (EmbeddedBroker broker = denying("global_qos");
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.basicQos(1, true);
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "q", null, Amqp.bytes("m" + i));
      }
      Deliveries first = Deliveries.from(channel, "q", false);
      Deliveries second = Deliveries.from(channel, "q", false);
      first.next();
      second.next();
      assertThat(channel.queueDeclarePassive("q").getMessageCount()).isEqualTo(1);
    }
  }

  @Test
  void aDeniedTimeoutOfClassicQueuesIsRefusedAndHasNoEffect() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("deprecated_features.permit.classic_queue_consumer_timeout", "false")
                .set("consumer_timeout", "100")
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel refused = connection.createChannel();
      assertChannelError(
          refused,
          406,
          "PRECONDITION_FAILED - invalid arg 'x-consumer-timeout' for queue 'q' in vhost '/' of"
              + " queue type rabbit_classic_queue",
          () -> refused.queueDeclare("q", true, false, false, Map.of("x-consumer-timeout", 1000)));
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.queueDeclare("quorum", true, false, false, Map.of("x-queue-type", "quorum"));
      Channel consuming = connection.createChannel();
      assertChannelError(
          consuming,
          406,
          "PRECONDITION_FAILED - invalid arg 'x-consumer-timeout' for queue 'q' in vhost '/' of"
              + " queue type rabbit_classic_queue",
          () ->
              consuming.basicConsume(
                  "q",
                  false,
                  "",
                  false,
                  false,
                  Map.of("x-consumer-timeout", 1000),
                  new DefaultConsumer(consuming)));
      channel.basicPublish("", "q", null, Amqp.bytes("m"));
      channel.basicPublish("", "quorum", null, Amqp.bytes("m"));
      assertThat(channel.basicGet("q", false)).isNotNull();
      Deliveries overdue = Deliveries.from(channel, "quorum", false);
      overdue.next();
      // That of the quorum queue ends, and the classic queue's older one would have closed the
      // channel.
      overdue.awaitCancel();
      assertThat(channel.isOpen()).isTrue();
    }
  }

  @Test
  void deniedSmallFramesAreRefused() throws Exception {
    try (EmbeddedBroker broker = denying("frame_max_below_8192")) {
      ConnectionFactory factory = broker.factory();
      factory.setRequestedFrameMax(8191);
      assertThatThrownBy(factory::newConnection)
          .rootCause()
          .isInstanceOf(ShutdownSignalException.class)
          .hasMessageContaining(
              "negotiated frame_max = 8191 is lower than the minimum allowed value (8192)");
      factory.setRequestedFrameMax(8192);
      factory.newConnection().close();
    }
  }
}
