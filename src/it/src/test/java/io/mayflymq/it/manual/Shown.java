package io.mayflymq.it.manual;

import java.util.List;
import java.util.regex.Pattern;

/** Compares what a page shows of an output with the output itself. */
final class Shown {
  /** A call that prints, and in a comment behind it what. */
  private static final Pattern PRINTED =
      Pattern.compile("print\\w*\\(.*\\)?;?\\s+(?:#|//) (.+)$", Pattern.MULTILINE);

  /** What differs each time: times of day, times since 1970, names of nodes, and large numbers. */
  private static final Pattern VARYING =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT?[\\d:.]*Z?|mayfly@[\\w.-]+|\\d{5,}");

  private Shown() {}

  /**
   * Returns what is wrong with what a page shows of a command's output, or null. Shown are lines of
   * it, or parts of lines, as {@code ...} stands for anything, and white space for any other.
   */
  static String ofCommand(String shown, String printed) {
    String actual = bare(printed);
    for (String part : shown.split("\\.\\.\\.|\n")) {
      if (!actual.contains(bare(part))) {
        return "shows \"" + part.trim() + "\", printed was:\n" + printed;
      }
    }
    return null;
  }

  /** The same for a program: its comments behind what prints begin with what that prints. */
  static String ofProgram(String source, String printed) {
    List<String> lines = printed.lines().filter(line -> !line.isBlank()).toList();
    List<String> missing =
        PRINTED
            .matcher(source)
            .results()
            .map(print -> print.group(1))
            .filter(shown -> lines.stream().noneMatch(line -> begins(shown, line)))
            .toList();
    return missing.isEmpty()
        ? null
        : "says that it prints " + missing + ", printed was:\n" + printed;
  }

  private static boolean begins(String shown, String line) {
    if (shown.contains("...")) {
      return ofCommand(shown, line) == null;
    }
    String wanted = bare(shown);
    String printed = bare(line);
    // What follows is a remark, not the rest of a longer word or number.
    return wanted.startsWith(printed)
        && (wanted.length() == printed.length()
            || !Character.isLetterOrDigit(wanted.charAt(printed.length())));
  }

  private static String bare(String text) {
    return VARYING
        .matcher(text.replaceAll("\u001b\\[[0-9;]*m", ""))
        .replaceAll("N")
        .replaceAll("\\s+", "");
  }
}
