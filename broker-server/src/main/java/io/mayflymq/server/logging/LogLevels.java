package io.mayflymq.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogLevel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The least level that is logged: that of the category of a line if it has one, else that of the
 * category "default", else that of the output.
 *
 * <p>Logback decides by logger, before it makes an event: the root logger has the lowest of all
 * levels that apply to it, so that a line that no output shows costs one comparison. Any thread may
 * call.
 */
final class LogLevels {
  /**
   * Tells every step at level info, and failures with stack traces that callers report in words.
   */
  private static final String VERBOSE_LIBRARY = "org.apache.ratis";

  private final LoggerContext context;

  /** The logger whose lines of level info and above show at every level. */
  private final String always;

  private final Map<String, Level> outputs = new ConcurrentHashMap<>();
  private final Map<LogCategory, Level> categories = new ConcurrentHashMap<>();

  LogLevels(LoggerContext context, Class<?> always) {
    this.context = context;
    this.always = always.getName();
    apply();
  }

  /** Sets the level of an output, in place of what was set before. */
  synchronized void set(String output, LogLevel level) {
    outputs.put(output, of(level));
    apply();
  }

  /** Sets the levels of categories, in place of all that were set before. */
  synchronized void set(Map<LogCategory, LogLevel> levels) {
    categories.clear();
    levels.forEach((category, level) -> categories.put(category, of(level)));
    apply();
  }

  /** Sets the level of a category. */
  synchronized void set(LogCategory category, LogLevel level) {
    categories.put(category, of(level));
    apply();
  }

  /** Sets one level for everything. */
  synchronized void setAll(LogLevel level) {
    categories.clear();
    outputs.replaceAll((output, before) -> of(level));
    apply();
  }

  private void apply() {
    Level lowest = Level.OFF;
    for (Level level : outputs.values()) {
      lowest = lowest.isGreaterOrEqual(level) ? level : lowest;
    }
    Level root = categories.getOrDefault(LogCategory.DEFAULT, lowest);
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(root);
    for (LogCategory category : LogCategory.values()) {
      for (String logger : category.loggers()) {
        context.getLogger(logger).setLevel(categories.get(category));
      }
    }
    context.getLogger(VERBOSE_LIBRARY).setLevel(ofVerboseLibrary(root));
    context.getLogger(always).setLevel(Level.toLevel(Math.min(root.toInt(), Level.INFO_INT)));
  }

  private static Level ofVerboseLibrary(Level root) {
    return root.isGreaterOrEqual(Level.INFO) ? Level.OFF : Level.INFO;
  }

  /** Returns whether an output shows a line. */
  boolean shows(String output, String logger, Level level) {
    Level own = categories.get(LogCategory.ofLogger(logger));
    if (own == null) {
      own = categories.get(LogCategory.DEFAULT);
    }
    Level least = own == null ? outputs.getOrDefault(output, Level.OFF) : own;
    return level.isGreaterOrEqual(least) || logger.equals(always);
  }

  private static Level of(LogLevel level) {
    return switch (level) {
      case DEBUG -> Level.DEBUG;
      case INFO, NOTICE -> Level.INFO;
      case WARNING -> Level.WARN;
      case ERROR, CRITICAL, ALERT, EMERGENCY -> Level.ERROR;
      case NONE -> Level.OFF;
    };
  }
}
