package io.mayflymq.server.boot;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.FileSize;
import io.mayflymq.core.fault.Faults;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.config.settings.LogSettings;
import io.mayflymq.server.config.type.LogLevel;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * Logback, set up in code from our own settings: reading its XML takes longer than the rest of the
 * start. As Logback's {@link Configurator} it keeps the log silent until {@link #configure} is
 * called.
 *
 * <p>Lines are written by a thread of their own, and are dropped rather than waited for when it
 * falls behind: an event loop must not wait for a slow terminal.
 */
public final class Logging extends ContextAwareBase implements Configurator {
  private static final int QUEUED_LINES = 8192;

  /** Called by Logback's service loader. */
  public Logging() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Sends the log where the settings say, and nowhere else.
   *
   * @param faults gets errors that libraries log and that must end the process
   * @throws StartException if the log file cannot be written
   */
  static void configure(LogSettings settings, Faults faults) throws StartException {
    LoggerContext context = context();
    context.reset();
    // A log that was flushed is a stopped one, and a stopped one would not flush again.
    context.start();
    context.addTurboFilter(new FatalErrorFilter(faults));
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.OFF);
    if (settings.console()) {
      add(root, new ConsoleAppender<>(), settings.consoleLevel());
    }
    if (settings.file().isPresent()) {
      add(root, file(context, settings, settings.file().get()), settings.fileLevel());
    }
  }

  private static void add(
      Logger root, OutputStreamAppender<ILoggingEvent> appender, LogLevel least) {
    LoggerContext context = root.getLoggerContext();
    Level level = level(least);
    LogLayout layout = new LogLayout();
    layout.setContext(context);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    AsyncAppender queue = new AsyncAppender();
    queue.setContext(context);
    queue.setName(appender.getClass().getSimpleName());
    queue.setQueueSize(QUEUED_LINES);
    queue.setDiscardingThreshold(0);
    queue.setNeverBlock(true);
    queue.addFilter(new LevelFilter(level));
    queue.addAppender(appender);
    queue.start();
    root.addAppender(queue);
    if (root.getLevel().isGreaterOrEqual(level)) {
      root.setLevel(level);
    }
    // The daemon's own few lines are its contract with scripts: they show at every level.
    context
        .getLogger(Daemon.class)
        .setLevel(Level.toLevel(Math.min(root.getLevel().toInt(), Level.INFO_INT)));
  }

  private static FileAppender<ILoggingEvent> file(
      LoggerContext context, LogSettings settings, Path file) throws StartException {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      OwnerFiles.createIfMissing(file);
      Files.newOutputStream(file, java.nio.file.StandardOpenOption.APPEND).close();
    } catch (IOException e) {
      throw new StartException("cannot write log file " + file + ": " + IoReason.of(e), e);
    }
    if (settings.rotationBytes() == 0) {
      FileAppender<ILoggingEvent> appender = new FileAppender<>();
      appender.setFile(file.toString());
      return appender;
    }
    RollingFileAppender<ILoggingEvent> appender =
        new RollingFileAppender<>() {
          @Override
          public void openFile(String name) throws IOException {
            OwnerFiles.createIfMissing(Path.of(name));
            super.openFile(name);
          }
        };
    appender.setFile(file.toString());
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(file + ".%i");
    rolling.setMinIndex(0);
    rolling.setMaxIndex(settings.rotationCount() - 1);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setContext(context);
    trigger.setMaxFileSize(new FileSize(settings.rotationBytes()));
    trigger.start();
    appender.setRollingPolicy(rolling);
    appender.setTriggeringPolicy(trigger);
    return appender;
  }

  private static Level level(LogLevel level) {
    return switch (level) {
      case DEBUG -> Level.DEBUG;
      case INFO, NOTICE -> Level.INFO;
      case WARNING -> Level.WARN;
      case ERROR, CRITICAL, ALERT, EMERGENCY -> Level.ERROR;
      case NONE -> Level.OFF;
    };
  }

  /** Begins a new log file. @return whether there is a log file */
  static boolean rotate() {
    boolean rotated = false;
    for (AsyncAppender queue : queues()) {
      for (var appenders = queue.iteratorForAppenders(); appenders.hasNext(); ) {
        if (appenders.next() instanceof FileAppender<ILoggingEvent> file) {
          if (file instanceof RollingFileAppender<ILoggingEvent> rolling) {
            rolling.rollover();
          } else {
            reopen(file);
          }
          rotated = true;
        }
      }
    }
    return rotated;
  }

  /**
   * Opens the log file by its name again: a tool such as logrotate may have moved it, and later
   * lines go to a new file.
   */
  static void reopen() {
    for (AsyncAppender queue : queues()) {
      for (var appenders = queue.iteratorForAppenders(); appenders.hasNext(); ) {
        if (appenders.next() instanceof FileAppender<ILoggingEvent> file) {
          reopen(file);
        }
      }
    }
  }

  private static void reopen(FileAppender<ILoggingEvent> file) {
    try {
      // Not stop and start, between which lines are lost.
      file.openFile(file.getFile());
    } catch (IOException e) {
      LoggerFactory.getLogger(Logging.class)
          .error(
              "cannot open log file {}, and go on with the one that is open: {}",
              file.getFile(),
              IoReason.of(e));
    }
  }

  /** Sets the levels that the settings say, in place of what was set by hand. */
  static void setLevels(LogSettings settings) {
    Level lowest = Level.OFF;
    for (AsyncAppender queue : queues()) {
      boolean toConsole = queue.getName().equals(ConsoleAppender.class.getSimpleName());
      Level level = level(toConsole ? settings.consoleLevel() : settings.fileLevel());
      queue.clearAllFilters();
      queue.addFilter(new LevelFilter(level));
      lowest = lowest.isGreaterOrEqual(level) ? level : lowest;
    }
    setRootLevel(lowest);
  }

  private static void setRootLevel(Level level) {
    context().getLogger(Logger.ROOT_LOGGER_NAME).setLevel(level);
    // The daemon's own few lines are its contract with scripts: they show at every level.
    context()
        .getLogger(Daemon.class)
        .setLevel(Level.toLevel(Math.min(level.toInt(), Level.INFO_INT)));
  }

  /** Sets the least level that is logged anywhere. @return whether there is a level of that name */
  static boolean setLevel(String name) {
    Level level;
    try {
      level = level(LogLevel.valueOf(name.toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      return false;
    }
    for (AsyncAppender queue : queues()) {
      queue.clearAllFilters();
      queue.addFilter(new LevelFilter(level));
    }
    setRootLevel(level);
    return true;
  }

  private static List<AsyncAppender> queues() {
    List<AsyncAppender> queues = new ArrayList<>();
    for (var all = context().getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        all.hasNext(); ) {
      if (all.next() instanceof AsyncAppender queue) {
        queues.add(queue);
      }
    }
    return queues;
  }

  /** Writes what is queued and ends the log; the process is about to end. */
  static void flush() {
    context().stop();
  }

  private static LoggerContext context() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return (LoggerContext) factory;
  }
}
