package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TextLayoutTest {
  private static String line(Level level, String time, Throwable thrown) {
    return line(level, time, thrown, 7);
  }

  private static String line(Level level, String time, Throwable thrown, Object argument) {
    LoggingEvent event =
        new LoggingEvent(
            "",
            new LoggerContext().getLogger("io.mayflymq.server.Some"),
            level,
            "a {}",
            thrown,
            new Object[] {argument});
    event.setTimeStamp(Instant.parse(time).toEpochMilli());
    TextLayout layout = new TextLayout();
    layout.setContext(new LoggerContext());
    layout.start();
    return layout.doLayout(event);
  }

  @Test
  void logLineHasTimeLevelClassAndMessage() {
    assertThat(line(Level.INFO, "2026-11-21T07:47:57.123Z", null))
        .isEqualTo("2026-11-21 07:47:57.123 [info] <Some> a 7\n");
    assertThat(line(Level.WARN, "2027-01-02T03:04:05.006Z", null))
        .isEqualTo("2027-01-02 03:04:05.006 [warning] <Some> a 7\n");
    assertThat(line(Level.ERROR, "2027-01-02T03:04:05.060Z", null)).contains(".060 [error] ");
    assertThat(line(Level.TRACE, "2027-01-02T03:04:05.600Z", null)).contains(".600 [debug] ");
  }

  @Test
  void stackTraceFollowsTheLogLine() {
    assertThat(line(Level.ERROR, "2026-11-21T07:47:57.123Z", new IllegalStateException("boom")))
        .contains("[error] <Some> a 7\n\tjava.lang.IllegalStateException: boom")
        .contains("\n\tat " + TextLayoutTest.class.getName());
  }

  @Test
  void textsFromClientsStayOnOneLogLine() {
    String forged = "q'\n2026-11-21 07:47:57.123 [error] <Some> forged\r\u001b[2J\u2028\u202e é\0";
    assertThat(line(Level.INFO, "2026-11-21T07:47:57.123Z", null, forged))
        .isEqualTo(
            "2026-11-21 07:47:57.123 [info] <Some> a q'\\n2026-11-21 07:47:57.123 [error] <Some>"
                + " forged\\u000d\\u001b[2J\\u2028\\u202e é\\u0000\n");
    Exception thrown = new IllegalStateException(forged);
    assertThat(line(Level.INFO, "2026-11-21T07:47:57.123Z", thrown).lines().skip(1))
        .allMatch(part -> part.startsWith("\t"));
  }

  @Test
  void veryLongLogMessagesAreCut() {
    assertThat(line(Level.INFO, "2026-11-21T07:47:57.123Z", null, "x".repeat(100_000)))
        .hasSizeLessThan(8_300)
        .endsWith("xxx... (91810 more characters)\n");
  }
}
