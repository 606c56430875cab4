package io.mayflymq.cluster.replication;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.replication.ReplicationMessage.Copy;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.vhost.ReplicaState;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A replica of a partition on the thread of a shard. It has connections to the other replicas while
 * it leads, and is called once in a heartbeat. In bursts of the shard only, but for {@link
 * #accept}.
 */
public final class ReplicaDriver {
  /**
   * Where a replica lives.
   *
   * @param partition the number of the partition
   * @param time that of the partition, with the shard that does its work
   * @param cluster leads to the other replicas
   * @param monotonicMillis the time by a clock that only goes forward
   */
  public record Place(
      int partition, PartitionTime time, ReplicaCluster cluster, LongSupplier monotonicMillis) {
    /** Returns what does its work. */
    public Shard shard() {
      return time.shard();
    }
  }

  private final Place place;
  private final ReplicaOwner owner;
  private final ReplicaMachine replica;
  private final QueueLeases leases;
  private final FollowerLinks links;
  private final LeaderTime leaderTime;
  private AssignmentChange proposed;
  private boolean isClosed;

  /**
   * Begins to keep a replica: it follows, or leads if the assignment says so.
   *
   * @param assignment the last one that is known
   * @param log opened: all that it has is forced
   */
  public ReplicaDriver(Place place, Assignment assignment, ReplicaLog log, ReplicaOwner owner) {
    this.place = place;
    this.owner = owner;
    this.leaderTime = new LeaderTime(place.time());
    this.leases = new QueueLeases(place.monotonicMillis());
    this.replica =
        new ReplicaMachine(place.cluster().self(), assignment, log, new Effects(), now());
    this.links =
        new FollowerLinks(
            new Links(),
            (node, listener) ->
                place.cluster().connect(node, place.partition(), place.shard(), listener));
  }

  /** Begins its work: once, when the owner is ready for it. */
  public void start() {
    replica.start(now());
    keepLinks();
    beatLater();
  }

  private long now() {
    return place.monotonicMillis().getAsLong();
  }

  private void beatLater() {
    place
        .shard()
        .loop()
        .schedule(() -> place.shard().run(this::beat), replica.nextTickMillis(now()));
  }

  private void beat() {
    if (isClosed) {
      return;
    }
    beatLater();
    replica.tick(now());
    keepLinks();
    keepTime();
    if (proposed != null && proposed.revision() == replica.assignment().revision()) {
      place.cluster().propose(place.partition(), proposed);
    }
  }

  private void keepTime() {
    if (replica.leads()) {
      leaderTime.approachClock(now());
    } else {
      leaderTime.carryOn(now(), place.shard().clockMillis());
    }
    owner.keepTime();
  }

  /** A leader has connections to all other replicas, and others have none. */
  private void keepLinks() {
    Set<Integer> others = new TreeSet<>();
    if (replica.leads() && !isClosed) {
      others.addAll(replica.assignment().replicas());
      others.remove(place.cluster().self());
    }
    links.keep(others);
  }

  /** The cluster has agreed upon an assignment. */
  public void assigned(Assignment assignment) {
    if (!isClosed) {
      replica.assigned(assignment, now());
      keepLinks();
    }
  }

  /** The process of a node has ended for sure. */
  public void ended(int node) {
    if (!isClosed) {
      replica.ended(node, now());
    }
  }

  /** Returns what takes a connection of another node that leads. Any thread may call. */
  public LinkListener accept() {
    return new LeaderLink(this::received);
  }

  private void received(ToFollower message, Consumer<ToLeader> answers) {
    if (!isClosed) {
      replica.received(message, answers, now());
      keepLinks();
    }
  }

  /** Returns the leases of its queues. What is noted goes to the followers with the next burst. */
  public QueueLeases leases() {
    return leases;
  }

  /** Returns whether this node leads. */
  public boolean leads() {
    return !isClosed && replica.leads();
  }

  /** Returns what the replica knows now. */
  public ReplicaState state() {
    return replica.state(now());
  }

  /** Returns whether this node leads, and may deliver what is committed. */
  public boolean mayDeliver() {
    return !isClosed && replica.mayDeliver(now());
  }

  /** Returns whether so much waits for followers that publishers have to wait. */
  public boolean isBehind() {
    return replica.isBehind();
  }

  /**
   * Appends what a burst has changed. Only while this node leads.
   *
   * @return the number of the burst; the owner is told when it is committed
   */
  public long append(ByteBuffer content) {
    return replica.append(content, now());
  }

  /** The log is forced up to a burst. */
  public void forced(BurstId last) {
    if (!isClosed) {
      replica.forced(last, now());
      keepLinks();
    }
  }

  /**
   * Has another replica lead in place of this one, which leads: nothing is to be appended from now
   * on.
   *
   * @param to the number of its node; {@link ReplicaMachine#ANY} for any that is in sync
   */
  public void handOver(int to) {
    replica.handOver(to, now());
    keepLinks();
  }

  /** This node does not lead again, as it stops. */
  public void retire() {
    replica.retire();
  }

  /** Returns whether a follower keeps up with what it is sent. */
  public boolean isWritable(int node) {
    return links.isWritable(node);
  }

  /** Sends a part of all that there is to a follower. */
  public void sendCopy(int node, ByteBuffer content) {
    if (replica.leads()) {
      links.send(node, new Copy(replica.assignment().epoch(), content));
    }
  }

  /** All that there is now was sent to a follower. */
  public void copySent(int node) {
    replica.tookOver(node, now());
  }

  /** Ends its work: nothing that happens has any effect from now on. The log stays as it is. */
  public void close() {
    isClosed = true;
    place.shard().execute(this::keepLinks); // It may be called in the middle of something.
  }

  private final class Links implements FollowerLinks.Listener {
    @Override
    public void connected(int node) {
      replica.connected(node);
    }

    @Override
    public void disconnected(int node) {
      replica.disconnected(node);
    }

    @Override
    public void received(int node, ToLeader message) {
      if (!isClosed) {
        replica.received(node, message, now());
        keepLinks();
      }
    }
  }

  private final class Effects implements ReplicaEffects {
    @Override
    public void send(int follower, ToFollower message) {
      links.send(follower, message);
    }

    @Override
    public QueueLeases leases() {
      return leases;
    }

    @Override
    public long timeMillis() {
      return place.time().now();
    }

    @Override
    public void heardTime(long timeMillis, long sentAt) {
      leaderTime.heard(timeMillis, sentAt, now());
    }

    @Override
    public void startTakeOver(int follower, Map<Long, Long> streamEnds) {
      owner.copyTo(follower, streamEnds);
    }

    @Override
    public void propose(AssignmentChange change) {
      proposed = change;
      place.cluster().propose(place.partition(), change);
    }

    @Override
    public void reportLeaderless(long epoch, BurstId last, boolean isCandidate) {
      int self = place.cluster().self();
      place.cluster().report(new Leaderless(place.partition(), self, epoch, last, isCandidate));
    }

    @Override
    public void committed(long number) {
      owner.committed(number);
    }

    @Override
    public void leads(long epoch) {
      leaderTime.carryOn(now(), place.shard().clockMillis());
      leaderTime.leads(now());
      owner.leads(epoch);
    }

    @Override
    public void leadsNoMore(String reason) {
      proposed = null;
      owner.leadsNoMore(reason);
    }
  }
}
