package io.mayflymq.server.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as {@link Json} describes it: integers are {@code Long}, or {@code BigInteger} if they
 * do not fit in 64 bits, other numbers {@code Double}. Of several fields with the same name the
 * last one applies. Any thread may call.
 *
 * <p>It uses Jackson's tokens rather than its data binding, whose classes take longer to load than
 * most commands run.
 */
public final class JsonReader {
  /** A reader with no limits but Jackson's own, of which the depth is the strictest. */
  public static final JsonReader DEFAULT = new JsonReader(StreamReadConstraints.defaults());

  private final JsonFactory factory;

  private JsonReader(StreamReadConstraints constraints) {
    factory = JsonFactory.builder().streamReadConstraints(constraints).build();
  }

  /**
   * Returns a reader of documents of limited size.
   *
   * @param depth the maximum nesting of lists and objects
   * @param tokens the maximum number of values, names and brackets
   */
  public static JsonReader limited(int depth, int tokens) {
    return new JsonReader(
        StreamReadConstraints.builder()
            .maxNestingDepth(depth)
            .maxTokenCount(tokens)
            // At most the length of the document, which is limited separately.
            .maxStringLength(Integer.MAX_VALUE)
            .build());
  }

  /**
   * Reads a whole document.
   *
   * @throws JsonProcessingException if it is not exactly one value; the message says where
   */
  public Object read(String json) throws JsonProcessingException {
    try (JsonParser parser = factory.createParser(json)) {
      return document(parser);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads what the broker has stored.
   *
   * @throws IllegalStateException if it is not JSON
   */
  public static Object stored(String json) {
    try {
      return DEFAULT.read(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("what is stored is not JSON: " + json, e);
    }
  }

  /**
   * Reads a whole document from a stream, so that one above a limit is refused before all of it is
   * read.
   *
   * @param json closed at the end
   * @throws StreamConstraintsException if it is nested too deeply, or has too many values
   * @throws IOException if it is not exactly one value
   */
  public Object read(InputStream json) throws IOException {
    try (JsonParser parser = parser(json)) {
      return document(parser);
    }
  }

  /** Returns a parser, for a document that is read piece by piece. */
  public JsonParser parser(InputStream json) throws IOException {
    return factory.createParser(json);
  }

  private static Object document(JsonParser parser) throws IOException {
    parser.nextToken();
    Object value = value(parser);
    if (parser.nextToken() != null) {
      throw new JsonParseException(parser, "more than one value in the document");
    }
    return value;
  }

  /**
   * Reads the value whose first token is the current one; its last one is the current one then.
   *
   * @throws IOException if it is not JSON
   */
  public static Object value(JsonParser parser) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw new JsonParseException(parser, "the document is empty");
    }
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> list(parser);
      case VALUE_NUMBER_INT ->
          parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
              ? parser.getBigIntegerValue()
              : (Object) parser.getLongValue();
      case VALUE_NUMBER_FLOAT -> finite(parser);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> text(parser, parser.getText());
    };
  }

  private static double finite(JsonParser parser) throws IOException {
    double value = parser.getDoubleValue();
    if (Double.isInfinite(value)) {
      String digits = parser.getText();
      throw new JsonParseException(
          parser,
          "the number %s is too large: expected one between -1.8e308 and 1.8e308"
              .formatted(digits.length() > 30 ? digits.substring(0, 30) + "..." : digits));
    }
    return value;
  }

  /** Earlier exports have lone surrogates for bytes that are not UTF-8; others are no text. */
  private static String text(JsonParser parser, String text) throws IOException {
    String shown = BytesInText.shown(text);
    if (!shown.equals(text) && BytesInText.isBroken(text)) {
      throw new JsonParseException(parser, "a lone surrogate, which is no character, in a text");
    }
    return shown;
  }

  private static Map<String, Object> object(JsonParser parser) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = text(parser, parser.currentName());
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static List<Object> list(JsonParser parser) throws IOException {
    List<Object> list = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      list.add(value(parser));
    }
    return list;
  }
}
