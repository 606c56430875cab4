package io.mayflymq.it.control;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP.Connection.Close;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQConnection;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests changes by operators while the process runs. */
@OwnBroker
class RuntimeControlIT {
  private EmbeddedBroker broker;
  private ControlCommand control;

  @BeforeEach
  void start() {
    broker = EmbeddedBroker.builder().start();
    control = ControlCommand.of(broker);
  }

  @AfterEach
  void stop() {
    broker.close();
    assertThat(broker.complaints()).isEmpty();
  }

  private List<String> done(String... arguments) {
    Outcome outcome = control.run(arguments);
    assertThat(outcome.exit()).as("%s", outcome).isZero();
    return outcome.out();
  }

  private void refused(int exit, String error, String... arguments) {
    Outcome outcome = control.run(arguments);
    assertThat(outcome.exit()).as("%s", outcome).isEqualTo(exit);
    assertThat(outcome.err()).anyMatch(line -> line.contains(error));
  }

  @Test
  void theBrokerStopsAndStartsWithinItsProcess() throws Exception {
    AtomicReference<ShutdownSignalException> cause = new AtomicReference<>();
    CountDownLatch closed = new CountDownLatch(1);
    Connection connection = broker.factory().newConnection();
    connection.addShutdownListener(
        signal -> {
          cause.set(signal);
          closed.countDown();
        });
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.queueDeclare("durable", true, false, false, null);
    channel.queueDeclare("transient", false, false, false, null);
    for (String queue : List.of("durable", "transient")) {
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, new byte[] {1});
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);

    assertThat(done("stop_app").get(0)).startsWith("Stopping the broker on node ");
    assertThat(closed.await(Patience.SECONDS, SECONDS)).isTrue();
    Close close = (Close) cause.get().getReason();
    assertThat(close.getReplyCode()).isEqualTo(320);
    assertThat(close.getReplyText())
        .isEqualTo("CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'");
    assertThatThrownBy(() -> broker.factory().newConnection()).isInstanceOf(ConnectException.class);
    assertThat(done("ping")).contains("Ping succeeded");
    refused(
        64, "Error: this command requires the broker to be running in its process.", "list_queues");
    refused(69, "the broker is not running in its process", "await_startup", "-t", "1");
    done("stop_app");
    assertThat(done("start_app").get(0)).startsWith("Starting node ");

    done("await_startup");
    assertThat(done("-s", "list_queues")).containsExactly("durable\t1");
    try (Connection again = broker.factory().newConnection()) {
      assertThat(again.createChannel().basicGet("durable", true)).isNotNull();
    }
  }

  @Test
  void aClientThatKeepsItsConnectionDoesNotDelayAStop() throws Exception {
    JsonNode file = new ObjectMapper().readTree(broker.data().resolve("mayfly.control").toFile());
    Http process = Http.withToken(file.path("url").asText(), file.path("token").asText());
    // A client that never answers connection.close, and one of HTTP that may have more to ask.
    try (RawClient silent = RawClient.open(broker.port())) {
      assertThat(Http.as(broker.httpPort(), "guest", "guest").get("whoami").status())
          .isEqualTo(200);
      for (boolean running : new boolean[] {false, true}) {
        assertThat(process.send("PUT", "/control/app", "{\"running\":" + running + "}").status())
            .isEqualTo(204);
      }
      silent.expectConnectionClose(320);
    }
    assertThat(Http.as(broker.httpPort(), "guest", "guest").get("whoami").status()).isEqualTo(200);
  }

  @Test
  void resetRemovesAllDataOfAStoppedBroker() {
    done("add_vhost", "v");
    refused(64, "requires the broker to be stopped in its process.", "reset");
    done("stop_app");
    done("reset");
    done("force_reset");
    done("start_app");
    assertThat(done("-s", "list_vhosts")).containsExactly("/");
    assertThat(done("authenticate_user", "guest", "guest")).contains("Success");
  }

  @Test
  void configurationChangesForNewConnectionsAndAcrossAStop() throws Exception {
    done("set_config", "channel_max", "7");
    try (Connection connection = broker.factory().newConnection()) {
      assertThat(connection.getChannelMax()).isEqualTo(7);
    }
    done("stop_app");
    done("start_app");
    ConnectionFactory factory = broker.factory();
    try (Connection connection = factory.newConnection()) {
      assertThat(connection.getChannelMax()).isEqualTo(7);
    }
    done("set_config", "channel_max", "2047");
    done("set_config", "consumer_timeout", "300");
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", false, true, false, null);
      channel.basicPublish("", "q", null, new byte[1]);
      await().until(() -> channel.messageCount("q") == 1);
      channel.basicGet("q", false);
      await().until(() -> !channel.isOpen());
      assertThat(channel.getCloseReason()).hasMessageContaining("Timeout value used: 300 ms");
    }
    try (Connection connection = factory.newConnection()) {
      assertThat(connection.getChannelMax()).isEqualTo(2047);
    }
    assertThat(done("environment"))
        .contains("key\tvalue\tsource", "channel_max\t2047\tset_config")
        .contains("default_pass\t(not shown)\tdefault")
        .contains("data_dir\t%s\t--set".formatted(broker.data()));
    refused(69, "bad value 'x' for key 'channel_max'", "set_config", "channel_max", "x");
    refused(69, "key 'shards' is looked at when the broker starts", "set_config", "shards", "2");
  }

  @Test
  void manualAlarmsBlockPublishersUntilTheyAreCleared() throws Exception {
    BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    try (Connection connection = broker.factory().newConnection()) {
      connection.addBlockedListener(notices::add, () -> notices.add("unblocked"));
      Channel channel = connection.createChannel();
      done("set_alarm", "memory");
      done("set_alarm", "disk");
      channel.basicPublish("", "nowhere", null, new byte[0]);
      assertThat(notices.poll(Patience.SECONDS, SECONDS)).isEqualTo("low on disk & memory");
      refused(70, "There are alarms in effect", "node_health_check");
      assertThat(done("status")).anyMatch(line -> line.startsWith("Memory alarm on node "));
      done("clear_alarm", "memory");
      assertThat(notices).isEmpty();
      done("clear_alarm", "disk");
      assertThat(notices.poll(Patience.SECONDS, SECONDS)).isEqualTo("unblocked");
      assertThat(done("node_health_check")).contains("Health check passed");
    }
    refused(69, "an alarm should be of memory or disk, actually was cpu", "set_alarm", "cpu");
  }

  @Test
  void connectionsAreClosedByThePidThatTheListShows() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    Connection connection = broker.factory().newConnection("conn_X");
    connection.addShutdownListener(signal -> closed.countDown());
    List<String> lines =
        done("list_connections", "-q", "pid", "peer_port", "client_properties").stream()
            .filter(line -> line.startsWith("<"))
            .toList();
    assertThat(lines).hasSize(1);
    String[] columns = lines.get(0).split("\t");
    assertThat(columns).hasSize(3);
    assertThat(columns[1]).isEqualTo(Integer.toString(((AMQConnection) connection).getLocalPort()));
    assertThat(columns[2])
        .startsWith("[{\"")
        .contains("{\"connection_name\",\"conn_X\"}", "{\"product\",\"RabbitMQ\"}")
        .endsWith("}]");
    done("close_connection", columns[0], "enough");
    assertThat(closed.await(Patience.SECONDS, SECONDS)).isTrue();
  }
}
