package io.mayflymq.server.management.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of lists, as nodes send them to one another.
 *
 * <p>A row is text of JSON in an answer, and is read when it is written to the client: as text a
 * hundred thousand of them take a tenth of the memory. An answer has as many rows as fit into it,
 * at least one; the node that asks asks again for the rest.
 */
final class RowTexts {
  /** With what escapes add, this stays below the largest frame between nodes. */
  private static final int MOST_CHARACTERS = 3_000_000;

  private RowTexts() {}

  /** Returns the texts of the first rows, as many as an answer has room for; at least one. */
  static List<String> of(List<?> rows) {
    List<String> texts = new ArrayList<>();
    int size = 0;
    for (Object row : rows) {
      String text = JsonWriter.text(row);
      if (size > 0 && size + text.length() > MOST_CHARACTERS) {
        break;
      }
      size += text.length();
      texts.add(text);
    }
    return texts;
  }

  /**
   * Reads a row.
   *
   * @throws IllegalArgumentException if it is not JSON
   */
  static Object read(String text) {
    try {
      return JsonReader.DEFAULT.read(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a row of another node is not JSON", e);
    }
  }
}
