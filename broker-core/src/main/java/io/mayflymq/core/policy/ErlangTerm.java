package io.mayflymq.core.policy;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Values from JSON as RabbitMQ's error texts show them: as Erlang's {@code ~p} prints terms. */
final class ErlangTerm {
  private ErlangTerm() {}

  static String of(Object value) {
    if (value instanceof String text) {
      return binary(text);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(ErlangTerm::of).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> of(entry.getKey()) + " => " + of(entry.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "#{", "}"));
    }
    if (value instanceof Double || value instanceof Float || value instanceof BigDecimal) {
      return number(new BigDecimal(value.toString()));
    }
    return String.valueOf(value);
  }

  /** Formats a list of pairs as an Erlang proplist. */
  static String pairs(Map<String, ?> map) {
    return map.entrySet().stream()
        .map(entry -> "{" + of(entry.getKey()) + "," + of(entry.getValue()) + "}")
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** Formats the bytes of the text, in quotes if Erlang takes them for printable Latin-1. */
  private static String binary(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length == 0) {
      return "<<>>";
    }
    for (byte b : bytes) {
      if (!isPrintable(b & 0xFF)) {
        return numbers(bytes);
      }
    }
    return "<<\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\">>";
  }

  private static String numbers(byte[] bytes) {
    StringJoiner numbers = new StringJoiner(",", "<<", ">>");
    for (byte b : bytes) {
      numbers.add(Integer.toString(b & 0xFF));
    }
    return numbers.toString();
  }

  private static boolean isPrintable(int latin1) {
    return (latin1 >= ' ' && latin1 < 0x7F) || latin1 >= 0xA0;
  }

  /** Formats with or without exponent, whichever is shorter. */
  private static String number(BigDecimal number) {
    BigDecimal digits = number.stripTrailingZeros();
    String plain = digits.scale() <= 0 ? digits.toPlainString() + ".0" : digits.toPlainString();
    int exponent = digits.precision() - digits.scale() - 1;
    BigDecimal mantissa = digits.movePointLeft(exponent);
    String scientific =
        (mantissa.scale() <= 0 ? mantissa.toPlainString() + ".0" : mantissa.toPlainString())
            + "e"
            + exponent;
    return scientific.length() < plain.length() ? scientific : plain;
  }
}
