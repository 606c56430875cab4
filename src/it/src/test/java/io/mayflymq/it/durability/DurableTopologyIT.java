package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Durable objects exist after a restart, also after kill -9 right after the declare-ok. */
@BlackBox
@OwnBroker
class DurableTopologyIT {
  @TempDir Path data;

  @Test
  void durableExchangesQueuesAndBindingsSurviveAKill() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      channel.exchangeDeclare("x", BuiltinExchangeType.TOPIC, true);
      channel.exchangeDeclare("y", BuiltinExchangeType.FANOUT, true);
      channel.queueDeclare("q", true, false, false, Map.of("x-message-ttl", 60_000));
      channel.queueBind("q", "y", "", Map.of("a", 1));
      channel.exchangeBind("y", "x", "a.#");
      channel.queueDeclare("unbound", true, false, false, null);
      channel.queueBind("unbound", "y", "");
      channel.queueUnbind("unbound", "y", "");
      channel.queueDeclare("deleted", true, false, false, null);
      channel.queueDelete("deleted");
      channel.queueDeclare("last", true, false, false, null);
      broker.kill();
      broker.awaitExit();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-message-ttl", 60_000));
      channel.exchangeDeclare("x", BuiltinExchangeType.TOPIC, true);
      channel.queueDeclarePassive("last");
      channel.basicPublish("x", "a.b", null, new byte[1]);
      assertThat(channel.basicGet("q", true)).isNotNull();
      assertThat(channel.basicGet("unbound", true)).isNull();
      assertNotFound(connection, "deleted");
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void nonDurableExchangesQueuesAndBindingsAreGoneAfterAKill() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      declareWhatIsNotDurable(broker);
      broker.kill();
      broker.awaitExit();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      assertOnlyTheDurableQueueIsThere(broker);
      declareWhatIsNotDurable(broker);
      assertThat(broker.stop()).isZero();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      assertOnlyTheDurableQueueIsThere(broker);
    }
  }

  private static void declareWhatIsNotDurable(Broker broker) throws Exception {
    Channel channel = broker.factory().newConnection().createChannel();
    channel.queueDeclare("transient", false, false, false, null);
    channel.queueDeclare("exclusive", true, true, false, null);
    channel.exchangeDeclare("passing", BuiltinExchangeType.DIRECT, false);
    channel.queueDeclare("q", true, false, false, null);
    channel.queueBind("q", "passing", "k");
  }

  private static void assertOnlyTheDurableQueueIsThere(Broker broker) throws Exception {
    try (Connection connection = broker.factory().newConnection()) {
      connection.createChannel().queueDeclarePassive("q");
      assertNotFound(connection, "transient");
      assertNotFound(connection, "exclusive");
      Channel channel = connection.createChannel();
      assertChannelError(
          channel,
          404,
          "NOT_FOUND - no exchange 'passing' in vhost '/'",
          () -> channel.exchangeDeclarePassive("passing"));
    }
  }

  @Test
  void leasesOfDurableQueuesStartAgain() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      channel.queueDeclare("leased", true, false, false, Map.of("x-expires", 60_000));
      broker.kill();
      broker.awaitExit();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      connection.createChannel().queueDeclarePassive("leased");
    }
  }

  private static void assertNotFound(Connection connection, String queue) throws IOException {
    Channel channel = connection.createChannel();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + queue + "' in vhost '/'",
        () -> channel.queueDeclarePassive(queue));
  }
}
