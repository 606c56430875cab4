package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * The properties of a content header that class basic does not define, kept so that they can be
 * forwarded.
 */
final class UnknownProperties {
  static final UnknownProperties NONE = new UnknownProperties(0, new byte[0], new byte[0]);

  /** The bits of the first flag word that are not properties of class basic. */
  final int firstWordBits;

  /** The flag words after the first. */
  final byte[] moreFlags;

  /** The bytes after the last known property. */
  final byte[] tail;

  UnknownProperties(int firstWordBits, byte[] moreFlags, byte[] tail) {
    this.firstWordBits = firstWordBits;
    this.moreFlags = moreFlags;
    this.tail = tail;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnknownProperties that
        && firstWordBits == that.firstWordBits
        && Arrays.equals(moreFlags, that.moreFlags)
        && Arrays.equals(tail, that.tail);
  }

  @Override
  public int hashCode() {
    return firstWordBits + 31 * Arrays.hashCode(tail);
  }
}
