package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The description of the HTTP API. */
@BlackBox
@MayflyOnly("RabbitMQ has no OpenAPI description")
class OpenApiIT {
  @Test
  void descriptionCoversEveryOperationOfTheRouter(Target target) throws Exception {
    Http http = target.http();
    // It is an error of the broker if the router and the catalog differ in either direction.
    Http.Reply reply = http.get("openapi.json");
    assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
    JsonNode document = reply.json();
    assertThat(document.path("openapi").asText()).isEqualTo("3.0.3");
    assertThat(document.path("paths").size()).isGreaterThan(90);
    Set<String> ids = new TreeSet<>();
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        JsonNode operation = method.getValue();
        String name = method.getKey() + " " + path.getKey();
        if (!ids.add(operation.path("operationId").asText())) {
          wrong.add("an operationId twice: " + name);
        }
        if (operation.path("summary").asText().length() < 8 || operation.path("tags").isEmpty()) {
          wrong.add("no summary or tag: " + name);
        }
        long names = path.getKey().chars().filter(c -> c == '{').count();
        long described =
            operation.path("parameters").findValuesAsText("in").stream()
                .filter("path"::equals)
                .count();
        if (names != described) {
          wrong.add("parameters of the path: " + name);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void describedListsAnswer(Target target) throws Exception {
    Http http = target.http();
    for (Map.Entry<String, JsonNode> path :
        http.get("openapi.json").json().path("paths").properties()) {
      if (path.getValue().has("get") && !path.getKey().contains("{")) {
        assertThat(http.get(path.getKey().substring(1)).status()).as(path.getKey()).isEqualTo(200);
      }
    }
  }
}
