package io.mayflymq.server.config;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text as a term of Erlang, which is what RabbitMQ encrypts.
 *
 * <p>Source: Erlang, "External Term Format".
 *
 * @param kind which of the terms that can be a text
 */
public record EncryptedTerm(Kind kind, String text) {
  /** The terms that can be a text. */
  public enum Kind {
    /** Bytes, here those of UTF-8: {@code <<"text">>}. */
    BINARY,
    /** A list of code points: {@code "text"}. */
    STRING,
    /** A name: {@code text}. */
    ATOM
  }

  private static final int VERSION = 131;
  private static final int SMALL_INTEGER = 97;
  private static final int INTEGER = 98;
  private static final int OLD_ATOM = 100;
  private static final int NIL = 106;
  private static final int CHARACTERS = 107;
  private static final int LIST = 108;
  private static final int BYTES = 109;
  private static final int LONG_ATOM = 118;
  private static final int SMALL_ATOM = 119;

  private static final Pattern LITERAL =
      Pattern.compile("(<<)?\"((?:[^\"\\\\]|\\\\.)*)\"(?:/utf8)?(>>)?", Pattern.DOTALL);
  private static final Pattern ESCAPE = Pattern.compile("\\\\(.)", Pattern.DOTALL);

  /**
   * Reads what an operator has written: {@code "text"} or {@code <<"text">>} as in Erlang, or the
   * text itself, which becomes a binary.
   */
  public static EncryptedTerm written(String text) {
    Matcher literal = LITERAL.matcher(text);
    if (!literal.matches() || (literal.group(1) == null) != (literal.group(3) == null)) {
      return new EncryptedTerm(Kind.BINARY, text);
    }
    String inner = ESCAPE.matcher(literal.group(2)).replaceAll("$1");
    return new EncryptedTerm(literal.group(1) == null ? Kind.STRING : Kind.BINARY, inner);
  }

  /** Returns the text as Erlang writes it. */
  public String literal() {
    String quoted = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    return switch (kind) {
      case BINARY -> "<<" + quoted + (text.chars().allMatch(c -> c < 128) ? ">>" : "/utf8>>");
      case STRING -> quoted;
      case ATOM -> text;
    };
  }

  /** Returns the term in the external format: a binary, or a list of code points for a string. */
  byte[] bytes() {
    if (kind != Kind.STRING) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(6 + utf8.length)
          .put((byte) VERSION)
          .put((byte) BYTES)
          .putInt(utf8.length)
          .put(utf8)
          .array();
    }
    int[] points = text.codePoints().toArray();
    ByteBuffer term =
        ByteBuffer.allocate(7 + 5 * points.length)
            .put((byte) VERSION)
            .put((byte) LIST)
            .putInt(points.length);
    for (int point : points) {
      term.put((byte) INTEGER).putInt(point);
    }
    term.put((byte) NIL);
    return term.array();
  }

  /** Returns the text that a term in the external format is; empty if it is another term. */
  static Optional<EncryptedTerm> of(byte[] bytes) {
    ByteBuffer term = ByteBuffer.wrap(bytes);
    try {
      if (unsigned(term) != VERSION) {
        return Optional.empty();
      }
      Optional<EncryptedTerm> text = text(term);
      return term.hasRemaining() ? Optional.empty() : text;
    } catch (BufferUnderflowException | CharacterCodingException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<EncryptedTerm> text(ByteBuffer term) throws CharacterCodingException {
    int tag = unsigned(term);
    return switch (tag) {
      case BYTES -> Optional.of(new EncryptedTerm(Kind.BINARY, utf8(term, term.getInt())));
      case CHARACTERS -> Optional.of(new EncryptedTerm(Kind.STRING, latin1(term)));
      case LIST -> Optional.of(new EncryptedTerm(Kind.STRING, codePoints(term)));
      case NIL -> Optional.of(new EncryptedTerm(Kind.STRING, ""));
      case SMALL_ATOM -> Optional.of(new EncryptedTerm(Kind.ATOM, utf8(term, unsigned(term))));
      case LONG_ATOM -> Optional.of(new EncryptedTerm(Kind.ATOM, utf8(term, term.getShort())));
      case OLD_ATOM -> Optional.of(new EncryptedTerm(Kind.ATOM, latin1(term)));
      default -> Optional.empty();
    };
  }

  /** What Erlang writes for a list of numbers below 256, behind a length of two bytes. */
  private static String latin1(ByteBuffer term) {
    return new String(
        bytes(term, Short.toUnsignedInt(term.getShort())), StandardCharsets.ISO_8859_1);
  }

  private static String codePoints(ByteBuffer term) {
    StringBuilder text = new StringBuilder();
    for (int left = term.getInt(); left > 0; left--) {
      text.appendCodePoint(
          switch (unsigned(term)) {
            case SMALL_INTEGER -> unsigned(term);
            case INTEGER -> term.getInt();
            default -> throw new IllegalArgumentException("a list of other terms than numbers");
          });
    }
    if (unsigned(term) != NIL) {
      throw new IllegalArgumentException("a list with a tail");
    }
    return text.toString();
  }

  private static String utf8(ByteBuffer term, int length) throws CharacterCodingException {
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes(term, length)))
        .toString();
  }

  private static byte[] bytes(ByteBuffer term, int length) {
    if (length < 0 || length > term.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    term.get(bytes);
    return bytes;
  }

  private static int unsigned(ByteBuffer term) {
    return Byte.toUnsignedInt(term.get());
  }
}
