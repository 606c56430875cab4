package io.mayflymq.it;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The setup of tests of policies in the management API: a unique name, whose policies are deleted
 * at the end.
 */
abstract class PolicyFixture {
  Http http;
  String name;

  @BeforeEach
  void open(Target target, Amqp amqp) {
    http = target.http();
    name = amqp.name();
  }

  @AfterEach
  void clear() throws Exception {
    http.delete("policies/%2F/" + name);
    http.delete("operator-policies/%2F/" + name);
  }

  static String policy(String pattern, String definition) {
    return "{\"pattern\":\"^%s\",\"definition\":%s,\"apply-to\":\"all\",\"priority\":5}"
        .formatted(pattern, definition);
  }

  static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(element -> names.add(element.path("name").asText()));
    return names;
  }
}
