package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogListener;
import java.io.IOException;

/**
 * Raises alarms about the troubles of a log.
 *
 * @param what what alarms call the log
 */
record AlarmingLogListener(String what, StoreAlarms alarms) implements LogListener {
  @Override
  public void blocked(IOException cause) {
    alarms.raised(what, cause.toString());
  }

  @Override
  public void unblocked() {
    alarms.cleared(what, "it can be written again");
  }

  @Override
  public void failed(LogFailedException cause) {
    // No room will cure it: its publishers get basic.nack, and nobody is made to wait.
    alarms.cleared(what, cause.getMessage());
    alarms.failed(what, cause.getMessage());
  }
}
