package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests TLS with clients other than Java, and the negotiated cipher suites. */
@BlackBox
@OwnBroker
class TlsClientsIT {
  private static final String AES_128 = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256";
  private static final String AES_256 = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384";

  /**
   * Two connections with one version of TLS, of which the second resumes the session of the first
   * if the server lets it. Python's OpenSSL asks for session tickets. Prints the version, whether
   * there was a ticket, whether the session was resumed, and how the answer begins.
   */
  private static final String TWO_CONNECTIONS =
      """
      import socket, ssl, sys
      port, version, authority, question = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
      context = ssl.create_default_context(cafile=authority)
      context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
      session = None
      for _ in range(2):
          plain = socket.create_connection(("127.0.0.1", port), 60)
          with context.wrap_socket(plain, server_hostname="127.0.0.1", session=session) as tls:
              tls.sendall(bytes.fromhex(question))
              begin = tls.recv(4)
              session = tls.session
              print(tls.version(), session.has_ticket, tls.session_reused, begin.hex())
      """;

  private static final String PROTOCOL_HEADER = "414d515000000901";

  /** A method's frame on channel 0. */
  private static final String CONNECTION_START = "01000000";

  private static final String WHOAMI =
      hex("GET /api/whoami HTTP/1.0\r\nAuthorization: Basic Z3Vlc3Q6Z3Vlc3Q=\r\n\r\n");
  private static final String HTTP_ANSWER = hex("HTTP");

  private static Certificate server;

  @TempDir Path directory;

  private final int amqps = Broker.freePort();
  private final int https = Broker.freePort();

  @BeforeAll
  static void certificate() throws Exception {
    server = Certificate.withRsaKey("CN=broker");
  }

  private static String hex(String text) {
    StringBuilder digits = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.US_ASCII)) {
      digits.append("%02x".formatted(b));
    }
    return digits.toString();
  }

  private EmbeddedBroker.Builder broker() {
    Path certificate = server.writeCertificate(directory.resolve("server.pem"));
    Path key = server.writeKey(directory.resolve("server.key"));
    return EmbeddedBroker.builder()
        .set("listeners.ssl.default", "127.0.0.1:" + amqps)
        .set("ssl_options.certfile", certificate)
        .set("ssl_options.keyfile", key)
        .set("management.ssl.ip", "127.0.0.1")
        .set("management.ssl.port", https)
        .set("management.ssl.certfile", certificate)
        .set("management.ssl.keyfile", key);
  }

  private static List<String> run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output.lines().toList();
  }

  private List<String> twoConnections(int port, String version, String question) throws Exception {
    String authority = directory.resolve("server.pem").toString();
    return run(
        "python3", "-c", TWO_CONNECTIONS, Integer.toString(port), version, authority, question);
  }

  @Test
  void pythonConnectsAndResumesItsSessionsInVersion12() throws Exception {
    try (EmbeddedBroker broker = broker().start()) {
      for (int port : new int[] {amqps, https}) {
        String question = port == amqps ? PROTOCOL_HEADER : WHOAMI;
        String answer = port == amqps ? CONNECTION_START : HTTP_ANSWER;
        assertThat(twoConnections(port, "TLSv1_2", question))
            .as("TLS 1.2 on port %d", port)
            .containsExactly("TLSv1.2 False False " + answer, "TLSv1.2 False True " + answer);
        assertThat(twoConnections(port, "TLSv1_3", question))
            .as("TLS 1.3 on port %d", port)
            .containsExactly("TLSv1.3 False False " + answer, "TLSv1.3 False False " + answer);
      }
      broker.stop();
      assertThat(broker.output()).noneMatch(line -> line.contains("TLS handshake failed"));
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void opensslConnects() throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, "openssl"))),
        "openssl is not installed");
    try (EmbeddedBroker broker = broker().start()) {
      for (int port : new int[] {amqps, https}) {
        for (String version : List.of("1_2", "1_3")) {
          assertThat(
                  run(
                      "openssl",
                      "s_client",
                      "-connect",
                      "127.0.0.1:" + port,
                      "-tls" + version,
                      "-brief",
                      "-verify_return_error",
                      "-CAfile",
                      directory.resolve("server.pem").toString()))
              .contains("CONNECTION ESTABLISHED", "Verification: OK")
              .contains("Protocol version: TLSv" + version.replace('_', '.'));
        }
      }
      assertThat(broker.stop()).isZero();
    }
  }

  /**
   * Returns the suite that a client with these suites, in order of preference, negotiates with a
   * port.
   */
  private String agreed(int port, String... suites) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            server
                .trusted()
                .getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(Patience.MILLIS);
      if (suites.length > 0) {
        socket.setEnabledCipherSuites(suites);
      }
      socket.startHandshake();
      return socket.getSession().getCipherSuite();
    }
  }

  @Test
  void suitesWithoutForwardSecrecyAreNotSupported() throws Exception {
    try (EmbeddedBroker broker = broker().start()) {
      for (int port : new int[] {amqps, https}) {
        assertThat(agreed(port)).startsWith("TLS_AES_");
        assertThat(agreed(port, AES_128)).isEqualTo(AES_128);
        assertThatThrownBy(() -> agreed(port, "TLS_RSA_WITH_AES_128_GCM_SHA256"))
            .isInstanceOf(SSLException.class);
      }
      assertThat(broker.stop()).isZero();
    }
  }

  @Test
  void theConfiguredSuitesAndTheirOrderAreUsed() throws Exception {
    try (EmbeddedBroker broker =
        broker()
            .set("ssl_options.ciphers.1", "ECDHE-RSA-AES128-GCM-SHA256")
            .set("ssl_options.ciphers.2", AES_256)
            .set("management.ssl.ciphers.1", AES_128)
            .set("management.ssl.ciphers.2", "ECDHE-RSA-AES256-GCM-SHA384")
            .set("management.ssl.honor_cipher_order", false)
            .start()) {
      assertThat(agreed(amqps, "TLS_AES_128_GCM_SHA256", AES_256, AES_128)).isEqualTo(AES_128);
      assertThat(agreed(https, AES_256, AES_128)).isEqualTo(AES_256);
      assertThat(agreed(https, AES_128, AES_256)).isEqualTo(AES_128);
      assertThatThrownBy(() -> agreed(amqps, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"))
          .isInstanceOf(IOException.class);
      assertThat(broker.stop()).isZero();
    }
  }

  @Test
  void unusableSuitesPreventTheStartWithAOneLineError() {
    assertRefused(
        broker().set("ssl_options.ciphers.1", "ECDHE-RSA-AES128-GCM-SHA257"),
        78,
        "mayfly: --set: bad value 'ECDHE-RSA-AES128-GCM-SHA257' for key 'ssl_options.ciphers.1':"
            + " expected the name of a cipher suite that Java offers, such as"
            + " ECDHE-RSA-AES256-GCM-SHA384 or TLS_AES_256_GCM_SHA384");
    assertRefused(
        broker().set("ssl_options.ciphers.1", "ECDHE-ECDSA-AES128-GCM-SHA256"),
        78,
        "mayfly: ssl_options.ciphers: none of these can be spoken by TLSv1.3 or TLSv1.2 with a key"
            + " of the kind RSA: TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    assertRefused(
        broker()
            .set("management.ssl.versions.1", "tlsv1.2")
            .set("management.ssl.ciphers.1", "TLS_AES_128_GCM_SHA256"),
        78,
        "mayfly: management.ssl.ciphers: none of these can be spoken by TLSv1.2 with a key of the"
            + " kind RSA: TLS_AES_128_GCM_SHA256");
  }

  private static void assertRefused(EmbeddedBroker.Builder builder, int exitCode, String... lines) {
    try (EmbeddedBroker broker = builder.launch()) {
      assertThat(broker.awaitExit()).isEqualTo(exitCode);
      assertThat(broker.output()).isEqualTo(Arrays.asList(lines));
    }
  }
}
