package io.mayflymq.protocol.types;

import java.util.Arrays;

/**
 * Adds a header with an integer to the encoded properties of a message, without decoding the
 * others.
 *
 * <p>The header is added after the existing ones, with one copy of the content. Immutable.
 */
public final class Int64Header {
  private static final int VALUE_BYTES = 8;

  private final String name;
  private final byte[] key;

  /** The encoded header, with zeros for its value. */
  private final byte[] field;

  /**
   * Creates a header of this name.
   *
   * @param name at most 255 bytes in UTF-8
   */
  public Int64Header(String name) {
    this.name = name;
    WireWriter writer = new WireWriter(64);
    writer.shortString(name);
    byte[] encoded = writer.toByteArray();
    this.key = Arrays.copyOfRange(encoded, 1, encoded.length);
    writer.uint8('l');
    writer.int64(0);
    this.field = writer.toByteArray();
  }

  /**
   * Sets the header, at its old place if it exists.
   *
   * @param content property flags and list accepted by {@link PropertiesScan}, followed by a body;
   *     not changed
   * @param propertiesLength the number of bytes of the properties in it
   * @return the content with the header; the properties grow by as many bytes as the content
   */
  public byte[] put(byte[] content, int propertiesLength, long value) {
    boolean hasTable = RawProperties.hasHeaders(content);
    int table = RawProperties.headersAt(content);
    int tableLength = hasTable ? BigEndian.getInt(content, table) : 0;
    if (hasTable && TableWalk.containsKey(content, table + 4, tableLength, key)) {
      return replace(content, propertiesLength, value);
    }
    int gap = hasTable ? table + 4 + tableLength : table;
    int added = field.length + (hasTable ? 0 : 4);
    byte[] result = new byte[content.length + added];
    System.arraycopy(content, 0, result, 0, gap);
    System.arraycopy(content, gap, result, gap + added, content.length - gap);
    result[0] |= PropertyFlags.HEADERS >>> 8;
    BigEndian.putInt(result, table, tableLength + field.length);
    int end = gap + added;
    System.arraycopy(field, 0, result, end - field.length, field.length);
    BigEndian.putLong(result, end - VALUE_BYTES, value);
    return result;
  }

  private byte[] replace(byte[] content, int propertiesLength, long value) {
    BasicProperties properties = BasicProperties.decode(content, 0, propertiesLength);
    FieldTable headers = properties.headers().with(name, new FieldValue.Int64(value));
    return properties.toBuilder().headers(headers).build().encodeBefore(content, propertiesLength);
  }
}
