package io.mayflymq.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawClient;
import java.io.DataInputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the configuration as a script sees it: sources and their precedence, and the one-line error
 * and exit code of a mistake.
 */
@OwnBroker
class ConfigurationIT {
  private static final int CONFIG = 78;
  private static final int FAILURE = 1;

  @ParameterizedTest
  @CsvSource({
    "hartbeat, 10",
    "heartbeat, often",
    "heartbeat, -1",
    "frame_max, 5",
    "channel_max, 65536",
    "handshake_timeout, soon",
    "max_message_size, 1 parsec",
    "log.console.level, loud",
    "listeners.tcp.default, 127.0.0.1:99999",
  })
  void anErrorInTheConfigurationFileIsReportedInOneLine(
      String key, String value, @TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "# a comment\n\n" + key + " = " + value + "\n");
    fails(
        EmbeddedBroker.builder().withoutListener().arguments("--config", file.toString()),
        CONFIG,
        file.getFileName().toString(),
        "3",
        key,
        value);
  }

  @Test
  void aMalformedConfigurationLineIsReportedInOneLine(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "heartbeat = 10\nthis is no setting\n");
    fails(
        EmbeddedBroker.builder().arguments("--config", file.toString()),
        CONFIG,
        "broker.conf",
        "2");
  }

  @Test
  void aMissingConfigurationFileIsReportedInOneLine() throws Exception {
    fails(EmbeddedBroker.builder().arguments("--config", "/no/such.conf"), CONFIG, "/no/such.conf");
  }

  @Test
  void anErrorOnTheCommandLineIsReportedInOneLine() throws Exception {
    fails(EmbeddedBroker.builder().set("hartbeat", 10), CONFIG, "hartbeat", "heartbeat");
    fails(EmbeddedBroker.builder().set("heartbeat", "often"), CONFIG, "heartbeat", "often");
  }

  @Test
  void anErrorInTheEnvironmentIsReportedInOneLine() throws Exception {
    fails(
        EmbeddedBroker.builder().environment("MAYFLY_HEARTBEAT", "often"),
        CONFIG,
        "MAYFLY_HEARTBEAT",
        "often");
  }

  @Test
  void aPortInUseIsReportedInOneLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      fails(
          EmbeddedBroker.builder().withoutListener().set("listeners.tcp.default", address),
          FAILURE,
          address);
    }
  }

  @Test
  void aDataDirectoryInUseIsReportedInOneLine(@TempDir Path data) throws Exception {
    try (EmbeddedBroker first = EmbeddedBroker.builder().data(data).start()) {
      fails(EmbeddedBroker.builder().data(data), FAILURE, data.toString());
      assertThat(first.stop()).isZero();
    }
  }

  @Test
  void anImpossibleDataDirectoryIsReportedInOneLine(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("a file"));
    fails(EmbeddedBroker.builder().data(file.resolve("data")), FAILURE, file.toString());
  }

  @Test
  void aSettingThatCannotBeUsedIsAWrongConfiguration(@TempDir Path directory) throws Exception {
    Path empty = Files.writeString(directory.resolve("empty"), "\n");
    EmbeddedBroker.Builder member = EmbeddedBroker.builder().set("cluster.listener", "127.0.0.1:0");
    fails(
        member.set("cluster.secret", "abc").set("cluster.require_strong_secret", true),
        CONFIG,
        "cluster.secret has 3 characters");
    for (String file : List.of(empty.toString(), "/no/secret")) {
      fails(
          EmbeddedBroker.builder()
              .set("cluster.listener", "127.0.0.1:0")
              .set("cluster.secret_file", file),
          CONFIG,
          "cluster.secret_file",
          file);
    }
    for (String key :
        List.of("listeners.ssl.default", "management.ssl.port", "prometheus.ssl.port")) {
      String files = key.startsWith("listeners") ? "ssl_options" : key.replace(".port", "");
      fails(
          EmbeddedBroker.builder()
              .set(key, key.startsWith("listeners") ? "127.0.0.1:0" : "0")
              .set(files + ".certfile", "/no/cert.pem")
              .set(files + ".keyfile", "/no/key.pem"),
          CONFIG,
          files + ".certfile",
          "/no/cert.pem");
    }
    fails(
        EmbeddedBroker.builder().set("load_definitions", "/no/definitions.json"),
        CONFIG,
        "/no/definitions.json");
  }

  @Test
  void allErrorsAreReportedALineEach(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "heartbeat = often\nnothing\nauth_backends.1 = amqp\n");
    Files.createDirectory(directory.resolve("conf.d"));
    Files.writeString(directory.resolve("conf.d/10.conf"), "frame_max = 5\n");
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .arguments("--config", file.toString())
            .set("cluster_formation.classic_config.nodes.1", "other")
            .launch()) {
      assertThat(broker.awaitExit()).isEqualTo(CONFIG);
      assertThat(broker.output())
          .hasSize(5)
          .allMatch(line -> line.startsWith("mayfly: "))
          .anyMatch(line -> line.contains("broker.conf:1: bad value 'often'"))
          .anyMatch(line -> line.contains("broker.conf:2: expected 'key = value'"))
          .anyMatch(line -> line.contains("broker.conf:3: ") && line.contains("'amqp'"))
          .anyMatch(line -> line.contains("10.conf:1: bad value '5'"))
          .anyMatch(line -> line.contains("bad value 'other'"));
    }
  }

  @Test
  void filesOfConfDAreReadAfterTheMainFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "heartbeat = 11\nmqtt.prefetch = 10\n");
    Path part = Files.createDirectory(directory.resolve("conf.d")).resolve("50-site.conf");
    Files.writeString(part, "\nheartbeat = 14\n");
    assertThat(offeredHeartbeat(EmbeddedBroker.builder().arguments("--config", file.toString())))
        .isEqualTo(14);
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().arguments("--config", file.toString()).start()) {
      assertThat(broker.output())
          .anyMatch(line -> line.endsWith("configuration from " + part))
          .filteredOn(line -> line.contains("mqtt.prefetch"))
          .singleElement()
          .asString()
          .contains("[warning]", "broker.conf:2: key 'mqtt.prefetch' has no effect");
      assertThat(ControlCommand.of(broker).run("environment").out())
          .anyMatch(line -> line.contains("heartbeat") && line.contains(part + ":2"));
    }
  }

  private static void fails(EmbeddedBroker.Builder builder, int exitCode, String... words) {
    try (EmbeddedBroker broker = builder.launch()) {
      assertThat(broker.awaitExit()).as("exit code of:%n%s", broker.output()).isEqualTo(exitCode);
      // The broker may have logged its start before it found its port or its directory in use.
      List<String> complaint =
          broker.output().stream().filter(line -> !line.contains("[info]")).toList();
      assertThat(complaint).hasSize(1);
      assertThat(complaint.get(0)).contains(words);
    }
  }

  @Test
  void theConfigurationFileIsRead(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "heartbeat = 11\n");
    assertThat(offeredHeartbeat(EmbeddedBroker.builder().arguments("--config", file.toString())))
        .isEqualTo(11);
  }

  @Test
  void theEnvironmentOverridesTheFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("broker.conf");
    Files.writeString(file, "heartbeat = 11\n");
    assertThat(
            offeredHeartbeat(
                EmbeddedBroker.builder()
                    .environment("MAYFLY_HEARTBEAT", "12")
                    .arguments("server", "--config", file.toString())))
        .isEqualTo(12);
  }

  @Test
  void theCommandLineOverridesTheEnvironment() throws Exception {
    assertThat(
            offeredHeartbeat(
                EmbeddedBroker.builder()
                    .environment("MAYFLY_HEARTBEAT", "12")
                    .set("heartbeat", 13)))
        .isEqualTo(13);
  }

  private static int offeredHeartbeat(EmbeddedBroker.Builder builder) throws Exception {
    try (EmbeddedBroker broker = builder.start();
        RawClient client = new RawClient(broker.port())) {
      DataInputStream tune = client.login().arguments();
      tune.skipNBytes(6);
      return tune.readUnsignedShort();
    }
  }
}
