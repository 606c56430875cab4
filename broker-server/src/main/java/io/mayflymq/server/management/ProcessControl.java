package io.mayflymq.server.management;

/** What can be done to the process that the broker runs in. Any thread may call. */
public interface ProcessControl {
  /** Stops it in order, as SIGTERM does; returns before that is done. */
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
}
