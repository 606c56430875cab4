package io.mayflymq.it.manual;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs what the pages show, as their reader would: from the top to the bottom of a page, on a
 * broker and in a directory of its own. {@code docs/testing.md} has the rule. With {@code
 * -Dmanual.page=ttl} only pages with this in their names.
 */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class ManualIT {
  /** A page with times says what happens on a machine that is not busy. */
  private static final int ATTEMPTS = 5;

  static List<Page> pages() throws IOException {
    String wanted = System.getProperty("manual.page", "");
    return Page.all().stream()
        .filter(page -> !page.blocks().isEmpty() && page.toString().contains(wanted))
        .toList();
  }

  @Test
  void textIsNoWiderThanALine() throws IOException {
    for (Page page : Page.all()) {
      assertThat(page.wideLines()).as(page.toString()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void pageDoesWhatItSays(Page page) throws Exception {
    assertThat(page.blocks())
        .as("blocks that are run, or say why not")
        .allMatch(Page.Block::keepsTheRule);
    List<String> wrong = List.of();
    for (int attempt = 0; attempt < (page.waits() ? ATTEMPTS : 1); attempt++) {
      try (Reader reader = new Reader()) {
        wrong = reader.follow(page);
      }
      if (wrong.isEmpty()) {
        break;
      }
    }
    assertThat(wrong).as("what is wrong on the page").isEmpty();
  }
}
