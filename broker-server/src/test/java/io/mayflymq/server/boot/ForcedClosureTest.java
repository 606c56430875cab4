package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.cluster.BrokerStart;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.net.EventLoops;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes by an administrator that close or affect open connections. */
class ForcedClosureTest {
  @TempDir Path directory;

  private EventLoops loops;
  private Storage storage;
  private AmqpServer server;
  private Administration administration;

  @BeforeEach
  void start() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of(),
            List.of("data_dir=" + directory, "listeners.tcp.default=127.0.0.1:0"));
    LiveConfiguration live = new LiveConfiguration(configuration);
    ServerSettings settings = live.settings();
    BrokerThreads threads = new BrokerThreads(Faults.logged());
    loops = new EventLoops(settings.shards(), threads);
    storage =
        Storage.open(
            new Storage.Options(
                settings, false, null, ClockSteps.clock(), new BrokerStart(() -> {})),
            loops,
            new Alarms(),
            threads);
    AmqpServer.Served served = storage.served();
    server =
        AmqpServer.start(
            live,
            loops,
            served,
            new AuthChain(settings.auth(), served.accessControl(), Map.of(), List.of()));
    administration = storage.administration();
    administration.vhosts().put(VhostDefinition.of("v")).join();
    administration.users().add("ann", PasswordHash.of("secret"), List.of()).join();
    administration.permissions().set("ann", "v", ".*", ".*", ".*").join();
  }

  @AfterEach
  void stop() {
    server.close();
    storage.close();
    loops.close();
  }

  private ConnectionFactory factory(String password) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(server.addresses().get(0).getPort());
    factory.setVirtualHost("v");
    factory.setUsername("ann");
    factory.setPassword(password);
    factory.setAutomaticRecoveryEnabled(false);
    return factory;
  }

  private Connection connect() throws IOException, TimeoutException {
    return factory("secret").newConnection();
  }

  private static CompletableFuture<ShutdownSignalException> closure(Connection connection) {
    CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
    connection.addShutdownListener(closed::complete);
    return closed;
  }

  private static void assertForced(
      CompletableFuture<ShutdownSignalException> closure, String reason) throws Exception {
    AMQP.Connection.Close close =
        (AMQP.Connection.Close) closure.get(10, TimeUnit.SECONDS).getReason();
    assertThat(close.getReplyCode()).isEqualTo(320);
    assertThat(close.getReplyText()).isEqualTo("CONNECTION_FORCED - " + reason);
  }

  @Test
  void deletingAUserClosesItsConnections() throws Exception {
    CompletableFuture<ShutdownSignalException> closure = closure(connect());

    administration.users().delete("ann").join();

    assertForced(closure, "user 'ann' is deleted");
    assertThatThrownBy(this::connect).hasMessageContaining("ACCESS_REFUSED");
  }

  @Test
  void deletingAVhostClosesItsConnectionsAndDeletesItsContent() throws Exception {
    Connection connection = connect();
    Channel channel = connection.createChannel();
    channel.queueDeclare("q", true, false, false, null);
    channel.queueBind("q", "amq.direct", "k");
    channel.basicConsume("q", false, (tag, message) -> {}, tag -> {});
    CompletableFuture<ShutdownSignalException> closure = closure(connection);

    administration.vhosts().delete("v").join();

    assertForced(closure, "vhost 'v' is deleted");
    assertThatThrownBy(this::connect).rootCause().hasMessageContaining("vhost v not found");
    administration.vhosts().put(VhostDefinition.of("v")).join();
    assertThatThrownBy(this::connect)
        .rootCause()
        .hasMessageContaining("access to vhost 'v' refused for user 'ann'");
    administration.permissions().set("ann", "v", ".*", ".*", ".*").join();
    try (Connection again = connect()) {
      Channel probe = again.createChannel();
      assertThatThrownBy(() -> probe.queueDeclarePassive("q"))
          .rootCause()
          .hasMessageContaining("no queue 'q' in vhost 'v'");
    }
  }

  @Test
  void changedPasswordAppliesToTheNextLogin() throws Exception {
    try (Connection connection = connect()) {
      administration.users().setPassword("ann", PasswordHash.of("other")).join();

      connection.createChannel().queueDeclare();
      assertThatThrownBy(this::connect).hasMessageContaining("ACCESS_REFUSED");
      factory("other").newConnection().close();
    }
  }

  @Test
  void changedPermissionsApplyToOpenConnections() throws Exception {
    try (Connection connection = connect()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, null);
      channel.basicGet("q", true);
      administration.permissions().set("ann", "v", ".*", ".*", "").join();

      assertThatThrownBy(() -> channel.basicGet("q", true))
          .rootCause()
          .hasMessageContaining("read access to queue 'q' in vhost 'v' refused for user 'ann'");
    }
  }
}
