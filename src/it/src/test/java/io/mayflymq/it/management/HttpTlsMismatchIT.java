package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests plain HTTP on the TLS port. */
@OwnBroker
class HttpTlsMismatchIT {
  @TempDir Path directory;

  @Test
  void plainHttpOnTheTlsPortIsRefusedWithAnExplanation() throws Exception {
    Certificate server = Certificate.of("CN=broker");
    int port = Broker.freePort();
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .set("management.ssl.ip", "127.0.0.1")
            .set("management.ssl.port", port)
            .set("management.ssl.certfile", server.writeCertificate(directory.resolve("c.pem")))
            .set("management.ssl.keyfile", server.writeKey(directory.resolve("k.pem")))
            .start()) {
      try (RawHttp client = new RawHttp(port)) {
        String answer =
            client.send(RawHttp.request("GET", "/api/whoami", RawHttp.guest(), "")).rest();
        assertThat(answer)
            .startsWith("HTTP/1.1 400 ")
            .contains("The plain HTTP request was sent to HTTPS port");
      }
      assertThat(Http.as(port, "guest", "guest", server.trusted()).get("whoami").status())
          .isEqualTo(200);
      assertThat(broker.output())
          .anyMatch(line -> line.contains("sent plain text to the port for HTTPS"));
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }
}
