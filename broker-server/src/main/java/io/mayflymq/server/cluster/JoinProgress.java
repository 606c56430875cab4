package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.membership.ClusterJoin;
import io.mayflymq.server.logging.IoReason;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a node from its join to its vote.
 *
 * <p>A file is in the data directory from before the node joins until it has a vote. A member
 * without that file and without a replicated log has lost the log, and with it how it has voted: it
 * must not start with an empty one, as it could vote for a second leader of the same term.
 */
final class JoinProgress {
  private static final Logger LOGGER = LoggerFactory.getLogger(JoinProgress.class);
  private static final long RETRY_MILLIS = 1_000;

  private final Path file;
  private final ClusterJoin join;
  private final PeriodicWork work;
  private String reported;

  /**
   * @param file is there as long as the node joins
   */
  JoinProgress(Path file, ClusterJoin join, PeriodicWork work) {
    this.file = file;
    this.join = join;
    this.work = work;
  }

  /**
   * Notes that the node begins to join.
   *
   * @throws StartException if the file cannot be written
   */
  void begin() throws StartException {
    try {
      OwnerFiles.write(file, new byte[0]);
    } catch (IOException e) {
      throw new StartException("cannot write %s: %s".formatted(file, IoReason.of(e)), e);
    }
  }

  /**
   * Returns how the replicated log of this node starts.
   *
   * @param hasPosition whether its metadata have a position in the log
   */
  StartMode mode(ClusterMember self, boolean hasPosition) {
    if (self.number() == QueuePlace.FIRST_MEMBER) {
      return hasPosition ? StartMode.RESTART : StartMode.BOOTSTRAP;
    }
    return Files.exists(file) ? StartMode.JOIN : StartMode.RESTART;
  }

  /** Asks the other members for a vote, one after the other, until one has given it. */
  void askForVote(ClusterMembers members, ClusterMember self) {
    CompletableFuture<Void> asked =
        CompletableFuture.failedFuture(new StartException("there is no other member"));
    for (ClusterMember other : members.all()) {
      if (other.number() != self.number()) {
        asked = asked.exceptionallyCompose(failure -> join.askForVote(other.name()));
      }
    }
    asked.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            end();
          } else {
            report(Causes.of(failure).getMessage());
            work.after("asking for a vote", RETRY_MILLIS, () -> askForVote(members, self));
          }
        });
  }

  private synchronized void report(String why) {
    if (!why.equals(reported)) {
      reported = why;
      LOGGER.info("this node has no vote yet: {}", why);
    }
  }

  /** Notes that the node has its vote. */
  void end() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOGGER.warn("cannot delete {}: {}", file, IoReason.of(e));
    }
  }
}
