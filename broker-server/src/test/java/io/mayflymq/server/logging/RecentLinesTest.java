package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.LayoutBase;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecentLinesTest {
  private final RecentLines lines =
      new RecentLines(
          new LayoutBase<>() {
            @Override
            public String doLayout(ILoggingEvent event) {
              return event.getMessage() + "\n";
            }
          });

  private void log(String message) {
    LoggingEvent event = new LoggingEvent();
    event.setMessage(message);
    lines.append(event);
  }

  @Test
  void lastLinesAndThoseAfterANumberAreReturned() {
    for (int i = 1; i <= 5; i++) {
      log("line " + i);
    }
    assertThat(lines.last(2)).isEqualTo(new LogTail(List.of("line 4", "line 5"), 5));
    assertThat(lines.after(4).lines()).containsExactly("line 5");
    assertThat(lines.after(9).lines()).isEmpty();
    assertThat(lines.last(0)).isEqualTo(new LogTail(List.of(), 5));
  }

  @Test
  void oldLinesAreForgottenByNumberAndBySize() {
    for (int i = 1; i <= 1_500; i++) {
      log("line " + i);
    }
    assertThat(lines.last(5_000).lines()).hasSize(1_000).last().isEqualTo("line 1500");
    for (int i = 0; i < 200; i++) {
      log("x".repeat(8_192));
    }
    assertThat(lines.last(5_000).lines()).hasSizeBetween(1, 64);
  }
}
