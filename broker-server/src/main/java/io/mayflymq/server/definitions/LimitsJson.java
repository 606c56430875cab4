package io.mayflymq.server.definitions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * Converts limits to and from JSON: an object with the names and values of limits. Errors have
 * RabbitMQ's texts.
 */
public final class LimitsJson {
  private LimitsJson() {}

  /** Converts limits to an object. */
  public static ObjectNode write(Limits limits) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    limits.asMap().forEach((limit, value) -> object.put(limit.key(), value));
    return object;
  }

  /**
   * Reads the limits of a virtual host.
   *
   * @throws AdministrationException INVALID_LIMIT
   */
  public static Limits ofVhost(JsonNode object) {
    return read(object, Limits.OF_VHOSTS, "limits");
  }

  /**
   * Reads the limits of a user.
   *
   * @throws AdministrationException INVALID_LIMIT
   */
  public static Limits ofUser(JsonNode object) {
    return read(object, Limits.OF_USERS, "user-limits");
  }

  private static Limits read(JsonNode object, Set<Limit> known, String where) {
    if (!object.isObject()) {
      throw new AdministrationException(
          Reason.INVALID_LIMIT,
          object.toString(),
          "%s should be an object, actually was %s".formatted(where, ErlangJson.of(object)));
    }
    EnumMap<Limit, Integer> limits = new EnumMap<>(Limit.class);
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String key = field.getKey();
      JsonNode value = field.getValue();
      Limit limit = Limit.ofKey(key);
      if (limit == null || !known.contains(limit)) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            key,
            "Unrecognised terms [{<<\"%s\">>,%s}] in %s"
                .formatted(key, ErlangJson.of(value), where));
      }
      if (!value.isIntegralNumber() || !value.canConvertToInt()) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            key,
            "%s should be a number, actually was %s".formatted(key, ErlangJson.of(value)));
      }
      limits.put(limit, value.intValue());
    }
    return Limits.of(limits);
  }
}
