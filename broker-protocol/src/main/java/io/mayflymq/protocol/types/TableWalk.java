package io.mayflymq.protocol.types;

/**
 * Reads an encoded field table without creating objects. It accepts and refuses the same tables as
 * {@link FieldTable#decode}.
 */
final class TableWalk {
  private TableWalk() {}

  /**
   * Checks the structure of a table's body.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if it is malformed
   */
  static void validate(byte[] buf, int off, int len) {
    validateTable(buf, off, off + len, 1);
  }

  /**
   * Returns whether a table's body has a field of this name at its top level.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if a field before it is malformed
   */
  static boolean containsKey(byte[] buf, int off, int len, byte[] key) {
    int end = off + len;
    int at = off;
    while (at < end) {
      int length = buf[at] & 0xFF;
      int name = at + 1;
      int value = claim(name, length, end);
      if (matches(buf, name, length, key)) {
        return true;
      }
      at = skipValue(buf, value, end, 1, false);
    }
    return false;
  }

  /**
   * Returns the value of the first field of this name at the top level of a table's body, decoded;
   * null if there is none.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if a field before it, or its value is malformed
   */
  static FieldValue value(byte[] buf, int off, int len, byte[] key) {
    int end = off + len;
    for (int at = off; at < end; ) {
      int length = buf[at] & 0xFF;
      int name = at + 1;
      int value = claim(name, length, end);
      at = skipValue(buf, value, end, 1, false);
      if (matches(buf, name, length, key)) {
        return FieldTableCodec.readValue(new WireReader(buf, value, at - value, "field table"), 1);
      }
    }
    return null;
  }

  /**
   * Returns which of these names the fields of a table's body have at its top level: bit i for the
   * name i.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if a field is malformed
   */
  static int keys(byte[] buf, int off, int len, byte[][] names) {
    int end = off + len;
    int found = 0;
    for (int at = off; at < end; ) {
      int length = buf[at] & 0xFF;
      int name = at + 1;
      int value = claim(name, length, end);
      for (int i = 0; i < names.length; i++) {
        if (matches(buf, name, length, names[i])) {
          found |= 1 << i;
        }
      }
      at = skipValue(buf, value, end, 1, false);
    }
    return found;
  }

  /** Returns the index after the field that starts at {@code at}. */
  static int behindField(byte[] buf, int at, int end) {
    return skipValue(buf, claim(at + 1, buf[at] & 0xFF, end), end, 1, false);
  }

  private static boolean matches(byte[] buf, int off, int length, byte[] key) {
    if (length != key.length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (buf[off + i] != key[i]) {
        return false;
      }
    }
    return true;
  }

  private static void validateTable(byte[] buf, int off, int end, int depth) {
    int at = off;
    while (at < end) {
      at = skipValue(buf, claim(at + 1, buf[at] & 0xFF, end), end, depth, true);
    }
  }

  private static void validateArray(byte[] buf, int off, int end, int depth) {
    int at = off;
    while (at < end) {
      at = skipValue(buf, at, end, depth, true);
    }
  }

  /**
   * Returns the index after the value whose type octet is at {@code at}, with or without checking
   * nested values.
   */
  private static int skipValue(byte[] buf, int at, int end, int depth, boolean inside) {
    int value = claim(at, 1, end);
    int tag = buf[at];
    return switch (tag) {
      case 'V' -> value;
      case 't', 'b', 'B' -> claim(value, 1, end);
      case 's', 'u' -> claim(value, 2, end);
      case 'I', 'i', 'f' -> claim(value, 4, end);
      case 'D' -> claim(value, 5, end);
      case 'l', 'L', 'd', 'T' -> claim(value, 8, end);
      case 'S', 'x' -> skipLong(buf, value, end);
      case 'A', 'F' -> {
        int next = skipLong(buf, value, end);
        if (inside) {
          validateNested(buf, tag, value + 4, next, depth);
        }
        yield next;
      }
      default -> throw malformed(FieldTableCodec.unknownType(tag & 0xFF));
    };
  }

  private static void validateNested(byte[] buf, int tag, int off, int end, int depth) {
    if (depth >= FieldTable.MAX_DEPTH) {
      throw malformed(FieldTableCodec.tooDeep());
    }
    if (tag == 'A') {
      validateArray(buf, off, end, depth + 1);
    } else {
      validateTable(buf, off, end, depth + 1);
    }
  }

  private static int skipLong(byte[] buf, int at, int end) {
    int value = claim(at, 4, end);
    int length = BigEndian.getInt(buf, at);
    if (length < 0) {
      throw cut(length & 0xFFFF_FFFFL, end - value);
    }
    return claim(value, length, end);
  }

  /**
   * Returns the index after {@code count} bytes at {@code at}, which must not exceed {@code end}.
   */
  private static int claim(int at, int count, int end) {
    if (count > end - at) {
      throw cut(count, end - at);
    }
    return at + count;
  }

  private static ConnectionException cut(long needed, int left) {
    return malformed("a value of " + needed + " bytes where " + left + " are left");
  }

  private static ConnectionException malformed(String detail) {
    return new ConnectionException(ReplyCode.SYNTAX_ERROR, "field table: " + detail);
  }
}
