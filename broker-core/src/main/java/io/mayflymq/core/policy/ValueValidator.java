package io.mayflymq.core.policy;

import io.mayflymq.core.naming.NearestName;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Validates the values of a key of a policy. */
@FunctionalInterface
interface ValueValidator {
  int MAX_NAME_BYTES = 255;

  /** Stands for an empty list of words. */
  String NOTHING = "none";

  /** Parameters of RabbitMQ's mirroring: a number, or names of nodes. */
  ValueValidator HA_PARAMS = ValueValidator::haParams;

  /** How many messages mirrors are sent at a time. */
  ValueValidator HA_SYNC_BATCH_SIZE =
      value -> {
        Object number = normalized(value);
        if (!(number instanceof Long size) || size < 1) {
          throw new PolicyException(
              "ha-sync-batch-size takes an integer greater than 0, %s given"
                  .formatted(ErlangTerm.of(value)));
        }
        return number;
      };

  /**
   * Validates a value and converts it to a Long, String, Boolean, List of strings, or map of
   * strings to strings.
   *
   * @throws PolicyException if it is not valid
   */
  Object check(Object value);

  /** Accepts a whole number in a range; {@code complaint} follows the value in the error's text. */
  static ValueValidator integer(long min, long max, String complaint) {
    return value -> {
      if (!(normalized(value) instanceof Long number) || number < min || number > max) {
        throw invalid(
            value, complaint, "expected a whole number from %d to %d".formatted(min, max));
      }
      return number;
    };
  }

  /** Accepts a time of at least 1 ms: a number of ms, or a text as {@link MaxAge} has it. */
  static ValueValidator time(String complaint) {
    return value -> {
      Object millis =
          value instanceof String text ? MaxAge.millis(text).orElse(0) : normalized(value);
      if (!(millis instanceof Long number) || number < 1) {
        throw invalid(
            value,
            complaint,
            "expected a number of ms from 1 on, or a number and one of Y, M, D, h, m, s, as in 2h");
      }
      return number;
    };
  }

  /** Accepts a name or routing key, which has to fit into a short string of the protocol. */
  static ValueValidator text(String complaint) {
    return value -> {
      if (!(value instanceof String text) || utf8Length(text) > MAX_NAME_BYTES) {
        throw invalid(
            value, complaint, "expected a text of at most %d bytes".formatted(MAX_NAME_BYTES));
      }
      return value;
    };
  }

  /** Accepts what {@link #text} does, and is not empty. */
  static ValueValidator nonEmpty(String complaint) {
    ValueValidator text = text(complaint);
    return value -> {
      if (text.check(value).equals("")) {
        throw invalid(
            value, complaint, "expected a text of 1 to %d bytes".formatted(MAX_NAME_BYTES));
      }
      return value;
    };
  }

  static ValueValidator bool(String complaint) {
    return value -> {
      if (!(value instanceof Boolean)) {
        throw invalid(value, complaint, "expected true or false");
      }
      return value;
    };
  }

  static ValueValidator oneOf(String complaint, String... words) {
    Set<String> allowed = Set.of(words);
    return value -> {
      if (!(value instanceof String word) || !allowed.contains(word)) {
        throw invalid(
            value,
            complaint,
            "expected one of: %s%s"
                .formatted(
                    String.join(", ", words),
                    NearestName.hint(String.valueOf(value), List.of(words))));
      }
      return value;
    };
  }

  /** Accepts the word for one of the constants of a type. */
  static ValueValidator wordFor(Class<? extends Enum<?>> type) {
    List<String> words = EnumNames.all(type);
    return oneOf(PolicyException.ONE_OF + String.join(", ", words), words.toArray(String[]::new));
  }

  /**
   * Accepts a subset of these words: a text with commas in between, or a list; stored as a text.
   * The word {@code none} stands for the empty subset.
   */
  static ValueValidator someOf(List<String> words) {
    String complaint =
        "is not none, or some of these with commas in between: " + String.join(", ", words);
    return value -> {
      List<String> chosen = parts(value);
      if (chosen == null || chosen.isEmpty()) {
        throw invalid(value, complaint);
      }
      if (!chosen.equals(List.of(NOTHING)) && !words.containsAll(chosen)) {
        throw invalid(value, complaint);
      }
      return String.join(",", chosen);
    };
  }

  /**
   * Accepts whole numbers from 1 on: a text with commas in between, or a list; stored as a text.
   */
  static ValueValidator numbers(String complaint) {
    return value -> {
      List<String> numbers = parts(value);
      if (numbers == null
          || numbers.isEmpty()
          || !numbers.stream().allMatch(number -> number.matches("[1-9][0-9]{0,17}"))) {
        throw invalid(value, complaint);
      }
      return String.join(",", numbers);
    };
  }

  /** Splits such a text; the word {@code none} gives an empty list. */
  static List<String> split(String text) {
    return text.equals(NOTHING) ? List.of() : List.of(text.split(","));
  }

  private static List<String> parts(Object value) {
    if (value instanceof String text) {
      return Arrays.stream(text.split(",")).map(String::strip).toList();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(part -> String.valueOf(part).strip()).toList();
    }
    return value instanceof Number ? List.of(value.toString()) : null;
  }

  /** Accepts one of two words, with the error text of RabbitMQ's mirroring. */
  static ValueValidator oneOfTwo(String key, String one, String other) {
    return value -> {
      if (!one.equals(value) && !other.equals(value)) {
        throw new PolicyException(
            "%s must be \"%s\" or \"%s\", got %s".formatted(key, one, other, ErlangTerm.of(value)));
      }
      return value;
    };
  }

  static ValueValidator matching(String regex, String complaint) {
    Pattern pattern = Pattern.compile(regex);
    return value -> {
      if (!(value instanceof String text) || !pattern.matcher(text).matches()) {
        throw invalid(value, complaint, "expected a text that matches " + regex);
      }
      return value;
    };
  }

  private static Object haParams(Object value) {
    if (value instanceof List<?> names) {
      for (Object name : names) {
        if (!(name instanceof String)) {
          throw new PolicyException(
              "ha-mode=\"nodes\" takes a list of strings, %s was not a string"
                  .formatted(ErlangTerm.of(value)));
        }
      }
      return List.copyOf(names);
    }
    Object number = normalized(value);
    if (!(number instanceof Long count) || count < 1) {
      throw new PolicyException(
          "ha-mode=\"exactly\" takes an integer, %s given".formatted(ErlangTerm.of(value)));
    }
    return number;
  }

  /** Converts whole numbers of every width to a Long, if they fit. */
  private static Object normalized(Object value) {
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return ((Number) value).longValue();
    }
    return value instanceof BigInteger big && big.bitLength() < Long.SIZE ? big.longValue() : value;
  }

  static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static PolicyException invalid(Object value, String complaint, String expected) {
    return new PolicyException(ErlangTerm.of(value) + " " + complaint, List.of(expected));
  }

  private static PolicyException invalid(Object value, String complaint) {
    return new PolicyException(ErlangTerm.of(value) + " " + complaint);
  }
}
