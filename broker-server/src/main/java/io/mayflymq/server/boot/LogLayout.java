package io.mayflymq.server.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;

/**
 * A line of the log: {@code 2026-11-21 07:47:57.123 [info] <Daemon> message}, with RabbitMQ's names
 * for the levels, the short name of the class, and the time in UTC to the millisecond.
 *
 * <p>A message may hold what a client has chosen, such as a name, and stays one line all the same:
 * control characters are written as escapes, and what is very long is cut. The lines of a stack
 * trace begin with a tab.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
  private static final int PREFIX_CHARACTERS = 64;
  private static final int MOST_CHARACTERS = 8192;

  @Override
  public String doLayout(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    StringBuilder line = new StringBuilder(PREFIX_CHARACTERS + message.length());
    appendTime(line, event.getTimeStamp());
    line.append(" [").append(levelName(event.getLevel())).append("] <");
    String logger = event.getLoggerName();
    line.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append("> ");
    appendEscaped(line, message);
    line.append('\n');
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      appendIndented(line, ThrowableProxyUtil.asString(thrown));
    }
    return line.toString();
  }

  private static void appendEscaped(StringBuilder line, String message) {
    int shown = Math.min(message.length(), MOST_CHARACTERS);
    for (int i = 0; i < shown; i++) {
      char c = message.charAt(i);
      if (c == '\n') {
        line.append("\\n");
      } else if (isInvisible(c)) {
        line.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        line.append(c);
      }
    }
    if (shown < message.length()) {
      line.append("... (").append(message.length() - shown).append(" more characters)");
    }
  }

  /**
   * Returns whether a character ends a line, moves the cursor or changes the direction of the text.
   */
  private static boolean isInvisible(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static void appendIndented(StringBuilder line, String trace) {
    trace
        .lines()
        .forEach(
            part -> {
              if (!part.startsWith("\t")) {
                line.append('\t');
              }
              line.append(part).append('\n');
            });
  }

  private static void appendTime(StringBuilder line, long millis) {
    LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC);
    line.append(time.getYear());
    appendTwoDigits(line.append('-'), time.getMonthValue());
    appendTwoDigits(line.append('-'), time.getDayOfMonth());
    appendTwoDigits(line.append(' '), time.getHour());
    appendTwoDigits(line.append(':'), time.getMinute());
    appendTwoDigits(line.append(':'), time.getSecond());
    int milliOfSecond = time.getNano() / 1_000_000;
    line.append('.').append(milliOfSecond / 100);
    appendTwoDigits(line, milliOfSecond % 100);
  }

  private static void appendTwoDigits(StringBuilder line, int number) {
    line.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
  }

  private static String levelName(Level level) {
    return switch (level.toInt()) {
      case Level.ERROR_INT -> "error";
      case Level.WARN_INT -> "warning";
      case Level.INFO_INT -> "info";
      default -> "debug";
    };
  }
}
