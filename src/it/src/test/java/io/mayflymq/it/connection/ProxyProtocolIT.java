package io.mayflymq.it.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests connections through a proxy that sends the header of the PROXY protocol. */
@BlackBox
@OwnBroker
class ProxyProtocolIT {
  private static final String SIGNATURE = "0D0A0D0A000D0A515549540A";
  private static final int ACCESS_REFUSED = 403;
  private static final int GUESSES = 12;

  private static final int TLS_PORT = Broker.freePort();
  private static Certificate certificate;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    certificate = Certificate.of("CN=broker");
    broker =
        EmbeddedBroker.builder()
            .trackingAllBuffers()
            .set("proxy_protocol", true)
            .set("handshake_timeout", 3000)
            .set("listeners.ssl.default", "127.0.0.1:" + TLS_PORT)
            .set("ssl_options.certfile", certificate.writeCertificate(directory.resolve("c.pem")))
            .set("ssl_options.keyfile", certificate.writeKey(directory.resolve("k.pem")))
            .start();
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  private static byte[] version1(String source, int port) {
    return "PROXY TCP4 %s 198.51.100.1 %d 5672\r\n"
        .formatted(source, port)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** A header of version 2 from 127.0.0.9 with a port, with a TLV of the type NOOP behind it. */
  private static byte[] version2(int port) {
    return HexFormat.of()
        .parseHex(
            SIGNATURE
                + "2111"
                + "0011"
                + "7F000009"
                + "C6336401"
                + "%04X".formatted(port)
                + "1628"
                + "0400020000");
  }

  private static void assertSeen(int port) {
    Http http = Http.as(broker.httpPort(), "guest", "guest");
    await()
        .untilAsserted(
            () -> {
              JsonNode seen = null;
              for (JsonNode each : http.get("connections").json()) {
                if (each.path("peer_port").asInt() == port) {
                  seen = each;
                }
              }
              assertThat(seen).isNotNull();
              assertThat(seen.path("peer_host").asText()).isEqualTo("127.0.0.9");
              assertThat(seen.path("host").asText()).isEqualTo("198.51.100.1");
              assertThat(seen.path("name").asText())
                  .isEqualTo("127.0.0.9:" + port + " -> 198.51.100.1:5672");
            });
    broker.awaitLine("127.0.0.9:" + port + " -> 198.51.100.1:5672");
  }

  private static RawClient through(byte... header) throws IOException {
    return new RawClient(broker.port()).raw(header);
  }

  @Test
  void addressOfTheHeaderIsShownByTheApiAndTheLog() throws Exception {
    try (RawClient client = through(version1("127.0.0.9", 1111))) {
      client.tune(2047, 131072, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      assertSeen(1111);
    }
    try (RawClient client = through(version2(2222))) {
      client.tune(2047, 131072, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      assertSeen(2222);
    }
  }

  @Test
  void headerPrecedesTls() throws Exception {
    for (byte[] header : new byte[][] {version1("127.0.0.9", 3333), version2(4444)}) {
      int port = header[0] == 'P' ? 3333 : 4444;
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), TLS_PORT)) {
        socket.getOutputStream().write(header);
        SSLContext tls = certificate.trusted();
        SSLSocket encrypted =
            (SSLSocket) tls.getSocketFactory().createSocket(socket, "127.0.0.1", TLS_PORT, true);
        encrypted.startHandshake();
        try (RawClient client = new RawClient(encrypted)) {
          client.tune(2047, 131072, 0);
          client.openVirtualHost("/");
          client.channelOpen(1);
          assertSeen(port);
        }
      }
    }
  }

  @Test
  void loopbackUserIsRefusedByTheAddressOfTheHeader() throws Exception {
    try (RawClient client = through(version1("203.0.113.7", 5555))) {
      client.start();
      client.startOk("PLAIN", "\0guest\0guest", new RawWriter());
      client.expectRefusal(ACCESS_REFUSED);
    }
    broker.awaitLine("203.0.113.7:5555 -> 198.51.100.1:5672");
  }

  /** Each comes from another address of this machine, so only the header is the same. */
  @Test
  void wrongPasswordsAreCountedByTheAddressOfTheHeader() throws Exception {
    try (EmbeddedBroker patient = EmbeddedBroker.builder().set("proxy_protocol", true).start()) {
      List<RawClient> guessing = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < GUESSES; i++) {
        InetAddress own = InetAddress.getByName("127.0.1." + (i + 1));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), patient.port(), own, 0);
        RawClient client = new RawClient(socket).raw(version1("203.0.113.8", 6000 + i));
        client.start();
        client.startOk("PLAIN", "\0guest\0wrong", new RawWriter());
        guessing.add(client);
      }
      for (RawClient client : guessing) {
        client.expectRefusal(ACCESS_REFUSED);
        client.close();
      }
      // The first refusal of an address is not delayed, the twelfth is for five seconds.
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(4));
    }
  }

  @Test
  void healthCheckOfTheProxyHasTheAddressOfTheSocket() throws Exception {
    try (RawClient client = through(HexFormat.of().parseHex(SIGNATURE + "20000000"))) {
      client.tune(2047, 131072, 0);
      client.openVirtualHost("/");
      broker.awaitLine("127.0.0.1:" + client.localPort() + " -> 127.0.0.1:" + broker.port());
    }
  }

  @Test
  void connectionWithoutAHeaderIsRefusedWithALogLine() throws Exception {
    try (RawClient client = through("AMQP\0\0\u0009\u0001".getBytes(StandardCharsets.US_ASCII))) {
      client.expectEnd();
      broker.awaitLine(
          "127.0.0.1:"
              + client.localPort()
              + " -> 127.0.0.1:"
              + broker.port()
              + ": expected a header of the PROXY protocol (proxy_protocol = true): it began with"
              + " 'AMQP");
    }
    try (RawClient client =
        through("PROXY TCP4 here there 1 2\r\n".getBytes(StandardCharsets.US_ASCII))) {
      client.expectEnd();
      broker.awaitLine(
          "127.0.0.1:" + client.localPort() + " -> 127.0.0.1:" + broker.port() + ": expected");
    }
  }

  @Test
  void connectionWithAnIncompleteHeaderIsClosedInTime() throws Exception {
    try (RawClient client = through("PROXY TCP4 127".getBytes(StandardCharsets.US_ASCII))) {
      client.expectEnd();
      broker.awaitLine(
          "127.0.0.1:"
              + client.localPort()
              + " -> 127.0.0.1:"
              + broker.port()
              + ": handshake timed out");
    }
  }

  @Test
  void logOfABrokerThatExpectsNoHeaderNamesTheKey() throws Exception {
    try (EmbeddedBroker plain = EmbeddedBroker.builder().start();
        RawClient client = new RawClient(plain.port())) {
      client.raw(version1("127.0.0.9", 1111));
      client.readToEnd();
      await()
          .until(
              () ->
                  plain.output().stream()
                      .anyMatch(line -> line.contains("(proxy_protocol = true reads it)")));
    }
  }
}
