package io.mayflymq.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/** Accepts the lines that an output of the log shows. */
final class LevelFilter extends Filter<ILoggingEvent> {
  private final LogLevels levels;
  private final String output;

  /**
   * Creates a filter.
   *
   * @param output the name of the output
   */
  LevelFilter(LogLevels levels, String output) {
    this.levels = levels;
    this.output = output;
  }

  @Override
  public FilterReply decide(ILoggingEvent event) {
    return levels.shows(output, event.getLoggerName(), event.getLevel())
        ? FilterReply.NEUTRAL
        : FilterReply.DENY;
  }
}
