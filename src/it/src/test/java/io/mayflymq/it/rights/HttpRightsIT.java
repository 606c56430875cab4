package io.mayflymq.it.rights;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Target;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Each operation of the HTTP API is tried as users of all tags and permissions, and compared with
 * the table of {@code docs/rights-http.md}. A new operation needs a row.
 *
 * <p>With {@code -Dmayfly.it.port} the same is done with another broker, for the column about it.
 */
class HttpRightsIT {
  private static final Path PAGE = Path.of("../../docs/rights-http.md");

  @Test
  void everyOperationLetsInWhomTheTableSays() throws Exception {
    RightsTable table = RightsTable.read(PAGE);
    Integer running = Target.runningPort();
    if (running == null) {
      try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
        compare(broker.port(), broker.httpPort(), operations(broker), table.mayfly());
      }
    } else {
      compare(
          running, Integer.getInteger("mayfly.it.http.port"), table.operations(), table.rabbit());
    }
  }

  @Test
  @OwnBroker
  void theControlListenerIsForAdministrators() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
        RightsFixture fixture = new RightsFixture(broker.port(), broker.httpPort())) {
      JsonNode file = new ObjectMapper().readTree(broker.data().resolve("mayfly.control").toFile());
      int port = URI.create(file.path("url").asText()).getPort();
      for (String tag : RightsFixture.TAGS) {
        Http user = fixture.at(port, tag);
        boolean administrator = tag.equals("administrator");
        // What is not there is refused too, so what will be there is.
        assertThat(user.send("GET", "/control/anything", null).status())
            .as(tag)
            .isEqualTo(administrator ? 404 : 401);
        assertThat(user.send("GET", "/control/status", null).status())
            .as(tag)
            .isEqualTo(administrator ? 200 : 401);
        assertThat(user.get("whoami").status())
            .as(tag)
            .isEqualTo(tag.equals(RightsFixture.NO_TAG) ? 401 : 200);
      }
    }
  }

  private static List<String> operations(EmbeddedBroker broker) throws Exception {
    List<String> operations = new ArrayList<>();
    JsonNode document =
        Http.as(broker.httpPort(), "guest", "guest").get("openapi.json").json().path("paths");
    for (Map.Entry<String, JsonNode> path : document.properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        operations.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey().substring(1));
      }
    }
    return operations;
  }

  private static void compare(
      int port, int httpPort, List<String> operations, Map<String, List<String>> expected)
      throws Exception {
    List<String> wrong = new ArrayList<>();
    try (RightsFixture fixture = new RightsFixture(port, httpPort)) {
      HttpRights rights = new HttpRights(fixture);
      for (String operation : operations) {
        List<String> seen = rights.of(operation);
        List<String> row = expected.get(operation);
        if (seen == null ? row != null : !seen.equals(row)) {
          wrong.add("%s: the table has %s, seen was %s".formatted(operation, row, seen));
          wrong.add("  " + RightsTable.row(operation, seen));
        }
      }
    }
    for (String operation : expected.keySet()) {
      if (!operations.contains(operation)) {
        wrong.add(operation + " has a row, and does not exist");
      }
    }
    assertThat(wrong).as("differences from " + PAGE + ", as rows").isEmpty();
  }
}
