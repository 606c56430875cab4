package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.replication.FollowerProgress.State;
import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.TakeOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakenOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakesOver;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.vhost.ReplicaState;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The leader of a partition, for one epoch. On the thread of the partition.
 *
 * <h2>What is committed</h2>
 *
 * <p>A burst is committed when all replicas in sync have forced it, the leader among them. So each
 * of them can be the next leader: whatever was committed is in its log. A replica that does not
 * keep up is taken out of those in sync, so that commits need not wait for it; one that has caught
 * up is added. Both are changes of the assignment, on which the cluster agrees. While one is
 * proposed its outcome is not known, so a commit waits for the replicas in sync before and after
 * it. There are never fewer of them than a majority of the replicas: with fewer nothing is
 * committed.
 *
 * <h2>Why two leaders cannot commit</h2>
 *
 * <p>A leader that was deposed without knowing it needs the next leader for each commit, which was
 * in sync: and that one refuses its epoch. It could change the replicas in sync only by an
 * assignment of its own revision, which has passed. The first burst of an epoch is empty. A leader
 * forces it before it sends or proposes anything, so after a restart it knows that it has led this
 * epoch and does not lead it again: it would give other bursts the same names.
 *
 * <h2>What a follower is sent</h2>
 *
 * <p>A new connection begins with the question what the follower has. By the epochs of both logs
 * the leader finds the last burst that they have in common. The follower undoes the others, which
 * no leader has committed, and is sent what comes behind, from memory or the log. If the log does
 * not have that any more, the follower takes over everything, while the partition is in use.
 *
 * <h2>The lease</h2>
 *
 * <p>Commits are fenced by epochs. Deliveries of what is committed are not, so a leader delivers
 * only while all replicas in sync have answered it within the lease: each of them could be elected
 * in its place.
 */
final class PartitionLeader {
  /** After how many bytes of bursts a message has no more of them. */
  private static final long MOST_BYTES_AT_ONCE = 512 << 10;

  /** How far a follower is sent ahead of what it has forced. */
  private static final long WINDOW_BYTES = 16 << 20;

  /** How much is kept in memory for followers. */
  private static final long MOST_TAIL_BYTES = 64 << 20;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final int self;
  private final Replica replica;
  private final LeaderEffects effects;
  private final ReplicationTimes times;
  private final Map<Integer, FollowerProgress> followers = new TreeMap<>();
  private final long epoch;
  private final long firstNumber;
  private Assignment assignment;
  private Set<Integer> proposed = Set.of();
  private long unforcedSince;

  /**
   * Begins to lead: appends the first burst of the epoch. Only a replica that {@link
   * Replica#mayLead}: after a restart it does not know what it had proposed, so if its log has this
   * epoch it has to be elected again.
   *
   * @param self the number of this node
   * @param assignment the one that makes it the leader
   * @param nowMillis the time by a monotonic clock, as in all methods
   */
  PartitionLeader(
      int self, Assignment assignment, Replica replica, LeaderEffects effects, long nowMillis) {
    if (assignment.leader() != self || !replica.mayLead(assignment.epoch())) {
      throw new IllegalArgumentException(
          "node %d, which knows epoch %d, is to lead by %s"
              .formatted(self, replica.epoch(), assignment));
    }
    this.self = self;
    this.assignment = assignment;
    this.replica = replica;
    this.effects = effects;
    this.times = ReplicationTimes.USUAL;
    this.epoch = assignment.epoch();
    replica.heardOf(epoch);
    findFollowers(nowMillis);
    this.firstNumber = append(NOTHING, nowMillis);
  }

  private void findFollowers(long nowMillis) {
    followers.keySet().retainAll(assignment.replicas());
    for (int other : assignment.replicas()) {
      if (other != self) {
        followers.computeIfAbsent(other, added -> new FollowerProgress(added, nowMillis));
      }
    }
  }

  /** Returns the epoch that it leads. */
  long epoch() {
    return epoch;
  }

  // Bursts

  /**
   * Appends what a burst has changed, and sends it to the followers.
   *
   * @return the number of the burst; it is told when it is committed
   */
  long append(ByteBuffer content, long nowMillis) {
    long number = replica.last() + 1;
    if (replica.forced() == replica.last()) {
      unforcedSince = nowMillis;
    }
    replica.append(new Burst(new BurstId(epoch, number), content));
    for (FollowerProgress follower : followers.values()) {
      send(follower, nowMillis);
    }
    return number;
  }

  /** The log of this node is forced up to a burst. */
  void forced(BurstId last, long nowMillis) {
    boolean wasKept = isKept();
    replica.forced(last);
    unforcedSince = nowMillis;
    if (isKept() && !wasKept) {
      followers.values().forEach(this::ask);
    }
    commit();
  }

  /** Whether the log of this node remembers that it has led this epoch. */
  private boolean isKept() {
    return replica.forced() >= firstNumber;
  }

  /** Returns whether so much waits for followers that publishers have to wait. */
  boolean isBehind() {
    return replica.tail().bytes() > MOST_TAIL_BYTES;
  }

  private void commit() {
    long number = replica.forced();
    for (FollowerProgress follower : followers.values()) {
      if (mayBeInSync(follower)) {
        number = Math.min(number, follower.forced());
      }
    }
    if (number >= firstNumber && number > replica.committed()) {
      replica.committed(number);
      effects.committed(number);
      dropTail();
    }
  }

  /**
   * Whether a follower is in sync, as far as is known here: what is proposed may be agreed upon.
   */
  private boolean mayBeInSync(FollowerProgress follower) {
    return assignment.inSync().contains(follower.replica())
        || proposed.contains(follower.replica());
  }

  /** Keeps what followers may need that are in sync, or not far behind. */
  private void dropTail() {
    long needed = replica.committed();
    for (FollowerProgress follower : followers.values()) {
      if (follower.follows() && !isBehind()) {
        needed = Math.min(needed, follower.forced());
      }
    }
    replica.tail().dropUpTo(needed);
  }

  // Followers

  /** A connection to a replica has been opened. */
  void connected(int follower) {
    FollowerProgress known = followers.get(follower);
    if (known != null) {
      known.enter(State.CONNECTED);
      known.setEnded(false);
      known.restart();
      ask(known);
    }
  }

  private void ask(FollowerProgress follower) {
    if (follower.state() == State.CONNECTED && isKept()) {
      follower.enter(State.ASKED);
      effects.send(follower.replica(), new Lead(epoch));
    }
  }

  /** The connection to a replica is lost. */
  void disconnected(int follower) {
    FollowerProgress known = followers.get(follower);
    if (known != null) {
      known.enter(State.APART);
      known.restart();
      replica.leases().end(follower);
    }
  }

  /** The process of a node has ended: what it has not forced is not waited for. */
  void ended(int node, long nowMillis) {
    FollowerProgress known = followers.get(node);
    if (known != null) {
      known.setEnded(true);
      proposeInSync(nowMillis);
    }
  }

  /**
   * A follower has sent a message, over the connection that was opened last.
   *
   * @return false if this node leads no more, as there is a later epoch
   */
  boolean received(int from, ReplicationMessage.ToLeader message, long nowMillis) {
    FollowerProgress follower = followers.get(from);
    if (message instanceof Refused refused) {
      replica.heardOf(refused.known());
      return false;
    }
    if (follower == null || message.epoch() != epoch) {
      return true;
    }
    if (message instanceof Position position && follower.state() == State.ASKED) {
      begin(follower, position, nowMillis);
    } else if (message instanceof TakesOver takes && follower.state() == State.TAKING_OVER) {
      effects.startTakeOver(from, takes.streamEnds());
    } else if (message instanceof Forced told && follower.follows()) {
      follower.answered(Math.min(told.forced(), follower.sent()), told.sentAt());
      commit();
      send(follower, nowMillis);
      if (!assignment.inSync().contains(from)) {
        proposeInSync(nowMillis); // It may have just caught up.
      }
    }
    return true;
  }

  private void begin(FollowerProgress follower, Position position, long nowMillis) {
    long last = replica.last();
    long common =
        replica.log().history().agreement(last, position.history(), position.last().number());
    if (common != EpochHistory.UNKNOWN && replica.reachesBackTo(common)) {
      effects.send(follower.replica(), new Follow(epoch, common));
      follows(follower, common, nowMillis);
    } else {
      takeOver(follower);
    }
  }

  /** From now on a follower is sent bursts; at once all notes of leases, as it may be in sync. */
  private void follows(FollowerProgress follower, long after, long nowMillis) {
    follower.enter(State.FOLLOWING);
    follower.begin(after);
    replica.leases().begin(follower.replica());
    sendLeases(follower, nowMillis);
    send(follower, nowMillis);
  }

  private void takeOver(FollowerProgress follower) {
    follower.enter(State.TAKING_OVER);
    effects.send(follower.replica(), new TakeOver(epoch));
  }

  /** A follower has been sent all that there was after the last burst so far. */
  void tookOver(int replicaNumber, long nowMillis) {
    FollowerProgress follower = followers.get(replicaNumber);
    if (follower != null && follower.state() == State.TAKING_OVER) {
      effects.send(
          replicaNumber, new TakenOver(epoch, replica.log().last(), replica.log().history()));
      follows(follower, replica.last(), nowMillis);
    }
  }

  private void send(FollowerProgress follower, long nowMillis) {
    while (follower.follows() && follower.sent() < replica.last() && hasRoom(follower)) {
      List<Burst> bursts = replica.after(follower.sent(), MOST_BYTES_AT_ONCE);
      if (bursts.isEmpty()) {
        takeOver(follower);
        return;
      }
      follower.sentUpTo(bursts.get(bursts.size() - 1).id().number());
      while (replica.leases().hasManyUnsent(follower.replica())) {
        sendMessage(follower, List.of(), nowMillis);
      }
      sendMessage(follower, bursts, nowMillis);
    }
  }

  /** Sends the notes of leases that followers have not been sent, without a burst. */
  void sendLeases(long nowMillis) {
    followers.values().forEach(follower -> sendLeases(follower, nowMillis));
  }

  private void sendLeases(FollowerProgress follower, long nowMillis) {
    while (follower.follows() && replica.leases().hasUnsent(follower.replica())) {
      sendMessage(follower, List.of(), nowMillis);
    }
  }

  private void sendMessage(FollowerProgress follower, List<Burst> bursts, long nowMillis) {
    LeaseNotes leases = replica.leases().take(follower.replica());
    if (!leases.isEmpty()) {
      follower.leasesSent(nowMillis);
    }
    effects.send(
        follower.replica(),
        new Append(epoch, bursts, replica.committed(), nowMillis, effects.timeMillis(), leases));
  }

  /**
   * What is read from the log is not kept in memory, and takes the thread's time: so few parts are
   * under way together, and the follower forces some of them while it gets others.
   */
  private boolean hasRoom(FollowerProgress follower) {
    BurstTail tail = replica.tail();
    return tail.reachesBackTo(follower.sent(), replica.last())
        ? tail.bytesBetween(follower.forced(), follower.sent()) < WINDOW_BYTES
        : follower.hasRoomForPart();
  }

  // Who is in sync

  /** Called once in a heartbeat. */
  void tick(long nowMillis) {
    for (FollowerProgress follower : followers.values()) {
      if (follower.follows()) {
        sendMessage(follower, List.of(), nowMillis);
        follower.mark(replica.last(), nowMillis);
      }
    }
    if (replica.forced() < replica.last() && nowMillis - unforcedSince > times.stall()) {
      effects.relieve(
          "its disk has not forced anything for %d ms".formatted(nowMillis - unforcedSince));
      return;
    }
    proposeInSync(nowMillis);
  }

  private void proposeInSync(long nowMillis) {
    if (!proposed.isEmpty() || !isKept()) {
      return;
    }
    Set<Integer> wanted = new TreeSet<>();
    wanted.add(self);
    for (FollowerProgress follower : followers.values()) {
      if (isCaughtUp(follower, nowMillis)) {
        wanted.add(follower.replica());
      }
    }
    Set<Integer> inSync = assignment.inSync();
    for (int replicaNumber : assignment.replicas()) {
      if (wanted.size() < Math.min(assignment.majority(), inSync.size())
          && inSync.contains(replicaNumber)) {
        wanted.add(replicaNumber);
      }
    }
    if (!wanted.equals(new HashSet<>(inSync))) {
      proposed = wanted;
      effects.propose(new AssignmentChange.InSync(assignment.revision(), wanted));
    }
  }

  /** Whether a replica may be in sync: one that is not has to have all that is committed. */
  private boolean isCaughtUp(FollowerProgress follower, long nowMillis) {
    boolean hasAll =
        assignment.inSync().contains(follower.replica())
            || (follower.follows()
                && follower.forced() >= Math.max(firstNumber, replica.committed()));
    return hasAll && !follower.hasEnded() && nowMillis - follower.caughtUpAt() <= times.lag();
  }

  /**
   * The assignment has changed.
   *
   * @return false if this node leads no more
   */
  boolean assigned(Assignment changed, long nowMillis) {
    if (changed.epoch() != epoch) {
      replica.heardOf(changed.epoch());
      return false;
    }
    if (changed.revision() > assignment.revision()) {
      assignment = changed;
      proposed = Set.of();
      findFollowers(nowMillis);
      commit();
    }
    return true;
  }

  /**
   * Returns a follower that can lead in place of this node at once: it is in sync, and has forced
   * all bursts and heard all notes of leases.
   *
   * @param wanted its number; {@link ReplicaMachine#ANY} for any
   * @return {@link ReplicaMachine#ANY} if there is none now
   */
  int successor(int wanted) {
    for (FollowerProgress follower : followers.values()) {
      if (assignment.inSync().contains(follower.replica())
          && follower.forced() >= replica.last()
          && follower.hasLeases()
          && (wanted == ReplicaMachine.ANY || wanted == follower.replica())) {
        return follower.replica();
      }
    }
    return ReplicaMachine.ANY;
  }

  /** Returns what it knows of its followers now, in the order of their numbers. */
  List<ReplicaState.Follower> state(long nowMillis) {
    return followers.values().stream().map(follower -> state(follower, nowMillis)).toList();
  }

  private ReplicaState.Follower state(FollowerProgress follower, long nowMillis) {
    long answered = follower.answeredAt();
    return new ReplicaState.Follower(
        follower.replica(),
        replica.last() - follower.forced(),
        replica.tail().bytesBetween(follower.forced(), replica.last()),
        answered == PartitionFollower.NEVER ? -1 : nowMillis - answered);
  }

  // The lease

  /**
   * Returns whether it may deliver: each replica that may be elected in its place has answered
   * within the lease, so that it supports no other leader yet.
   */
  boolean holdsLease(long nowMillis) {
    for (FollowerProgress follower : followers.values()) {
      long at = follower.answeredAt();
      if (mayBeInSync(follower)
          && (at == PartitionFollower.NEVER || nowMillis - at > times.lease())) {
        return false;
      }
    }
    return true;
  }
}
