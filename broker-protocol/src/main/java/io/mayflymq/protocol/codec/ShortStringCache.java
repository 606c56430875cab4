package io.mayflymq.protocol.codec;

import io.mayflymq.protocol.types.ShortString;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Short strings that were read lately, found again by their bytes: a client publishes to few
 * exchanges with few keys, and makes us allocate them once. Direct-mapped, so that a flood of
 * different keys costs what it would without a cache, and memory stays bounded. Not thread safe.
 *
 * <p>Keys are compared and hashed with their length octet in front, as both the wire and {@link
 * ShortString#encoded()} have it, in pieces of 8 bytes of which the last may overlap the one
 * before.
 */
final class ShortStringCache {
  private static final int SLOTS = 256;
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** Made at the first use: most connections only consume. */
  private ShortString[] slots;

  /**
   * Returns the short string whose length octet stands at {@code index}; the caller has checked
   * that all of it is there.
   */
  ShortString get(ByteBuf in, int index) {
    int length = in.getUnsignedByte(index);
    if (length == 0) {
      return ShortString.EMPTY;
    }
    if (slots == null) {
      slots = new ShortString[SLOTS];
    }
    int slot = slotOf(in, index, length + 1);
    ShortString known = slots[slot];
    if (known != null && equal(known.encoded(), in, index, length + 1)) {
      return known;
    }
    byte[] encoded = new byte[length + 1];
    in.getBytes(index, encoded);
    ShortString fresh = ShortString.ofEncoded(encoded);
    slots[slot] = fresh;
    return fresh;
  }

  private static int slotOf(ByteBuf in, int index, int size) {
    long hash;
    if (size >= Long.BYTES) {
      hash = in.getLong(index + size - Long.BYTES);
      for (int i = 0; i < size - Long.BYTES; i += Long.BYTES) {
        hash = (hash ^ in.getLong(index + i)) * GOLDEN;
      }
    } else if (size >= Integer.BYTES) {
      hash = ((long) in.getInt(index) << 32) ^ in.getInt(index + size - Integer.BYTES);
    } else {
      hash = ((long) in.getUnsignedShort(index) << 8) ^ in.getUnsignedByte(index + size - 1);
    }
    hash *= GOLDEN;
    // The high bits of a product depend on all bits of its factors; fold them all the same, for the
    // last piece has been multiplied once only.
    hash ^= hash >>> 32;
    return (int) ((hash * GOLDEN) >>> 56);
  }

  private static boolean equal(byte[] known, ByteBuf in, int index, int size) {
    if (known[0] != (byte) (size - 1)) {
      return false;
    }
    if (size >= Long.BYTES) {
      for (int i = 0; i < size - Long.BYTES; i += Long.BYTES) {
        if ((long) LONG.get(known, i) != in.getLong(index + i)) {
          return false;
        }
      }
      int last = size - Long.BYTES;
      return (long) LONG.get(known, last) == in.getLong(index + last);
    }
    if (size >= Integer.BYTES) {
      int last = size - Integer.BYTES;
      return (int) INT.get(known, 0) == in.getInt(index)
          && (int) INT.get(known, last) == in.getInt(index + last);
    }
    return known[1] == in.getByte(index + 1) && known[size - 1] == in.getByte(index + size - 1);
  }
}
