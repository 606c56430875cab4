package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the type of queues that are declared without one: the virtual host's default, else the
 * broker's.
 */
@BlackBox
@OwnBroker
class DefaultQueueTypeIT {
  private static Map<String, Object> type(String type) {
    return Map.of("x-queue-type", type);
  }

  /** Checks that a queue can be declared again with its type, and with no other. */
  private static void assertType(Connection connection, String vhost, String queue, String type)
      throws Exception {
    Channel channel = connection.createChannel();
    channel.queueDeclare(queue, true, false, false, type(type));
    boolean classic = type.equals("classic");
    String other = classic ? "quorum" : "classic";
    String difference =
        classic
            ? "the value 'quorum' of type 'longstr' but current is none"
            : "'classic' but current is '" + type + "'";
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue '%s' in vhost '%s': received %s"
            .formatted(queue, vhost, difference),
        () -> channel.queueDeclare(queue, true, false, false, type(other)));
  }

  @Test
  void theConfigurationSetsTheDefaultTypeOfDurableQueues() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().set("default_queue_type", "quorum").start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      assertType(connection, "/", "q", "quorum");
      channel.queueDeclare("named", true, false, false, type("classic"));
      channel.queueDeclare("named", true, false, false, type("classic"));
      channel.queueDeclare("q", true, false, false, null);

      // There are no quorum queues of these kinds, so they are classic and not refused.
      channel.queueDeclare("transient", false, false, false, null);
      channel.queueDeclare("auto-delete", true, false, true, null);
      channel.queueDeclare("exclusive", true, true, false, null);
      channel.queueDeclare("transient", false, false, false, type("classic"));
      channel.queueDeclare("auto-delete", true, false, true, type("classic"));
      channel.queueDeclare("exclusive", true, true, false, type("classic"));
    }
  }

  @Test
  void aVirtualHostSetsTheDefaultTypeOfItsQueues() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("default_queue_type", "quorum").start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      for (String type : new String[] {"classic", "stream"}) {
        String vhost = "of-" + type;
        String body = "{\"default_queue_type\":\"%s\"}".formatted(type);
        assertThat(http.put("vhosts/" + vhost, body).status()).isEqualTo(201);
        ConnectionFactory factory = broker.factory();
        factory.setVirtualHost(vhost);
        try (Connection connection = factory.newConnection()) {
          connection.createChannel().queueDeclare("q", true, false, false, null);
          assertType(connection, vhost, "q", type);
        }
      }
    }
  }

  /** RabbitMQ's own exports have had them. */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum", "stream"})
  void theLongNameOfATypeIsTaken(String type) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      String body = "{\"default_queue_type\":\"rabbit_%s_queue\"}".formatted(type);
      assertThat(http.put("vhosts/put", body).status()).isEqualTo(201);
      String imported = "{\"vhosts\":[{\"name\":\"imported\",\"metadata\":%s}]}".formatted(body);
      assertThat(http.post("definitions", imported).status()).isEqualTo(204);
      for (String vhost : new String[] {"put", "imported"}) {
        assertThat(http.get("vhosts/" + vhost).json().path("default_queue_type").asText())
            .isEqualTo(type);
      }
    }
  }

  @Test
  void theDefaultQueueTypeIsClassic() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        Connection connection = broker.factory().newConnection()) {
      connection.createChannel().queueDeclare("q", true, false, false, null);
      assertType(connection, "/", "q", "classic");
    }
  }

  @Test
  void theTypeOfAQuorumQueueIsNotComparedIfTheConfigurationSaysSo() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set("quorum_queue.property_equivalence.relaxed_checks_on_redeclaration", true)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, type("quorum"));
      channel.queueDeclare("q", true, false, false, Map.of());
      channel.queueDeclare("q", true, false, false, type("classic"));
      assertChannelError(
          channel,
          406,
          "PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue 'q' in vhost '/': received the value '9' of type 'signedint' but current is none",
          () -> channel.queueDeclare("q", true, false, false, Map.of("x-max-length", 9)));
      Channel other = connection.createChannel();
      other.queueDeclare("c", true, false, false, type("classic"));
      assertChannelError(
          other,
          406,
          "PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'c' in vhost '/': received 'quorum' but current is 'classic'",
          () -> other.queueDeclare("c", true, false, false, type("quorum")));
    }
  }
}
