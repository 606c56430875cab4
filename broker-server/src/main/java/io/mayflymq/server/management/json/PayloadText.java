package io.mayflymq.server.management.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Converts the body of a large message to JSON in pieces, because the whole text may take six times
 * as much memory as the message in the queue.
 */
final class PayloadText {
  private static final int PIECE = 8 * 1024;

  /** A multiple of three, as base64 encodes three bytes in four characters. */
  private static final int BASE64_PIECE = 6 * 1024;

  private final byte[] content;
  private final int from;
  private final int to;
  private final boolean isText;

  /**
   * Creates the text of a part of a content.
   *
   * @param content not copied
   * @param from the start of the body
   * @param to the end of the body
   * @param isText whether it is UTF-8; otherwise it is encoded in base64
   */
  PayloadText(byte[] content, int from, int to, boolean isText) {
    this.content = content;
    this.from = from;
    this.to = to;
    this.isText = isText;
  }

  /** Returns whether it is shown as text. */
  boolean isText() {
    return isText;
  }

  /** Returns whether a range of bytes is well-formed UTF-8, without decoding it. */
  static boolean isUtf8(byte[] content, int from, int to) {
    CharsetDecoder decoder = decoder();
    ByteBuffer in = ByteBuffer.wrap(content, from, to - from);
    CharBuffer out = CharBuffer.allocate(Math.max(16, Math.min(PIECE, to - from)));
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (!result.isOverflow()) {
        return !result.isError();
      }
      out.clear();
    }
  }

  private static CharsetDecoder decoder() {
    return StandardCharsets.UTF_8
        .newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT);
  }

  /** Returns the pieces of a JSON string, escaped and without quotes. */
  Iterator<String> pieces() {
    return isText ? new Text() : new Coded();
  }

  private final class Text implements Iterator<String> {
    private final CharsetDecoder decoder = decoder();
    private final ByteBuffer in = ByteBuffer.wrap(content, from, to - from);
    private final CharBuffer out = CharBuffer.allocate(PIECE);

    @Override
    public boolean hasNext() {
      return in.hasRemaining();
    }

    @Override
    public String next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      out.clear();
      decoder.decode(in, out, true);
      out.flip();
      return new String(JsonStringEncoder.getInstance().quoteAsString(out));
    }
  }

  private final class Coded implements Iterator<String> {
    private int next = from;

    @Override
    public boolean hasNext() {
      return next < to;
    }

    @Override
    public String next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int length = Math.min(BASE64_PIECE, to - next);
      ByteBuffer coded = Base64.getEncoder().encode(ByteBuffer.wrap(content, next, length));
      next += length;
      return StandardCharsets.ISO_8859_1.decode(coded).toString();
    }
  }
}
