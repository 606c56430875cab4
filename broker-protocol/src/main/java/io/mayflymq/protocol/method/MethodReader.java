package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.Utf8;
import io.netty.buffer.ByteBuf;

/**
 * Reads the fields of a method out of a frame's payload and never beyond it. Not thread safe.
 *
 * <p>A field that does not fit is answered as RabbitMQ does, FRAME_ERROR with the fields shown:
 * {@code cannot decode <<0,0,5,104>>}.
 */
final class MethodReader {
  /** The ids of class and method, which are no fields. */
  private static final int IDS = 4;

  private static final int MOST_BYTES_SHOWN = 32;

  private final ByteBuf in;
  private final int start;
  private final int end;
  private int position;

  MethodReader(ByteBuf in, int index, int length) {
    this.in = in;
    this.start = index;
    this.position = index;
    this.end = index + length;
  }

  int uint8() {
    return in.getUnsignedByte(advance(1));
  }

  int uint16() {
    return in.getUnsignedShort(advance(2));
  }

  long uint32() {
    return in.getUnsignedInt(advance(4));
  }

  long int64() {
    return in.getLong(advance(8));
  }

  String shortString() {
    byte[] bytes = bytes(uint8());
    if (!Utf8.isValid(bytes, 0, bytes.length)) {
      throw new ConnectionException(ReplyCode.FRAME_ERROR, "Malformed UTF-8 in shortstr");
    }
    return Utf8.decode(bytes, 0, bytes.length);
  }

  String uncheckedShortString() {
    byte[] bytes = bytes(uint8());
    return Utf8.decode(bytes, 0, bytes.length);
  }

  byte[] longBytes() {
    return bytes(uint32());
  }

  String longText() {
    byte[] bytes = longBytes();
    return Utf8.decode(bytes, 0, bytes.length);
  }

  FieldTable table() {
    byte[] bytes = longBytes();
    return FieldTable.decode(bytes, 0, bytes.length);
  }

  void expectEnd() {
    if (position != end) {
      throw malformed();
    }
  }

  private byte[] bytes(long length) {
    // The length is checked before anything is allocated for it.
    int at = advance(length);
    byte[] bytes = new byte[(int) length];
    in.getBytes(at, bytes);
    return bytes;
  }

  private int advance(long count) {
    if (count > end - position) {
      throw malformed();
    }
    int at = position;
    position += (int) count;
    return at;
  }

  private ConnectionException malformed() {
    StringBuilder text = new StringBuilder("cannot decode <<");
    int from = Math.min(start + IDS, end);
    int shown = Math.min(end - from, MOST_BYTES_SHOWN);
    for (int i = 0; i < shown; i++) {
      text.append(i == 0 ? "" : ",").append(in.getUnsignedByte(from + i));
    }
    text.append(shown < end - from ? ",...>>" : ">>");
    return new ConnectionException(ReplyCode.FRAME_ERROR, text.toString());
  }
}
