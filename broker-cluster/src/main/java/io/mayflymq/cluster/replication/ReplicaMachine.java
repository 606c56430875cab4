package io.mayflymq.cluster.replication;

import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.vhost.ReplicaState;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A replica of a partition on this node. On the thread of the partition.
 *
 * <p>One node's part in a partition: it leads, or it follows the leader.
 *
 * <h2>Leading</h2>
 *
 * <p>It leads when the assignment says so, and it may: an epoch that its log has already is not led
 * again, as after a restart it does not know what it had sent. It leads no more when it hears of a
 * later epoch, by the assignment or from a follower, or when its disk stalls. It does not wait for
 * another leader then.
 *
 * <h2>Following</h2>
 *
 * <p>It follows the leader that has spoken last, if no later epoch is known. A replica in sync that
 * hears of no leader reports that until one is elected. It hears of the leader by each message; one
 * is sent with each heartbeat.
 *
 * <h2>When a leader delivers</h2>
 *
 * <p>A leader before it may still deliver, until its lease ends. The lease needs the answers of all
 * replicas in sync, and each later leader is one of them: so each answer of this replica is a
 * promise not to deliver itself as long as the lease lasts, and a bit longer as clocks differ. A
 * process that was started anew does not know what the one before it has promised, and waits as
 * long. The promise ends early if the process of the leader to whom it was given has ended, or that
 * leader says that it delivers nothing any more.
 *
 * <h2>Handing over</h2>
 *
 * <p>A leader may have another replica lead. It delivers nothing from then on, and its owner
 * appends nothing. When a follower in sync has all bursts that one is proposed. If the cluster does
 * not agree in time this node ends leading, and reports that there is no leader.
 */
public final class ReplicaMachine {
  /** Any replica. */
  public static final int ANY = -1;

  private static final int UNKNOWN = -1;

  private final int self;
  private final Replica replica;
  private final ReplicaEffects effects;
  private final LeaderEffects leading = new Leading();
  private final ReplicationTimes times = ReplicationTimes.USUAL;

  /** The nodes to which this one has a connection. */
  private final Set<Integer> connected = new TreeSet<>();

  private Assignment assignment;
  private PartitionLeader leader;
  private PartitionFollower follower;

  /** Where the leader is that is followed; null if none has spoken. */
  private Consumer<ReplicationMessage.ToLeader> leaderLink;

  /** When the leader was heard of last, or a new one could have been heard of. */
  private long heardAtMillis;

  /** Whether the leader of the assignment is known to lead no more. */
  private boolean leaderIsGone;

  /** To whom this leader hands over; null if it does not. */
  private HandOver handOver;

  /** The epoch of a leader that has said that it delivers nothing any more. */
  private long releasedEpoch;

  /** Whether this node is not to lead again, even if it is elected. */
  private boolean isRetired;

  /** Whether the disk of this node did not force, when it led. */
  private boolean diskStalls;

  private long promisedUntilMillis;

  /** The number of the node to which that was promised; {@link #UNKNOWN} if it is not known. */
  private int promisedTo = UNKNOWN;

  /**
   * Creates the replica of a log that was opened: all that it has is forced. It follows.
   *
   * @param self the number of this node
   * @param assignment the last one that is known
   * @param nowMillis the time by a monotonic clock, as in all methods
   */
  public ReplicaMachine(
      int self, Assignment assignment, ReplicaLog log, ReplicaEffects effects, long nowMillis) {
    this.self = self;
    this.replica = new Replica(log, effects.leases());
    this.effects = effects;
    this.follower = new PartitionFollower(replica);
    this.heardAtMillis = nowMillis;
    this.promisedUntilMillis = nowMillis + times.promise();
    this.assignment = assignment;
    follower.heardOf(assignment.epoch());
  }

  /** Another replica is to lead. */
  private static final class HandOver {
    final int to;
    final long begunAtMillis;

    /** What was proposed last: the successor, for which revision; {@link #UNKNOWN} for nothing. */
    int proposed = UNKNOWN;

    long revision;

    /**
     * @param to its number; {@link #ANY} for any
     */
    HandOver(int to, long begunAtMillis) {
      this.to = to;
      this.begunAtMillis = begunAtMillis;
    }

    /** Returns whether this has not been proposed yet. */
    boolean propose(int next, long forRevision) {
      boolean isNew = next != proposed || forRevision != revision;
      proposed = next;
      revision = forRevision;
      return isNew;
    }
  }

  /** Returns whether this node leads. */
  public boolean leads() {
    return leader != null;
  }

  /** Returns the number of the last burst that is known to be committed. */
  public long committed() {
    return replica.committed();
  }

  /** Returns the last assignment that was told. */
  public Assignment assignment() {
    return assignment;
  }

  /** Returns what it knows now. */
  public ReplicaState state(long nowMillis) {
    return new ReplicaState(
        replica.epoch(),
        replica.last(),
        replica.forced(),
        replica.committed(),
        assignment.inSync(),
        leads(),
        mayDeliver(nowMillis),
        leader == null ? List.of() : leader.state(nowMillis));
  }

  // The assignment

  /** The cluster has agreed upon an assignment. */
  public void assigned(Assignment changed, long nowMillis) {
    boolean isOtherEpoch = changed.epoch() != assignment.epoch();
    assignment = changed;
    if (leader != null && !leader.assigned(changed, nowMillis)) {
      endLeading("another one was elected");
    }
    if (leader == null) {
      follower.heardOf(changed.epoch());
    }
    if (isOtherEpoch) {
      heardAtMillis = nowMillis;
      leaderIsGone = false;
      leadIfElected(nowMillis);
    }
    proposeSuccessor();
  }

  /** Leads, if the assignment says so and it may. To be called once, when all is ready for it. */
  public void start(long nowMillis) {
    leadIfElected(nowMillis);
  }

  private void leadIfElected(long nowMillis) {
    if (leader == null
        && !isRetired
        && assignment.leader() == self
        && replica.mayLead(assignment.epoch())) {
      lead(nowMillis);
    }
  }

  private void lead(long nowMillis) {
    if (assignment.epoch() == Assignment.FIRST_EPOCH) {
      promisedUntilMillis = nowMillis;
    }
    follower = null;
    leaderLink = null;
    leader = new PartitionLeader(self, assignment, replica, leading, nowMillis);
    connected.forEach(leader::connected);
    effects.leads(assignment.epoch());
  }

  private void endLeading(String reason) {
    leader = null;
    replica.leases().endAll();
    handOver = null;
    follower = new PartitionFollower(replica);
    effects.leadsNoMore(reason);
  }

  // Leading

  /**
   * Appends what a burst has changed, and sends it to the followers. Only while this node leads.
   *
   * @return the number of the burst; it is told when it is committed
   */
  public long append(ByteBuffer content, long nowMillis) {
    return leader.append(content, nowMillis);
  }

  /**
   * Has another replica lead in place of this one, which leads: nothing is to be appended from now
   * on.
   *
   * @param to its number; {@link #ANY} for any that is in sync
   */
  public void handOver(int to, long nowMillis) {
    handOver = new HandOver(to, nowMillis);
    leader.sendLeases(nowMillis);
    proposeSuccessor();
  }

  /** This node does not lead again, as it stops. */
  public void retire() {
    isRetired = true;
  }

  private void proposeSuccessor() {
    if (handOver == null || leader == null) {
      return;
    }
    int next = leader.successor(handOver.to);
    if (next != UNKNOWN && handOver.propose(next, assignment.revision())) {
      for (int other : assignment.replicas()) {
        if (connected.contains(other)) {
          effects.send(other, new ReplicationMessage.Released(assignment.epoch()));
        }
      }
      effects.propose(assignment.elect(next, assignment.inSync()));
    }
  }

  /** Returns whether this node leads and may deliver what is committed. */
  public boolean mayDeliver(long nowMillis) {
    return leader != null
        && handOver == null
        && nowMillis >= promisedUntilMillis
        && leader.holdsLease(nowMillis);
  }

  /** Returns whether so much waits for followers that publishers have to wait. */
  public boolean isBehind() {
    return leader != null && leader.isBehind();
  }

  /** A connection of this node to another one has been opened. */
  public void connected(int node) {
    connected.add(node);
    if (handOver != null) {
      handOver.proposed = UNKNOWN; // That node has not been told.
    }
    if (leader != null) {
      leader.connected(node);
    }
  }

  /** That connection is lost. */
  public void disconnected(int node) {
    connected.remove(node);
    if (leader != null) {
      leader.disconnected(node);
    }
  }

  /** A follower has answered over the connection of this node that was opened last. */
  public void received(int from, ReplicationMessage.ToLeader message, long nowMillis) {
    if (leader != null) {
      if (leader.received(from, message, nowMillis)) {
        proposeSuccessor();
      } else {
        endLeading("a follower knows a later epoch");
      }
    } else if (message instanceof ReplicationMessage.Refused refused) {
      follower.heardOf(refused.known());
    }
  }

  /** A follower has been sent all that there was after the last burst so far. */
  public void tookOver(int node, long nowMillis) {
    if (leader != null) {
      leader.tookOver(node, nowMillis);
    }
  }

  // Following

  /**
   * A leader has sent a message.
   *
   * @param link the connection that it came over, for the answers; always the same object for one
   *     connection
   */
  public void received(
      ReplicationMessage.ToFollower message,
      Consumer<ReplicationMessage.ToLeader> link,
      long nowMillis) {
    if (message.epoch() < replica.epoch()) {
      link.accept(new ReplicationMessage.Refused(message.epoch(), replica.epoch()));
      return;
    }
    if (leader != null) {
      endLeading("there is a leader of a later epoch");
    }
    if (message instanceof ReplicationMessage.Lead) {
      leaderLink = link;
      follower.connected(link);
    } else if (link != leaderLink) {
      return; // Sent before the leader had opened another connection.
    }
    heardAtMillis = nowMillis;
    leaderIsGone = false;
    if (message instanceof ReplicationMessage.Released) {
      releasedEpoch = message.epoch();
      promisedUntilMillis = nowMillis;
    } else if (message.epoch() != releasedEpoch) {
      promisedUntilMillis = nowMillis + times.promise();
    }
    promisedTo = assignment.epoch() == message.epoch() ? assignment.leader() : UNKNOWN;
    if (message instanceof ReplicationMessage.Append append) {
      if (append.timeMillis() > 0) {
        effects.heardTime(append.timeMillis(), append.sentAt());
      }
      replica.leases().heard(append.leases());
    }
    follower.received(message);
  }

  /**
   * The process of a node has ended for sure, and with it what it has led: it refuses connections.
   */
  public void ended(int node, long nowMillis) {
    if (promisedTo == node) {
      promisedUntilMillis = nowMillis;
    }
    if (leader != null) {
      leader.ended(node, nowMillis);
    }
    if (assignment.leader() == node && leader == null && !leaderIsGone) {
      leaderIsGone = true;
      report(nowMillis);
    }
  }

  // Both

  /** The log of this node is forced up to a burst. */
  public void forced(BurstId last, long nowMillis) {
    diskStalls = false;
    if (leader != null) {
      leader.forced(last, nowMillis);
    } else {
      follower.forced(last);
    }
  }

  /**
   * To be called once in a heartbeat, or earlier: see {@link #nextTickMillis}. What is proposed is
   * proposed once; the caller repeats it as long as it may have been lost.
   */
  public void tick(long nowMillis) {
    if (leader == null) {
      report(nowMillis);
    } else if (handOver != null && nowMillis - handOver.begunAtMillis > times.lease()) {
      endLeading("it was to hand over, and the cluster has not agreed upon another leader in time");
    } else {
      leader.tick(nowMillis);
      proposeSuccessor();
    }
  }

  /**
   * Returns after which time it is to be called again: a follower that has not heard of the leader
   * is to notice that as soon as it lasts too long.
   */
  public long nextTickMillis(long nowMillis) {
    long silent = heardAtMillis + times.lease() + 1 - nowMillis;
    return leader == null && silent > 0 ? Math.min(silent, times.heartbeat()) : times.heartbeat();
  }

  private void report(long nowMillis) {
    boolean knowsNone =
        leaderIsGone || assignment.leader() == self || nowMillis - heardAtMillis > times.lease();
    if (knowsNone && assignment.inSync().contains(self)) {
      effects.reportLeaderless(assignment.epoch(), replica.log().last(), !diskStalls && !isRetired);
    }
  }

  private final class Leading implements LeaderEffects {
    @Override
    public void send(int to, ReplicationMessage.ToFollower message) {
      effects.send(to, message);
    }

    @Override
    public long timeMillis() {
      return effects.timeMillis();
    }

    @Override
    public void startTakeOver(int to, Map<Long, Long> streamEnds) {
      effects.startTakeOver(to, streamEnds);
    }

    @Override
    public void propose(AssignmentChange.InSync change) {
      effects.propose(change);
    }

    @Override
    public void committed(long number) {
      effects.committed(number);
    }

    @Override
    public void relieve(String reason) {
      diskStalls = true;
      endLeading(reason);
    }
  }
}
