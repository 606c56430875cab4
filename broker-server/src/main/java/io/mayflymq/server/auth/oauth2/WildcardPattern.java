package io.mayflymq.server.auth.oauth2;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of a scope: a text in which {@code *} stands for any text, also the empty one. A percent
 * code, such as {@code %2F} or {@code %2A}, stands for a character that has no other meaning then.
 */
final class WildcardPattern {
  /** The texts between the stars; one if there is no star. */
  private final String[] pieces;

  private WildcardPattern(String[] pieces) {
    this.pieces = pieces;
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if a percent code is malformed
   */
  static WildcardPattern of(String pattern) {
    List<String> pieces = new ArrayList<>();
    for (String piece : pattern.split("\\*", -1)) {
      pieces.add(decode(piece));
    }
    return new WildcardPattern(pieces.toArray(String[]::new));
  }

  /** Returns a pattern that only this text matches. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
      if (each < 0 || "%*/{}".indexOf(each) >= 0) {
        escaped.append('%').append("%02X".formatted(each & 0xff));
      } else {
        escaped.append((char) each);
      }
    }
    return escaped.toString();
  }

  private static String decode(String piece) {
    if (piece.indexOf('%') < 0) {
      return piece;
    }
    byte[] encoded = piece.getBytes(StandardCharsets.UTF_8);
    byte[] bytes = new byte[encoded.length];
    int length = 0;
    for (int i = 0; i < encoded.length; i++) {
      if (encoded[i] != '%') {
        bytes[length++] = encoded[i];
        continue;
      }
      int high = i + 2 < encoded.length ? Character.digit(encoded[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(encoded[i + 2], 16);
      if (low < 0) {
        throw new IllegalArgumentException("'%' is not followed by two hexadecimal digits");
      }
      bytes[length++] = (byte) (high << 4 | low);
      i += 2;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  /** Returns whether a whole text matches. */
  boolean matches(String text) {
    String first = pieces[0];
    int last = pieces.length - 1;
    if (last == 0) {
      return text.equals(first);
    }
    if (!text.startsWith(first)) {
      return false;
    }
    int at = first.length();
    for (int i = 1; i < last; i++) {
      int found = text.indexOf(pieces[i], at);
      if (found < 0) {
        return false;
      }
      at = found + pieces[i].length();
    }
    return text.length() - at >= pieces[last].length() && text.endsWith(pieces[last]);
  }
}
