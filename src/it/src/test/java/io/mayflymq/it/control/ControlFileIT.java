package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests control of a broker by the owner of its data directory. */
@OwnBroker
class ControlFileIT {
  private static JsonNode file(EmbeddedBroker broker) throws IOException {
    return new ObjectMapper().readTree(Files.readString(path(broker)));
  }

  private static Path path(EmbeddedBroker broker) {
    return broker.data().resolve("mayfly.control");
  }

  private static Http control(EmbeddedBroker broker) throws IOException {
    JsonNode file = file(broker);
    return Http.withToken(file.path("url").asText(), file.path("token").asText());
  }

  @Test
  void theTokenHasTheRightsOfAnAdministrator() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path(broker))))
          .isEqualTo("rw-------");
      Http http = control(broker);
      assertThat(http.get("whoami").json().path("tags").get(0).asText()).isEqualTo("administrator");
      assertThat(http.put("queues/%2F/q", "{\"durable\":true}").status()).isEqualTo(201);
      assertThat(http.get("users").json()).hasSize(1);
      JsonNode status = http.send("GET", "/control/status", null).json();
      assertThat(status.path("product").asText()).isEqualTo("MayflyMQ");
      assertThat(status.path("pid").asLong()).isEqualTo(file(broker).path("pid").asLong());
      assertThat(status.path("totals").path("queues").asInt()).isEqualTo(1);
    }
  }

  @Test
  void aDeletedOrDamagedControlFileIsWrittenAgain() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      String content = Files.readString(path(broker));
      Files.delete(path(broker));
      Awaitility.await("the file").atMost(Patience.TIME).until(() -> Files.exists(path(broker)));
      assertThat(Files.readString(path(broker))).isEqualTo(content);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path(broker))))
          .isEqualTo("rw-------");
      Files.writeString(path(broker), "{}");
      Awaitility.await("its content")
          .atMost(Patience.TIME)
          .until(() -> Files.readString(path(broker)).equals(content));
      assertThat(control(broker).get("whoami").status()).isEqualTo(200);
      assertThat(broker.stop()).isZero();
      assertThat(path(broker)).doesNotExist();
    }
  }

  @Test
  void aWrongTokenIsRefused() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      String url = file(broker).path("url").asText();
      assertThat(Http.withToken(url, "0".repeat(64)).get("whoami").status()).isEqualTo(401);
      assertThat(Http.withToken(url, "").get("whoami").status()).isEqualTo(401);
    }
  }

  @Test
  void theTokenIsValidOnTheControlAddressOnly() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      String open = "http://127.0.0.1:" + broker.httpPort();
      Http http = Http.withToken(open, file(broker).path("token").asText());
      assertThat(http.get("whoami").status()).isEqualTo(401);
      Http guest = Http.as(broker.httpPort(), "guest", "guest");
      assertThat(guest.send("GET", "/control/status", null).status()).isEqualTo(404);
    }
  }

  @Test
  void theControlAddressWorksWithoutTheManagementListener() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("management.tcp.port", "none").start()) {
      assertThat(control(broker).get("overview").status()).isEqualTo(200);
    }
  }

  @Test
  void aStopRequestStopsTheBroker() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      assertThat(control(broker).send("POST", "/control/stop", null).status()).isEqualTo(202);
      assertThat(broker.awaitExit()).isZero();
      assertThat(path(broker)).doesNotExist();
    }
  }

  @Test
  void aManagementPortInUseIsReportedInOneLine() throws Exception {
    try (EmbeddedBroker first = EmbeddedBroker.builder().start()) {
      EmbeddedBroker second =
          EmbeddedBroker.builder().set("management.tcp.port", first.httpPort()).launch();
      assertThat(second.awaitExit()).isEqualTo(1);
      assertThat(second.output())
          .anyMatch(
              line ->
                  line.startsWith(
                      "mayfly: cannot listen for HTTP on 127.0.0.1:"
                          + first.httpPort()
                          + " (key management.tcp.port): "));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), first.httpPort())) {
        assertThat(socket.isConnected()).isTrue();
      }
    }
  }

  @Test
  void setsTheLimitsOfMemoryAndDisk() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      Http http = control(broker);
      for (String path : List.of("vm-memory-high-watermark", "disk-free-limit")) {
        Http.Reply bad = http.send("PUT", "/control/" + path, "{\"relative\":-1}");
        assertThat(bad.status()).isEqualTo(400);
        assertThat(bad.reason()).contains("relative", "actually was -1");
        assertThat(http.send("PUT", "/control/" + path, "{\"absolute\":-5}").status())
            .isEqualTo(400);
        assertThat(http.send("PUT", "/control/" + path, "{}").status()).isEqualTo(400);
      }
      assertThat(http.get("health/checks/alarms").status()).isEqualTo(200);
      String everything = "{\"absolute\":1000000000000000}";
      assertThat(http.send("PUT", "/control/disk-free-limit", everything).status()).isEqualTo(204);
      Awaitility.await("the alarm")
          .atMost(Patience.TIME)
          .until(() -> http.get("health/checks/alarms").status() == 503);
      JsonNode node = http.get("nodes").json().get(0);
      assertThat(node.path("disk_free_alarm").asBoolean()).isTrue();
      assertThat(node.path("mem_alarm").asBoolean()).isFalse();
      assertThat(http.send("PUT", "/control/disk-free-limit", "{\"absolute\":0}").status())
          .isEqualTo(204);
      Awaitility.await("the end of the alarm")
          .atMost(Patience.TIME)
          .until(() -> http.get("health/checks/alarms").status() == 200);
    }
  }

  @Test
  void setsTheLogLevelAndRotatesTheLog() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("log.file", "b.log").start()) {
      Http http = control(broker);
      Path log = broker.data().resolve("log/b.log");
      assertThat(log).exists();
      Files.move(log, log.resolveSibling("b.old"));
      assertThat(http.send("POST", "/control/rotate-logs", null).json().path("rotated").asBoolean())
          .isTrue();
      assertThat(log).exists();
      assertThat(http.send("PUT", "/control/log-level", "{\"level\":\"debug\"}").status())
          .isEqualTo(204);
      Http.Reply unknown = http.send("PUT", "/control/log-level", "{\"level\":\"loud\"}");
      assertThat(unknown.status()).isEqualTo(400);
      assertThat(unknown.reason()).contains("'loud'", "debug, info");
    }
  }
}
