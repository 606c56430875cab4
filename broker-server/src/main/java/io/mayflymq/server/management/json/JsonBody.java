package io.mayflymq.server.management.json;

import com.fasterxml.jackson.core.JsonGenerator;
import io.mayflymq.server.http.BodySource;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.MessageMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Writes a value as JSON in pieces. Lists and objects are split down to the depth at which listings
 * and definitions have their items, and each item is read only when it is written.
 */
public final class JsonBody implements BodySource {
  private static final int PIECE_BYTES = 16 * 1024;
  private static final int OPENED_DEPTH = 3;

  /** The memory of an item of a list: mostly the snapshot of a queue. */
  private static final int ITEM_BYTES = 512;

  private final Deque<Level> levels = new ArrayDeque<>();
  private final Target target = new Target();
  private final long held;
  private final MessageMemory.Share messages;
  private Object root;
  private JsonGenerator generator;

  /**
   * @param messages the memory of the messages in it; null if it has none
   */
  public JsonBody(Object value, MessageMemory.Share messages) {
    this.root = value;
    this.messages = messages;
    this.held = messages == null ? ITEM_BYTES * (long) items(value) : messages.bytes();
  }

  private static int items(Object value) {
    if (value instanceof Map<?, ?> object) {
      return object.values().stream()
          .mapToInt(part -> part instanceof List<?> list ? list.size() : 1)
          .sum();
    }
    return value instanceof List<?> list ? list.size() : 0;
  }

  private enum Kind {
    OBJECT,
    LIST,
    /** A string: its remaining elements are pieces of text. */
    TEXT
  }

  /** A list or an object that is partly written. */
  private record Level(Iterator<?> rest, Kind kind) {}

  /** The output of the generator: writes into the buffer of the current caller. */
  private static final class Target extends OutputStream {
    private ByteArrayOutputStream current;

    @Override
    public void write(int octet) {
      current.write(octet);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      current.write(bytes, offset, length);
    }
  }

  @Override
  public boolean appendTo(ByteArrayOutputStream out) throws IOException {
    target.current = out;
    int end = out.size() + PIECE_BYTES;
    if (generator == null) {
      generator = JsonWriter.generator(target);
      write(root);
      root = null;
    }
    // The generator buffers less than a piece.
    while (!levels.isEmpty() && out.size() < end) {
      writeNext(levels.peek());
    }
    if (!levels.isEmpty()) {
      return true;
    }
    generator.close();
    return false;
  }

  @Override
  public long held() {
    return held;
  }

  @Override
  public void close() {
    if (messages != null) {
      messages.release();
    }
  }

  private void writeNext(Level level) throws IOException {
    if (!level.rest.hasNext()) {
      levels.pop();
      switch (level.kind) {
        case OBJECT -> generator.writeEndObject();
        case LIST -> generator.writeEndArray();
        case TEXT -> generator.writeRaw('"');
      }
      return;
    }
    Object next = level.rest.next();
    if (level.kind == Kind.TEXT) {
      generator.writeRaw((String) next);
    } else if (next instanceof Map.Entry<?, ?> field) {
      JsonWriter.writeName(generator, (String) field.getKey());
      write(field.getValue());
    } else {
      write(next);
    }
  }

  private void write(Object value) throws IOException {
    if (value instanceof PayloadText text) {
      levels.push(new Level(text.pieces(), Kind.TEXT));
      generator.writeRawValue("\"");
      return;
    }
    Level level = levels.size() < OPENED_DEPTH ? level(value) : null;
    if (level == null) {
      JsonWriter.write(generator, value);
      return;
    }
    levels.push(level);
    if (level.kind == Kind.OBJECT) {
      generator.writeStartObject();
    } else {
      generator.writeStartArray();
    }
  }

  /** Returns the elements of a list or an object; null if it is neither. */
  private static Level level(Object value) {
    if (value instanceof Map<?, ?> object) {
      return new Level(object.entrySet().iterator(), Kind.OBJECT);
    }
    return value instanceof List<?> list ? new Level(list.iterator(), Kind.LIST) : null;
  }
}
