package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * The headers in raw properties, and others put among them in the order of their names, without
 * decoding a value. Made to be used again, by one thread.
 */
public final class RawHeaders {
  /** Tables with more fields are left to those who decode. */
  private static final int MOST_FIELDS = 64;

  private final Fields own = new Fields();
  private final Fields added = new Fields();
  private byte[] content;

  /** Where the fields of a table begin and end, in the order of their names. */
  private static final class Fields {
    private final int[] starts = new int[MOST_FIELDS];
    private final int[] ends = new int[MOST_FIELDS];
    private byte[] buf;
    private int count;

    /** False if there are too many, or one is there twice. */
    boolean read(byte[] from, int at) {
      buf = from;
      count = 0;
      int field = at + Integer.BYTES;
      int end = field + BigEndian.getInt(from, at);
      while (field < end) {
        int next = TableWalk.behindField(from, field, end);
        if (count == MOST_FIELDS || !insert(field, next)) {
          return false;
        }
        field = next;
      }
      return true;
    }

    private boolean insert(int start, int end) {
      int place = count;
      while (place > 0) {
        int order = compareNames(buf, starts[place - 1], buf, start);
        if (order == 0) {
          return false;
        }
        if (order < 0) {
          break;
        }
        starts[place] = starts[place - 1];
        ends[place] = ends[place - 1];
        place--;
      }
      starts[place] = start;
      ends[place] = end;
      count++;
      return true;
    }

    int copy(int field, byte[] to, int at) {
      int length = ends[field] - starts[field];
      System.arraycopy(buf, starts[field], to, at, length);
      return at + length;
    }
  }

  /**
   * Looks at the headers of a content.
   *
   * @param content with headers, as {@link PropertiesScan} lets them pass; not to be changed
   *     meanwhile
   * @return false if they are better decoded
   */
  public boolean read(byte[] content) {
    this.content = content;
    return own.read(content, RawProperties.headersAt(content));
  }

  /** Whether there is a header of this name, given in the bytes of the wire. */
  public boolean has(byte[] name) {
    for (int i = 0; i < own.count; i++) {
      int start = own.starts[i] + 1;
      if (Arrays.equals(
          content, start, start + (content[start - 1] & 0xFF), name, 0, name.length)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The content with more headers, all sorted by name, and without its expiration.
   *
   * @param table the headers to add, the length first
   * @return null if one of them is there already, or they are better decoded
   */
  public byte[] withForExpiration(byte[] table) {
    if (!added.read(table, 0)) {
      return null;
    }
    int ownTable = RawProperties.headersAt(content);
    byte[] merged = new byte[table.length + BigEndian.getInt(content, ownTable)];
    BigEndian.putInt(merged, 0, merged.length - Integer.BYTES);
    int at = Integer.BYTES;
    int i = 0;
    int j = 0;
    while (i < own.count || j < added.count) {
      int order = order(i, j);
      if (order == 0) {
        return null;
      }
      at = order < 0 ? own.copy(i++, merged, at) : added.copy(j++, merged, at);
    }
    return RawProperties.withHeadersForExpiration(content, merged);
  }

  private int order(int i, int j) {
    if (i == own.count) {
      return 1;
    }
    return j == added.count ? -1 : compareNames(content, own.starts[i], added.buf, added.starts[j]);
  }

  private static int compareNames(byte[] a, int startA, byte[] b, int startB) {
    int nameA = startA + 1;
    int nameB = startB + 1;
    return Arrays.compareUnsigned(
        a, nameA, nameA + (a[startA] & 0xFF), b, nameB, nameB + (b[startB] & 0xFF));
  }
}
