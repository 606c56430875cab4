package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.protocol.types.Utf8;
import io.netty.buffer.ByteBuf;

/** Writes the fields of methods. */
final class MethodWriter {
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;

  private MethodWriter() {}

  static void uint8(ByteBuf out, int value) {
    out.writeByte(value);
  }

  static void uint16(ByteBuf out, int value) {
    out.writeShort(value);
  }

  /** Writes a count, or the largest number there is if it is larger than that. */
  static void uint32(ByteBuf out, long value) {
    out.writeInt((int) Math.min(value, MAX_UINT32));
  }

  static void int64(ByteBuf out, long value) {
    out.writeLong(value);
  }

  /**
   * @throws IllegalArgumentException if the text has more than 255 bytes
   */
  static void shortString(ByteBuf out, String text) {
    byte[] bytes = Utf8.encode(text);
    if (bytes.length > ShortString.MAX_BYTES) {
      throw new IllegalArgumentException(
          "short string of " + bytes.length + " bytes: at most " + ShortString.MAX_BYTES + " fit");
    }
    out.writeByte(bytes.length).writeBytes(bytes);
  }

  /** Writes as much of a text as a short string can hold. */
  static void cutShortString(ByteBuf out, String text) {
    shortString(out, Utf8.abbreviate(text, ShortString.MAX_BYTES));
  }

  static void longBytes(ByteBuf out, byte[] bytes) {
    out.writeInt(bytes.length).writeBytes(bytes);
  }

  static void longText(ByteBuf out, String text) {
    longBytes(out, Utf8.encode(text));
  }

  static void table(ByteBuf out, FieldTable table) {
    longBytes(out, table.encode());
  }

  static void bits(ByteBuf out, boolean b0) {
    out.writeByte(bit(b0, 0));
  }

  static void bits(ByteBuf out, boolean b0, boolean b1) {
    out.writeByte(bit(b0, 0) | bit(b1, 1));
  }

  static void bits(ByteBuf out, boolean b0, boolean b1, boolean b2) {
    out.writeByte(bit(b0, 0) | bit(b1, 1) | bit(b2, 2));
  }

  static void bits(ByteBuf out, boolean b0, boolean b1, boolean b2, boolean b3) {
    out.writeByte(bit(b0, 0) | bit(b1, 1) | bit(b2, 2) | bit(b3, 3));
  }

  static void bits(ByteBuf out, boolean b0, boolean b1, boolean b2, boolean b3, boolean b4) {
    out.writeByte(bit(b0, 0) | bit(b1, 1) | bit(b2, 2) | bit(b3, 3) | bit(b4, 4));
  }

  private static int bit(boolean value, int position) {
    return value ? 1 << position : 0;
  }
}
