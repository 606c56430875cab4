package io.mayflymq.it.management;

import static io.mayflymq.it.harness.RawHttp.guest;
import static io.mayflymq.it.harness.RawHttp.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the limits of the management API, and requests that are refused before they are read. */
@OwnBroker
class HttpLimitsIT {
  private static BrokerProcess broker;

  @BeforeAll
  static void start() {
    broker = BrokerProcess.builder().jvm("-Xmx256m").start();
  }

  @AfterAll
  static void stop() {
    broker.close();
    assertThat(broker.complaints()).isEmpty();
  }

  private static int status(String request) throws IOException {
    try (RawHttp client = new RawHttp(broker.httpPort())) {
      return client.send(request).status();
    }
  }

  private static Http api() {
    return Http.as(broker.httpPort(), "guest", "guest");
  }

  @Test
  void theBodyOfAnUnauthenticatedRequestIsNotRead() throws Exception {
    String length = "content-length: 50000000\r\n";
    assertThat(status(request("POST", "/api/definitions", length, ""))).isEqualTo(401);
    String expecting = length + "expect: 100-continue\r\n";
    assertThat(status(request("POST", "/api/definitions", expecting, ""))).isEqualTo(401);
    String welcome = guest() + "content-length: 2\r\nexpect: 100-continue\r\n";
    assertThat(status(request("POST", "/api/definitions", welcome, ""))).isEqualTo(100);
  }

  @Test
  void aBodyThatIsTooLongForItsPathIsRefused() throws Exception {
    String length = guest() + "content-length: 2000000\r\n";
    assertThat(status(request("PUT", "/api/vhosts/v", length, ""))).isEqualTo(413);
    String tooMuch = guest() + "content-length: 45000000\r\n";
    assertThat(status(request("POST", "/api/definitions", tooMuch, ""))).isEqualTo(413);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{},", "[],", "1,", "{\"a\":{}},"})
  void tooManyJsonValuesAreRefused(String item) throws Exception {
    String many = item.repeat(900_000 / item.length());
    String body = "{\"value\":[" + many + "1]}";
    Http.Reply small = api().put("global-parameters/p", body);
    assertThat(small.status()).isEqualTo(400);
    assertThat(small.reason()).contains("50000 values");
    String large = "{\"users\":[" + item.repeat(3_000_000 / item.length()) + "{}]}";
    Http.Reply definitions = api().post("definitions?strict=true", large);
    assertThat(definitions.status()).isEqualTo(400);
    assertThat(definitions.reason()).startsWith("users[0]").contains(" more");
    assertThat(api().get("whoami").status()).isEqualTo(200);
  }

  @Test
  void jsonThatIsNestedTooDeepIsRefused() throws Exception {
    String deep = "{\"value\":" + "[".repeat(200) + "]".repeat(200) + "}";
    Http.Reply reply = api().put("global-parameters/p", deep);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.reason()).contains("100 deep");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/api/queues/%2F/%ff", "/api/queues/%2F/%c3", "/api/queues/%2", "/api/%zz"})
  void invalidUtf8IsRefused(String path) throws Exception {
    assertThat(status(request("GET", path, guest(), ""))).isEqualTo(400);
  }

  @Test
  void ambiguousLengthsAreRefused() throws Exception {
    String twice = guest() + "content-length: 2\r\ncontent-length: 3\r\n";
    assertThat(status(request("PUT", "/api/vhosts/v", twice, "{} "))).isEqualTo(400);
    String both = guest() + "content-length: 2\r\ntransfer-encoding: chunked\r\n";
    assertThat(status(request("PUT", "/api/vhosts/v", both, "0\r\n\r\n"))).isEqualTo(400);
  }

  @Test
  void tooManyHeadersAndTooLongQueriesAreRefused() throws Exception {
    assertThat(status(request("GET", "/api/whoami", "a: b\r\n".repeat(10_000), ""))).isEqualTo(431);
    assertThat(status(request("GET", "/api/whoami?" + "a".repeat(20_000), "", ""))).isEqualTo(414);
  }

  @Test
  void tlsOnThePlainPortIsRefusedWithAnExplanation() throws Exception {
    try (RawHttp client = new RawHttp(broker.httpPort())) {
      String answer = client.send("\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000").rest();
      assertThat(answer).startsWith("HTTP/1.1 400 ").contains("plain HTTP", "TLS");
    }
    broker.awaitLine("sent TLS to the port for plain");
  }
}
