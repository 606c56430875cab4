package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.cluster.ClusterSetup;
import io.mayflymq.server.cluster.StoppedMember;
import io.mayflymq.server.cluster.membership.JoinTarget;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What can be done to a node while its broker is stopped. A refusal is a {@link StartException}.
 *
 * @param settings those of its cluster
 * @param dataDir its data directory, which the process has locked
 * @param threads makes the threads that are needed meanwhile
 */
record StoppedNode(ClusterSettings settings, Path dataDir, BrokerThreads threads) {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoppedNode.class);
  private static final String NO_LISTENER =
      "this node has no cluster.listener: set it and cluster.secret, and start it again";

  /** Deletes all data; unless forced, a member leaves its cluster first. */
  void reset(boolean force) throws StartException, IOException {
    if (!force && ClusterSetup.isOfMember(dataDir)) {
      Optional<String> refusal = leave();
      if (refusal.isPresent()) {
        throw new StartException(
            "this node cannot leave its cluster: %s. force_reset deletes its data without that; then another node has to forget it (forget_cluster_node %s)"
                .formatted(refusal.get(), NodeName.value()));
      }
    }
    Storage.remove(dataDir);
    LOGGER.warn("all that the broker kept was removed");
  }

  private Optional<String> leave() {
    try (StoppedMember member = member()) {
      return member.leave();
    } catch (StartException e) {
      return Optional.of(e.getMessage());
    }
  }

  private StoppedMember member() throws StartException {
    requireListener();
    return StoppedMember.open(new ClusterSetup(settings, NodeName.value(), dataDir), threads);
  }

  private void requireListener() throws StartException {
    if (settings.listener().isEmpty()) {
      throw new StartException(NO_LISTENER);
    }
  }

  /** Lets the broker join the cluster of another node when it is started. */
  void join(NodeAddress seed) throws StartException, IOException {
    requireListener();
    JoinTarget before = JoinTarget.in(dataDir);
    // With a seed it has tried to join, and has nothing of its own.
    if (MetadataJournal.exists(dataDir) && Files.notExists(before.file())) {
      throw new StartException(
          "this node has data of its own: reset, which deletes them, comes first");
    }
    before.set(seed);
    LOGGER.info("the broker joins the cluster of node {} when it is started", seed.name());
  }

  /** Lets the broker go on without another node of its cluster that is lost for ever. */
  StoppedMember.Loss goOnWithout(String node) throws StartException {
    if (!ClusterSetup.isOfMember(dataDir)) {
      throw new StartException("this node is not a member of a cluster");
    }
    try (StoppedMember member = member()) {
      return member.goOnWithout(node);
    }
  }
}
