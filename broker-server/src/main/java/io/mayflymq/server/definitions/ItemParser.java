package io.mayflymq.server.definitions;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.mayflymq.server.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads JSON token by token or item by item, and limits the size of each item. An object that has
 * two fields of one name is an error: which of them is meant is not known.
 */
final class ItemParser extends JsonParserDelegate {
  /** The maximum number of values, names and brackets in an item. */
  static final int MOST_TOKENS = 50_000;

  /** An item is too large. The parser is at its end. */
  static final class TooLargeException extends StreamConstraintsException {
    private static final long serialVersionUID = 1L;

    TooLargeException() {
      super(
          "an item is too large: it may hold %d values, names and brackets".formatted(MOST_TOKENS));
    }
  }

  /** An object has two fields of one name. */
  static final class RepeatedException extends JsonParseException {
    private static final long serialVersionUID = 1L;

    RepeatedException(JsonParser parser, String field, JsonLocation where) {
      super(
          parser,
          "'%s' is there twice in one object, the second time at line %d, column %d: expected it once"
              .formatted(field, where.getLineNr(), where.getColumnNr()),
          where);
    }
  }

  private final Deque<Set<String>> fields = new ArrayDeque<>();
  private boolean inItem;
  private int tokens;

  ItemParser(InputStream json) throws IOException {
    super(JsonReader.DEFAULT.parser(json));
  }

  @Override
  public JsonToken nextToken() throws IOException {
    if (inItem && ++tokens > MOST_TOKENS) {
      throw new TooLargeException();
    }
    JsonToken token = super.nextToken();
    if (token == JsonToken.START_OBJECT) {
      fields.push(new HashSet<>());
    } else if (token == JsonToken.END_OBJECT) {
      fields.pop();
    } else if (token == JsonToken.FIELD_NAME && !fields.element().add(currentName())) {
      throw new RepeatedException(this, currentName(), currentTokenLocation());
    }
    return token;
  }

  @Override
  public JsonParser skipChildren() throws IOException {
    if (currentToken() != null && currentToken().isStructStart()) {
      JsonStreamContext around = getParsingContext().getParent();
      while (getParsingContext() != around) {
        nextToken();
      }
    }
    return this;
  }

  /**
   * Returns the item whose first token is the current one.
   *
   * @throws TooLargeException if it is too large; the parser is at its last token then, too
   */
  Object item() throws IOException {
    JsonStreamContext around =
        currentToken().isStructStart() ? getParsingContext().getParent() : getParsingContext();
    inItem = true;
    tokens = 0;
    try {
      return JsonReader.value(this);
    } catch (TooLargeException e) {
      inItem = false;
      while (getParsingContext() != around) {
        nextToken();
      }
      throw e;
    } finally {
      inItem = false;
    }
  }

  /**
   * Checks that the current token starts a JSON value, and that nothing follows the value.
   *
   * @throws IOException if it is not
   */
  void requireJson() throws IOException {
    if (currentToken() != null) {
      skipChildren();
      requireEnd();
    }
  }

  /**
   * Checks that nothing follows.
   *
   * @throws IOException if something does
   */
  void requireEnd() throws IOException {
    JsonToken next = nextToken();
    if (next != null) {
      throw new JsonParseException(this, "Trailing token " + next, currentTokenLocation());
    }
  }
}
