package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.metadata.PositionedLog;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.ClusterMember.State;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataException;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.consensus.Consensus;
import io.mayflymq.server.cluster.consensus.ConsensusException;
import io.mayflymq.server.cluster.consensus.ConsensusSettings;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.EntryApplier;
import io.mayflymq.server.cluster.consensus.LogPosition;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import io.mayflymq.server.cluster.membership.Departure;
import io.mayflymq.server.cluster.membership.KnownNodes;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member whose broker does not run. Used by one thread.
 *
 * <p>What a member does while its broker is stopped: it leaves the cluster before its data are
 * deleted, or goes on without nodes that are lost for ever.
 *
 * <p>While it leaves it votes, as without it the others may be no majority: of two nodes, one is
 * none. It applies nothing, as its metadata are to be deleted.
 *
 * <p>Going on without others gives up what only they had, and would make two clusters of one if
 * they ran. So it is refused as long as a lost node answers, or the nodes that can be reached are a
 * majority and can forget it by agreement. Should a lost node come back all the same, the two
 * refuse one another, as the cluster has another id from now on ({@link KnownNodes}).
 */
public final class StoppedMember implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoppedMember.class);

  private final ClusterSetup setup;
  private final BrokerThreads threads;
  private final MetadataJournal journal;
  private final List<MetadataCommand> metadata;
  private final Map<Integer, ClusterMember> members;
  private final Deque<Runnable> held = new ArrayDeque<>();

  private StoppedMember(ClusterSetup setup, MetadataJournal journal, BrokerThreads threads) {
    this.setup = setup;
    this.threads = threads;
    this.journal = journal;
    held.push(journal::close);
    this.metadata = journal.recover();
    this.members = ClusterMembers.of(metadata);
  }

  /**
   * Opens what the node has.
   *
   * @throws StartException if it cannot be read
   */
  public static StoppedMember open(ClusterSetup setup, BrokerThreads threads)
      throws StartException {
    try {
      return new StoppedMember(
          setup,
          MetadataJournal.open(
              setup.dataDir(), MetadataJournal.Expected.NOTHING, threads, health -> {}),
          threads);
    } catch (MetadataException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private Optional<ClusterMember> self() {
    return members.values().stream()
        .filter(member -> member.isMember() && member.directory().equals(journal.directory()))
        .findFirst();
  }

  private List<ClusterMember> others(ClusterMember self) {
    return members.values().stream()
        .filter(member -> member.isMember() && member.number() != self.number())
        .toList();
  }

  /**
   * Ends the membership of this node, if it is a member of a cluster with others. Waits for the
   * agreement of a majority.
   *
   * @return why that cannot be; empty if it is done
   * @throws StartException if the listener or the secret cannot be used
   */
  public Optional<String> leave() throws StartException {
    Optional<ClusterMember> self = self();
    List<ClusterMember> others = self.map(this::others).orElse(List.of());
    if (others.isEmpty()) {
      return Optional.empty();
    }
    NodeTransport transport = transport();
    if (Files.notExists(setup.joiningFile())) {
      vote(self.get(), transport);
    }
    return new Departure(transport, self.get()).ask(others);
  }

  private NodeTransport transport() throws StartException {
    EventLoops loops = new EventLoops(1, threads);
    held.push(loops::close);
    KnownNodes nodes = new KnownNodes(members::values);
    NodeTransport transport =
        NodeTransport.start(setup.transport(journal.directory()), loops, threads, nodes, nodes);
    held.push(transport::close);
    return transport;
  }

  private void vote(ClusterMember self, NodeTransport transport) {
    try {
      ReplicatedLog log =
          Consensus.start(consensus(self), transport, new Unapplied(applied()), threads);
      held.push(log::close);
    } catch (ConsensusException e) {
      LOGGER.warn("this node cannot vote on the end of its membership: {}", e.getMessage());
    }
  }

  private ConsensusSettings consensus(ClusterMember self) {
    return setup.consensus(members.get(QueuePlace.FIRST_MEMBER), self, StartMode.RESTART);
  }

  private LogPosition applied() {
    return LogApplier.position(PositionedLog.position(metadata));
  }

  /**
   * Applies nothing, so that the log keeps what it has.
   *
   * @param applied what was applied before
   */
  private record Unapplied(LogPosition applied) implements EntryApplier {
    @Override
    public CompletableFuture<Void> apply(LogPosition position, byte[] entry) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<LogPosition> fetchState(String leader) {
      return CompletableFuture.failedFuture(new IllegalStateException("this node is stopped"));
    }
  }

  /**
   * Goes on without a member that is lost for ever, though the others are no majority.
   *
   * @param node its name
   * @return what is given up
   * @throws StartException if that is refused, or cannot be written; the message says why
   */
  public Loss goOnWithout(String node) throws StartException {
    ClusterMember self =
        self().orElseThrow(() -> new StartException("this node is not a member of a cluster"));
    if (self.name().equals(node)) {
      throw new StartException(
          "node '%s' is this one: it cannot go on without itself".formatted(node));
    }
    if (Files.exists(setup.joiningFile())) {
      throw new StartException("this node has no vote yet: reset it, and let it join a cluster");
    }
    ClusterMember lost = named(node);
    if (lost.isMember()) {
      requireLost(lost, self);
    }
    try {
      journal.append(List.of(new MemberSet(lost.in(State.LOST)))).join();
      Consensus.goOnWithout(consensus(self), applied(), self.number(), lost.directory());
    } catch (CompletionException e) {
      throw new StartException(Causes.of(e).getMessage(), e);
    } catch (ConsensusException e) {
      throw new StartException(e.getMessage(), e);
    }
    Loss loss =
        new Loss(
            queues(lost),
            others(self).stream()
                .map(ClusterMember::name)
                .filter(name -> !name.equals(node))
                .toList());
    LOGGER.warn(
        "this node goes on without node {}, which was forgotten although there is no majority: what"
            + " was agreed upon without this node is lost, and so are the {} queues of that node",
        node,
        loss.queues());
    return loss;
  }

  /**
   * What it costs to go on without a member.
   *
   * @param queues how many queues were on it
   * @param others the names of the members that are left beside this node
   */
  public record Loss(int queues, List<String> others) {}

  /** One that was given up before can be given up again, in case that was not completed. */
  private ClusterMember named(String node) throws StartException {
    Collection<ClusterMember> all = members.values();
    return all.stream()
        .filter(member -> member.isMember() && member.name().equals(node))
        .findFirst()
        .or(
            () ->
                all.stream()
                    .filter(member -> member.isLost() && member.name().equals(node))
                    .findFirst())
        .orElseThrow(
            () -> new StartException("node '%s' is not a member of the cluster".formatted(node)));
  }

  private void requireLost(ClusterMember lost, ClusterMember self) throws StartException {
    List<String> there;
    NodeTransport transport = transport();
    KnownNodes nodes = new KnownNodes(members::values);
    there =
        others(self).stream()
            .filter(member -> isThere(member, nodes, transport))
            .map(ClusterMember::name)
            .toList();
    if (there.contains(lost.name())) {
      throw new StartException(
          "node '%s' can be reached: it is not lost. Stop it, and forget it by agreement (start_app, then forget_cluster_node without --offline)"
              .formatted(lost.name()));
    }
    int all = others(self).size() + 1;
    int left = there.size() + 1;
    if (2 * left > all) {
      throw new StartException(
          "this node and %s are %d of %d, a majority: forget node '%s' by agreement (start_app, then forget_cluster_node without --offline)"
              .formatted(String.join(", ", there), left, all, lost.name()));
    }
  }

  private static boolean isThere(ClusterMember member, KnownNodes nodes, NodeTransport transport) {
    try {
      return transport
          .identify(nodes.of(member.name()).orElseThrow())
          .join()
          .dataDirectory()
          .equals(member.directory());
    } catch (CompletionException e) {
      return KnownNodes.tellsOfEnd(Causes.of(e).getMessage());
    }
  }

  private int queues(ClusterMember lost) {
    return (int)
        metadata.stream()
            .filter(QueueDeclared.class::isInstance)
            .filter(queue -> ((QueueDeclared) queue).place().member() == lost.number())
            .count();
  }

  @Override
  public void close() {
    while (!held.isEmpty()) {
      held.pop().run();
    }
  }
}
