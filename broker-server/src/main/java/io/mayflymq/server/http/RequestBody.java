package io.mayflymq.server.http;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.List;

/**
 * The body of a request, which has been received whole. It is kept in pieces, so that a large one
 * is not copied.
 */
public final class RequestBody {
  /** No body. */
  public static final RequestBody EMPTY = new RequestBody(List.of(), 0);

  private final List<byte[]> pieces;
  private final int length;

  /**
   * @param pieces of which the last may be longer than what is in it
   * @param length of the body
   */
  RequestBody(List<byte[]> pieces, int length) {
    this.pieces = List.copyOf(pieces);
    this.length = length;
  }

  /** Returns a body of these bytes, which shall not change. */
  public static RequestBody of(byte[] bytes) {
    return new RequestBody(List.of(bytes), bytes.length);
  }

  /** Its length in bytes. */
  public int length() {
    return length;
  }

  /** Reads it from the beginning. */
  public InputStream open() {
    InputStream[] streams = new InputStream[pieces.size()];
    int left = length;
    for (int i = 0; i < streams.length; i++) {
      byte[] piece = pieces.get(i);
      streams[i] = new ByteArrayInputStream(piece, 0, Math.min(left, piece.length));
      left -= Math.min(left, piece.length);
    }
    return new SequenceInputStream(Collections.enumeration(List.of(streams)));
  }

  /** Returns a copy of it. */
  public byte[] bytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream(length);
    int left = length;
    for (byte[] piece : pieces) {
      all.write(piece, 0, Math.min(left, piece.length));
      left -= Math.min(left, piece.length);
    }
    return all.toByteArray();
  }
}
