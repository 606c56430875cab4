package io.mayflymq.server.management.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.core.security.Limits;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts JSON to maps, lists and plain values, and field tables to JSON. */
public final class Json {
  /** The maximum nesting of lists and objects in a request. */
  static final int DEEPEST = 100;

  /** The maximum number of values, names and brackets in a request. */
  static final int MOST_TOKENS = 50_000;

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxTokenCount(MOST_TOKENS)
                          // At most the length of the body, which is limited separately.
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Json() {}

  /** Returns an object of alternating names and values, in this order. */
  public static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  /** Returns a list of values, which may be null. */
  public static List<Object> list(Object... values) {
    return Arrays.asList(values);
  }

  static byte[] encode(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a generator that writes values one after the other. */
  public static JsonGenerator generator(OutputStream out) throws IOException {
    return MAPPER.createGenerator(out);
  }

  /**
   * Reads a value from a stream, so that a value above a limit is refused before all of it is read.
   *
   * @throws StreamConstraintsException if it is nested too deeply, or has too many values
   * @throws IOException if it is not JSON
   */
  static Object decode(InputStream json) throws IOException {
    return MAPPER.readValue(json, Object.class);
  }

  /** Returns a value as JSON text, for error messages and for storage. */
  public static String text(Object value) {
    return new String(encode(value), StandardCharsets.UTF_8);
  }

  /** Returns a value as a Jackson tree, which definitions use. */
  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Returns limits as an object. */
  public static Map<String, Object> ofLimits(Limits limits) {
    Map<String, Object> object = new LinkedHashMap<>();
    limits.asMap().forEach((limit, value) -> object.put(limit.key(), value));
    return object;
  }

  /** Converts a table to an object; integers of all widths and timestamps become numbers. */
  public static Map<String, Object> ofTable(FieldTable table) {
    Map<String, Object> object = new LinkedHashMap<>();
    table.forEach((name, value) -> object.put(name, of(value)));
    return object;
  }

  private static Object of(FieldValue value) {
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
      return ofTable(table.table());
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
      return new String(binary.bytes(), StandardCharsets.UTF_8);
    }
    // RabbitMQ shows Erlang's undefined as a text.
    return "undefined";
  }

  /**
   * Converts an object to a table: integers become 64-bit integers, other numbers doubles.
   *
   * @throws ApiException 400 for an integer that does not fit in 64 bits
   */
  static FieldTable toTable(Map<?, ?> object) {
    FieldTable.Builder table = FieldTable.builder();
    object.forEach((name, value) -> table.put((String) name, toField(value)));
    return table.build();
  }

  private static FieldValue toField(Object value) {
    if (value instanceof String text) {
      return FieldValue.of(text);
    }
    if (value instanceof Boolean bool) {
      return FieldValue.Bool.of(bool);
    }
    if (value instanceof Integer || value instanceof Long) {
      return new FieldValue.Int64(((Number) value).longValue());
    }
    if (value instanceof Double number) {
      return new FieldValue.Float64(number);
    }
    if (value instanceof Map<?, ?> object) {
      return new FieldValue.Table(toTable(object));
    }
    if (value instanceof List<?> list) {
      return new FieldValue.Array(list.stream().map(Json::toField).toList());
    }
    if (value == null) {
      return FieldValue.Void.INSTANCE;
    }
    throw ApiException.badRequest("number out of range: " + value);
  }
}
