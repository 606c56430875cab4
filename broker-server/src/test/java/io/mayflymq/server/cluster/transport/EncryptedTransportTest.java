package io.mayflymq.server.cluster.transport;

import static io.mayflymq.server.cluster.transport.TransportRig.call;
import static io.mayflymq.server.cluster.transport.TransportRig.failureOfCall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.cluster.transport.TransportRig.Node;
import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that talk by TLS, with certificates made by the JDK's keytool. */
class EncryptedTransportTest {
  private static final String PASSWORD = "changeit";

  @TempDir static Path directory;
  private static TlsSettings ours;
  private static TlsSettings others;

  private final TransportRig rig = new TransportRig();

  @BeforeAll
  static void makeCertificates() throws Exception {
    ours = make("ours");
    others = make("others");
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Makes a certificate that is its own authority. */
  private static TlsSettings make(String name) throws Exception {
    Path file = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    Path certificate = pem(name, "CERTIFICATE", store.getCertificate(name).getEncoded());
    Path key = pem(name, "PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
    return new TlsSettings(
        "cluster.ssl",
        "cluster.ssl.certfile",
        Optional.of(certificate),
        Optional.of(key),
        Optional.of(certificate),
        Optional.empty(),
        Optional.empty(),
        true,
        true,
        List.of("TLSv1.3", "TLSv1.2"),
        List.of(),
        true,
        Optional.empty());
  }

  private static Path pem(String name, String kind, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        directory.resolve(name + "-" + kind.substring(0, 4) + ".pem"),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind));
  }

  @Test
  void nodesOfOneAuthorityTalk() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").tls(ours));
    NodeTransport b = rig.start(new Node("b@host").tls(ours));
    assertThat(call(a, "b@host", "one")).isEqualTo("a@host: one");
    assertThat(call(b, "a@host", "two")).isEqualTo("b@host: two");
  }

  @Test
  void certificateOfAnotherAuthorityIsRefused() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").tls(ours));
    rig.start(new Node("b@host").tls(others));
    assertThat(failureOfCall(a, "b@host")).hasMessageContaining("TLS: ");
    assertThat(rig.lines("no connection to node b@host at")).hasSize(1);
  }

  @Test
  void nodeWithTlsAndOneWithoutSaySo() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").tls(ours));
    NodeTransport b = rig.start("b@host");
    failureOfCall(a, "b@host");
    failureOfCall(b, "a@host");
    TransportRig.until(() -> !rig.lines("cluster.ssl must be set on all nodes").isEmpty());
    TransportRig.until(
        () -> !rig.lines("not the protocol between nodes; are address, port").isEmpty());
  }

  @Test
  void anotherSecretIsRefusedByTlsToo() throws Exception {
    NodeTransport a = rig.start(new Node("a@host").tls(ours));
    rig.start(new Node("b@host").tls(ours).secret("another"));
    assertThat(failureOfCall(a, "b@host")).hasMessageContaining("cluster.secret is not the same");
  }

  @Test
  void missingCertificateIsNamed() {
    TlsSettings none =
        new TlsSettings(
            "cluster.ssl",
            "cluster.ssl.certfile",
            Optional.of(directory.resolve("none.pem")),
            ours.key(),
            ours.authorities(),
            Optional.empty(),
            Optional.empty(),
            true,
            true,
            ours.versions(),
            List.of(),
            true,
            Optional.empty());
    assertThatThrownBy(() -> rig.start(new Node("a@host").tls(none)))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith("cluster.ssl.certfile: cannot read ");
  }
}
