package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.SteadyClock;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs when the clock of the machine is set. */
final class ClockSteps {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClockSteps.class);

  private ClockSteps() {}

  /** Returns the clock of a broker. A step is logged when it is next read. */
  static SteadyClock clock() {
    return new SteadyClock(InstantSource.system(), System::nanoTime, ClockSteps::log);
  }

  private static void log(long millis) {
    if (millis > 0) {
      LOGGER.warn(
          "the clock of this machine was set {} ms ahead, or the machine was suspended: messages"
              + " expire, and scheduled ones are due, whose time is in between; leases and"
              + " consumer timeouts go on as if it had not been",
          millis);
    } else {
      LOGGER.warn(
          "the clock of this machine was set {} ms back: deadlines of this process go on as if it"
              + " had not been; those of messages from before that are late by as much after a"
              + " restart",
          -millis);
    }
  }
}
