package io.mayflymq.server.definitions;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.mayflymq.server.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;

/** Reads JSON token by token or item by item, and limits the size of each item. */
final class ItemParser extends JsonParserDelegate {
  /** The maximum number of values, names and brackets in an item. */
  static final int MOST_TOKENS = 50_000;

  private boolean inItem;
  private int tokens;

  ItemParser(InputStream json) throws IOException {
    super(JsonReader.DEFAULT.parser(json));
  }

  @Override
  public JsonToken nextToken() throws IOException {
    if (inItem && ++tokens > MOST_TOKENS) {
      throw new StreamConstraintsException(
          "it may hold %d values, names and brackets".formatted(MOST_TOKENS));
    }
    return super.nextToken();
  }

  /**
   * Returns the item whose first token is the current one.
   *
   * @throws StreamConstraintsException if it is too large
   */
  Object item() throws IOException {
    inItem = true;
    tokens = 0;
    Object item = JsonReader.value(this);
    inItem = false;
    return item;
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
