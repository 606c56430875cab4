package io.mayflymq.protocol.types;

import java.util.StringJoiner;

/** Formats values as Erlang prints terms, which RabbitMQ's error texts and events contain. */
public final class ErlangText {
  private ErlangText() {}

  /** Returns the text that Erlang would print for the content of a value. */
  public static String of(FieldValue value) {
    if (value instanceof FieldValue.LongString text) {
      return binary(text.bytes());
    }
    if (value instanceof FieldValue.Binary bytes) {
      return binary(bytes.bytes());
    }
    if (value instanceof FieldValue.Bool bool) {
      return Boolean.toString(bool.value());
    }
    if (value instanceof FieldValue.Void) {
      return "undefined";
    }
    return value.isInteger() ? Long.toString(value.longValue()) : value.toString();
  }

  private static String binary(byte[] bytes) {
    String text = Utf8.decode(bytes, 0, bytes.length);
    if (!text.codePoints().allMatch(ErlangText::isPrintable)) {
      StringJoiner numbers = new StringJoiner(",", "<<", ">>");
      for (byte b : bytes) {
        numbers.add(Integer.toString(b & 0xFF));
      }
      return numbers.toString();
    }
    boolean ascii = text.codePoints().allMatch(c -> c < 0x80);
    String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
    return bytes.length == 0 ? "<<>>" : "<<\"" + escaped + (ascii ? "\">>" : "\"/utf8>>");
  }

  private static boolean isPrintable(int codePoint) {
    return !Character.isISOControl(codePoint) && !isSurrogate(codePoint);
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
