package io.mayflymq.server.management.resource;

import io.mayflymq.server.cluster.StoppedMember;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogLevel;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.logging.LogTail;
import io.mayflymq.server.net.StartException;
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
   * Deletes all data of the broker: the next start begins with an empty data directory. A member of
   * a cluster leaves that first.
   *
   * @param force whether a member does not leave its cluster
   * @throws StartException if the broker runs, or cannot leave; then nothing is deleted
   * @throws IOException if something cannot be deleted; the message says why
   */
  void reset(boolean force) throws StartException, IOException;

  /**
   * Lets the broker join the cluster of another node when it is started.
   *
   * @param seed a member of that cluster
   * @throws StartException if that cannot be; the message says why
   * @throws IOException if it cannot be noted; the message says why
   */
  void joinCluster(NodeAddress seed) throws StartException, IOException;

  /**
   * Lets the stopped broker go on without another node of its cluster that is lost for ever, though
   * the others are no majority.
   *
   * @param node its name
   * @return what is given up
   * @throws StartException if that cannot be; the message says why
   */
  StoppedMember.Loss goOnWithout(String node) throws StartException;
}
