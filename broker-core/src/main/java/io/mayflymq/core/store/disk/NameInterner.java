package io.mayflymq.core.store.disk;

import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;

/** Consecutive messages mostly have the same names: then they share one object. */
final class NameInterner {
  private ShortString lastExchange = ShortString.EMPTY;
  private ShortString lastKey = ShortString.EMPTY;

  /** The exchange whose name begins there, its length first. */
  ShortString exchange(byte[] bytes, int at) {
    lastExchange = name(bytes, at, lastExchange);
    return lastExchange;
  }

  /** The same for a routing key. */
  ShortString routingKey(byte[] bytes, int at) {
    lastKey = name(bytes, at, lastKey);
    return lastKey;
  }

  private static ShortString name(byte[] bytes, int at, ShortString last) {
    byte[] known = last.encoded();
    int length = 1 + (bytes[at] & 0xff);
    return length == known.length && Arrays.equals(bytes, at, at + length, known, 0, length)
        ? last
        : ShortString.of(bytes, at + 1, length - 1);
  }
}
