package io.mayflymq.it.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests the log lines about connections: they name the client and the reason, once, on one line.
 */
@BlackBox
@OwnBroker
class ConnectionLogIT {
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker = EmbeddedBroker.builder().set("handshake_timeout", 60_000).start();
  }

  @AfterAll
  static void stop() {
    broker.stop();
    assertThat(broker.complaints()).isEmpty();
  }

  private static List<String> linesAbout(RawClient client) {
    return broker.output().stream()
        .filter(line -> line.contains("127.0.0.1:" + client.localPort() + " -> "))
        .toList();
  }

  private static String sockets(RawClient client) {
    return "127.0.0.1:%d -> 127.0.0.1:%d".formatted(client.localPort(), broker.port());
  }

  /** A regular expression for the description of an open connection of guest. */
  private static String guest(RawClient client, String name) {
    return "<\\S+> \\(%s%s, vhost: '/', user: 'guest'\\)".formatted(sockets(client), name);
  }

  /**
   * Waits until there are so many lines about a client, and then that there are no more when the
   * broker has written all: it writes in order, and says something about another client after.
   */
  private static List<String> allLinesAbout(RawClient client) throws Exception {
    try (RawClient last = new RawClient(broker.port())) {
      last.raw("last".getBytes(StandardCharsets.US_ASCII)).readToEnd();
      await().atMost(Patience.TIME).until(() -> !linesAbout(last).isEmpty());
    }
    return linesAbout(client);
  }

  private static void named(RawClient client, String name) throws Exception {
    client.start();
    client.startOk(
        "PLAIN",
        "\0guest\0guest",
        new RawWriter().shortString("connection_name").uint8('S').longString(name));
    client.expect(10, 30);
    client.tuneOk(2047, 131_072, 0);
    client.openVirtualHost("/");
    client.channelOpen(1);
  }

  private static void passiveDeclare(RawClient client, String queue) throws Exception {
    client.method(
        1, RawWriter.method(50, 10).uint16(0).shortString(queue).uint8(1).table(new RawWriter()));
  }

  @Test
  void theLogOfAChannelErrorNamesConnectionUserAndMethod() throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      named(client, "orders");
      passiveDeclare(client, "missing");
      client.expectChannelClose(1, 404);
      assertThat(allLinesAbout(client))
          .hasSize(2)
          .anyMatch(
              line ->
                  line.matches(
                      ".* \\[warning] <ConnectionLog> Channel error on connection "
                          + guest(client, " - orders")
                          + ", channel 1: operation queue.declare caused a channel exception"
                          + " not_found: no queue 'missing' in vhost '/'"));
    }
  }

  @Test
  void aClientNameWithALineBreakCannotAddALogLine() throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      named(client, "a\n2026-01-01 00:00:00.000 [error] <Daemon> forged");
      passiveDeclare(client, "b\r\n2026-01-01 00:00:00.000 [error] <Daemon> forged\u001b[2J");
      client.expectChannelClose(1, 404);
      assertThat(allLinesAbout(client))
          .hasSize(2)
          .anyMatch(line -> line.contains("no queue 'b2026-01-01") && line.contains("\\u001b"))
          .allMatch(line -> line.contains(" - a\\n2026-01-01"));
    }
    assertThat(broker.output()).noneMatch(line -> line.startsWith("2026-01-01 00:00:00.000"));
  }

  @Test
  void logLinesAboutChannelErrorsAreLimited() throws Exception {
    try (RawClient client = RawClient.openChannel(broker.port())) {
      for (int i = 0; i < 500; i++) {
        passiveDeclare(client, "missing");
        client.expectChannelClose(1, 404);
      }
      client.method(0, RawWriter.method(10, 50).uint16(200).shortString("bye").uint16(0).uint16(0));
      client.expect(10, 51);
    }
    await()
        .atMost(Patience.TIME)
        .until(
            () -> broker.output().stream().anyMatch(line -> line.contains("such lines left out")));
    assertThat(broker.output())
        .filteredOn(line -> line.contains("Channel error"))
        .hasSizeLessThan(250);
  }

  @Test
  void aConnectionErrorIsLoggedOnce() throws Exception {
    try (RawClient client = RawClient.openChannel(broker.port())) {
      client.method(1, RawWriter.method(60, 90).uint16(0).uint8(0));
      client.expectConnectionClose(501);
      assertThat(allLinesAbout(client))
          .hasSize(2)
          .anyMatch(
              line ->
                  line.matches(
                      ".* Error on AMQP connection "
                          + guest(client, "")
                          + ", channel \\d: operation basic.reject caused a connection exception"
                          + " frame_error: .*"));
    }
  }

  @Test
  void aHeartbeatTimeoutIsNotLoggedAsAClientClose() throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      client.tune(2047, 131_072, 1);
      client.openVirtualHost("/");
      client.readToEnd();
      assertThat(allLinesAbout(client))
          .hasSize(2)
          .anyMatch(
              line ->
                  line.matches(
                      ".* closing AMQP connection "
                          + guest(client, "")
                          + ": missed heartbeats from client, timeout: 1s"));
    }
  }

  @Test
  void aClientThatDisconnectsWithoutCloseIsLogged() throws Exception {
    RawClient open = RawClient.open(broker.port());
    RawClient loggedIn = new RawClient(broker.port());
    RawClient unknown = new RawClient(broker.port());
    loggedIn.login();
    unknown.start();
    List<RawClient> clients = List.of(open, loggedIn, unknown);
    String gone = "client unexpectedly closed TCP connection";
    for (RawClient client : clients) {
      client.close();
      await()
          .atMost(Patience.TIME)
          .until(() -> linesAbout(client).stream().anyMatch(line -> line.endsWith(gone)));
    }
    assertThat(linesAbout(open))
        .anyMatch(line -> line.matches(".*" + guest(open, "") + ": " + gone));
    assertThat(linesAbout(loggedIn))
        .singleElement()
        .matches(line -> line.contains(sockets(loggedIn) + " (user: 'guest'): " + gone));
    assertThat(linesAbout(unknown))
        .singleElement()
        .matches(line -> line.contains(sockets(unknown) + ": " + gone));
  }

  @Test
  void aRefusedLoginIsLoggedOnce() throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      client.start();
      client.startOk("PLAIN", "\0guest\0wrong", new RawWriter());
      client.readToEnd();
      assertThat(allLinesAbout(client))
          .singleElement()
          .matches(
              line -> line.endsWith("PLAIN login refused: user 'guest' - invalid credentials"));
    }
  }

  @Test
  void aClientOfAnotherProtocolIsRefusedImmediatelyWithAnExplanation() throws Exception {
    assertThat(refused("\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003"))
        .endsWith(
            "not an AMQP 0-9-1 client: it speaks TLS, which this port does not"
                + " (listeners.ssl is for TLS)");
    assertThat(refused("GET / HTTP/1.1\r\nHost: broker\r\n\r\n"))
        .endsWith("not an AMQP 0-9-1 client: it speaks HTTP (management.tcp.port is for HTTP)");
    assertThat(refused("hi\n")).endsWith("not an AMQP 0-9-1 client: it began with 'hi\\n'");
  }

  /** The one line about a client that begins like this and is answered with the header. */
  private static String refused(String begin) throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      client.raw(begin.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(new String(client.readToEnd(), StandardCharsets.ISO_8859_1))
          .isIn("AMQP\0\0\11\1", "");
      List<String> lines = allLinesAbout(client);
      assertThat(lines).hasSize(1);
      return lines.get(0);
    }
  }
}
