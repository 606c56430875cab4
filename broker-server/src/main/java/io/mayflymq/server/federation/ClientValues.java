package io.mayflymq.server.federation;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Field tables as RabbitMQ's Java client has them. Each type of the wire stays what it is. */
final class ClientValues {
  private ClientValues() {}

  /** Returns a table as a map. */
  static Map<String, Object> of(FieldTable table) {
    Map<String, Object> values = new LinkedHashMap<>();
    table.forEach((name, value) -> values.put(name, of(value)));
    return values;
  }

  private static Object of(FieldValue value) {
    if (value instanceof FieldValue.Bool bool) {
      return bool.value();
    } else if (value instanceof FieldValue.Int8 number) {
      return number.value();
    } else if (value instanceof FieldValue.UInt8 number) {
      return (short) number.value();
    } else if (value instanceof FieldValue.Int16 number) {
      return number.value();
    } else if (value instanceof FieldValue.UInt16 number) {
      return number.value();
    } else if (value instanceof FieldValue.Int32 number) {
      return number.value();
    } else if (value instanceof FieldValue.UInt32 number) {
      return number.value();
    } else if (value instanceof FieldValue.Int64 number) {
      return number.value();
    } else if (value instanceof FieldValue.Float32 number) {
      return number.value();
    } else if (value instanceof FieldValue.Float64 number) {
      return number.value();
    } else if (value instanceof FieldValue.Decimal decimal) {
      return decimal.toBigDecimal();
    } else if (value instanceof FieldValue.LongString text) {
      return text.string();
    } else if (value instanceof FieldValue.Binary binary) {
      return binary.bytes();
    } else if (value instanceof FieldValue.Array array) {
      List<Object> values = new ArrayList<>();
      array.values().forEach(each -> values.add(of(each)));
      return values;
    } else if (value instanceof FieldValue.Table table) {
      return of(table.table());
    } else if (value instanceof FieldValue.Timestamp time) {
      return Date.from(Instant.ofEpochSecond(time.seconds()));
    } else {
      return null;
    }
  }
}
