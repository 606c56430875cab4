package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;

class RecentChangesTest {
  private final RecentChanges changes = new RecentChanges();

  private void log(Level level, String message, long millis) {
    LoggingEvent event = new LoggingEvent();
    event.setLevel(level);
    event.setMessage(message);
    event.setTimeStamp(millis);
    changes.append(event);
  }

  @Test
  void latestChangesComeFirstWithoutThoseOfLevelDebug() {
    log(Level.INFO, "one", 1);
    log(Level.DEBUG, "two", 2);
    log(Level.INFO, "three", 3);
    assertThat(changes.latest())
        .containsExactly(new Change(3, "three", false), new Change(1, "one", false));
  }

  @Test
  void oldChangesAreForgotten() {
    for (int i = 1; i <= 150; i++) {
      log(Level.INFO, "change " + i, i);
    }
    assertThat(changes.latest()).hasSize(100).last().isEqualTo(new Change(51, "change 51", false));
  }
}
