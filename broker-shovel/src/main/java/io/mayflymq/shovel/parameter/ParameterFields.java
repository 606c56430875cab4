package io.mayflymq.shovel.parameter;

import io.mayflymq.shovel.client.BrokerUri;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The fields of a parameter's value, which is JSON in Java. All that is wrong is collected, a line
 * for each, without passwords. For one thread.
 */
public final class ParameterFields {
  /** The longest time that makes sense. */
  public static final long MOST_SECONDS = 315_360_000; // ten years

  /** What stands for a value that could not be decrypted. */
  private static final String ENCRYPTED = "encrypted:";

  private final String name;
  private final Map<String, Object> fields = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * Takes the fields of a value.
   *
   * @param name of the parameter
   * @param keys those that there are
   * @param synonyms older names, and those that came instead
   */
  public ParameterFields(
      String name, Object value, Set<String> keys, Map<String, String> synonyms) {
    this.name = name;
    if (value instanceof String text && text.startsWith(ENCRYPTED)) {
      problems.add(
          "the value of %s is encrypted by another passphrase than there is".formatted(name));
      return;
    }
    if (!(value instanceof Map<?, ?> object)) {
      problems.add(
          "the value of %s should be an object, actually was %s".formatted(name, shown(value)));
      return;
    }
    for (Map.Entry<?, ?> field : object.entrySet()) {
      String given = (String) field.getKey();
      String key = synonyms.getOrDefault(given, given);
      if (!keys.contains(key)) {
        problems.add("Unrecognised term %s in %s".formatted(given, name));
      } else if (fields.put(key, field.getValue()) != null) {
        problems.add("%s and its older name exclude each other".formatted(key));
      }
    }
  }

  /** Returns what is wrong. */
  public List<String> problems() {
    return problems;
  }

  /** Adds something that is wrong. */
  public void problem(String text) {
    problems.add(text);
  }

  /** Returns whether there is a field. */
  public boolean has(String key) {
    return fields.containsKey(key);
  }

  /** Returns the value of a field; null if it is missing. */
  public Object value(String key) {
    return fields.get(key);
  }

  /** Returns the addresses of a field, which must be there: one, or a list. */
  public List<BrokerUri> uris(String key) {
    Object value = fields.get(key);
    if (!fields.containsKey(key)) {
      problems.add("Key \"%s\" not found in %s".formatted(key, name));
      return List.of();
    }
    List<?> texts = value instanceof List<?> list ? list : List.of(value == null ? "" : value);
    if (texts.isEmpty()) {
      problems.add("%s has no URI".formatted(key));
    }
    List<BrokerUri> uris = new ArrayList<>();
    for (Object text : texts) {
      if (!(text instanceof String uri)) {
        problems.add("%s should be a URI or a list of URIs".formatted(key));
        continue;
      }
      try {
        uris.add(BrokerUri.parse(uri));
      } catch (IllegalArgumentException e) {
        problems.add(
            "%s: \"%s\" not a valid URI: %s"
                .formatted(key, BrokerUri.withoutLogin(uri), e.getMessage()));
      }
    }
    return List.copyOf(uris);
  }

  /** Returns one of some words. */
  public String oneOf(String key, List<String> expected, String otherwise) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (expected.contains(value)) {
      return (String) value;
    }
    problems.add(
        "%s should be one of %s, actually was %s"
            .formatted(key, String.join(", ", expected), shown(value)));
    return otherwise;
  }

  /** Returns a text; null if it is missing. */
  public String text(String key) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return null;
    } else if (value instanceof String text) {
      return text;
    }
    problems.add("%s should be a text, actually was %s".formatted(key, shown(value)));
    return null;
  }

  /** Returns a text that is not empty; null if it is missing. */
  public String name(String key) {
    String text = text(key);
    if (text != null && text.isEmpty()) {
      problems.add("%s is empty".formatted(key));
    }
    return text;
  }

  /** Returns a regular expression; null if it is missing. */
  public String pattern(String key) {
    String text = name(key);
    if (text != null) {
      try {
        Pattern.compile(text);
      } catch (PatternSyntaxException e) {
        problems.add(
            "%s should be a regular expression, actually was %s: %s"
                .formatted(key, shown(text), e.getDescription()));
      }
    }
    return text;
  }

  /** Returns a truth value; false if it is missing. */
  public boolean flag(String key) {
    Object value = fields.get(key);
    if (value instanceof Boolean flag) {
      return flag;
    } else if (fields.containsKey(key)) {
      problems.add("%s should be boolean, actually was %s".formatted(key, shown(value)));
    }
    return false;
  }

  /** Returns a number of seconds, also with a fraction. */
  public double seconds(String key, double otherwise) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (value instanceof Number number
        && number.doubleValue() >= 0
        && number.doubleValue() <= MOST_SECONDS) {
      return number.doubleValue();
    }
    problems.add("%s should be a number, 0 or more, actually was %s".formatted(key, shown(value)));
    return otherwise;
  }

  /** Returns an integer. */
  public long integer(String key, long otherwise, long least, long most) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return otherwise;
    } else if (value instanceof Long number && number >= least && number <= most) {
      return number;
    }
    problems.add(
        "%s should be a number, %d to %d, actually was %s"
            .formatted(key, least, most, shown(value)));
    return otherwise;
  }

  /** Returns an object as the arguments of a method. */
  public Map<String, Object> object(String key) {
    Object value = fields.get(key);
    if (value == null && !fields.containsKey(key)) {
      return Map.of();
    } else if (!(value instanceof Map<?, ?> object)) {
      problems.add("%s should be an object, actually was %s".formatted(key, shown(value)));
      return Map.of();
    } else {
      Map<String, Object> arguments = new LinkedHashMap<>();
      object.forEach((field, argument) -> arguments.put((String) field, argument));
      if (arguments.values().stream().anyMatch(BigInteger.class::isInstance)) {
        problems.add("%s has a number that does not fit in 64 bits".formatted(key));
      }
      return arguments;
    }
  }

  /** Returns a value as text, without what may be a password. */
  public static String shown(Object value) {
    return value instanceof String text
        ? "\"" + BrokerUri.withoutLogin(text) + "\""
        : String.valueOf(value);
  }

  /**
   * Returns a value, valid or not, with the passwords of its addresses masked.
   *
   * @param keys the fields that have addresses
   */
  public static Object masked(Object value, Set<String> keys) {
    if (!(value instanceof Map<?, ?> object)) {
      return value;
    }
    Map<String, Object> masked = new LinkedHashMap<>();
    object.forEach(
        (key, field) -> masked.put((String) key, keys.contains(key) ? maskedUris(field) : field));
    return masked;
  }

  private static Object maskedUris(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(ParameterFields::maskedUris).toList();
    }
    return value instanceof String text ? BrokerUri.masked(text) : value;
  }
}
