package io.mayflymq.server.ctl.format;

import java.util.List;
import java.util.Map;

/** The result of a command, independent of the output format. */
public sealed interface Result {
  /** It did what its banner says. */
  Result DONE = new Done(null);

  /**
   * It did what its banner says.
   *
   * @param message what more there is to say, or null
   */
  record Done(String message) implements Result {}

  /**
   * A list of things that have the same fields.
   *
   * @param columns their names, in order
   * @param rows each with all columns
   * @param titled whether a table has a line of column names
   */
  record Rows(List<String> columns, List<Map<String, Object>> rows, boolean titled)
      implements Result {
    public Rows(List<String> columns, List<Map<String, Object>> rows) {
      this(columns, rows, true);
    }
  }

  /**
   * One thing.
   *
   * @param value as machines want it
   * @param text as a human reads it
   */
  record Value(Object value, String text) implements Result {}

  /** A text that has one form only, and belongs on standard output whatever was asked for. */
  record Raw(String text) implements Result {}
}
