package io.mayflymq.server.logging;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogFormat;
import io.mayflymq.server.config.LogLevel;
import io.mayflymq.server.config.LogSettings;
import io.mayflymq.server.config.LogSettings.Output;
import io.mayflymq.server.config.LogSettings.Rotation;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

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
  private static final String CONSOLE = "console";
  private static final String FILE = "file";
  private static final String RECENT = "recent";

  /** The logger of the audit category. */
  private static final String AUDIT = LogCategory.AUDIT.loggers().get(0);

  // As static as Logback itself is.
  /** Of a line of the audit category that tells of what only administrators see. */
  public static final Marker FOR_ADMINISTRATORS = MarkerFactory.getMarker("FOR_ADMINISTRATORS");

  private static volatile LogLevels levels;
  private static volatile RecentLines recent;
  private static volatile RecentChanges changes;

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
   * @param always the class whose lines show at every level: they are a contract with scripts
   * @param faults gets errors that libraries log and that must end the process
   * @throws StartException if the log file cannot be written
   */
  public static void configure(LogSettings settings, Class<?> always, Faults faults)
      throws StartException {
    LoggerContext context = context();
    context.reset();
    // A log that was flushed is a stopped one, and a stopped one would not flush again.
    context.start();
    context.addTurboFilter(new FatalErrorFilter(faults));
    levels = new LogLevels(context, always);
    levels.set(settings.levels());
    if (settings.console().isPresent()) {
      Output console = settings.console().get();
      add(CONSOLE, console.level(), written(new ConsoleAppender<>(), console.format()));
    }
    if (settings.path().isPresent()) {
      Output file = settings.file();
      FileAppender<ILoggingEvent> appender = file(settings.rotation(), settings.path().get());
      add(FILE, file.level(), written(appender, file.format()));
    }
    changes = new RecentChanges();
    changes.setContext(context);
    changes.start();
    context.getLogger(AUDIT).addAppender(changes);
    recent = new RecentLines(layout(LogFormat.PLAINTEXT));
    add(RECENT, settings.console().orElse(settings.file()).level(), recent);
  }

  /**
   * Sends the log of all brokers that use these classes to standard error. Its lines are written by
   * the threads that log, so there is nothing to be closed. Called again it only sets the level.
   *
   * @param least of the lines that are shown, of whatever broker
   * @param faults gets errors that libraries log and that must end the broker
   */
  public static synchronized void configureShared(LogLevel least, Faults faults) {
    if (levels == null) {
      LoggerContext context = context();
      context.reset();
      context.addTurboFilter(new FatalErrorFilter(faults));
      levels = new LogLevels(context, Logging.class);
      ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
      console.setTarget(ConsoleTarget.SystemErr.getName());
      OutputStreamAppender<ILoggingEvent> written = written(console, LogFormat.PLAINTEXT);
      written.setContext(context);
      written.addFilter(new LevelFilter(levels, CONSOLE));
      written.start();
      context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(written);
    }
    levels.set(CONSOLE, least);
  }

  private static Layout<ILoggingEvent> layout(LogFormat format) {
    Layout<ILoggingEvent> layout =
        switch (format) {
          case PLAINTEXT -> new TextLayout();
          case JSON -> new JsonLayout();
        };
    layout.setContext(context());
    layout.start();
    return layout;
  }

  private static OutputStreamAppender<ILoggingEvent> written(
      OutputStreamAppender<ILoggingEvent> appender, LogFormat format) {
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(context());
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout(format));
    encoder.start();
    appender.setEncoder(encoder);
    return appender;
  }

  private static void add(String output, LogLevel least, Appender<ILoggingEvent> appender) {
    LoggerContext context = context();
    appender.setContext(context);
    appender.start();
    AsyncAppender queue = new AsyncAppender();
    queue.setContext(context);
    queue.setName(output);
    queue.setQueueSize(QUEUED_LINES);
    queue.setDiscardingThreshold(0);
    queue.setNeverBlock(true);
    queue.addFilter(new LevelFilter(levels, output));
    queue.addAppender(appender);
    queue.start();
    levels.set(output, least);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(queue);
  }

  private static FileAppender<ILoggingEvent> file(Rotation rotation, Path file)
      throws StartException {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      OwnerFiles.createIfMissing(file);
      Files.newOutputStream(file, StandardOpenOption.APPEND).close();
    } catch (IOException e) {
      throw new StartException("cannot write log file " + file + ": " + IoReason.of(e), e);
    }
    if (!rotation.isOn()) {
      FileAppender<ILoggingEvent> appender =
          new FileAppender<>() {
            @Override
            public void openFile(String name) throws IOException {
              OwnerFiles.createIfMissing(Path.of(name));
              super.openFile(name);
            }
          };
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
    OwnerRollingPolicy rolling =
        new OwnerRollingPolicy(file, rotation.count(), rotation.compress());
    rolling.setContext(context());
    rolling.setParent(appender);
    rolling.start();
    RotationTrigger trigger = new RotationTrigger(rotation, Instant.now());
    trigger.setContext(context());
    trigger.start();
    appender.setRollingPolicy(rolling);
    appender.setTriggeringPolicy(trigger);
    return appender;
  }

  /** Begins a new log file. @return whether there is a log file */
  public static boolean rotate() {
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
  public static void reopen() {
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
  public static void setLevels(LogSettings settings) {
    settings.console().ifPresent(console -> levels.set(CONSOLE, console.level()));
    settings.path().ifPresent(path -> levels.set(FILE, settings.file().level()));
    levels.set(RECENT, settings.console().orElse(settings.file()).level());
    levels.set(settings.levels());
  }

  /**
   * Sets the least level that is logged.
   *
   * @param category for lines of this category only; empty for all lines
   */
  public static void setLevel(Optional<LogCategory> category, LogLevel level) {
    category.ifPresentOrElse(only -> levels.set(only, level), () -> levels.setAll(level));
  }

  /** Returns the last lines, at most so many of those that are kept. */
  public static LogTail last(int most) {
    return recent == null ? new LogTail(List.of(), 0) : recent.last(most);
  }

  /** Returns the last changes that the audit category has, the latest first. */
  public static List<Change> latestChanges() {
    return changes == null ? List.of() : changes.latest();
  }

  /** Returns the lines after the first so many, as far as they are kept. */
  public static LogTail after(long earlier) {
    return recent == null ? new LogTail(List.of(), 0) : recent.after(earlier);
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
  public static void flush() {
    context().stop();
  }

  private static LoggerContext context() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return (LoggerContext) factory;
  }
}
