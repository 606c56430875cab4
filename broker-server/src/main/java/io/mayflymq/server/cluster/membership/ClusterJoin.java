package io.mayflymq.server.cluster.membership;

import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.config.FormationSettings;
import io.mayflymq.server.config.NodeAddress;
import io.mayflymq.server.net.StartException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a node a member of its cluster. Used by one thread.
 *
 * <p>How a node becomes a member, before the broker starts: it knows its cluster from its metadata;
 * or it finds it, is let in, and takes over all metadata; or it begins one with what it has.
 *
 * <p>What it is is written in one step: the metadata of the cluster have this node among the
 * members, so a node that ends in between starts over.
 */
public final class ClusterJoin {
  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterJoin.class);
  private static final long VOTE_MILLIS = 30_000;

  private final NodeTransport transport;
  private final KnownNodes nodes;
  private final MetadataJournal journal;
  private final MemberRequest self;

  /**
   * @param name the name of this node
   * @param address where others reach it
   */
  public ClusterJoin(
      NodeTransport transport,
      KnownNodes nodes,
      MetadataJournal journal,
      String name,
      String address) {
    this.transport = transport;
    this.nodes = nodes;
    this.journal = journal;
    this.self =
        new MemberRequest(
            MemberRequest.Kind.BEGIN, name, journal.directory(), address, ChangeVersions.highest());
  }

  /**
   * Makes this node a member, if it is none yet.
   *
   * @param kept the metadata that it has
   * @param formation how it finds its cluster
   * @param seed the node whose cluster it was told to join, if it was
   * @param port the port of the nodes that are found by DNS
   * @return the metadata that it has then, with itself among the members
   * @throws StartException if it finds no cluster or is not let in
   */
  public List<MetadataCommand> enter(
      List<MetadataCommand> kept, FormationSettings formation, JoinTarget seed, int port)
      throws StartException {
    Optional<ClusterMember> known = self(kept);
    if (known.isPresent()) {
      requireSame(known.get());
      requireKnownVersion(ClusterMembers.version(ClusterMembers.of(kept).values()));
      seed.clear();
      return kept;
    }
    Optional<NodeAddress> told = seed.node();
    if (told.isPresent()) {
      return takeOver(formation(formation, PeerDiscovery.of(told.get()), kept).join(told.get()));
    }
    if (!formation.namesNodes()) {
      return begin();
    }
    Optional<String> member = formation(formation, PeerDiscovery.of(formation, port), kept).find();
    return member.isPresent() ? takeOver(member.get()) : begin();
  }

  private JoinDiscovery formation(
      FormationSettings settings, PeerDiscovery discovery, List<MetadataCommand> kept) {
    return new JoinDiscovery(
        settings, discovery, transport, nodes, new Candidate(self, hasData(kept)));
  }

  /** Returns this node among the members, and former ones, that metadata have. */
  public Optional<ClusterMember> self(List<MetadataCommand> metadata) {
    return ClusterMembers.of(metadata).values().stream()
        .filter(member -> member.directory().equals(self.directory()))
        .findFirst();
  }

  private void requireSame(ClusterMember known) throws StartException {
    if (!known.name().equals(self.name())) {
      throw new StartException(
          ("the data directory belongs to node '%s', and node_name is '%s': a node cannot be"
                  + " renamed")
              .formatted(known.name(), self.name()),
          null);
    }
    if (!known.isMember()) {
      throw new StartException(
          "node '%s' was forgotten by its cluster: reset it to let it join again"
              .formatted(self.name()),
          null);
    }
  }

  private static void requireKnownVersion(int version) throws StartException {
    if (version > ChangeVersions.highest()) {
      throw new StartException(
          "the cluster makes changes of version %d, and this release knows them up to version %d: start a newer one"
              .formatted(version, ChangeVersions.highest()));
    }
  }

  private List<MetadataCommand> begin() throws StartException {
    ClusterMember first = self.member(0);
    try {
      journal.append(List.of(new MemberSet(first))).join();
      LOGGER.info("the cluster begins with this node, {}", self.name());
      return journal.contents().join();
    } catch (CompletionException e) {
      throw new StartException(e.getCause().getMessage(), e.getCause());
    }
  }

  /** The member has answered when this node was one in its metadata. */
  private List<MetadataCommand> takeOver(String member) throws StartException {
    try {
      List<MetadataCommand> metadata = StateTransfer.fetch(transport, member).join();
      if (self(metadata).isEmpty()) {
        throw new StartException(
            "node '%s' has let this one join, but does not name it as a member".formatted(member));
      }
      journal.replace(metadata).join();
      LOGGER.info("joined the cluster of node {}", member);
      return metadata;
    } catch (CompletionException e) {
      throw new StartException(
          "the metadata of node '%s' cannot be taken over: %s"
              .formatted(member, Causes.of(e).getMessage()),
          e.getCause());
    }
  }

  private static boolean hasData(List<MetadataCommand> kept) {
    return kept.stream()
        .anyMatch(command -> command instanceof VhostDeclared || command instanceof UserDeclared);
  }

  /** Asks a member to let this node take part in decisions. */
  public CompletableFuture<Void> askForVote(String member) {
    return transport
        .call(
            member, CallService.MEMBERSHIP, self.of(MemberRequest.Kind.VOTE).encode(), VOTE_MILLIS)
        .thenApply(answer -> null);
  }
}
