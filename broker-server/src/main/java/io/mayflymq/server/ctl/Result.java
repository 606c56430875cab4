package io.mayflymq.server.ctl;

import java.util.List;
import java.util.Map;

/** The result of a command, independent of the output format. */
public sealed interface Result {
  /** The result of a command that only carries out what its banner says. */
  Result DONE = new Done(null);

  /**
   * The command succeeded.
   *
   * @param message an additional message, or null
   */
  record Done(String message) implements Result {}

  /**
   * A list of rows with the same columns.
   *
   * @param columns their names, in order
   * @param rows values by column name, with all columns
   * @param titled whether a table has a line of column names
   */
  record Rows(List<String> columns, List<Map<String, Object>> rows, boolean titled)
      implements Result {
    public Rows(List<String> columns, List<Map<String, Object>> rows) {
      this(columns, rows, true);
    }
  }

  /**
   * A single value.
   *
   * @param value the value for programs
   * @param text the value for people
   */
  record Value(Object value, String text) implements Result {}

  /** A text that is the same in all formats, for standard output. */
  record Raw(String text) implements Result {}
}
