package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.mayflymq.core.runtime.LoggedFaults;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class FatalErrorFilterTest {
  private final List<String> ended = new ArrayList<>();
  private final LoggerContext context = new LoggerContext();
  private final Logger logger = context.getLogger("io.netty.channel.X");

  FatalErrorFilterTest() {
    context.addTurboFilter(
        new FatalErrorFilter(new LoggedFaults((what, cause) -> ended.add(what + ": " + cause))));
  }

  @Test
  void outOfMemoryLoggedByALibraryEndsTheProcess() {
    OutOfMemoryError memory = new OutOfMemoryError("Java heap space");
    logger.warn("A task raised an exception. Task: {}", "task", memory);
    assertThat(ended).containsExactly("io.netty.channel.X: " + memory);
    logger.warn("failed", new CompletionException(memory));
    logger.setLevel(Level.OFF);
    logger.debug("failed", memory);
    assertThat(ended).hasSize(3);
  }

  @Test
  void exceptionsThatAreNotFatalAreOnlyLogged() {
    logger.warn("A task raised an exception. Task: {}", "task", new IllegalStateException("no"));
    logger.warn("failed", new StackOverflowError());
    logger.warn("said {}", "text");
    assertThat(ended).isEmpty();
  }
}
