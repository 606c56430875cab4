package io.mayflymq.protocol.types;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * A field table (AMQP 0-9-1, section 4.2.5.5): names with values, in the order of the wire.
 * Immutable.
 *
 * <p>A table is encoded to the same bytes from which it was decoded, except for what the
 * specification forbids: if a name occurs twice, the first value applies and the others are
 * dropped. RabbitMQ's look-ups find the first one too. Two tables are equal if they have the same
 * fields, in any order.
 */
public final class FieldTable {
  /** The maximum nesting of tables and arrays that is read; the table itself is level 1. */
  public static final int MAX_DEPTH = 64;

  public static final FieldTable EMPTY = new FieldTable(new LinkedHashMap<>(0));

  private final Map<String, FieldValue> fields;

  private FieldTable(Map<String, FieldValue> fields) {
    this.fields = fields;
  }

  /**
   * Returns a table of these fields. The map has their order, and the caller must not use it any
   * more.
   */
  static FieldTable ofOwned(Map<String, FieldValue> fields) {
    return fields.isEmpty() ? EMPTY : new FieldTable(fields);
  }

  public static Builder builder() {
    return new Builder(new LinkedHashMap<>());
  }

  /** Returns a builder of a table whose fields are sorted by name. */
  public static Builder sortedBuilder() {
    return new Builder(new TreeMap<>());
  }

  /**
   * Decodes the body of a table, without the length that precedes it on the wire.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if the bytes are not a table: a wrong length, an
   *     unknown type octet, an incomplete value, or nesting deeper than {@link #MAX_DEPTH}
   */
  public static FieldTable decode(byte[] buf, int offset, int length) {
    return length == 0
        ? EMPTY
        : FieldTableCodec.readBody(new WireReader(buf, offset, length, "field table"), 1);
  }

  /** Encodes the body of the table, without the length that precedes it on the wire. */
  public byte[] encode() {
    WireWriter out = new WireWriter(16 + 24 * fields.size());
    FieldTableCodec.writeBody(out, this);
    return out.toByteArray();
  }

  /** Returns the value of a field, or null if it is absent. */
  public FieldValue get(String name) {
    return fields.get(name);
  }

  public boolean containsKey(String name) {
    return fields.containsKey(name);
  }

  public int size() {
    return fields.size();
  }

  public boolean isEmpty() {
    return fields.isEmpty();
  }

  /** Returns the names, in order. */
  public List<String> names() {
    return Collections.unmodifiableList(new ArrayList<>(fields.keySet()));
  }

  /** Visits the fields in order. */
  public void forEach(BiConsumer<? super String, ? super FieldValue> action) {
    fields.forEach(action);
  }

  /** Returns this table with a field set: at its old place if it existed, otherwise at the end. */
  public FieldTable with(String name, FieldValue value) {
    return toBuilder().put(name, value).build();
  }

  /** Returns this table without a field. */
  public FieldTable without(String name) {
    return containsKey(name) ? toBuilder().remove(name).build() : this;
  }

  public Builder toBuilder() {
    return builder().putAll(this);
  }

  @Override
  public boolean equals(Object other) {
    return this == other || (other instanceof FieldTable that && fields.equals(that.fields));
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  @Override
  public String toString() {
    return fields.toString();
  }

  /** Collects fields. Not thread-safe. It can be used further after {@link #build()}. */
  public static final class Builder {
    private Map<String, FieldValue> fields;

    /** Whether a table uses the map; then the map is copied before it changes. */
    private boolean built;

    private Builder(Map<String, FieldValue> fields) {
      this.fields = fields;
    }

    private Map<String, FieldValue> own() {
      if (built) {
        fields =
            fields instanceof TreeMap<String, FieldValue> sorted
                ? new TreeMap<>(sorted)
                : new LinkedHashMap<>(fields);
        built = false;
      }
      return fields;
    }

    /**
     * Sets a field.
     *
     * @throws IllegalArgumentException if the name has more than 255 bytes
     */
    public Builder put(String name, FieldValue value) {
      if (name.length() > ShortString.MAX_BYTES / 3
          && Utf8.encode(name).length > ShortString.MAX_BYTES) {
        throw new IllegalArgumentException("field name of more than 255 bytes: " + name);
      }
      own().put(name, Objects.requireNonNull(value, name));
      return this;
    }

    /** Sets a field to a long string. */
    public Builder put(String name, String value) {
      return put(name, FieldValue.of(value));
    }

    /** Sets a field to a boolean. */
    public Builder put(String name, boolean value) {
      return put(name, FieldValue.Bool.of(value));
    }

    /** Sets a field to a signed 32-bit integer. */
    public Builder put(String name, int value) {
      return put(name, new FieldValue.Int32(value));
    }

    /** Sets a field to a signed 64-bit integer. */
    public Builder put(String name, long value) {
      return put(name, new FieldValue.Int64(value));
    }

    /** Sets a field to a table. */
    public Builder put(String name, FieldTable value) {
      return put(name, new FieldValue.Table(value));
    }

    /** Sets all fields of another table. */
    public Builder putAll(FieldTable other) {
      other.fields.forEach(own()::put);
      return this;
    }

    public Builder remove(String name) {
      own().remove(name);
      return this;
    }

    public FieldTable build() {
      built = true;
      return ofOwned(fields);
    }
  }
}
