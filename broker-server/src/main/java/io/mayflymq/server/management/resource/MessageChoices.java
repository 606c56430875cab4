package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which ready messages of a queue a request means. */
final class MessageChoices {
  private static final String COUNT = "count";
  private static final String OLDER_THAN = "older_than";
  private static final String MESSAGE_ID = "message_id";
  private static final String SEQUENCE = "sequence";
  private static final String HEADERS = "headers";
  private static final SortedSet<String> FIELDS =
      Collections.unmodifiableSortedSet(
          new TreeSet<>(List.of(COUNT, OLDER_THAN, MESSAGE_ID, SEQUENCE, HEADERS)));

  private MessageChoices() {}

  /**
   * Reads the fields of a request.
   *
   * @param others which fields it may have besides
   * @param all what a request for all messages would be, for the error
   * @throws ApiException 400 if one is wrong, or none is there
   */
  static MessageChoice of(Body.Fields fields, Set<String> others, String all) {
    SortedSet<String> known = new TreeSet<>(FIELDS);
    known.addAll(others);
    boolean any = false;
    for (Map.Entry<?, ?> field : fields.object().entrySet()) {
      Object name = field.getKey();
      if (!known.contains(name)) {
        throw ApiException.badRequest(
            "field should be one of %s, actually was %s".formatted(String.join(", ", known), name));
      }
      any |= FIELDS.contains(name) && saysAnything(field.getValue());
    }
    if (!any) {
      throw ApiException.badRequest(
          "expected at least one of %s: %s".formatted(String.join(", ", FIELDS), all));
    }
    return new MessageChoice(
        atLeast(fields, SEQUENCE, 0, MessageChoice.ANY),
        atLeast(fields, OLDER_THAN, 0, 0),
        fields.namedText(MESSAGE_ID, null),
        headers(fields.get(HEADERS)),
        atLeast(fields, COUNT, 1, Long.MAX_VALUE));
  }

  /** Nothing, and no headers, would mean all messages. */
  private static boolean saysAnything(Object value) {
    return value != null && !(value instanceof Map<?, ?> headers && headers.isEmpty());
  }

  private static long atLeast(Body.Fields fields, String name, long least, long otherwise) {
    if (!fields.has(name)) {
      return otherwise;
    } else if (fields.get(name) instanceof Long number && number >= least) {
      return number;
    }
    throw ApiException.badRequest(
        "%s should be a number, %d or more, actually was %s"
            .formatted(name, least, JsonWriter.text(fields.get(name))));
  }

  private static Map<String, String> headers(Object given) {
    if (given == null) {
      return Map.of();
    }
    if (!(given instanceof Map<?, ?> object)) {
      throw ApiException.badRequest(
          "headers should be an object, actually was " + JsonWriter.text(given));
    }
    Map<String, String> headers = new TreeMap<>();
    object.forEach(
        (name, value) -> {
          if (value == null || value instanceof Map || value instanceof List) {
            throw ApiException.badRequest(
                "headers: '%s' should be a text, a number, true or false, actually was %s"
                    .formatted(name, JsonWriter.text(value)));
          }
          headers.put((String) name, value.toString());
        });
    return headers;
  }
}
