package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.admin.Checks;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.server.json.JsonWriter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Converts limits to and from JSON: an object with the names and values of limits. Errors have
 * RabbitMQ's texts.
 */
public final class LimitsJson {
  private LimitsJson() {}

  /** Converts limits to an object. */
  public static Map<String, Object> write(Limits limits) {
    Map<String, Object> object = new LinkedHashMap<>();
    limits.asMap().forEach((limit, value) -> object.put(limit.key(), value));
    return object;
  }

  /**
   * Reads the limits of a virtual host.
   *
   * @throws AdministrationException INVALID_LIMIT
   */
  public static Limits ofVhost(Object json) {
    return read(json, Limits.OF_VHOSTS, "limits");
  }

  /**
   * Reads the limits of a user.
   *
   * @throws AdministrationException INVALID_LIMIT
   */
  public static Limits ofUser(Object json) {
    return read(json, Limits.OF_USERS, "user-limits");
  }

  private static Limits read(Object json, Set<Limit> known, String where) {
    if (!(json instanceof Map<?, ?> object)) {
      throw new AdministrationException(
          Reason.INVALID_LIMIT,
          JsonWriter.text(json),
          "%s should be an object, actually was %s".formatted(where, ErlangJson.of(json)));
    }
    EnumMap<Limit, Integer> limits = new EnumMap<>(Limit.class);
    for (Map.Entry<?, ?> field : object.entrySet()) {
      String key = (String) field.getKey();
      Object value = field.getValue();
      Limit limit = Limit.ofKey(key);
      if (limit == null || !known.contains(limit)) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            key,
            "Unrecognised terms [{<<\"%s\">>,%s}] in %s: expected one of %s"
                .formatted(
                    key, ErlangJson.of(value), where, String.join(", ", Limits.keys(known))));
      }
      if (!(value instanceof Long number) || number.intValue() != number) {
        throw new AdministrationException(
            Reason.INVALID_LIMIT,
            key,
            value instanceof Number
                ? "%s should be a whole number from %d to %d, actually was %s"
                    .formatted(key, Integer.MIN_VALUE, Integer.MAX_VALUE, value)
                : "%s should be a number, actually was %s".formatted(key, ErlangJson.of(value)));
      }
      limits.put(limit, number.intValue());
    }
    return Checks.limits(Limits.of(limits), known, where);
  }
}
