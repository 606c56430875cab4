package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.impl.nio.NioParams;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests AMQP over TLS, and login with a client certificate. */
@BlackBox
@OwnBroker
class TlsIT {
  private static final String NO_TLS =
      "the client does not speak TLS, and this port speaks nothing else";

  private static Certificate server;
  private static Certificate ann;

  @TempDir Path directory;

  private final int port = Broker.freePort();

  @BeforeAll
  static void certificates() throws Exception {
    server = Certificate.of("CN=broker");
    ann = Certificate.of("CN=ann,O=shop");
  }

  private EmbeddedBroker.Builder broker() {
    return EmbeddedBroker.builder()
        .trackingAllBuffers()
        .set("listeners.ssl.default", "127.0.0.1:" + port)
        .set("ssl_options.certfile", server.writeCertificate(directory.resolve("server.pem")))
        .set("ssl_options.keyfile", server.writeKey(directory.resolve("server.key")));
  }

  private EmbeddedBroker.Builder verifying() throws IOException {
    Path definitions =
        Files.writeString(
            directory.resolve("definitions.json"),
            """
            {"vhosts":[{"name":"/"}],
             "users":[{"name":"ann","password_hash":"","tags":""},
                      {"name":"CN=ann,O=shop","password_hash":"","tags":""},
                      {"name":"guest","password":"guest","tags":"administrator"}],
             "permissions":[
               {"user":"guest","vhost":"/","configure":".*","write":".*","read":".*"},
               {"user":"ann","vhost":"/","configure":"^ann","write":"","read":""},
               {"user":"CN=ann,O=shop","vhost":"/","configure":"^shop","write":"","read":""}]}
            """);
    return broker()
        .set("auth_mechanisms.1", "PLAIN")
        .set("auth_mechanisms.2", "EXTERNAL")
        .set("load_definitions", definitions)
        .set("ssl_options.verify", "verify_peer")
        .set("ssl_options.cacertfile", ann.writeCertificate(directory.resolve("ca.pem")));
  }

  private ConnectionFactory factory(SSLContext context) {
    ConnectionFactory factory = Target.factory(port);
    factory.useSslProtocol(context);
    factory.enableHostnameVerification();
    return factory;
  }

  private ConnectionFactory external(Certificate client) throws Exception {
    ConnectionFactory factory = factory(server.trustedBy(client));
    factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
    return factory;
  }

  @Test
  void messagesOfAllSizesArePublishedAndDelivered() throws Exception {
    try (EmbeddedBroker broker = broker().start()) {
      try (Connection connection = factory(server.trusted()).newConnection()) {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        channel.queueDeclare("q", false, false, false, null);
        for (int size : new int[] {0, 1, 16_000, 3_000_000}) {
          byte[] body = new byte[size];
          Arrays.fill(body, (byte) size);
          channel.basicPublish("", "q", null, body);
          channel.waitForConfirmsOrDie(Patience.MILLIS);
          assertThat(channel.basicGet("q", true).getBody()).isEqualTo(body);
        }
      }
      assertThat(broker.stop()).isZero();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  /** Expects the server's Finished in a separate record, and accepts no session ticket. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  @SuppressWarnings("deprecation") // the client's NIO layer, which programs use all the same
  void theJavaClientOnNioConnects(String version) throws Exception {
    try (EmbeddedBroker broker = broker().start()) {
      ConnectionFactory factory = factory(server.trusted());
      factory.useNio();
      NioParams nio = new NioParams();
      nio.setSslEngineConfigurator(engine -> engine.setEnabledProtocols(new String[] {version}));
      factory.setNioParams(nio);
      for (int i = 0; i < 3; i++) {
        try (Connection connection = factory.newConnection()) {
          Channel channel = connection.createChannel();
          channel.queueDeclare("q", false, false, false, null);
          channel.basicPublish("", "q", null, new byte[100_000]);
          assertThat(channel.basicGet("q", true).getBody()).hasSize(100_000);
        }
      }
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void clientsThatDoNotTrustTheServerOrUsePlainTextAreDisconnected() throws Exception {
    try (EmbeddedBroker broker = broker().set("handshake_timeout", 60_000).start()) {
      assertThatThrownBy(() -> factory(ann.trusted()).newConnection())
          .isInstanceOf(SSLException.class);
      try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
        plain.setSoTimeout(Patience.MILLIS);
        plain.getOutputStream().write("AMQP\0\0\11\1".getBytes(StandardCharsets.ISO_8859_1));
        byte[] answer = plain.getInputStream().readAllBytes();
        assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("AMQP");
      }
      await()
          .untilAsserted(
              () ->
                  assertThat(broker.output())
                      .filteredOn(line -> line.contains("TLS handshake failed"))
                      .hasSize(2)
                      .allMatch(line -> line.contains("connection 127.0.0.1:"))
                      .anyMatch(line -> line.endsWith(NO_TLS)));
      factory(server.trusted()).newConnection().close();
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void aNewCertificateIsUsedWithoutARestart() throws Exception {
    Certificate renewed = Certificate.of("CN=renewed");
    try (EmbeddedBroker broker = broker().start();
        Connection old = factory(server.trusted()).newConnection()) {
      // The certificate first: it does not match the key, so what was there stays in use.
      renewed.writeCertificate(directory.resolve("server.pem"));
      factory(server.trusted()).newConnection().close();
      assertThat(broker.output())
          .anyMatch(line -> line.contains("is not the key of the certificate in"));

      renewed.writeKey(directory.resolve("server.key"));
      await()
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .until(
              () -> {
                factory(renewed.trusted()).newConnection().close();
                return true;
              });
      assertThatThrownBy(() -> factory(server.trusted()).newConnection())
          .isInstanceOf(SSLException.class);
      old.createChannel().queueDeclare();
    }
  }

  @Test
  void theCertificateIdentifiesTheUser() throws Exception {
    try (EmbeddedBroker broker = verifying().start()) {
      try (Connection connection = external(ann).newConnection()) {
        connection.createChannel().queueDeclare("shop", false, true, false, null);
      }
      try (Connection connection = factory(server.trusted()).newConnection()) {
        assertThat(connection.isOpen()).as("a client without certificate, by PLAIN").isTrue();
      }
      ConnectionFactory anonymous = factory(server.trusted());
      anonymous.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      assertThatThrownBy(anonymous::newConnection)
          .hasMessageContaining(
              "ACCESS_REFUSED - Login was refused using authentication mechanism EXTERNAL. For"
                  + " details see the broker logfile.");
      broker.awaitLine("EXTERNAL login refused: client sent no certificate");
    }
    EmbeddedBroker.Builder byCommonName = verifying().set("ssl_cert_login_from", "common_name");
    try (EmbeddedBroker broker = byCommonName.start();
        Connection connection = external(ann).newConnection()) {
      connection.createChannel().queueDeclare("ann", false, true, false, null);
      broker.awaitLine("user 'ann' opened vhost '/'");
    }
  }

  @Test
  void theManagementApiShowsTls() throws Exception {
    try (EmbeddedBroker broker = verifying().start();
        Connection plain = broker.factory().newConnection("plain");
        Connection encrypted = external(ann).newConnection("encrypted")) {
      Http http = Http.as(broker.httpPort(), "guest", "guest");
      JsonNode withTls = connection(http, encrypted);
      assertThat(withTls.path("ssl").asBoolean()).isTrue();
      assertThat(withTls.path("ssl_protocol").asText()).startsWith("tlsv1.");
      assertThat(withTls.path("ssl_cipher").asText()).startsWith("aes_").endsWith("_gcm");
      assertThat(withTls.path("ssl_hash").asText()).isEqualTo("aead");
      assertThat(withTls.path("peer_cert_subject").asText()).isEqualTo("CN=ann,O=shop");
      assertThat(withTls.path("peer_cert_issuer").asText()).isEqualTo("CN=ann,O=shop");
      assertThat(withTls.path("peer_cert_validity").asText()).matches("\\S+Z - \\S+Z");
      JsonNode without = connection(http, plain);
      assertThat(without.path("ssl").asBoolean()).isFalse();
      assertThat(without.path("ssl_protocol").isNull()).isTrue();
      assertThat(without.path("peer_cert_subject").isNull()).isTrue();

      List<String> listeners = new ArrayList<>();
      http.get("overview")
          .json()
          .path("listeners")
          .forEach(
              at -> listeners.add(at.path("protocol").asText() + " " + at.path("port").asInt()));
      assertThat(listeners).contains("amqp/ssl " + port, "amqp " + broker.port());
      for (String healthy :
          List.of(
              "port-listener/" + port,
              "protocol-listener/amqps",
              "protocol-listener/amqp%2Fssl",
              "certificate-expiration/1/days")) {
        assertThat(http.get("health/checks/" + healthy).status()).as(healthy).isEqualTo(200);
      }
      Http.Reply expiring = http.get("health/checks/certificate-expiration/1/weeks");
      assertThat(expiring.status()).isEqualTo(503);
      assertThat(expiring.reason()).isEqualTo("Certificates expiring");
      assertThat(expiring.json().path("expired").path(0).path("port").asInt()).isEqualTo(port);
      assertThat(expiring.json().path("expired").path(0).path("certfile").asText())
          .isEqualTo(directory.resolve("server.pem").toString());
      Files.delete(directory.resolve("server.pem"));
      Http.Reply missing = http.get("health/checks/certificate-expiration/1/days");
      assertThat(missing.status()).isEqualTo(503);
      assertThat(missing.reason()).contains("ssl_options.certfile", "no such file");
    }
  }

  private static JsonNode connection(Http http, Connection wanted) throws Exception {
    for (JsonNode found : http.get("connections").json()) {
      if (found.path("user_provided_name").asText().equals(wanted.getClientProvidedName())) {
        return found;
      }
    }
    throw new AssertionError("no connection " + wanted.getClientProvidedName());
  }

  private EmbeddedBroker.Builder managed() {
    return EmbeddedBroker.builder()
        .set("management.ssl.ip", "127.0.0.1")
        .set("management.ssl.port", 0)
        .set("management.ssl.certfile", server.writeCertificate(directory.resolve("http.pem")))
        .set("management.ssl.keyfile", server.writeKey(directory.resolve("http.key")));
  }

  /** Returns the port that the operating system chose for a listener, from the API and the log. */
  private static int port(EmbeddedBroker broker, String protocol, String inLog) throws Exception {
    Http http = Http.as(broker.httpPort(), "guest", "guest");
    int found = 0;
    for (JsonNode listener : http.get("overview").json().path("listeners")) {
      if (listener.path("protocol").asText().equals(protocol)) {
        found = listener.path("port").asInt();
      }
    }
    broker.awaitLine("listening for " + inLog + " on 127.0.0.1:" + found);
    assertThat(http.get("health/checks/port-listener/" + found).status()).isEqualTo(200);
    return found;
  }

  @Test
  void aTlsPortChosenByTheOperatingSystemIsShown() throws Exception {
    try (EmbeddedBroker broker = broker().set("listeners.ssl.default", "127.0.0.1:0").start()) {
      ConnectionFactory factory = factory(server.trusted());
      factory.setPort(port(broker, "amqp/ssl", "AMQP over TLS"));
      factory.newConnection().close();
    }
  }

  @Test
  void theManagementApiSupportsTls() throws Exception {
    Certificate renewed = Certificate.of("CN=renewed");
    try (EmbeddedBroker broker = managed().start()) {
      int https = port(broker, "https", "HTTPS");
      Http http = Http.as(https, "guest", "guest", server.trusted());
      assertThat(http.get("whoami").json().path("name").asText()).isEqualTo("guest");
      assertThat(http.get("health/checks/protocol-listener/https").status()).isEqualTo(200);
      JsonNode expiring =
          http.get("health/checks/certificate-expiration/1/weeks").json().path("expired");
      assertThat(expiring).hasSize(1);
      assertThat(expiring.path(0).path("certfile").asText())
          .isEqualTo(directory.resolve("http.pem").toString());
      assertThatThrownBy(() -> Http.as(https, "guest", "guest", ann.trusted()).get("whoami"))
          .isInstanceOf(SSLException.class);

      renewed.writeCertificate(directory.resolve("http.pem"));
      renewed.writeKey(directory.resolve("http.key"));
      assertThat(Http.as(https, "guest", "guest", renewed.trusted()).get("whoami").status())
          .isEqualTo(200);
      assertThatThrownBy(() -> Http.as(https, "guest", "guest", server.trusted()).get("whoami"))
          .isInstanceOf(SSLException.class);
      assertThat(http.get("whoami").status()).as("a connection from before").isEqualTo(200);
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void theManagementApiCanRequireClientCertificates() throws Exception {
    EmbeddedBroker.Builder strict =
        managed()
            .set("management.ssl.verify", "verify_peer")
            .set("management.ssl.fail_if_no_peer_cert", true)
            .set("management.ssl.versions.1", "tlsv1.2")
            .set("management.ssl.cacertfile", ann.writeCertificate(directory.resolve("ca.pem")));
    try (EmbeddedBroker broker = strict.start()) {
      int https = port(broker, "https", "HTTPS");
      Http.Reply reply = Http.as(https, "guest", "guest", server.trustedBy(ann)).get("whoami");
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.raw().sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.2");
      assertThatThrownBy(() -> Http.as(https, "guest", "guest", server.trusted()).get("whoami"))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void theControlCommandSupportsTls() throws Exception {
    try (EmbeddedBroker broker = managed().start()) {
      String url = "https://127.0.0.1:" + port(broker, "https", "HTTPS");
      String authority = directory.resolve("http.pem").toString();
      String[] guest = {"--url", url, "--user", "guest", "--password", "guest"};
      ControlCommand control = ControlCommand.ours(guest);
      assertThat(control.run("list_vhosts", "-s", "--cacertfile", authority).out())
          .containsExactly("/");
      ControlCommand.Outcome unknown = control.run("list_vhosts");
      assertThat(unknown.exit()).isEqualTo(69);
      assertThat(unknown.err().get(1)).startsWith("no TLS with " + url);
      assertThat(unknown.err()).last().asString().startsWith("--cacertfile ");
      ControlCommand.Outcome missing =
          control.run("list_vhosts", "--cacertfile", directory.resolve("none.pem").toString());
      assertThat(missing.exit()).isEqualTo(78);
      assertThat(missing.err().get(1)).startsWith("--cacertfile: cannot read ");
    }
  }

  @Test
  void externalIsNotOfferedWithoutTls() throws Exception {
    try (EmbeddedBroker broker = verifying().start()) {
      ConnectionFactory plain = broker.factory();
      plain.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      assertThatThrownBy(plain::newConnection).hasMessageContaining("No compatible");
    }
  }

  @Test
  void aClientWithoutAValidCertificateIsRefused() throws Exception {
    Certificate unknown = Certificate.of("CN=ann,O=shop");
    EmbeddedBroker.Builder strict = verifying().set("ssl_options.fail_if_no_peer_cert", true);
    try (EmbeddedBroker broker = strict.start()) {
      assertThatThrownBy(() -> factory(server.trusted()).newConnection())
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> external(unknown).newConnection()).isInstanceOf(IOException.class);
      external(ann).newConnection().close();
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void unusableCertificateFilesPreventTheStartWithAOneLineError() {
    Path other = ann.writeKey(directory.resolve("other.key"));
    assertRefused(
        broker().set("ssl_options.keyfile", other),
        "mayfly: ssl_options.keyfile: "
            + other
            + " is not the key of the certificate in "
            + directory.resolve("server.pem"));
    assertRefused(
        broker().set("ssl_options.certfile", "none"),
        "mayfly: ssl_options.certfile is not set, and listeners.ssl needs it");
    Path missing = directory.resolve("missing.pem");
    assertRefused(
        broker().set("ssl_options.certfile", missing),
        "mayfly: ssl_options.certfile: cannot read " + missing + ": no such file");
    assertRefused(
        broker().set("ssl_options.verify", "verify_peer"),
        "mayfly: ssl_options.cacertfile is not set, and listeners.ssl needs it");
    assertRefused(
        managed().set("management.ssl.certfile", "none"),
        "mayfly: management.ssl.certfile is not set, and management.ssl.port needs it");
  }

  private static void assertRefused(EmbeddedBroker.Builder builder, String line) {
    try (EmbeddedBroker broker = builder.launch()) {
      assertThat(broker.awaitExit()).isEqualTo(78);
      assertThat(broker.output()).containsExactly(line);
    }
  }
}
