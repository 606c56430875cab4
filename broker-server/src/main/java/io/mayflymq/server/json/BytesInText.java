package io.mayflymq.server.json;

import io.mayflymq.protocol.types.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Text of AMQP that is not UTF-8, which JSON cannot hold, in the form of RabbitMQ: {@code Not
 * UTF-8, base64 is: Yf9i}. Inside the broker such text has lone surrogates ({@link Utf8}).
 *
 * <p>Field tables are read from this form again. So that nothing is lost, a text of theirs that
 * merely looks like it is written in base64 too.
 *
 * <p>Source: RabbitMQ 4.3.6, which writes the form in values and reads it as plain text.
 */
final class BytesInText {
  private static final String PREFIX = "Not UTF-8, base64 is: ";

  private BytesInText() {}

  /** Returns the text if it is UTF-8, otherwise the form. */
  static String shown(String text) {
    int i = 0;
    while (i < text.length()) {
      int codePoint = text.codePointAt(i);
      if (isLoneSurrogate(codePoint)) {
        return form(Utf8.encode(text));
      }
      i += Character.charCount(codePoint);
    }
    return text;
  }

  /** Two surrogates that belong together are one code point. */
  private static boolean isLoneSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** Returns bytes that may be text. */
  static String shown(byte[] bytes) {
    return written(Utf8.decode(bytes, 0, bytes.length));
  }

  /** Returns what {@link #read} makes this text of. */
  static String written(String text) {
    String shown = shown(text);
    return shown.equals(text) && !read(text).equals(text)
        ? form(text.getBytes(StandardCharsets.UTF_8))
        : shown;
  }

  /** Returns the text of which {@link #written} made this one. */
  static String read(String text) {
    if (!text.startsWith(PREFIX)) {
      return text;
    }
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text.substring(PREFIX.length()));
    } catch (IllegalArgumentException e) {
      return text;
    }
    boolean needed =
        !Utf8.isValid(bytes, 0, bytes.length)
            || new String(bytes, StandardCharsets.UTF_8).startsWith(PREFIX);
    return needed && form(bytes).equals(text) ? Utf8.decode(bytes, 0, bytes.length) : text;
  }

  /**
   * Returns whether a text has a surrogate that is neither half of a pair nor stands for a byte.
   */
  static boolean isBroken(String text) {
    byte[] bytes = Utf8.encode(text);
    return !Utf8.decode(bytes, 0, bytes.length).equals(text);
  }

  private static String form(byte[] bytes) {
    return PREFIX + Base64.getEncoder().encodeToString(bytes);
  }
}
