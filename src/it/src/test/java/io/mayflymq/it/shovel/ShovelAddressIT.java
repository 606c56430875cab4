package io.mayflymq.it.shovel;

import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How addresses of shovels say that a connection is encrypted, and who logs in. */
@OwnBroker
class ShovelAddressIT {
  private static final String PARAMETER = "parameters/shovel/%2F/";

  @TempDir static Path directory;

  private static EmbeddedBroker broker;
  private static EmbeddedBroker other;
  private static Http http;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    port = Broker.freePort();
    Certificate server = Certificate.of("CN=other");
    Certificate client = Certificate.of("CN=shovel");
    Certificate.of("CN=stranger").writeCertificate(directory.resolve("stranger.pem"));
    client.writeCertificate(directory.resolve("client.pem"));
    client.writeKey(directory.resolve("client.key"));
    Path definitions =
        Files.writeString(
            directory.resolve("definitions.json"),
            """
            {"vhosts":[{"name":"/"}],
             "users":[{"name":"guest","password":"guest","tags":"administrator"},
                      {"name":"CN=shovel","password_hash":"","tags":""}],
             "permissions":[
               {"user":"guest","vhost":"/","configure":".*","write":".*","read":".*"},
               {"user":"CN=shovel","vhost":"/","configure":".*","write":".*","read":".*"}]}
            """);
    other =
        EmbeddedBroker.builder()
            .set("load_definitions", definitions)
            .set("auth_mechanisms.1", "PLAIN")
            .set("auth_mechanisms.2", "AMQPLAIN")
            .set("auth_mechanisms.3", "EXTERNAL")
            .set("listeners.ssl.default", "127.0.0.1:" + port)
            .set("ssl_options.certfile", server.writeCertificate(directory.resolve("server.pem")))
            .set("ssl_options.keyfile", server.writeKey(directory.resolve("server.key")))
            .set("ssl_options.verify", "verify_peer")
            .set("ssl_options.cacertfile", directory.resolve("client.pem"))
            .start();
    broker = EmbeddedBroker.builder().start();
    http = Http.as(broker.httpPort(), "guest", "guest");
  }

  @AfterAll
  static void stop() {
    broker.close();
    other.close();
  }

  private static void shovel(String name, String source) throws Exception {
    Http.Reply reply =
        http.put(
            PARAMETER + name,
            """
            {"value":{"src-uri":"%s","src-queue":"%2$s","dest-uri":"amqp://","dest-queue":"%2$s"}}
            """
                .formatted(source, name));
    assertThat(reply.status()).as(reply.raw().body()).isIn(201, 204);
  }

  private static String files(String text) {
    return text.replace("DIR", directory.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "amqps://guest:guest@127.0.0.1:TLS?cacertfile=DIR/server.pem",
        "amqps://guest:guest@127.0.0.1:TLS?cacertfile=DIR/server.pem&verify=verify_peer",
        "amqps://guest:guest@127.0.0.1:TLS?verify=verify_none",
        "amqps://127.0.0.1:TLS?cacertfile=DIR/server.pem&certfile=DIR/client.pem&keyfile=DIR/client.key&auth_mechanism=external",
        "amqp://guest:guest@127.0.0.1:PLAIN?auth_mechanism=amqplain",
      })
  void messagesComeFrom(String address) throws Exception {
    String queue = "q" + address.hashCode();
    String uri =
        files(address)
            .replace("TLS", String.valueOf(port))
            .replace("PLAIN", String.valueOf(other.port()));
    try (Connection from = other.factory().newConnection();
        Connection to = broker.factory().newConnection()) {
      Channel channel = from.createChannel();
      channel.confirmSelect();
      channel.queueDeclare(queue, true, false, false, null);
      channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, bytes("a"));
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      shovel(queue, uri);
      Channel arriving = to.createChannel();
      arriving.queueDeclare(queue, true, false, false, null);
      await().atMost(Patience.TIME).until(() -> arriving.basicGet(queue, true) != null);
      assertThat(http.delete(PARAMETER + queue).status()).isEqualTo(204);
    }
  }

  private static String failureOf(String name, String source) throws Exception {
    shovel(name, files(source).replace("TLS", String.valueOf(port)));
    String[] reason = {""};
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              for (JsonNode each : http.get("shovels").json()) {
                if (each.path("name").asText().equals(name)) {
                  reason[0] = each.path("reason").asText();
                }
              }
              return !reason[0].isEmpty();
            });
    http.delete(PARAMETER + name);
    return reason[0];
  }

  @Test
  void whatCannotBeTrustedIsTold() throws Exception {
    assertThat(
            failureOf("stranger", "amqps://guest:guest@127.0.0.1:TLS?cacertfile=DIR/stranger.pem"))
        .contains("TLS: ", "unable to find valid certification path");
    assertThat(failureOf("host", "amqps://guest:guest@localhost:TLS?cacertfile=DIR/server.pem"))
        .contains("TLS: ", "localhost");
    assertThat(failureOf("file", "amqps://guest:guest@127.0.0.1:TLS?cacertfile=DIR/none.pem"))
        .contains("cannot read the file", "none.pem");
    assertThat(
            failureOf(
                "anonymous", "amqps://127.0.0.1:TLS?verify=verify_none&auth_mechanism=external"))
        .contains("ACCESS_REFUSED");
  }
}
