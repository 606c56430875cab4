package io.mayflymq.server.management.resource;

import io.mayflymq.server.config.type.LogCategory;
import io.mayflymq.server.config.type.LogLevel;
import io.mayflymq.server.config.type.NodeAddress;
import io.mayflymq.server.logging.LogTail;
import java.io.IOException;
import java.util.Optional;

/** Controls the process, and the broker in it as a whole. Any thread may call. */
public interface ProcessControl {
  /** Stops the process cleanly, as SIGTERM does; returns before that is done. */
  void stop();

  /**
   * Begins a new log file.
   *
   * @return whether there is a log file
   */
  boolean rotateLog();

  /**
   * Sets the least level that is logged, until the next start.
   *
   * @param category for lines of this category only; empty for all lines
   */
  void setLogLevel(Optional<LogCategory> category, LogLevel level);

  /** Returns the last lines of the log, at most so many of those that are kept in memory. */
  LogTail lastOfLog(int most);

  /** Returns the lines of the log after the first so many, as far as they are kept in memory. */
  LogTail logAfter(long earlier);

  /** Returns whether the broker runs, and not only the process. */
  boolean isRunning();

  /**
   * Closes connections and listeners and unloads queues and messages; does nothing if the broker is
   * stopped.
   */
  void stopBroker();

  /**
   * Starts the broker as at the start of the process; does nothing if it runs.
   *
   * @throws IOException if it cannot be started; the message says why
   */
  void startBroker() throws IOException;

  /**
   * Deletes all data of the broker: the next start begins with an empty data directory.
   *
   * @return false if the broker runs; then nothing is removed
   * @throws IOException if something cannot be removed; the message says why
   */
  boolean reset() throws IOException;

  /**
   * Lets the broker join the cluster of another node when it is started.
   *
   * @param seed a member of that cluster
   * @return why that cannot be; empty if it is done
   * @throws IOException if it cannot be noted; the message says why
   */
  Optional<String> joinCluster(NodeAddress seed) throws IOException;
}
