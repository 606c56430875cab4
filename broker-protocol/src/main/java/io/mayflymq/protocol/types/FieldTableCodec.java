package io.mayflymq.protocol.types;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes the bodies of field tables and their values. */
final class FieldTableCodec {
  private FieldTableCodec() {}

  /**
   * Reads fields until the reader is at its end.
   *
   * @param depth the level of this table; 1 for a table that is not nested
   */
  static FieldTable readBody(WireReader in, int depth) {
    Map<String, FieldValue> fields = new LinkedHashMap<>();
    while (!in.atEnd()) {
      String name = in.shortString();
      fields.putIfAbsent(name, readValue(in, depth));
    }
    return FieldTable.ofOwned(fields);
  }

  static FieldValue readValue(WireReader in, int depth) {
    int tag = in.uint8();
    return switch (tag) {
      case 't' -> FieldValue.Bool.of(in.uint8() != 0);
      case 'b' -> new FieldValue.Int8((byte) in.uint8());
      case 'B' -> new FieldValue.UInt8(in.uint8());
      case 's' -> new FieldValue.Int16((short) in.uint16());
      case 'u' -> new FieldValue.UInt16(in.uint16());
      case 'I' -> new FieldValue.Int32(in.int32());
      case 'i' -> new FieldValue.UInt32(in.int32() & 0xFFFF_FFFFL);
      // Both are signed in RabbitMQ and its clients, see its AMQP 0-9-1 errata page.
      case 'l', 'L' -> new FieldValue.Int64(in.int64());
      case 'f' -> new FieldValue.Float32(Float.intBitsToFloat(in.int32()));
      case 'd' -> new FieldValue.Float64(Double.longBitsToDouble(in.int64()));
      case 'D' -> new FieldValue.Decimal(in.uint8(), in.int32() & 0xFFFF_FFFFL);
      case 'S' -> new FieldValue.LongString(in.longBytes());
      case 'x' -> new FieldValue.Binary(in.longBytes());
      case 'A' -> new FieldValue.Array(readArray(nested(in, depth), depth + 1));
      case 'F' -> new FieldValue.Table(readBody(nested(in, depth), depth + 1));
      case 'T' -> new FieldValue.Timestamp(in.int64());
      case 'V' -> FieldValue.Void.INSTANCE;
      default -> throw in.malformed(unknownType(tag));
    };
  }

  private static WireReader nested(WireReader in, int depth) {
    if (depth >= FieldTable.MAX_DEPTH) {
      throw in.malformed(tooDeep());
    }
    return in.nested("field table");
  }

  private static List<FieldValue> readArray(WireReader in, int depth) {
    List<FieldValue> values = new ArrayList<>();
    while (!in.atEnd()) {
      values.add(readValue(in, depth));
    }
    return values;
  }

  static String unknownType(int tag) {
    return "unknown value type " + tag + (tag > ' ' && tag < 0x7F ? " ('" + (char) tag + "')" : "");
  }

  static String tooDeep() {
    return "nested deeper than " + FieldTable.MAX_DEPTH + " levels";
  }

  static void writeBody(WireWriter out, FieldTable table) {
    table.forEach(
        (name, value) -> {
          out.shortString(name);
          writeValue(out, value);
        });
  }

  private static void writeValue(WireWriter out, FieldValue value) {
    out.uint8(value.tag());
    if (value.isInteger()) {
      writeInteger(out, value.tag(), value.longValue());
    } else if (value instanceof FieldValue.LongString string) {
      out.longBytes(string.bytes);
    } else if (value instanceof FieldValue.Bool bool) {
      out.uint8(bool.value() ? 1 : 0);
    } else if (value instanceof FieldValue.Table table) {
      int mark = out.beginLength();
      writeBody(out, table.table());
      out.endLength(mark);
    } else if (value instanceof FieldValue.Array array) {
      int mark = out.beginLength();
      array.values().forEach(element -> writeValue(out, element));
      out.endLength(mark);
    } else if (value instanceof FieldValue.Timestamp timestamp) {
      out.int64(timestamp.seconds());
    } else if (value instanceof FieldValue.Binary binary) {
      out.longBytes(binary.bytes);
    } else if (value instanceof FieldValue.Float64 number) {
      out.int64(Double.doubleToRawLongBits(number.value()));
    } else if (value instanceof FieldValue.Float32 number) {
      out.int32(Float.floatToRawIntBits(number.value()));
    } else if (value instanceof FieldValue.Decimal decimal) {
      out.uint8(decimal.scale());
      out.int32((int) decimal.unscaled());
    }
    // A void has only its type octet.
  }

  private static void writeInteger(WireWriter out, char tag, long value) {
    switch (tag) {
      case 'b', 'B' -> out.uint8((int) value);
      case 's', 'u' -> out.uint16((int) value);
      case 'I', 'i' -> out.int32((int) value);
      default -> out.int64(value);
    }
  }
}
