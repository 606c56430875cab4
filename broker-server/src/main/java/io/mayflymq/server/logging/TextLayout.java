package io.mayflymq.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;

/**
 * A line of the log: {@code 2026-11-21 07:47:57.123 [info] <Daemon> message}, with RabbitMQ's names
 * for the levels, the short name of the class, and the time in UTC to the millisecond.
 *
 * <p>A message may hold what a client has chosen, such as a name, and stays one line all the same:
 * control characters are written as escapes, and what is very long is cut. The lines of a stack
 * trace begin with a tab.
 */
final class TextLayout extends PatternLayout {
  private static final int MOST_CHARACTERS = 8192;

  TextLayout() {
    getInstanceConverterMap().put("rabbitLevel", RabbitLevel::new);
    getInstanceConverterMap().put("oneLine", OneLine::new);
    getInstanceConverterMap().put("trace", Trace::new);
    setPattern("%d{yyyy-MM-dd HH:mm:ss.SSS, UTC} [%rabbitLevel] <%logger{0}> %oneLine\n%trace");
  }

  /** Returns RabbitMQ's name for the level of a line. */
  static String level(ILoggingEvent event) {
    return switch (event.getLevel().toInt()) {
      case Level.ERROR_INT -> "error";
      case Level.WARN_INT -> "warning";
      case Level.INFO_INT -> "info";
      default -> "debug";
    };
  }

  /** Returns a message that is not too long. */
  static String cut(String message) {
    int left = message.length() - MOST_CHARACTERS;
    return left <= 0
        ? message
        : "%s... (%d more characters)".formatted(message.substring(0, MOST_CHARACTERS), left);
  }

  private static final class RabbitLevel extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
      return level(event);
    }
  }

  /** The message without anything that ends a line, moves the cursor or turns the text around. */
  private static final class OneLine extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
      String message = cut(event.getFormattedMessage());
      StringBuilder line = new StringBuilder(message.length());
      Invisible.escape(message, line);
      return line.toString();
    }
  }

  private static final class Trace extends ThrowableHandlingConverter {
    @Override
    public String convert(ILoggingEvent event) {
      IThrowableProxy thrown = event.getThrowableProxy();
      if (thrown == null) {
        return "";
      }
      StringBuilder trace = new StringBuilder();
      // What an exception says may have been chosen by a client, too.
      for (String line : ThrowableProxyUtil.asString(thrown).split("\n")) {
        String text = line.stripTrailing();
        int indent = 0;
        while (indent < text.length() && text.charAt(indent) == '\t') {
          indent++;
        }
        trace.append(indent == 0 ? "\t" : text.substring(0, indent));
        Invisible.escape(text.substring(indent), trace);
        trace.append('\n');
      }
      return trace.toString();
    }
  }
}
