package io.mayflymq.server.cluster.consensus;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Starts the replicated log of a member. */
public final class Consensus {

  private Consensus() {}

  /**
   * Starts the log; waits until its files are read, and with {@link StartMode#BOOTSTRAP} until this
   * node leads.
   *
   * @param calls how members call each other; the services {@link CallService#CONSENSUS} and {@link
   *     CallService#PROPOSAL} are served from now on
   * @param threads where threads are created; an exception that the log cannot go on after is fatal
   * @throws ConsensusException if the log is missing, used by another process, or cannot be read
   */
  public static ReplicatedLog start(
      ConsensusSettings settings, NodeCalls calls, EntryApplier applier, BrokerThreads threads)
      throws ConsensusException {
    checkThere(settings);
    ConsensusThreads ours = new ConsensusThreads(threads);
    try {
      return new RatisLogStart(settings, calls, ours).start(applier);
    } catch (ConsensusException | RuntimeException | Error e) {
      ours.close();
      throw e;
    }
  }

  /**
   * Changes the members in the log of this one, which does not run, so that it goes on without a
   * member that is lost for ever. What was agreed upon without this member is lost too. Changes
   * nothing if the member is none.
   *
   * @param applied the position of what is durable here; null for nothing
   * @param number the number of this member, which no other one has; 0 or more
   * @param lost the UUID of the member's data directory
   * @throws ConsensusException if the log is missing, used by another process, or cannot be read or
   *     written, or if this node has no vote
   */
  public static void goOnWithout(
      ConsensusSettings settings, LogPosition applied, int number, UUID lost)
      throws ConsensusException {
    checkThere(settings);
    new LogOfSurvivor(settings, applied, number).removeMember(lost);
  }

  /** A node whose log is lost must not vote again as the one that it was. */
  private static void checkThere(ConsensusSettings settings) throws ConsensusException {
    Path log = settings.directory().resolve(settings.group().toString());
    if (settings.mode() == StartMode.RESTART && !Files.isDirectory(log)) {
      throw new ConsensusException(
          ("the log of the cluster is missing: %s is not a directory. Forget this node on another"
                  + " one (mayflyctl forget_cluster_node), reset it and let it join again")
              .formatted(log));
    }
  }
}
