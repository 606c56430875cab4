package io.mayflymq.protocol.types;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;

/**
 * Decodes and encodes text without loss, even if it is not valid UTF-8.
 *
 * <p>AMQP 0-9-1 says that a short string is UTF-8, but RabbitMQ checks that only in methods without
 * content: routing keys of publishes, header names and properties are not checked, and programs do
 * put binary UUIDs into a correlation id. A broker that decodes such text and encodes it again, for
 * example in a dead letter, must not change it. So a byte that is not part of valid UTF-8 is
 * decoded to the lone surrogate U+DC00 + byte, which no valid text contains, and encoded to that
 * byte again: the scheme of Python's "surrogateescape" (PEP 383). Two different byte strings are
 * therefore never equal as strings either.
 */
public final class Utf8 {
  private static final char REPLACEMENT = '\uFFFD';
  private static final int ESCAPE = 0xDC00;

  private Utf8() {}

  /** Decodes a range of bytes; those that are not UTF-8 are kept as lone surrogates. */
  public static String decode(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, length, UTF_8);
    // Only text with a replacement character can have been malformed, which is rare.
    return text.indexOf(REPLACEMENT) < 0 || isExact(text, bytes, offset, length)
        ? text
        : decodeEscaping(bytes, offset, length);
  }

  /** Returns whether a range of bytes is well-formed UTF-8. */
  public static boolean isValid(byte[] bytes, int offset, int length) {
    String text = new String(bytes, offset, length, UTF_8);
    return text.indexOf(REPLACEMENT) < 0 || isExact(text, bytes, offset, length);
  }

  /** Encodes a text in UTF-8, with the original bytes for what {@link #decode} escaped. */
  public static byte[] encode(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isEscape(text, i)) {
        return encodeEscaped(text);
      }
    }
    return text.getBytes(UTF_8);
  }

  /**
   * Returns the text if it fits, otherwise its beginning followed by an ellipsis, as RabbitMQ does.
   */
  public static String abbreviate(String text, int maxBytes) {
    String whole = cut(text, maxBytes);
    return whole.length() == text.length() ? text : cut(text, maxBytes - 3) + "...";
  }

  /**
   * Returns the longest prefix of {@code text} whose encoding has at most {@code maxBytes} bytes.
   */
  public static String cut(String text, int maxBytes) {
    if (text.length() * 3L <= maxBytes) {
      return text;
    }
    int bytes = 0;
    int i = 0;
    while (i < text.length()) {
      int codePoint = text.codePointAt(i);
      bytes += width(codePoint);
      if (bytes > maxBytes) {
        return text.substring(0, i);
      }
      i += Character.charCount(codePoint);
    }
    return text;
  }

  private static int width(int codePoint) {
    if (codePoint < 0x80 || isSurrogate(codePoint)) {
      return 1;
    }
    return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  private static boolean isExact(String text, byte[] bytes, int offset, int length) {
    byte[] again = text.getBytes(UTF_8);
    return Arrays.equals(again, 0, again.length, bytes, offset, offset + length);
  }

  private static boolean isEscape(String text, int index) {
    char c = text.charAt(index);
    return c >= ESCAPE + 0x80
        && c <= ESCAPE + 0xFF
        && (index == 0 || !Character.isHighSurrogate(text.charAt(index - 1)));
  }

  private static String decodeEscaping(byte[] bytes, int offset, int length) {
    CharsetDecoder decoder =
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes, offset, length);
    CharBuffer out = CharBuffer.allocate(length);
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (!result.isError()) {
        return out.flip().toString();
      }
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (ESCAPE + (in.get() & 0xFF)));
      }
    }
  }

  private static byte[] encodeEscaped(String text) {
    byte[] out = new byte[text.length() * 3];
    int size = 0;
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || isEscape(text, i)) {
        byte[] valid = text.substring(start, i).getBytes(UTF_8);
        System.arraycopy(valid, 0, out, size, valid.length);
        size += valid.length;
        if (i < text.length()) {
          out[size++] = (byte) (text.charAt(i) - ESCAPE);
        }
        start = i + 1;
      }
    }
    return Arrays.copyOf(out, size);
  }
}
