package io.mayflymq.it.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the manual.
 *
 * @param file its path
 * @param blocks its fenced blocks, in their order
 */
record Page(Path file, List<Block> blocks) {
  private static final Path ROOT = Path.of("../..");

  /**
   * A fence, the language, what is said of the block, and its lines; or a comment, which readers do
   * not see, with what has to be done before the next block.
   */
  private static final Pattern FENCE =
      Pattern.compile(
          "^(?:```(\\w*) ?(.*)\n((?s:.*?))^```|<!-- before: (\\w+)\n((?s:.*?))^-->)$",
          Pattern.MULTILINE);

  private static final Pattern ANY_FENCE =
      Pattern.compile("^ *```(?s:.*?)^ *```$|^<!--(?s:.*?)^-->$", Pattern.MULTILINE);

  private static final Pattern UNBREAKABLE = Pattern.compile("`[^`]*`|\\]\\([^)]*\\)");

  private static final int WIDTH = 120;

  private static final String NOT_RUN = "not-run: ";

  /**
   * What is between two fences.
   *
   * @param line of the page at which it begins
   * @param language such as {@code sh}; empty for drawings, lines of the log and the like
   * @param reason why it is not run, empty if it is
   * @param file where its lines are saved, unless they begin with a name
   * @param text its lines
   */
  record Block(int line, String language, String reason, String file, String text) {
    private static final Set<String> RUN = Set.of("sh", "python", "java", "ini", "json", "text");

    private static final String DRAWING = "mermaid";

    /** Whether it has a language whose blocks are run, or says why it is not. */
    boolean keepsTheRule() {
      if (language.isEmpty()) {
        return !beginsWithCommand();
      }
      return RUN.contains(language) || language.equals(DRAWING) || !reason.isEmpty();
    }

    boolean isRun() {
      return reason.isEmpty() && RUN.contains(language);
    }

    private boolean beginsWithCommand() {
      return text.matches(
              "(?s)(\\S*/)?(mayfly\\w*|rabbitmq\\S*|java|curl|mvn|python3|helm|podman) .*")
          && !text.startsWith("mayfly: ");
    }
  }

  /** Returns all pages. */
  static List<Page> all() throws IOException {
    List<Path> files =
        new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      docs.filter(file -> file.toString().endsWith(".md")).sorted().forEach(files::add);
    }
    List<Page> pages = new ArrayList<>();
    for (Path file : files) {
      pages.add(read(file));
    }
    return pages;
  }

  private static Page read(Path file) throws IOException {
    String text = Files.readString(file);
    List<Block> blocks = new ArrayList<>();
    Matcher fence = FENCE.matcher(text);
    while (fence.find()) {
      int line = 1 + (int) text.substring(0, fence.start()).lines().count();
      if (fence.group(1) == null) {
        blocks.add(new Block(line, fence.group(4), "", "before-" + line, fence.group(5)));
        continue;
      }
      String said = fence.group(2);
      String reason = said.startsWith(NOT_RUN) ? said.substring(NOT_RUN.length()) : "";
      String name = reason.isEmpty() && !said.isEmpty() ? said : "block-" + line;
      blocks.add(new Block(line, fence.group(1), reason, name, fence.group(3)));
    }
    return new Page(file, blocks);
  }

  /** Whether a program of it waits for a time to pass. */
  boolean waits() {
    return blocks.stream().anyMatch(block -> block.text().contains("sleep("));
  }

  /**
   * Returns the lines of the text that are wider than a reader of the source likes. Rows of tables
   * cannot be broken, nor code and links.
   */
  List<String> wideLines() throws IOException {
    String text = ANY_FENCE.matcher(Files.readString(file)).replaceAll("");
    return text.lines()
        .filter(line -> !line.startsWith("|"))
        .filter(line -> UNBREAKABLE.matcher(line).replaceAll("").length() > WIDTH)
        .toList();
  }

  /** The page's path from the top of the project. */
  @Override
  public String toString() {
    return ROOT.relativize(file).toString();
  }
}
