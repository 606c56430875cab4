package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * Merges headers into the headers of encoded properties, sorted by name, without decoding a value.
 * An instance is reused, by one thread.
 */
public final class RawHeaders {
  /** Tables with more fields must be decoded. */
  private static final int MOST_FIELDS = 64;

  private final Fields own = new Fields();
  private final Fields added = new Fields();

  /** The start and end offsets of the fields of a table, sorted by name. */
  private static final class Fields {
    private final int[] starts = new int[MOST_FIELDS];
    private final int[] ends = new int[MOST_FIELDS];
    private byte[] buf;
    private int count;
    private int length;

    /** Reads the fields of a table. Returns false if there are too many, or a name occurs twice. */
    boolean read(byte[] from, int at) {
      buf = from;
      count = 0;
      int field = at + Integer.BYTES;
      length = BigEndian.getInt(from, at);
      int end = field + length;
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

    boolean has(byte[] name) {
      for (int i = 0; i < count; i++) {
        int start = starts[i] + 1;
        int end = start + (buf[starts[i]] & 0xFF);
        if (Arrays.equals(buf, start, end, name, 0, name.length)) {
          return true;
        }
      }
      return false;
    }

    int copy(int field, byte[] to, int at) {
      int length = ends[field] - starts[field];
      System.arraycopy(buf, starts[field], to, at, length);
      return at + length;
    }
  }

  /**
   * Returns the content with additional headers, all sorted by name, and without its expiration.
   *
   * @param content with headers, accepted by {@link PropertiesScan}; not changed
   * @param table the headers to add, with their length first
   * @param unless an encoded name
   * @return null if the content has a header of this name or one of the added headers, or if the
   *     headers must be decoded
   */
  public byte[] withForExpiration(byte[] content, byte[] table, byte[] unless) {
    try {
      byte[] merged =
          own.read(content, RawProperties.headersAt(content))
                  && !own.has(unless)
                  && added.read(table, 0)
              ? merged()
              : null;
      return merged == null ? null : RawProperties.withHeadersForExpiration(content, merged);
    } finally {
      own.buf = null; // A content may be large, and would otherwise be kept until the next call.
    }
  }

  private byte[] merged() {
    int length = Integer.BYTES + own.length + added.length;
    byte[] merged = new byte[length];
    BigEndian.putInt(merged, 0, length - Integer.BYTES);
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
    return merged;
  }

  private int order(int i, int j) {
    if (i == own.count) {
      return 1;
    }
    return j == added.count ? -1 : compareNames(own.buf, own.starts[i], added.buf, added.starts[j]);
  }

  private static int compareNames(byte[] a, int startA, byte[] b, int startB) {
    int nameA = startA + 1;
    int nameB = startB + 1;
    return Arrays.compareUnsigned(
        a, nameA, nameA + (a[startA] & 0xFF), b, nameB, nameB + (b[startB] & 0xFF));
  }
}
