package io.mayflymq.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The kinds of lines of the log whose levels can be set separately. {@code connection}, {@code
 * channel}, {@code queue} and {@code default} are RabbitMQ's.
 */
public enum LogCategory {
  /** Lines of all other categories. */
  DEFAULT(),
  /** Connections that are opened, closed and refused, and errors of their channels. */
  CONNECTION("io.mayflymq.server.connection", "io.mayflymq.server.auth"),
  /** The work of channels. */
  CHANNEL("io.mayflymq.server.channel"),
  /** Queues, their messages and dead letters. */
  QUEUE("io.mayflymq.core.vhost", "io.mayflymq.core.queue", "io.mayflymq.core.stream"),
  /** The files of messages and metadata. */
  STORAGE("io.mayflymq.core.store", "io.mayflymq.core.metadata"),
  /** The management API and its logins. */
  MANAGEMENT("io.mayflymq.server.management", "io.mayflymq.server.http"),
  /** Who changed what, from where. */
  AUDIT("audit");

  @SuppressWarnings("ImmutableEnumChecker") // a List.of
  private final List<String> loggers;

  LogCategory(String... loggers) {
    this.loggers = List.of(loggers);
  }

  /** Returns the names of its loggers: those and all below them. */
  public List<String> loggers() {
    return loggers;
  }

  /** Its name in the configuration. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the category of this name. */
  public static Optional<LogCategory> named(String name) {
    return Arrays.stream(values()).filter(each -> each.wireName().equals(name)).findFirst();
  }

  /** Returns the category of a logger. */
  public static LogCategory ofLogger(String logger) {
    for (LogCategory category : values()) {
      for (String prefix : category.loggers) {
        if (logger.startsWith(prefix)
            && (logger.length() == prefix.length() || logger.charAt(prefix.length()) == '.')) {
          return category;
        }
      }
    }
    return DEFAULT;
  }
}
