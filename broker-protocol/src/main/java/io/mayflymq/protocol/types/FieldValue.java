package io.mayflymq.protocol.types;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;

/**
 * A value in a field table. There is one class per type octet that RabbitMQ knows (its AMQP 0-9-1
 * errata page, "field types"), so that a table is encoded as it was decoded. Immutable.
 *
 * <p>Two octets are read and never written, as in RabbitMQ: {@code L} is read as {@code l}, and a
 * bool of any octet but 0 is true and written as 1.
 */
public sealed interface FieldValue {

  /** Returns the type octet that precedes the value on the wire. */
  char tag();

  /**
   * Returns the name of the type in RabbitMQ's error texts: {@code expected integer, got longstr}.
   */
  String rabbitTypeName();

  /** Returns whether RabbitMQ takes this as an integer argument: one of the types b B s u I i l. */
  default boolean isInteger() {
    return false;
  }

  /**
   * Returns the value of an integer.
   *
   * @throws IllegalStateException if this is not an {@linkplain #isInteger() integer}
   */
  default long longValue() {
    throw new IllegalStateException("expected integer, got " + rabbitTypeName());
  }

  /** Returns a text as a long string in UTF-8. */
  static LongString of(String value) {
    return new LongString(Utf8.encode(value));
  }

  /** {@code t}: a boolean. */
  record Bool(boolean value) implements FieldValue {
    public static final Bool TRUE = new Bool(true);
    public static final Bool FALSE = new Bool(false);

    public static Bool of(boolean value) {
      return value ? TRUE : FALSE;
    }

    @Override
    public char tag() {
      return 't';
    }

    @Override
    public String rabbitTypeName() {
      return "bool";
    }
  }

  /** {@code b}: a signed 8-bit integer. */
  record Int8(byte value) implements FieldValue {
    @Override
    public char tag() {
      return 'b';
    }

    @Override
    public String rabbitTypeName() {
      return "byte";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code B}: an unsigned 8-bit integer. */
  record UInt8(int value) implements FieldValue {
    /**
     * The given value.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    public UInt8 {
      if (value < 0 || value > 0xFF) {
        throw new IllegalArgumentException("unsignedbyte out of range: " + value);
      }
    }

    @Override
    public char tag() {
      return 'B';
    }

    @Override
    public String rabbitTypeName() {
      return "unsignedbyte";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code s}: a signed 16-bit integer. */
  record Int16(short value) implements FieldValue {
    @Override
    public char tag() {
      return 's';
    }

    @Override
    public String rabbitTypeName() {
      return "short";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code u}: an unsigned 16-bit integer. */
  record UInt16(int value) implements FieldValue {
    /**
     * The given value.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    public UInt16 {
      if (value < 0 || value > 0xFFFF) {
        throw new IllegalArgumentException("unsignedshort out of range: " + value);
      }
    }

    @Override
    public char tag() {
      return 'u';
    }

    @Override
    public String rabbitTypeName() {
      return "unsignedshort";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code I}: a signed 32-bit integer. */
  record Int32(int value) implements FieldValue {
    @Override
    public char tag() {
      return 'I';
    }

    @Override
    public String rabbitTypeName() {
      return "signedint";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code i}: an unsigned 32-bit integer. */
  record UInt32(long value) implements FieldValue {
    /**
     * The given value.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    public UInt32 {
      if (value < 0 || value > 0xFFFF_FFFFL) {
        throw new IllegalArgumentException("unsignedint out of range: " + value);
      }
    }

    @Override
    public char tag() {
      return 'i';
    }

    @Override
    public String rabbitTypeName() {
      return "unsignedint";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code l}: a signed 64-bit integer. */
  record Int64(long value) implements FieldValue {
    @Override
    public char tag() {
      return 'l';
    }

    @Override
    public String rabbitTypeName() {
      return "long";
    }

    @Override
    public boolean isInteger() {
      return true;
    }

    @Override
    public long longValue() {
      return value;
    }
  }

  /** {@code f}: an IEEE 754 number of 32 bits. */
  record Float32(float value) implements FieldValue {
    @Override
    public char tag() {
      return 'f';
    }

    @Override
    public String rabbitTypeName() {
      return "float";
    }
  }

  /** {@code d}: an IEEE 754 number of 64 bits. */
  record Float64(double value) implements FieldValue {
    @Override
    public char tag() {
      return 'd';
    }

    @Override
    public String rabbitTypeName() {
      return "double";
    }
  }

  /**
   * {@code D}: the number {@code unscaled} / 10<sup>scale</sup>.
   *
   * @param scale 0 to 255
   * @param unscaled 0 to 2<sup>32</sup>-1: unsigned, as RabbitMQ reads it
   */
  record Decimal(int scale, long unscaled) implements FieldValue {
    /**
     * The given decimal.
     *
     * @throws IllegalArgumentException if a part does not fit
     */
    public Decimal {
      if (scale < 0 || scale > 0xFF || unscaled < 0 || unscaled > 0xFFFF_FFFFL) {
        throw new IllegalArgumentException("decimal out of range: " + scale + ", " + unscaled);
      }
    }

    public BigDecimal toBigDecimal() {
      return BigDecimal.valueOf(unscaled, scale);
    }

    @Override
    public char tag() {
      return 'D';
    }

    @Override
    public String rabbitTypeName() {
      return "decimal";
    }
  }

  /** {@code S}: a long string, which consists of bytes and mostly contains text. */
  final class LongString implements FieldValue {
    final byte[] bytes;

    LongString(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Returns a long string of a copy of these bytes. */
    public static LongString of(byte[] bytes) {
      return new LongString(bytes.clone());
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
      return bytes.clone();
    }

    public int length() {
      return bytes.length;
    }

    /** Decodes the bytes as UTF-8; bytes that are not UTF-8 are escaped (see {@link Utf8}). */
    public String string() {
      return Utf8.decode(bytes, 0, bytes.length);
    }

    @Override
    public char tag() {
      return 'S';
    }

    @Override
    public String rabbitTypeName() {
      return "longstr";
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof LongString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "LongString[" + string() + "]";
    }
  }

  /** {@code x}: a byte array. */
  final class Binary implements FieldValue {
    final byte[] bytes;

    Binary(byte[] bytes) {
      this.bytes = bytes;
    }

    /** Returns a value of a copy of these bytes. */
    public static Binary of(byte[] bytes) {
      return new Binary(bytes.clone());
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
      return bytes.clone();
    }

    public int length() {
      return bytes.length;
    }

    @Override
    public char tag() {
      return 'x';
    }

    @Override
    public String rabbitTypeName() {
      return "binary";
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Binary that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return ~Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "Binary" + Arrays.toString(bytes);
    }
  }

  /** {@code A}: an array of values of any types. */
  record Array(List<FieldValue> values) implements FieldValue {
    public Array {
      values = List.copyOf(values);
    }

    @Override
    public char tag() {
      return 'A';
    }

    @Override
    public String rabbitTypeName() {
      return "array";
    }
  }

  /** {@code F}: a table within a table. */
  record Table(FieldTable table) implements FieldValue {
    @Override
    public char tag() {
      return 'F';
    }

    @Override
    public String rabbitTypeName() {
      return "table";
    }
  }

  /**
   * {@code T}: a point in time.
   *
   * @param seconds since 1970-01-01 UTC, as an unsigned 64-bit number
   */
  record Timestamp(long seconds) implements FieldValue {
    @Override
    public char tag() {
      return 'T';
    }

    @Override
    public String rabbitTypeName() {
      return "timestamp";
    }
  }

  /** {@code V}: no value. */
  @SuppressWarnings("JavaLangClash") // Always named with the type it is nested in.
  record Void() implements FieldValue {
    public static final Void INSTANCE = new Void();

    @Override
    public char tag() {
      return 'V';
    }

    @Override
    public String rabbitTypeName() {
      return "void";
    }
  }
}
