package io.mayflymq.protocol.types;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and writes numbers of byte arrays in network byte order, with one access each. */
final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  static int getUnsignedShort(byte[] buf, int index) {
    return (short) SHORT.get(buf, index) & 0xFFFF;
  }

  static int getInt(byte[] buf, int index) {
    return (int) INT.get(buf, index);
  }

  static long getLong(byte[] buf, int index) {
    return (long) LONG.get(buf, index);
  }

  static void putShort(byte[] buf, int index, int value) {
    SHORT.set(buf, index, (short) value);
  }

  static void putInt(byte[] buf, int index, int value) {
    INT.set(buf, index, value);
  }

  static void putLong(byte[] buf, int index, long value) {
    LONG.set(buf, index, value);
  }
}
