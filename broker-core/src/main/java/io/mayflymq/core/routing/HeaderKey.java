package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldValue;

/**
 * What bindings of a headers exchange are found by: a header and its value, in one form for all
 * values that a binding may take for the same.
 *
 * @param value null for any value
 */
record HeaderKey(String name, Object value) {
  /** Returns the key of a header with a value. */
  static HeaderKey of(String name, FieldValue value) {
    return new HeaderKey(name, comparable(value));
  }

  /** Returns the key of a header with whatever value. */
  static HeaderKey ofAny(String name) {
    return new HeaderKey(name, null);
  }

  private static Object comparable(FieldValue value) {
    if (value.isInteger()) {
      return value.longValue();
    }
    if (value instanceof FieldValue.Timestamp time) {
      return time.seconds();
    }
    if (value instanceof FieldValue.Float32 single) {
      return positiveZero(single.value());
    }
    if (value instanceof FieldValue.Float64 number) {
      return positiveZero(number.value());
    }
    return value instanceof FieldValue.Binary binary
        ? FieldValue.LongString.of(binary.bytes())
        : value;
  }

  /** The two zeros are the same number, but not the same object. */
  private static Double positiveZero(double number) {
    return number == 0 ? 0.0 : number;
  }
}
