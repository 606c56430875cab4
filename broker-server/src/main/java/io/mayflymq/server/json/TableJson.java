package io.mayflymq.server.json;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.Utf8;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Converts field tables to and from RabbitMQ's JSON: all integers have one type, timestamps are
 * numbers, and binary values are text.
 */
public final class TableJson {
  /**
   * As the HTTP API shows tables: a void value is Erlang's {@code undefined}, which RabbitMQ's JSON
   * makes a text.
   */
  public static final TableJson SHOWN =
      new TableJson("undefined", bytes -> new String(bytes, StandardCharsets.UTF_8));

  /** As definitions keep tables: nothing is lost when they are read again. */
  public static final TableJson KEPT =
      new TableJson(null, bytes -> Utf8.decode(bytes, 0, bytes.length));

  private final Object ofVoid;
  private final Function<byte[], String> ofBinary;

  private TableJson(Object ofVoid, Function<byte[], String> ofBinary) {
    this.ofVoid = ofVoid;
    this.ofBinary = ofBinary;
  }

  /** Converts a table to an object, in the order of its fields. */
  public Map<String, Object> of(FieldTable table) {
    Map<String, Object> object = new LinkedHashMap<>();
    table.forEach((name, value) -> object.put(name, of(value)));
    return object;
  }

  private Object of(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.LongString text) {
      return text.string();
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
      return ofBinary.apply(binary.bytes());
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
    object.forEach((name, value) -> table.put((String) name, field((String) name, value)));
    return table.build();
  }

  private static FieldValue field(String name, Object value) {
    if (value instanceof String text) {
      return FieldValue.of(text);
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
