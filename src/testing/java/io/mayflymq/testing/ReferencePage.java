package io.mayflymq.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page whose reference parts follow from tables in the code. A part stands between the comments
 * {@code <!-- written: NAME -->} and {@code <!-- end -->}; all else of the page is prose. A test
 * compares each part with its table, and fails if they differ; with {@code -Dreference.write} it
 * writes the part instead.
 */
public final class ReferencePage {
  private static final boolean WRITES = System.getProperty("reference.write") != null;
  private static final String END = "\n<!-- end -->";

  private final Path file;

  /**
   * A page.
   *
   * @param name its path from the root of the project
   */
  public ReferencePage(String name) {
    this.file = Path.of("..").resolve(name);
  }

  /**
   * Checks one part of the page, or writes it.
   *
   * @param part its name
   * @param text what belongs there, without the comments around it
   */
  public void check(String part, String text) throws IOException {
    String page = Files.readString(file);
    String begin = "<!-- written: " + part + " -->\n";
    int start = page.indexOf(begin);
    int end = page.indexOf(END, start);
    if (start < 0 || end < 0) {
      throw new AssertionError("%s: no part '%s'".formatted(file, part));
    }
    replace(page, start + begin.length(), end, "\n" + text.strip() + "\n", part);
  }

  /**
   * Checks all that stands behind a line, up to the end of the file, or writes it.
   *
   * @param line the last line that is written by hand
   */
  public void checkBehind(String line, String text) throws IOException {
    String page = Files.readString(file);
    int start = page.indexOf("\n" + line + "\n");
    if (start < 0) {
      throw new AssertionError("%s: no line '%s'".formatted(file, line));
    }
    replace(page, start + line.length() + 2, page.length(), "\n" + text.strip() + "\n", line);
  }

  private void replace(String page, int start, int end, String text, String part)
      throws IOException {
    String there = page.substring(start, end);
    if (there.equals(text)) {
      return;
    }
    if (!WRITES) {
      throw new AssertionError(
          ("%s: the part '%s' is not what the table in the code says: run this test once more with"
                  + " -Dreference.write%s")
              .formatted(file, part, difference(there, text)));
    }
    Files.writeString(file, page.substring(0, start) + text + page.substring(end));
  }

  private static String difference(String there, String text) {
    String[] is = there.split("\n");
    String[] expected = text.split("\n");
    for (int i = 0; i < Math.min(is.length, expected.length); i++) {
      if (!is[i].equals(expected[i])) {
        return "\nexpected: %s\nthere is: %s".formatted(expected[i], is[i]);
      }
    }
    return "\nexpected %d lines, there are %d".formatted(expected.length, is.length);
  }
}
