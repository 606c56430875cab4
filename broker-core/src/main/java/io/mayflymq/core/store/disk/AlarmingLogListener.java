package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogListener;
import java.io.IOException;

/**
 * Raises alarms when a log cannot be written.
 *
 * @param what the name of the log in alarms
 */
record AlarmingLogListener(String what, StoreAlarms alarms) implements LogListener {
  @Override
  public void blocked(IOException cause) {
    alarms.raised(what, cause.toString());
  }

  @Override
  public void unblocked(String why) {
    alarms.cleared(what, why);
  }

  @Override
  public void failed(LogFailedException cause) {
    // Free disk space does not help: publishers get basic.nack, and no connection is blocked.
    alarms.failed(what, cause.getMessage());
  }
}
