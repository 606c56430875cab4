package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which certificates of clients are accepted, and whose they are. An authority of OpenSSL's. */
@OwnBroker
class ClientCertificatesIT {
  private static final String PASSWORD = "changeit";

  @TempDir Path directory;

  private final int port = Broker.freePort();
  private Certificate server;

  @BeforeEach
  void authority() throws Exception {
    server = Certificate.of("CN=broker");
    Files.writeString(directory.resolve("index.txt"), "");
    Files.writeString(directory.resolve("crlnumber"), "01\n");
    Files.writeString(
        directory.resolve("ca.cnf"),
        """
        [req]
        distinguished_name = none
        [none]
        [ca]
        default_ca = authority
        [authority]
        database = %1$s/index.txt
        crlnumber = %1$s/crlnumber
        certificate = %1$s/ca.pem
        private_key = %1$s/ca.key
        default_md = sha256
        default_crl_days = 2
        """
            .formatted(directory));
    openssl(
        "req -x509 -config ca.cnf -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
            + " -subj /CN=authority -addext basicConstraints=critical,CA:true"
            + " -addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.pem");
    Files.createDirectory(directory.resolve("lists"));
    Files.createDirectory(directory.resolve("trusted"));
  }

  private void openssl(String arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(List.of(arguments.split(" ")));
    Path output = directory.resolve("openssl.log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }

  /** Has the authority sign a certificate. */
  private Certificate signed(String name, String alternativeNames) throws Exception {
    Files.writeString(
        directory.resolve(name + ".ext"),
        alternativeNames.isEmpty() ? "" : "subjectAltName=" + alternativeNames);
    openssl(
        "req -config ca.cnf -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=%1$s"
                .formatted(name)
            + " -keyout %1$s.key -out %1$s.csr".formatted(name));
    openssl(
        "x509 -req -in %1$s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile %1$s.ext -out %1$s.pem"
            .formatted(name));
    openssl(
        "pkcs12 -export -name it -inkey %1$s.key -in %1$s.pem -passout pass:%2$s -out %1$s.p12"
            .formatted(name, PASSWORD));
    return Certificate.read(directory.resolve(name + ".p12"));
  }

  private void revoke(String name) throws Exception {
    openssl("ca -config ca.cnf -revoke %s.pem".formatted(name));
    publishList();
  }

  private void publishList() throws Exception {
    openssl("ca -config ca.cnf -gencrl -out new.crl");
    Files.move(
        directory.resolve("new.crl"),
        directory.resolve("lists").resolve("authority-" + System.nanoTime() + ".crl"));
  }

  private EmbeddedBroker.Builder broker() {
    return EmbeddedBroker.builder()
        .set("auth_mechanisms.1", "PLAIN")
        .set("auth_mechanisms.2", "EXTERNAL")
        .set("listeners.ssl.default", "127.0.0.1:" + port)
        .set("ssl_options.certfile", server.writeCertificate(directory.resolve("server.pem")))
        .set("ssl_options.keyfile", server.writeKey(directory.resolve("server.key")))
        .set("ssl_options.verify", "verify_peer")
        .set("ssl_options.fail_if_no_peer_cert", "true");
  }

  private Connection connect(Certificate client) throws Exception {
    ConnectionFactory factory = Target.factory(port);
    factory.useSslProtocol(server.trustedBy(client));
    return factory.newConnection();
  }

  private void assertRefused(Certificate client) {
    assertThatThrownBy(() -> connect(client).close()).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "email, 0, ann@shop.example",
    "dns, 1, second.example",
    "ip, 0, 10.0.0.7",
    "other_name, 0, ann@directory"
  })
  void alternativeNameIsTheUser(String type, int index, String user) throws Exception {
    Certificate ann =
        signed(
            "ann",
            "DNS:first.example,DNS:second.example,IP:10.0.0.7,email:ann@shop.example,"
                + "otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ann@directory");
    Path definitions =
        Files.writeString(
            directory.resolve("definitions.json"),
            """
            {"vhosts":[{"name":"/"}],
             "users":[{"name":"%1$s","password_hash":"","tags":""}],
             "permissions":[
               {"user":"%1$s","vhost":"/","configure":".*","write":".*","read":".*"}]}
            """
                .formatted(user));
    EmbeddedBroker.Builder configured =
        broker()
            .set("load_definitions", definitions)
            .set("ssl_options.cacertfile", directory.resolve("ca.pem"))
            .set("ssl_cert_login_from", "subject_alternative_name")
            .set("ssl_cert_login_san_type", type)
            .set("ssl_cert_login_san_index", index);
    try (EmbeddedBroker broker = configured.start()) {
      ConnectionFactory factory = Target.factory(port);
      factory.useSslProtocol(server.trustedBy(ann));
      factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      try (Connection connection = factory.newConnection()) {
        assertThat(connection.isOpen()).isTrue();
        broker.awaitLine("user '" + user + "' opened vhost '/'");
      }
      ConnectionFactory nameless = Target.factory(port);
      nameless.useSslProtocol(server.trustedBy(signed("bob", "")));
      nameless.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      assertThatThrownBy(nameless::newConnection).hasMessageContaining("ACCESS_REFUSED");
      broker.awaitLine("EXTERNAL login refused: no name in the certificate of CN=bob");
    }
  }

  @Test
  void revokedCertificatesAreRefusedAsSoonAsAListSaysSo() throws Exception {
    Certificate ann = signed("ann", "");
    Certificate bob = signed("bob", "");
    revoke("bob");
    EmbeddedBroker.Builder checking =
        broker()
            .set("ssl_options.cacertfile", directory.resolve("ca.pem"))
            .set("ssl_options.crl_check", "true")
            .set("ssl_options.crl_sources.1", "dir")
            .set("ssl_options.crl_sources.1.path", directory.resolve("lists"));
    try (EmbeddedBroker broker = checking.start()) {
      connect(ann).close();
      assertRefused(bob);
      // Beside the list before, which is valid too.
      revoke("ann");
      assertRefused(ann);
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"true, false", "peer, false", "best_effort, true"})
  void withoutAListOfTheAuthorityTheCheckDecides(String check, boolean isAccepted)
      throws Exception {
    Certificate ann = signed("ann", "");
    EmbeddedBroker.Builder checking =
        broker()
            .set("ssl_options.cacertfile", directory.resolve("ca.pem"))
            .set("ssl_options.crl_check", check)
            .set("ssl_options.crl_sources.1.path", directory.resolve("lists"));
    try (EmbeddedBroker broker = checking.start()) {
      if (isAccepted) {
        connect(ann).close();
      } else {
        assertRefused(ann);
      }
      assertThat(broker.isAlive()).isTrue();
    }
  }

  @Test
  void certificatesOfADirectoryAreAcceptedUntilTheyAreTakenOut() throws Exception {
    Certificate ann = Certificate.of("CN=ann");
    Certificate bob = Certificate.of("CN=bob");
    Certificate signed = signed("signed", "");
    Path ofAnn = ann.writeCertificate(directory.resolve("trusted").resolve("ann.pem"));
    EmbeddedBroker.Builder trusting =
        broker().set("trust_store.directory", directory.resolve("trusted"));
    try (EmbeddedBroker broker = trusting.start()) {
      connect(ann).close();
      assertRefused(bob);
      assertRefused(signed);
      bob.writeCertificate(directory.resolve("trusted").resolve("bob.pem"));
      connect(bob).close();
      Files.delete(ofAnn);
      assertRefused(ann);
      Files.delete(directory.resolve("trusted").resolve("bob.pem"));
      assertRefused(bob);
      assertThat(broker.isAlive()).isTrue();
    }
    try (EmbeddedBroker broker =
        trusting.set("ssl_options.cacertfile", directory.resolve("ca.pem")).start()) {
      connect(signed).close();
      assertRefused(ann);
      assertThat(broker.isAlive()).isTrue();
    }
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    Path wrong = Files.writeString(directory.resolve("lists").resolve("wrong.crl"), "no list");
    EmbeddedBroker.Builder checking =
        broker()
            .set("ssl_options.cacertfile", directory.resolve("ca.pem"))
            .set("ssl_options.crl_check", "true")
            .set("ssl_options.crl_sources.1.path", directory.resolve("lists"));
    try (EmbeddedBroker broker = checking.launch()) {
      assertThat(broker.awaitExit()).isEqualTo(78);
      assertThat(broker.output())
          .singleElement()
          .asString()
          .startsWith("mayfly: ssl_options.crl_sources: " + wrong + " holds no revocation list");
    }
    Path missing = directory.resolve("missing");
    try (EmbeddedBroker broker = broker().set("trust_store.directory", missing).launch()) {
      assertThat(broker.awaitExit()).isEqualTo(78);
      assertThat(broker.output())
          .containsExactly(
              "mayfly: trust_store.directory: cannot read the directory "
                  + missing
                  + ": NoSuchFileException");
    }
  }
}
