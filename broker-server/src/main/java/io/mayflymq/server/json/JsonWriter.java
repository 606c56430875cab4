package io.mayflymq.server.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/**
 * Writes values as JSON: those that {@link Json} describes, and {@link JsonValue}s. Anything else
 * is written as its text, and text that is not UTF-8 in the form of {@link BytesInText}. Any thread
 * may call.
 */
public final class JsonWriter {
  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonWriter() {}

  /** Returns a value as text in one line. */
  public static String text(Object value) {
    return text(value, false);
  }

  /** Returns a value as text with a line for each field and indented lists and objects. */
  public static String indentedText(Object value) {
    return text(value, true);
  }

  private static String text(Object value, boolean indented) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(text)) {
      if (indented) {
        generator.useDefaultPrettyPrinter();
      }
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** Returns a generator of UTF-8, for a document that is written piece by piece. */
  public static JsonGenerator generator(OutputStream out) throws IOException {
    return FACTORY.createGenerator(out);
  }

  /** Writes a value. */
  public static void write(JsonGenerator generator, Object value) throws IOException {
    if (value == null) {
      generator.writeNull();
    } else if (value instanceof String text) {
      generator.writeString(BytesInText.shown(text));
    } else if (value instanceof Map<?, ?> object) {
      generator.writeStartObject();
      for (Map.Entry<?, ?> field : object.entrySet()) {
        writeName(generator, field.getKey().toString());
        write(generator, field.getValue());
      }
      generator.writeEndObject();
    } else if (value instanceof List<?> list) {
      generator.writeStartArray();
      for (Object element : list) {
        write(generator, element);
      }
      generator.writeEndArray();
    } else if (value instanceof Boolean bool) {
      generator.writeBoolean(bool);
    } else if (value instanceof Number number) {
      write(generator, number);
    } else if (value instanceof JsonValue other) {
      write(generator, other.json());
    } else {
      generator.writeString(BytesInText.shown(value.toString()));
    }
  }

  /** Writes the name of a field. */
  public static void writeName(JsonGenerator generator, String name) throws IOException {
    generator.writeFieldName(BytesInText.shown(name));
  }

  private static void write(JsonGenerator generator, Number number) throws IOException {
    if (number instanceof BigInteger large) {
      generator.writeNumber(large);
    } else if (number instanceof BigDecimal exact) {
      generator.writeNumber(exact);
    } else if (number instanceof Double fraction) {
      generator.writeNumber(fraction);
    } else if (number instanceof Float fraction) {
      generator.writeNumber(fraction);
    } else {
      generator.writeNumber(number.longValue());
    }
  }
}
