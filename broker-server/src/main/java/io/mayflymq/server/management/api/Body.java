package io.mayflymq.server.management.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.http.RequestBody;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.json.TableJson;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JSON of a request: an object, which is read field by field. Errors have RabbitMQ's texts. */
public final class Body {
  /** The body of a request without content. */
  public static final Body EMPTY = new Body(RequestBody.EMPTY);

  /** The maximum nesting of lists and objects in a request. */
  private static final int DEEPEST = 100;

  /** The maximum number of values, names and brackets in a request. */
  private static final int MOST_TOKENS = 50_000;

  private static final JsonReader READER = JsonReader.limited(DEEPEST, MOST_TOKENS);

  private final RequestBody content;

  public Body(RequestBody content) {
    this.content = content;
  }

  /** Creates a body of these bytes. They are not copied and must not change. */
  public Body(byte[] bytes) {
    this(RequestBody.of(bytes));
  }

  /** Returns a copy of the bytes of the body. */
  byte[] bytes() {
    return content.bytes();
  }

  /** Returns a stream of the bytes of the body, from the beginning. */
  public InputStream open() {
    return content.open();
  }

  /**
   * Returns the fields of the JSON object; an empty body has no fields.
   *
   * @throws ApiException 400 if the body is not JSON, is not an object, or is too large
   */
  public Fields fields() {
    if (content.length() == 0) {
      return new Fields(Map.of());
    }
    try (InputStream json = content.open()) {
      if (READER.read(json) instanceof Map<?, ?> object) {
        return new Fields(object);
      }
    } catch (StreamConstraintsException e) {
      throw ApiException.badRequest(
          "the JSON of a request may be nested %d deep and hold %d values, names and brackets"
              .formatted(DEEPEST, MOST_TOKENS));
    } catch (JsonProcessingException e) {
      throw ApiException.badRequest(
          "not_json: the body cannot be parsed, at line %d: %s"
              .formatted(e.getLocation().getLineNr(), e.getOriginalMessage()));
    } catch (IOException e) {
      throw ApiException.badRequest("not_json");
    }
    throw ApiException.badRequest("not_json: expected an object, such as {}");
  }

  /** The fields of an object. */
  public record Fields(Map<?, ?> object) {
    /**
     * Checks that all these fields are present.
     *
     * @throws ApiException 400 that names the missing fields
     */
    public Fields require(String... names) {
      List<String> missing = Stream.of(names).filter(name -> !object.containsKey(name)).toList();
      if (!missing.isEmpty()) {
        throw ApiException.badRequest(
            missing.stream()
                .map(name -> "{key_missing," + name + "}")
                .collect(Collectors.joining(",", "[", "]")));
      }
      return this;
    }

    public boolean has(String name) {
      return object.containsKey(name);
    }

    /** Returns the value without conversion, or null if the field is absent. */
    public Object get(String name) {
      return object.get(name);
    }

    /** Returns a text field, or {@code otherwise} if it is absent. */
    public String text(String name, String otherwise) {
      Object value = object.get(name);
      if (value == null) {
        return otherwise;
      }
      if (value instanceof String text) {
        return text;
      }
      throw ApiException.badRequest(List.of("not_string", value));
    }

    /**
     * Returns a text field of an operation that RabbitMQ does not have, or {@code otherwise} if it
     * is absent.
     *
     * @throws ApiException 400 that names the field if it is not a text
     */
    public String namedText(String name, String otherwise) {
      Object value = object.get(name);
      if (value == null || value instanceof String) {
        return value == null ? otherwise : (String) value;
      }
      throw ApiException.badRequest(
          "%s should be a text, actually was %s".formatted(name, JsonWriter.text(value)));
    }

    /**
     * Returns a boolean field of such an operation, which may also be a text; false if it is
     * absent.
     *
     * @throws ApiException 400 that names the field if it is neither
     */
    public boolean namedBool(String name) {
      String given = String.valueOf(object.get(name));
      if (given.equals("true")) {
        return true;
      }
      if (given.equals("false") || given.equals("null")) {
        return false;
      }
      throw ApiException.badRequest(
          "%s should be true or false, actually was %s"
              .formatted(name, JsonWriter.text(object.get(name))));
    }

    /**
     * Returns an integer field of such an operation, 1 or more, which may also be a text, or {@code
     * otherwise} if it is absent.
     *
     * @throws ApiException 400 that names the field if it is no such number
     */
    public long namedPositive(String name, long otherwise) {
      Object value = object.get(name);
      if (value == null) {
        return otherwise;
      }
      String digits = value.toString();
      if (!digits.matches("0*[1-9][0-9]{0,17}")) {
        throw ApiException.badRequest(
            "%s should be a number, 1 or more, actually was %s"
                .formatted(name, JsonWriter.text(value)));
      }
      return Long.parseLong(digits);
    }

    /**
     * Returns a text field that is required.
     *
     * @throws ApiException 400 if it is absent or is not a text
     */
    public String requiredText(String name) {
      require(name);
      if (object.get(name) instanceof String text) {
        return text;
      }
      throw ApiException.badRequest(Json.list("not_string", object.get(name)));
    }

    /**
     * Returns the tags: a list of texts, or one text separated by commas; empty if the field is
     * absent.
     */
    public List<String> tags() {
      Object value = object.get("tags");
      if (value == null) {
        return List.of();
      }
      return Json.texts(value)
          .orElseThrow(
              () ->
                  ApiException.badRequest(
                      "tags should be a list of texts, or a text with commas, actually was "
                          + JsonWriter.text(value)));
    }

    /** Returns a boolean field, which may also be a text; false if it is absent. */
    public boolean bool(String name) {
      Object value = object.get(name);
      if (value == null || value.equals(false) || value.equals("false")) {
        return false;
      }
      if (value.equals(true) || value.equals("true")) {
        return true;
      }
      throw ApiException.badRequest(List.of("not_boolean", value));
    }

    /** Returns an integer field, which may also be a text, or {@code otherwise} if it is absent. */
    public long number(String name, long otherwise) {
      Object value = object.get(name);
      if (value == null) {
        return otherwise;
      }
      if (value instanceof Long number) {
        return number;
      }
      if (value instanceof BigInteger) {
        throw ApiException.badRequest(
            "%s should be a number from %d to %d, actually was %s"
                .formatted(name, Long.MIN_VALUE, Long.MAX_VALUE, value));
      }
      try {
        return Long.parseLong(value.toString());
      } catch (NumberFormatException e) {
        throw ApiException.badRequest(List.of("not_integer", value));
      }
    }

    /**
     * Returns a table field; empty if it is absent.
     *
     * @throws ApiException 400 if it is not an object, or AMQP has no such table
     */
    public FieldTable table(String name) {
      Object value = object.get(name);
      if (value instanceof Map<?, ?> table) {
        try {
          return TableJson.table(table);
        } catch (IllegalArgumentException e) {
          throw ApiException.badRequest(e.getMessage());
        }
      }
      // RabbitMQ exports an empty table as an empty list.
      if (value == null || (value instanceof List<?> list && list.isEmpty())) {
        return FieldTable.EMPTY;
      }
      throw ApiException.badRequest(name + " should be an object, actually was " + value);
    }
  }
}
