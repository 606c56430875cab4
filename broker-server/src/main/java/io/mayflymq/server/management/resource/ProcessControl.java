package io.mayflymq.server.management.resource;

import java.io.IOException;

/** What can be done to the process, and to the broker in it as a whole. Any thread may call. */
public interface ProcessControl {
  /** Stops the process in order, as SIGTERM does; returns before that is done. */
  void stop();

  /**
   * Begins a new log file.
   *
   * @return whether there is a log file
   */
  boolean rotateLog();

  /**
   * Sets the least level that is logged, to the console and the file, until the next start.
   *
   * @return whether this is the name of a level
   */
  boolean setLogLevel(String level);

  /** Whether the broker runs, and not only the process. */
  boolean isRunning();

  /** Closes connections and listeners and lets go of queues and messages; nothing if it has. */
  void stopBroker();

  /**
   * Brings the broker back as at the start of the process; nothing if it runs.
   *
   * @throws IOException if it cannot be had; the message says why
   */
  void startBroker() throws IOException;

  /**
   * Removes what the broker keeps: the next start is its first.
   *
   * @return false if the broker runs; then nothing is removed
   * @throws IOException if something cannot be removed; the message says why
   */
  boolean reset() throws IOException;
}
