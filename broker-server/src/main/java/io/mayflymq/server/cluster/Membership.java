package io.mayflymq.server.cluster;

import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.core.metadata.ChangeOrdering;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.server.cluster.consensus.ConsensusListener;
import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.Member;
import io.mayflymq.server.cluster.consensus.ReplicatedLog;
import io.mayflymq.server.cluster.membership.ClusterJoin;
import io.mayflymq.server.cluster.membership.KnownNodes;
import io.mayflymq.server.cluster.membership.MembershipService;
import io.mayflymq.server.cluster.membership.StateTransfer;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeTransport;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The membership of this node in its cluster, from the join to the vote, with the connections to
 * the other nodes. Any thread may call.
 */
final class Membership implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Membership.class);

  private final ClusterSetup setup;
  private final KnownNodes nodes;
  private final NodeTransport transport;
  private final PeriodicWork work;
  private final MembershipService service;
  private final ClusterJoin join;
  private final JoinProgress progress;

  private Membership(
      ClusterSetup setup,
      MetadataJournal journal,
      KnownNodes nodes,
      NodeTransport transport,
      PeriodicWork work) {
    this.setup = setup;
    this.nodes = nodes;
    this.transport = transport;
    this.work = work;
    this.service = new MembershipService(setup.nodeName());
    this.join = new ClusterJoin(transport, nodes, journal, setup.nodeName(), setup.address());
    this.progress = new JoinProgress(setup.joiningFile(), join, work);
  }

  /**
   * Begins to listen for other nodes. It answers those that form or join a cluster as well.
   *
   * @param journal where the metadata are kept
   * @param metadata what it has
   * @param loops the event loops that serve the connections
   * @throws StartException if the listener or the secret cannot be used; then nothing is held
   */
  static Membership listen(
      ClusterSetup setup,
      MetadataJournal journal,
      List<MetadataCommand> metadata,
      EventLoops loops,
      BrokerThreads threads)
      throws StartException {
    Map<Integer, ClusterMember> known = ClusterMembers.of(metadata);
    KnownNodes nodes = new KnownNodes(known::values);
    NodeTransport transport =
        NodeTransport.start(setup.transport(journal.directory()), loops, threads, nodes, nodes);
    LOGGER.info(
        "listening for nodes of the cluster on {}",
        NetUtil.toSocketAddressString(transport.address()));
    Membership membership =
        new Membership(setup, journal, nodes, transport, threads.periodic("cluster"));
    StateTransfer state = new StateTransfer(journal);
    transport.serve(CallService.MEMBERSHIP, membership.service::answer);
    transport.serve(CallService.STATE, (node, request) -> state.answer(request));
    return membership;
  }

  /**
   * Makes this node a member, if it is none yet: once.
   *
   * @param metadata what the journal has
   * @return what it has then, with this node among the members
   * @throws StartException if it finds no cluster, or is not let in
   */
  List<MetadataCommand> join(List<MetadataCommand> metadata) throws StartException {
    if (join.self(metadata).isEmpty()) {
      progress.begin();
    }
    return join.enter(
        metadata, setup.settings().formation(), setup.seed(), transport.address().getPort());
  }

  /** Returns this node among the members that metadata have, to which it has been let in. */
  ClusterMember self(List<MetadataCommand> metadata) {
    return join.self(metadata).orElseThrow();
  }

  /** From now on other nodes are let in, and found, by these members. */
  void follow(ClusterMembers members) {
    nodes.follow(members::everKnown);
  }

  /**
   * Returns how the replicated log of this node starts.
   *
   * @param hasPosition whether its metadata have a position in the log
   */
  StartMode mode(ClusterMember self, boolean hasPosition) {
    return progress.mode(self, hasPosition);
  }

  /**
   * Connects to the members and answers as one of them, from now on: once. A node that joins asks
   * for a vote.
   */
  void takePart(
      StartMode mode,
      ClusterMember self,
      ClusterMembers members,
      ChangeOrdering changes,
      ReplicatedLog log,
      MembershipService.Ending ending) {
    service.takePart(members, changes, log, ending);
    log.listen(
        new ConsensusListener() {
          @Override
          public void membersChanged(List<Member> voting) {
            voting.forEach(member -> transport.keep(member.name()));
          }
        });
    members.all().forEach(member -> transport.keep(member.name()));
    if (mode == StartMode.JOIN) {
      progress.askForVote(members, self);
    }
  }

  /** Notes that this node has its vote, as the first of its cluster. */
  void hasVote() {
    progress.end();
  }

  /** Returns the connections to the other nodes. */
  NodeTransport transport() {
    return transport;
  }

  /** Returns the thread for what this node does as a member beside its clients' requests. */
  PeriodicWork work() {
    return work;
  }

  /** Closes all connections. */
  @Override
  public void close() {
    transport.close();
    work.close();
  }
}
