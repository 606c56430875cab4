package io.mayflymq.server.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * A line of the log: {@code 2026-11-21 07:47:57.123 [info] <Daemon> message}, with RabbitMQ's names
 * for the levels, the short name of the class, and the time in UTC to the millisecond.
 */
final class LogLayout extends LayoutBase<ILoggingEvent> {
  private static final int PREFIX_CHARACTERS = 64;

  @Override
  public String doLayout(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    StringBuilder line = new StringBuilder(PREFIX_CHARACTERS + message.length());
    appendTime(line, event.getTimeStamp());
    line.append(" [").append(levelName(event.getLevel())).append("] <");
    String logger = event.getLoggerName();
    line.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append("> ");
    line.append(message).append('\n');
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.append(ThrowableProxyUtil.asString(thrown));
    }
    return line.toString();
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
