package io.mayflymq.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoding (RFC 3986, section 2.1) of UTF-8. */
public final class Percent {
  private Percent() {}

  /**
   * Decodes.
   *
   * @throws IllegalArgumentException if a percent sign is not followed by two hexadecimal digits,
   *     or the result is no UTF-8; the message says so and quotes the text
   */
  public static String decode(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
        continue;
      }
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
      if (low < 0) {
        throw new IllegalArgumentException("malformed percent-encoding in '" + text + "'");
      }
      bytes.write(high << 4 | low);
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("'" + text + "' is not percent-encoded UTF-8", e);
    }
  }
}
