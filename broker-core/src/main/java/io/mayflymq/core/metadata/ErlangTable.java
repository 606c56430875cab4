package io.mayflymq.core.metadata;

import io.mayflymq.protocol.types.ErlangText;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Formats tables as in RabbitMQ's events: as a list with a text for each field, in Erlang's
 * notation, such as {@code {<<"x-max-length">>,signedint,3}}.
 */
public final class ErlangTable {
  private ErlangTable() {}

  /** The fields of a table, in order. */
  public static FieldValue of(FieldTable table) {
    List<FieldValue> fields = new ArrayList<>(table.size());
    table.forEach((name, value) -> fields.add(FieldValue.of(field(name, value))));
    return new FieldValue.Array(fields);
  }

  private static String field(String name, FieldValue value) {
    return "{%s,%s,%s}"
        .formatted(ErlangText.of(FieldValue.of(name)), value.rabbitTypeName(), text(value));
  }

  private static String text(FieldValue value) {
    if (value instanceof FieldValue.Table table) {
      StringJoiner fields = new StringJoiner(",", "[", "]");
      table.table().forEach((name, field) -> fields.add(field(name, field)));
      return fields.toString();
    }
    if (value instanceof FieldValue.Array array) {
      StringJoiner elements = new StringJoiner(",", "[", "]");
      array
          .values()
          .forEach(
              element -> elements.add("{" + element.rabbitTypeName() + "," + text(element) + "}"));
      return elements.toString();
    }
    return ErlangText.of(value);
  }
}
