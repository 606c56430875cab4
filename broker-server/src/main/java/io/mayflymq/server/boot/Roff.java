package io.mayflymq.server.boot;

import java.util.Locale;

/** The text of a manual page, in the macros of man(7). Not thread-safe. */
final class Roff {
  private final StringBuilder text = new StringBuilder();

  /**
   * Begins a page.
   *
   * @param section of the manual, such as 1 for commands
   * @param product the product with its version
   */
  Roff(String name, int section, String product) {
    line(
        ".TH %s %d \"\" \"%s\""
            .formatted(quoted(name.toUpperCase(Locale.ROOT)), section, quoted(product)));
  }

  Roff section(String title) {
    return line(".SH \"" + quoted(title) + "\"");
  }

  Roff subsection(String title) {
    return line(".SS \"" + quoted(title) + "\"");
  }

  /** Adds a paragraph; line breaks in it are not kept. */
  Roff paragraph(String content) {
    line(".PP");
    return lines(content);
  }

  /** Adds a term in bold, and its explanation. */
  Roff term(String term, String explanation) {
    line(".TP");
    line("\\fB" + escaped(term) + "\\fR");
    return lines(explanation);
  }

  /** Adds a paragraph to the explanation of a term. */
  Roff more(String content) {
    line(".IP");
    return lines(content);
  }

  /** Adds lines that are not filled. */
  Roff verbatim(String content) {
    line(".PP");
    line(".nf");
    lines(content);
    return line(".fi");
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private Roff lines(String content) {
    content.strip().lines().map(Roff::escaped).forEach(this::line);
    return this;
  }

  private Roff line(String line) {
    text.append(line).append('\n');
    return this;
  }

  private static String quoted(String argument) {
    return escaped(argument).replace("\"", "\\(dq");
  }

  /** A hyphen would be typeset, and could not be copied; a dot at the beginning begins a macro. */
  private static String escaped(String line) {
    String escaped = line.strip().replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
