package io.mayflymq.it.process;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.awaitShutdown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.AMQConnection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Time;
import java.io.DataInputStream;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the broker as a process: start, configuration, stop and kill. */
@OwnBroker
class DaemonIT {

  @Test
  void theStartLogsListenersDataDirectoryAndReadiness(@TempDir Path data) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      assertThat(broker.output())
          .anyMatch(line -> line.contains("127.0.0.1:" + broker.port()))
          .anyMatch(line -> line.contains(data.toString()))
          .anyMatch(line -> line.matches(".*MayflyMQ .* ready in [0-9.]+ s.*"));
      awaitLine(
          broker,
          "management page at http://127.0.0.1:%d/, log in as 'guest' with the password 'guest', from this machine only"
              .formatted(broker.httpPort()));
      broker.factory().newConnection().close();
      assertThat(broker.stop()).isZero();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  /** The line comes after the one that says that the broker is ready. */
  private static void awaitLine(EmbeddedBroker broker, String end) {
    Awaitility.await(end)
        .atMost(Patience.TIME)
        .until(broker::output, lines -> lines.stream().anyMatch(line -> line.endsWith(end)));
  }

  @Test
  void aPasswordOfOnesOwnIsNotLogged(@TempDir Path data) {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().data(data).set("default_pass", "s3cret-of-guest").start()) {
      awaitLine(
          broker,
          "log in as a user with the tag administrator, monitoring, policymaker or management");
      assertThat(broker.output()).noneMatch(line -> line.contains("s3cret-of-guest"));
    }
  }

  @Test
  void sigtermClosesConnectionsInOrderAndExitsWithZero() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().start()) {
      Connection publisher = broker.factory().newConnection();
      Connection consumer = broker.factory().newConnection();
      Connection idle = broker.factory().newConnection();
      Channel channel = publisher.createChannel();
      channel.confirmSelect();
      channel.queueDeclare("q", false, false, false, null);
      Deliveries deliveries = Deliveries.from(consumer.createChannel(), "q", false);
      for (int i = 0; i < 100; i++) {
        channel.basicPublish("", "q", PLAIN, bytes("a"));
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      deliveries.next(100);

      long start = System.nanoTime();
      assertThat(broker.stop()).isZero();
      assertThat(Time.millisBetween(start, System.nanoTime()))
          .isLessThan(Patience.FORGOTTEN_MILLIS);
      for (Connection connection : List.of(publisher, consumer, idle)) {
        assertThat(awaitShutdown(connection).getReason())
            .isInstanceOfSatisfying(
                AMQP.Connection.Close.class,
                close -> {
                  assertThat(close.getReplyCode()).isEqualTo(320);
                  assertThat(close.getReplyText()).startsWith("CONNECTION_FORCED");
                });
      }
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void clientsThatDoNotAnswerDoNotDelayTheStop() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        RawClient silent = RawClient.openChannel(broker.port());
        RawClient halfOpen = new RawClient(broker.port())) {
      halfOpen.start();
      long start = System.nanoTime();
      assertThat(broker.stop()).isZero();
      assertThat(Time.millisBetween(start, System.nanoTime()))
          .isLessThan(Patience.FORGOTTEN_MILLIS);
      assertThat(silent.expect(10, 50).close().code()).isEqualTo(320);
    }
  }

  @Test
  void aBrokerStartsAgainAfterAKill(@TempDir Path data) throws Exception {
    int port = Broker.freePort();
    try (BrokerProcess killed = BrokerProcess.builder().port(port).data(data).start()) {
      Connection connection = killed.factory().newConnection();
      killed.kill();
      assertThat(killed.awaitExit()).isNotZero();
      awaitShutdown(connection);
    }
    try (EmbeddedBroker next = EmbeddedBroker.builder().port(port).data(data).start()) {
      next.factory().newConnection().close();
      assertThat(next.stop()).isZero();
    }
  }

  @Test
  void halfOpenHandshakesTimeOut() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("handshake_timeout", 5_000).start();
        RawClient mute = new RawClient(broker.port());
        RawClient half = new RawClient(broker.port());
        RawClient started = new RawClient(broker.port());
        RawClient tuned = new RawClient(broker.port());
        RawClient open = RawClient.openChannel(broker.port())) {
      half.raw((byte) 'A', (byte) 'M', (byte) 'Q');
      started.start();
      tuned.tune(2047, 131_072, 0);
      long start = System.nanoTime();
      for (RawClient client : List.of(mute, half, started, tuned)) {
        client.expectEnd();
      }
      assertThat(Time.millisBetween(start, System.nanoTime()))
          .isLessThan(Patience.FORGOTTEN_MILLIS);
      open.assertAlive(2);
    }
  }

  @Test
  void aSlowHandshakeWithinTheTimeoutSucceeds() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("handshake_timeout", 3_000).start();
        RawClient slow = new RawClient(broker.port())) {
      Time.pass(500);
      slow.login();
      Time.pass(500);
      slow.tuneOk(2047, 131_072, 0);
      slow.openVirtualHost("/");
      Time.pass(2_500);
      slow.assertAlive(1);
    }
  }

  @Test
  void configuredLimitsAreOfferedToClients() throws Exception {
    EmbeddedBroker.Builder builder =
        EmbeddedBroker.builder()
            .set("heartbeat", 17)
            .set("frame_max", 65_536)
            .set("channel_max", 5)
            .set("max_message_size", 1_000)
            .set("default_user", "ann")
            .set("default_pass", "secret")
            .set("default_vhost", "home")
            .set("auth_mechanisms.1", "PLAIN");
    try (EmbeddedBroker broker = builder.start()) {
      try (RawClient client = new RawClient(broker.port())) {
        client.start();
        client.startOk("PLAIN", "\0ann\0secret", new RawWriter());
        DataInputStream tune = client.expect(10, 30).arguments();
        assertThat(tune.readUnsignedShort()).isEqualTo(5);
        assertThat(tune.readInt()).isEqualTo(65_536);
        assertThat(tune.readUnsignedShort()).isEqualTo(17);
        client.tuneOk(5, 65_536, 0);
        client.openVirtualHost("home");
      }
      ConnectionFactory factory = broker.factory();
      assertThatThrownBy(factory::newConnection).as("there is no guest").isNotNull();
      factory.setUsername("ann");
      factory.setPassword("secret");
      factory.setVirtualHost("home");
      try (Connection connection = factory.newConnection()) {
        Channel channel = connection.createChannel();
        String queue = channel.queueDeclare().getQueue();
        channel.basicPublish("", queue, PLAIN, new byte[1_000]);
        assertThat(Deliveries.from(channel, queue, true).next().bytes()).hasSize(1_000);
        assertChannelError(
            channel,
            406,
            "PRECONDITION_FAILED - message size 1001 is larger than configured max size 1000",
            () -> channel.basicPublish("", queue, PLAIN, new byte[1_001]));
      }
    }
  }

  @Test
  void anonymousLoginsCanBeAllowed() throws Exception {
    EmbeddedBroker.Builder builder =
        EmbeddedBroker.builder()
            .set("auth_mechanisms.1", "PLAIN")
            .set("auth_mechanisms.2", "ANONYMOUS");
    try (EmbeddedBroker broker = builder.start();
        RawClient client = new RawClient(broker.port())) {
      client.start();
      client.startOk("ANONYMOUS", "", new RawWriter());
      client.expect(10, 30);
      client.tuneOk(2047, 131_072, 0);
      client.openVirtualHost("/");
    }
  }

  @Test
  void connectionsAndFailedLoginsAreLogged() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Connection connection = broker.factory().newConnection();
      int clientPort = ((AMQConnection) connection).getLocalPort();
      String client = "127.0.0.1:" + clientPort;
      broker.awaitLine(client);
      long opened = broker.output().stream().filter(line -> line.contains(client)).count();
      connection.close();
      await()
          .atMost(Patience.TIME)
          .until(
              () ->
                  broker.output().stream().filter(line -> line.contains(client)).count() > opened);
      ConnectionFactory wrong = broker.factory();
      wrong.setUsername("mallory");
      assertThatThrownBy(wrong::newConnection).isNotNull();
      broker.awaitLine("mallory");
      assertThat(broker.output()).noneMatch(line -> line.contains("guest\0"));
    }
  }

  @Test
  void noPortIsOpenAfterTheStop() throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.builder().start();
    assertThat(broker.stop()).isZero();
    assertThatThrownBy(() -> broker.factory().newConnection().close())
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void idleLeasesUseNoProcessorTime() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      Map<String, Object> lease = Map.of("x-expires", 3_600_000);
      for (int i = 0; i < 10_000; i++) {
        channel.queueDeclareNoWait("lease-" + i, false, false, false, lease);
      }
      assertThat(channel.messageCount("lease-9999")).isZero();
      // The compiler and the collector may still be busy with the declarations themselves.
      await()
          .atMost(Patience.TIME)
          .pollInSameThread()
          .until(
              () -> {
                long before = broker.cpu().toMillis();
                Time.pass(1_000);
                return broker.cpu().toMillis() - before <= 50;
              });
    }
  }
}
