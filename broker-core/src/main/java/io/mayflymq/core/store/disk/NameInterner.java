package io.mayflymq.core.store.disk;

import io.mayflymq.protocol.types.ShortString;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Consecutive messages mostly have the same names: then they share one object. */
final class NameInterner {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private ShortString lastExchange = ShortString.EMPTY;
  private ShortString lastKey = ShortString.EMPTY;

  /**
   * The exchange whose name begins there, its length first.
   *
   * @param bytes in little endian
   */
  ShortString exchange(ByteBuffer bytes, int at) {
    lastExchange = name(bytes, at, lastExchange);
    return lastExchange;
  }

  /** The same for a routing key. */
  ShortString routingKey(ByteBuffer bytes, int at) {
    lastKey = name(bytes, at, lastKey);
    return lastKey;
  }

  private static ShortString name(ByteBuffer bytes, int at, ShortString last) {
    int length = 1 + (bytes.get(at) & 0xff);
    if (isSame(bytes, at, length, last.encoded())) {
      return last;
    }
    byte[] name = new byte[length];
    bytes.get(at, name);
    return ShortString.of(name, 1, length - 1);
  }

  /** Eight bytes at a time: the methods for whole ranges cost more than a name takes. */
  private static boolean isSame(ByteBuffer bytes, int at, int length, byte[] known) {
    if (length != known.length) {
      return false;
    }
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      if (bytes.getLong(at + i) != (long) LONG.get(known, i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (bytes.get(at + i) != known[i]) {
        return false;
      }
    }
    return true;
  }
}
