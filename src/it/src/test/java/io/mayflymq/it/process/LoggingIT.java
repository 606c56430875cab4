package io.mayflymq.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of a broker: its form, its levels, and what it says about changes. */
@BlackBox
@OwnBroker
class LoggingIT {
  @TempDir Path directory;

  private EmbeddedBroker start(String... settings) {
    EmbeddedBroker.Builder builder = EmbeddedBroker.builder().data(directory);
    for (int i = 0; i < settings.length; i += 2) {
      builder = builder.set(settings[i], settings[i + 1]);
    }
    EmbeddedBroker broker = builder.launch();
    broker.awaitReady();
    return broker;
  }

  private static void awaitLine(EmbeddedBroker broker, String... parts) {
    Awaitility.await("a line with " + List.of(parts))
        .atMost(Patience.TIME)
        .until(
            () ->
                broker.output().stream()
                    .anyMatch(line -> List.of(parts).stream().allMatch(line::contains)));
  }

  private static String run(EmbeddedBroker broker, String... command) {
    ControlCommand.Outcome outcome = ControlCommand.of(broker).run(command);
    assertThat(outcome.exit()).as(outcome.toString()).isZero();
    return outcome.text();
  }

  @Test
  void changesAreLoggedWithWhoMadeThemAndFromWhere() throws Exception {
    try (EmbeddedBroker broker = start()) {
      run(broker, "add_user", "ann", "secret-word");
      run(broker, "set_policy", "short", "^q", "{\"max-length\":10}");
      awaitLine(broker, "<audit>", "user 'mayflyctl' (127.0.0.1:", "PUT /api/users/ann");
      awaitLine(broker, "<audit>", "PUT /api/policies/%2F/short");
      try (Connection connection = broker.factory().newConnection()) {
        Channel channel = connection.createChannel();
        channel.queueDeclare("lasting", true, false, false, Map.of());
        channel.queueDelete("lasting");
      }
      awaitLine(broker, "<audit> queue.deleted in vhost '/': queue 'lasting', by user 'guest' on");
      assertThat(broker.output())
          .noneMatch(line -> line.contains("secret-word"))
          .noneMatch(line -> line.contains("queue.created"));
      assertThat(
              Http.as(broker.httpPort(), "guest", "guest")
                  .get("changes")
                  .json()
                  .findValuesAsText("change"))
          .anyMatch(change -> change.contains("PUT /api/policies/%2F/short"))
          .anyMatch(change -> change.contains("queue 'lasting'"));
      run(broker, "add_user", "eve", "p");
      run(broker, "set_user_tags", "eve", "monitoring");
      assertThat(
              Http.as(broker.httpPort(), "eve", "p")
                  .get("changes")
                  .json()
                  .findValuesAsText("change"))
          .as("what a monitor sees")
          .anyMatch(change -> change.contains("queue 'lasting'"))
          .noneMatch(change -> change.contains("policies") || change.contains("ann"));
      run(broker, "set_log_level", "audit", "debug");
      try (Connection connection = broker.factory().newConnection()) {
        connection.createChannel().queueDeclare("brief", false, true, true, Map.of());
      }
      awaitLine(broker, "[debug] <audit> queue.created in vhost '/': queue 'brief'");
      awaitLine(broker, "[debug] <audit> queue.deleted in vhost '/': queue 'brief'");
    }
  }

  @Test
  void logTailPrintsTheLastLinesWithoutALogFile() throws Exception {
    try (EmbeddedBroker broker = start()) {
      broker.awaitLine(" ready in "); // It listens before it says so.
      assertThat(run(broker, "-q", "log_tail", "-N", "1000")).contains(" ready in ");
      assertThat(run(broker, "-q", "log_tail", "-N", "2").strip().lines()).hasSize(2);
      assertThat(run(broker, "log_location")).contains("<stdout>");
      ControlCommand.Outcome outcome =
          ControlCommand.of(broker).run("set_log_level", "nothing", "debug");
      assertThat(outcome.exit()).isNotZero();
      assertThat(outcome.toString()).contains("category nothing is not supported. Try one of");
      outcome = ControlCommand.of(broker).run("set_log_level", "queue", "loud");
      assertThat(outcome.toString()).contains("level loud is not supported. Try one of debug");
    }
  }

  @Test
  void jsonFormatterWritesAnObjectInEachLine() throws Exception {
    try (EmbeddedBroker broker =
        start(
            "log.file",
            "mayfly.log",
            "log.file.formatter",
            "json",
            "log.connection.level",
            "debug")) {
      try (Connection connection = broker.factory().newConnection("orders")) {
        assertThat(connection.isOpen()).isTrue();
      }
      Path file = directory.resolve("log/mayfly.log");
      Awaitility.await("a line about the connection")
          .atMost(Patience.TIME)
          .until(() -> Files.readString(file).contains("orders"));
      for (String line : Files.readAllLines(file)) {
        JsonNode object = new ObjectMapper().readTree(line);
        assertThat(object.path("level").asText()).isIn("debug", "info", "warning");
        assertThat(object.path("time").asText()).matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:.*\\+00:00");
        assertThat(object.path("msg").isTextual()).isTrue();
        assertThat(object.path("domain").asText()).startsWith("rabbitmq.");
      }
    }
  }

  @Test
  void logFileIsRotatedAndCompressed() throws Exception {
    try (EmbeddedBroker broker =
        start(
            "log.file",
            "m.log",
            "log.file.rotation.date",
            "$D0",
            "log.file.rotation.compress",
            "true")) {
      run(broker, "rotate_logs");
      Awaitility.await("the compressed file")
          .atMost(Patience.TIME)
          .until(() -> Files.exists(directory.resolve("log/m.log.0.gz")));
      run(broker, "rotate_logs");
      Awaitility.await("another one, and a new log")
          .atMost(Patience.TIME)
          .until(
              () ->
                  Files.exists(directory.resolve("log/m.log.1.gz"))
                      && Files.exists(directory.resolve("log/m.log")));
      for (String file : List.of("m.log", "m.log.0.gz", "m.log.1.gz")) {
        assertThat(Files.getPosixFilePermissions(directory.resolve("log").resolve(file)))
            .as(file)
            .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      }
      try (InputStream in =
          new GZIPInputStream(Files.newInputStream(directory.resolve("log/m.log.1.gz")))) {
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains(" [info] <");
      }
      assertThat(broker.isAlive()).isTrue();
    }
  }
}
