package io.mayflymq.server.cluster.consensus.ratis;

import io.mayflymq.server.cluster.consensus.ratis.rpc.Peers;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What works together on the log of a member. Closed as a whole. */
record RatisParts(
    ServerView view,
    Peers peers,
    AppliedEntries applied,
    RecentProposals recent,
    LogWatcher watcher,
    ConsensusThreads threads)
    implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RatisParts.class);

  /** Ends the work on the log, but not the threads. */
  void stop() {
    watcher.end();
    applied.close();
    DivisionClose.close(view.division()::close, threads);
    try {
      view.server().close();
    } catch (IOException e) {
      LOGGER.warn("the log of the cluster was not closed: {}", Failures.text(e));
    }
  }

  @Override
  public void close() {
    stop();
    threads.close();
  }
}
