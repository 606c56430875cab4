package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A page of another site whose name points to this machine (DNS rebinding) can use no password that
 * everybody knows.
 */
@OwnBroker
class HostHeaderIT {
  private static final String EVIL = "Host: evil.example:15672\r\n";
  private static final String CONFIGURED = "Host: Broker.Example.com.:8080\r\n";
  private static final String BODY = "{\"tags\":\"administrator\",\"password\":\"p\"}";

  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    broker =
        EmbeddedBroker.builder().set("management.allowed_hosts.1", "broker.example.com").start();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static String ask(int port, String line, String headers) throws IOException {
    try (RawHttp client = new RawHttp(port)) {
      return client.send(line + "\r\n" + headers + "connection: close\r\n\r\n").rest();
    }
  }

  private static String asGuest(String line, String host) throws IOException {
    return ask(broker.httpPort(), line, host + RawHttp.guest());
  }

  @Test
  void guestIsRefusedByTheNameOfAnotherSite() throws Exception {
    assertThat(asGuest("GET /api/definitions HTTP/1.1", EVIL))
        .startsWith("HTTP/1.1 403 ")
        .contains("\"forbidden\"")
        .contains("actually was evil.example:15672");
    assertThat(asGuest("POST /api/login HTTP/1.1", EVIL))
        .startsWith("HTTP/1.1 403 ")
        .doesNotContainIgnoringCase("set-cookie");
    assertThat(asGuest("HEAD /api/whoami HTTP/1.1", EVIL)).startsWith("HTTP/1.1 403 ");
    assertThat(asGuest("GET /api/definitions HTTP/1.0", EVIL)).startsWith("HTTP/1.1 403 ");
    assertThat(asGuest("GET http://127.0.0.1/api/definitions HTTP/1.1", EVIL))
        .startsWith("HTTP/1.1 403 ");
    String change =
        EVIL
            + "content-type: application/json\r\norigin: http://evil.example:15672\r\n"
            + "sec-fetch-site: same-origin\r\ncontent-length: "
            + BODY.length()
            + "\r\n";
    assertThat(asGuest("PUT /api/users/intruder HTTP/1.1", change)).startsWith("HTTP/1.1 403 ");
    assertThat(Http.as(broker.httpPort(), "guest", "guest").get("users/intruder").status())
        .isEqualTo(404);
  }

  @Test
  void guestMayUseLocalhostAddressesConfiguredNamesAndNoNameAtAll() throws Exception {
    for (String host :
        new String[] {
          "Host: LOCALHOST:15672\r\n", "Host: 127.0.0.1\r\n", "Host: [::1]:15672\r\n", CONFIGURED
        }) {
      assertThat(asGuest("GET /api/whoami HTTP/1.1", host)).as(host).startsWith("HTTP/1.1 200 ");
    }
    assertThat(asGuest("GET /api/whoami HTTP/1.0", "")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void otherUsersMayUseAnyName() throws Exception {
    Http admin = Http.as(broker.httpPort(), "guest", "guest");
    assertThat(admin.put("users/anywhere", BODY).status()).isEqualTo(201);
    assertThat(
            ask(
                broker.httpPort(),
                "GET /api/whoami HTTP/1.1",
                "Host: intranet\r\n" + RawHttp.basic("anywhere", "p")))
        .startsWith("HTTP/1.1 200 ");
    assertThat(ask(broker.httpPort(), "GET / HTTP/1.1", EVIL)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void theControlListenerTakesNoOtherNameWhoeverAsks() throws Exception {
    JsonNode file = new ObjectMapper().readTree(broker.data().resolve("mayfly.control").toFile());
    int port = URI.create(file.path("url").asText()).getPort();
    String token = "authorization: Bearer " + file.path("token").asText() + "\r\n";
    String status = "GET /control/status HTTP/1.1";
    assertThat(ask(port, status, EVIL + token)).startsWith("HTTP/1.1 403 ");
    assertThat(ask(port, status, EVIL)).startsWith("HTTP/1.1 403 ");
    assertThat(ask(port, status, "Host: 127.0.0.1:1\r\n" + token)).startsWith("HTTP/1.1 200 ");
    assertThat(ask(port, status, CONFIGURED + token)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void namesAreConfiguredWhileItRuns() throws Exception {
    ControlCommand control = ControlCommand.of(broker);
    String host = "Host: later\r\n";
    assertThat(asGuest("GET /api/whoami HTTP/1.1", host)).startsWith("HTTP/1.1 403 ");
    control.run("set_config", "management.allowed_hosts.2", "later");
    assertThat(asGuest("GET /api/whoami HTTP/1.1", host)).startsWith("HTTP/1.1 200 ");
    assertThat(control.run("set_config", "management.allowed_hosts.2", "a:1").err().toString())
        .contains("a:1", "a host without a port");
  }
}
