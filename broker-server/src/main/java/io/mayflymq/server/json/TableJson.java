package io.mayflymq.server.json;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Converts field tables to and from RabbitMQ's JSON: all integers have one type, timestamps are
 * numbers, and binary values are text. Text that is not UTF-8 has the form of {@link BytesInText}
 * and is read from it again.
 */
public final class TableJson {
  /**
   * As the HTTP API shows tables: a void value is Erlang's {@code undefined}, which RabbitMQ's JSON
   * makes a text.
   */
  public static final TableJson SHOWN = new TableJson("undefined");

  /** As definitions keep tables: nothing is lost when they are read again. */
  public static final TableJson KEPT = new TableJson(null);

  private final Object ofVoid;

  private TableJson(Object ofVoid) {
    this.ofVoid = ofVoid;
  }

  /** Converts a table to an object, in the order of its fields. */
  public Map<String, Object> of(FieldTable table) {
    Map<String, Object> object = new LinkedHashMap<>();
    table.forEach((name, value) -> object.put(BytesInText.written(name), of(value)));
    return object;
  }

  private Object of(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.LongString text) {
      return BytesInText.written(text.string());
    }
    if (value instanceof FieldValue.Bool bool) {
      return bool.value();
    }
    if (value instanceof FieldValue.Table table) {
      return of(table.table());
    }
    if (value instanceof FieldValue.Array array) {
      List<Object> list = new ArrayList<>();
      array.values().forEach(element -> list.add(of(element)));
      return list;
    }
    if (value instanceof FieldValue.Float32 number) {
      return number.value();
    }
    if (value instanceof FieldValue.Float64 number) {
      return number.value();
    }
    if (value instanceof FieldValue.Decimal number) {
      return number.toBigDecimal();
    }
    if (value instanceof FieldValue.Timestamp time) {
      return time.seconds();
    }
    if (value instanceof FieldValue.Binary binary) {
      return BytesInText.shown(binary.bytes());
    }
    return ofVoid;
  }

  /**
   * Converts an object to a table: integers become 64-bit integers, other numbers doubles.
   *
   * @throws IllegalArgumentException if a number has more than 64 bits, or a name more than 255
   *     bytes; the message says which
   */
  public static FieldTable table(Map<?, ?> object) {
    FieldTable.Builder table = FieldTable.builder();
    object.forEach(
        (name, value) -> table.put(BytesInText.read((String) name), field((String) name, value)));
    return table.build();
  }

  private static FieldValue field(String name, Object value) {
    if (value instanceof String text) {
      return FieldValue.of(BytesInText.read(text));
    }
    if (value instanceof Boolean bool) {
      return FieldValue.Bool.of(bool);
    }
    if (value instanceof BigInteger large) {
      throw new IllegalArgumentException(
          "'%s' is %s: expected an integer of 64 bits".formatted(name, large));
    }
    if (value instanceof Double number) {
      return new FieldValue.Float64(number);
    }
    if (value instanceof Number number) {
      return new FieldValue.Int64(number.longValue());
    }
    if (value instanceof Map<?, ?> object) {
      return new FieldValue.Table(table(object));
    }
    if (value instanceof List<?> list) {
      return new FieldValue.Array(list.stream().map(element -> field(name, element)).toList());
    }
    return FieldValue.Void.INSTANCE;
  }
}
