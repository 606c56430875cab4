package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that do not go on with their requests, or do not read their answers. */
@OwnBroker
class StalledHttpClientsIT {
  private final List<RawHttp> stalled = new ArrayList<>();
  private EmbeddedBroker broker;

  @BeforeEach
  void start() {
    broker = EmbeddedBroker.builder().set("management.tcp.max_connections", 50).start();
  }

  @AfterEach
  void stop() throws Exception {
    for (RawHttp client : stalled) {
      client.close();
    }
    broker.close();
    assertThat(broker.complaints()).isEmpty();
  }

  private void stall(int port, int count, String beginning) throws Exception {
    for (int i = 0; i < count; i++) {
      stalled.add(new RawHttp(port).send(beginning));
    }
  }

  private void requireApi() throws Exception {
    Http guest = Http.as(broker.httpPort(), "guest", "guest");
    for (int i = 0; i < 3; i++) {
      assertThat(guest.get("whoami").status()).isEqualTo(200);
    }
  }

  @Test
  void incompleteRequestsOverTheConnectionLimitDoNotBlockOthers() throws Exception {
    stall(broker.httpPort(), 200, "GET /api/whoami HTTP/1.1\r\nhost:");
    requireApi();
  }

  @Test
  void incompleteBodiesDoNotBlockOthers() throws Exception {
    String headers = RawHttp.guest() + "content-length: 100\r\n";
    stall(broker.httpPort(), 20, RawHttp.request("PUT", "/api/vhosts/v", headers, "{"));
    requireApi();
  }

  @Test
  void theControlCommandWorksWhileItsAddressIsFlooded() throws Exception {
    JsonNode file = new ObjectMapper().readTree(broker.data().resolve("mayfly.control").toFile());
    int port = URI.create(file.path("url").asText()).getPort();
    stall(port, 300, "GET /api/whoami HTTP/1.1\r\nhost:");
    stall(broker.httpPort(), 60, "GET");
    assertThat(ControlCommand.of(broker).run("ping").exit()).isZero();
  }

  @Test
  void clientsThatReadNoResponsesDoNotBlockOthers() throws Exception {
    Http guest = Http.as(broker.httpPort(), "guest", "guest");
    for (int i = 0; i < 300; i++) {
      String name = "long-name-".repeat(20) + i;
      assertThat(guest.put("queues/%2F/" + name, "{}").status()).isEqualTo(201);
    }
    String ask = RawHttp.request("GET", "/api/queues", RawHttp.guest(), "");
    stall(broker.httpPort(), 20, ask.repeat(100));
    requireApi();
    assertThat(guest.get("queues").json()).hasSize(300);
  }
}
