package io.mayflymq.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.mayflymq.core.runtime.Faults;
import org.slf4j.Marker;

/**
 * Ends the process when a fatal error is logged. Libraries catch all exceptions: Netty logs those
 * of handlers, tasks and listeners, even an OutOfMemoryError, and continues.
 */
final class FatalErrorFilter extends TurboFilter {
  private final Faults faults;

  FatalErrorFilter(Faults faults) {
    this.faults = faults;
  }

  @Override
  public FilterReply decide(
      Marker marker, Logger logger, Level level, String format, Object[] params, Throwable thrown) {
    Throwable logged = thrown;
    if (logged == null && params != null && params.length > 0) {
      logged = params[params.length - 1] instanceof Throwable last ? last : null;
    }
    if (logged != null && Faults.isFatal(logged)) {
      faults.fatal(logger.getName(), logged);
    }
    return FilterReply.NEUTRAL;
  }
}
