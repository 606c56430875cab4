package io.mayflymq.server.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/** Accepts lines of at least a level, and the daemon's own lines at any level. */
final class LevelFilter extends Filter<ILoggingEvent> {
  private static final String ALWAYS = Daemon.class.getName();

  private final Level least;

  LevelFilter(Level least) {
    this.least = least;
  }

  @Override
  public FilterReply decide(ILoggingEvent event) {
    return event.getLevel().isGreaterOrEqual(least) || event.getLoggerName().equals(ALWAYS)
        ? FilterReply.NEUTRAL
        : FilterReply.DENY;
  }
}
