package io.mayflymq.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.Target;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the effect of signals on the process. */
@BlackBox
@OwnBroker
class SignalsIT {
  @TempDir Path directory;

  private static BrokerProcess.Builder broker() {
    return BrokerProcess.builder().defaultSignals();
  }

  private static long count(BrokerProcess broker, String part) {
    return broker.output().stream().filter(line -> line.contains(part)).count();
  }

  /** Sends SIGHUP and waits until the configuration was read or refused. */
  private static void reload(BrokerProcess broker) throws Exception {
    String told = "read again";
    long before = count(broker, "configuration was " + told) + count(broker, "was not " + told);
    broker.signal("HUP");
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                count(broker, "configuration was " + told) + count(broker, "was not " + told)
                    > before);
  }

  /** Returns the heartbeat interval that is offered to a client. */
  private static int heartbeat(BrokerProcess broker) throws IOException {
    try (RawClient client = new RawClient(broker.port())) {
      RawFrame tune = client.login();
      DataInputStream in = new DataInputStream(new ByteArrayInputStream(tune.payload()));
      in.skipBytes(2 + 2 + 2 + 4);
      return in.readUnsignedShort();
    }
  }

  @Test
  void sighupReloadsTheConfiguration() throws Exception {
    Path file =
        Files.writeString(directory.resolve("my.conf"), "heartbeat = 7\nchannel_max = 100\n");
    try (BrokerProcess broker = broker().arguments("--config", file.toString()).start()) {
      Connection open = broker.factory().newConnection();
      assertThat(heartbeat(broker)).isEqualTo(7);

      Files.writeString(file, "heartbeat = 9\nchannel_max = 100\ndurability.segment_size = 2MiB\n");
      reload(broker);
      assertThat(heartbeat(broker)).isEqualTo(9);
      broker.awaitLine("configuration was read again; changed: heartbeat");
      broker.awaitLine(
          "these keys have changed too, and are looked at when the broker starts:"
              + " durability.segment_size");

      Files.writeString(file, "heartbeat = often\n");
      reload(broker);
      assertThat(heartbeat(broker)).isEqualTo(9);
      broker.awaitLine(
          "configuration was not read again, and stays as it was: "
              + file
              + ":1: bad value 'often'");

      Files.delete(file);
      reload(broker);
      assertThat(heartbeat(broker)).isEqualTo(9);

      Files.writeString(file, "log.console.level = debug\n");
      reload(broker);
      assertThat(heartbeat(broker)).as("the default again").isEqualTo(60);
      broker.signal("USR1");
      broker.awaitLine("[debug] <Signals> signal USR1 is ignored");

      open.createChannel().queueDeclare();
      open.abort();
      assertThat(broker.stop()).isZero();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void sighupReopensTheLogFile() throws Exception {
    try (BrokerProcess broker = broker().set("log.file", "b.log").start()) {
      Path log = broker.data().resolve("log/b.log");
      Path moved = Files.move(log, log.resolveSibling("b.log.1"));
      reload(broker);
      await()
          .atMost(Patience.TIME)
          .until(() -> Files.exists(log) && Files.readString(log).contains("nothing has changed"));
      assertThat(Files.readString(moved)).contains("ready in");
      broker.factory().newConnection().close();
      assertThat(broker.stop()).isZero();
      assertThat(Files.readString(log)).contains("opened vhost", "stopped");
    }
  }

  @Test
  void sighupAppliesAChangedCertificate() throws Exception {
    Certificate first = Certificate.of("CN=first");
    Certificate second = Certificate.of("CN=second");
    int port = Broker.freePort();
    Path file = directory.resolve("tls.conf");
    String keys =
        "listeners.ssl.default = 127.0.0.1:%d%nssl_options.certfile = %s%nssl_options.keyfile ="
            + " %s%n";
    Files.writeString(
        file,
        keys.formatted(
            port,
            first.writeCertificate(directory.resolve("first.pem")),
            first.writeKey(directory.resolve("first.key"))));
    try (BrokerProcess broker = broker().arguments("--config", file.toString()).start()) {
      factory(port, first).newConnection().close();
      Files.writeString(
          file,
          keys.formatted(
              port,
              second.writeCertificate(directory.resolve("second.pem")),
              second.writeKey(directory.resolve("second.key"))));
      reload(broker);
      broker.awaitLine("changed: ssl_options.certfile, ssl_options.keyfile");
      broker.awaitLine("TLS: certificates were read again");
      factory(port, second).newConnection().close();
      assertThatThrownBy(() -> factory(port, first).newConnection())
          .isInstanceOf(SSLException.class);

      Files.writeString(file, keys.formatted(port, "missing.pem", "missing.key"));
      reload(broker);
      broker.awaitLine("cannot be used: ssl_options.certfile: cannot read missing.pem");
      factory(port, second).newConnection().close();
      assertThat(broker.stop()).isZero();
    }
  }

  @Test
  void sighupAppliesAChangedCertificateOfTheHttpApi() throws Exception {
    Certificate first = Certificate.of("CN=first");
    Certificate second = Certificate.of("CN=second");
    int port = Broker.freePort();
    Path file = directory.resolve("https.conf");
    String keys =
        "management.ssl.ip = 127.0.0.1%nmanagement.ssl.port = %d%nmanagement.ssl.certfile ="
            + " %s%nmanagement.ssl.keyfile = %s%n";
    Files.writeString(
        file,
        keys.formatted(
            port,
            first.writeCertificate(directory.resolve("first.pem")),
            first.writeKey(directory.resolve("first.key"))));
    try (BrokerProcess broker = broker().arguments("--config", file.toString()).start()) {
      assertThat(whoami(port, first)).isEqualTo(200);
      Files.writeString(
          file,
          keys.formatted(
              port,
              second.writeCertificate(directory.resolve("second.pem")),
              second.writeKey(directory.resolve("second.key"))));
      reload(broker);
      broker.awaitLine("changed: management.ssl.certfile, management.ssl.keyfile");
      assertThat(whoami(port, second)).isEqualTo(200);
      assertThatThrownBy(() -> whoami(port, first)).isInstanceOf(SSLException.class);

      Files.writeString(file, keys.formatted(port, "missing.pem", "missing.key"));
      reload(broker);
      broker.awaitLine("cannot be used: management.ssl.certfile: cannot read missing.pem");
      assertThat(whoami(port, second)).isEqualTo(200);
      assertThat(broker.stop()).isZero();
    }
  }

  private static int whoami(int port, Certificate server) throws Exception {
    return Http.as(port, "guest", "guest", server.trusted()).get("whoami").status();
  }

  private static ConnectionFactory factory(int port, Certificate server) throws Exception {
    ConnectionFactory factory = Target.factory(port);
    factory.useSslProtocol(server.trusted());
    return factory;
  }

  @Test
  void manySighupsAreHandled() throws Exception {
    try (BrokerProcess broker = broker().set("log.file", "b.log").start()) {
      Connection open = broker.factory().newConnection();
      for (int i = 0; i < 50; i++) {
        broker.signal("HUP");
        broker.signal("USR1");
      }
      broker.awaitLine("nothing has changed");
      open.createChannel().queueDeclare();
      open.abort();
      assertThat(broker.stop()).isZero();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM"})
  void sigintAndSigtermStopTheBrokerCleanly(String signal) throws Exception {
    try (BrokerProcess broker = broker().start()) {
      broker.signal(signal);
      assertThat(broker.awaitExit()).isZero();
      assertThat(broker.output()).last().asString().endsWith("stopped");
    }
  }
}
