package io.mayflymq.it.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The setup of tests of policies in the management API: a unique name, whose policies are deleted
 * at the end.
 */
public abstract class PolicyFixture {
  protected Http http;
  protected String name;

  @BeforeEach
  protected void open(Target target, Amqp amqp) {
    http = target.http();
    name = amqp.name();
  }

  @AfterEach
  protected void clear() throws Exception {
    http.delete("policies/%2F/" + name);
    http.delete("operator-policies/%2F/" + name);
  }

  /** The body of a policy for all names that begin with {@code pattern}, with priority 5. */
  public static String policy(String pattern, String definition) {
    return "{\"pattern\":\"^%s\",\"definition\":%s,\"apply-to\":\"all\",\"priority\":5}"
        .formatted(pattern, definition);
  }

  /** The field {@code name} of each element. */
  public static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(element -> names.add(element.path("name").asText()));
    return names;
  }
}
