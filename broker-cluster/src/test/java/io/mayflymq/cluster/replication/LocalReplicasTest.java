package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A partition on three nodes, with connections between them and time. */
class LocalReplicasTest {
  private static final int PARTITION = 7;

  /** How far the clocks of the nodes are ahead. */
  private static final List<Integer> AHEAD_MILLIS = List.of(0, 4_000, -3_000);

  private static final Random ALL = new Random(1);

  private final ManualClock clock = new ManualClock();
  private final List<List<Burst>> copies = new ArrayList<>();
  private final LeaderElections elections = new LeaderElections();
  private final List<Node> nodes = new ArrayList<>();
  private Assignment agreed = Assignment.first(List.of(0, 1, 2), 0);

  private final class Node implements ReplicaCluster, ReplicaOwner {
    private final int number;
    private final ManualLoop loop = new ManualLoop(clock);
    private final PartitionTime time;
    private final SimulatedReplicaLog log = new SimulatedReplicaLog(copies);
    private final List<Pipe> opened = new ArrayList<>();

    /** Null while the node is down. */
    private ReplicaDriver replica;

    private long committed;
    private long keptMillis;

    Node(int number) {
      this.number = number;
      InstantSource own = () -> clock.instant().plusMillis(AHEAD_MILLIS.get(number));
      this.time = new PartitionTime(new Shard(number, loop, own, Faults.logged()));
    }

    void start() {
      loop.call(
          () -> {
            replica =
                new ReplicaDriver(
                    new ReplicaDriver.Place(PARTITION, time, this, () -> clock.millis() + number),
                    agreed,
                    log,
                    this);
            replica.start();
          });
    }

    void end() {
      replica.close();
      replica = null;
      nodes.forEach(other -> other.opened.forEach(pipe -> pipe.loseIf(number)));
      running().forEach(other -> other.loop.call(() -> other.replica.ended(number)));
    }

    boolean force() {
      if (replica == null || log.isForced()) {
        return false;
      }
      loop.call(() -> replica.forced(log.force(ALL)));
      return true;
    }

    long append() {
      long[] number = new long[1];
      loop.call(() -> number[0] = replica.append(ByteBuffer.allocate(100)));
      return number[0];
    }

    @Override
    public int self() {
      return number;
    }

    @Override
    public Connection connect(int node, int partition, Shard from, LinkListener listener) {
      assertThat(partition).isEqualTo(PARTITION);
      Pipe pipe = new Pipe(this, nodes.get(node), listener);
      opened.add(pipe);
      pipe.open();
      return pipe;
    }

    @Override
    public void propose(int partition, AssignmentChange change) {
      agree(change);
    }

    @Override
    public void report(Leaderless report) {
      elections.reported(report, clock.millis());
      Set<Integer> reachable =
          running().stream().map(node -> node.number).collect(Collectors.toSet());
      elections
          .due(
              Map.of(PARTITION, agreed),
              new LeaderElections.Nodes(reachable, Set.of()),
              clock.millis())
          .values()
          .stream()
          .forEach(LocalReplicasTest.this::agree);
    }

    @Override
    public void leads(long epoch) {
      assertThat(epoch).isEqualTo(agreed.epoch());
    }

    @Override
    public void committed(long upTo) {
      committed = upTo;
    }

    @Override
    public void copyTo(int node, Map<Long, Long> streamEnds) {
      loop.execute(
          () -> {
            replica.sendCopy(node, log.copy());
            replica.copySent(node);
          });
    }

    @Override
    public void keepTime() {
      keptMillis = time.aheadMillis();
    }

    @Override
    public void leadsNoMore(String reason) {
      assertThat(reason).isNotEmpty();
    }
  }

  private void agree(AssignmentChange change) {
    Assignment after = agreed.after(change);
    if (!after.equals(agreed)) {
      agreed = after;
      running().forEach(node -> node.loop.execute(() -> assign(node, after)));
    }
  }

  private static void assign(Node node, Assignment assignment) {
    if (node.replica != null) {
      node.replica.assigned(assignment);
    }
  }

  private List<Node> running() {
    return nodes.stream().filter(node -> node.replica != null).toList();
  }

  /** A connection from one node to another one, that is opened again when it is lost. */
  private static final class Pipe implements ReplicaCluster.Connection {
    private final Node from;
    private final Node to;
    private final LinkListener near;
    private LinkListener far;
    private boolean isEnded;

    Pipe(Node from, Node to, LinkListener near) {
      this.from = from;
      this.to = to;
      this.near = near;
    }

    void open() {
      if (far == null && !isEnded && to.replica != null) {
        LinkListener accepted = to.replica.accept();
        far = accepted;
        to.loop.execute(() -> accepted.up(new Port(this, accepted, from, near)));
        from.loop.execute(() -> near.up(new Port(this, accepted, to, accepted)));
      }
    }

    void lose() {
      LinkListener lost = far;
      if (lost != null) {
        far = null;
        to.loop.execute(() -> lost.lost("lost"));
        from.loop.execute(() -> near.lost("lost"));
      }
    }

    void loseIf(int node) {
      if (from.number == node) {
        isEnded = true;
      }
      if (from.number == node || to.number == node) {
        lose();
      }
    }

    @Override
    public void end() {
      isEnded = true;
      lose();
    }
  }

  private record Port(Pipe pipe, LinkListener incarnation, Node to, LinkListener receiver)
      implements LinkPort {
    @Override
    public int version() {
      return LinkVersion.HIGHEST;
    }

    @Override
    public void send(int type, ByteWriter body) {
      byte[] copy = Arrays.copyOf(body.bytes(), body.size());
      to.loop.execute(
          () -> {
            if (pipe.far == incarnation) {
              receiver.frame(type, new ByteReader(copy, copy.length));
            }
          });
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {
      pipe.lose();
    }
  }

  @BeforeEach
  void start() {
    for (int number = 0; number < 3; number++) {
      nodes.add(new Node(number));
    }
    nodes.forEach(Node::start);
    settle();
  }

  /** Does all that can be done now. */
  private void settle() {
    boolean any = true;
    while (any) {
      any = false;
      for (Node node : nodes) {
        any |= node.loop.step();
        any |= node.force();
        node.opened.forEach(Pipe::open);
      }
    }
  }

  private void pass(int millis) {
    for (int left = millis; left > 0; left -= 50) {
      clock.advance(50);
      settle();
    }
  }

  private Node leader() {
    return running().stream().filter(node -> node.replica.leads()).findFirst().orElseThrow();
  }

  private void commitOne() {
    Node leader = leader();
    long number = leader.append();
    settle();
    assertThat(leader.committed).isEqualTo(number);
    assertThat(running())
        .allSatisfy(node -> assertThat(node.log.bursts()).isEqualTo(leader.log.bursts()));
  }

  @Test
  void burstsAreCommittedOverConnections() {
    assertThat(leader().number).isZero();
    commitOne();
    commitOne();
    pass(ReplicationTimes.USUAL.lease() * 2);
    assertThat(leader().replica.mayDeliver()).isTrue();
    assertThat(agreed.revision()).as("nothing was changed").isEqualTo(1);
  }

  @Test
  void anotherNodeLeadsAtOnceWhenTheLeadersProcessHasEnded() {
    commitOne();
    nodes.get(0).end();
    settle();
    assertThat(leader().number).isEqualTo(1);
    commitOne();
    assertThat(leader().replica.mayDeliver()).isTrue();
  }

  private long timeOf(Node node) {
    long[] now = new long[1];
    node.loop.call(() -> now[0] = node.time.now());
    return now[0];
  }

  @Test
  void timeOfThePartitionGoesOnWhenAnotherNodeLeads() {
    pass(3 * ReplicationTimes.USUAL.heartbeat());
    assertThat(timeOf(nodes.get(0))).isEqualTo(clock.millis());
    assertThat(nodes).extracting(node -> node.keptMillis).containsExactly(0L, -4_000L, 3_000L);
    nodes.get(0).end();
    settle();
    assertThat(leader().number).isEqualTo(1);
    assertThat(timeOf(nodes.get(1))).isEqualTo(clock.millis());
    nodes.get(0).start();
    pass(10 * ReplicationTimes.USUAL.heartbeat());
    nodes.get(1).end();
    settle();
    assertThat(timeOf(leader()))
        .as("after a second one")
        .isBetween(clock.millis(), clock.millis() + 5);
  }

  @Test
  void timeApproachesTheClockOfTheLeaderSlowly() {
    pass(3 * ReplicationTimes.USUAL.heartbeat());
    nodes.get(0).end();
    settle();
    pass(20_000);
    assertThat(timeOf(nodes.get(1)) - clock.millis()).isBetween(9L, 11L);
    assertThat(nodes.get(2).keptMillis - 3_000).isBetween(9L, 11L);
    pass(10_000_000);
    assertThat(timeOf(nodes.get(1)) - clock.millis()).isEqualTo(4_000);
  }

  @Test
  void nodeThatIsBackFollowsAndIsInSyncAgain() {
    nodes.get(0).end();
    settle();
    commitOne();
    assertThat(agreed.inSync()).containsExactlyInAnyOrder(1, 2);
    nodes.get(0).start();
    settle();
    commitOne();
    pass(ReplicationTimes.USUAL.heartbeat() * 3);
    assertThat(agreed.inSync()).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void nodeThatWasAwayForLongTakesEverythingOver() {
    nodes.get(2).end();
    for (int i = 0; i < 3; i++) {
      leader().append();
      pass(ReplicationTimes.USUAL.lag());
    }
    assertThat(agreed.inSync()).containsExactlyInAnyOrder(0, 1);
    assertThat(copies).isEmpty();
    leader().log.delete(leader().log.last().number());
    nodes.get(2).start();
    settle();
    assertThat(copies).hasSize(1);
    commitOne();
  }

  @Test
  void connectionThatWasLostIsUsedAgain() {
    commitOne();
    nodes.get(0).opened.forEach(Pipe::lose);
    commitOne();
  }

  @Test
  void followersHaveNoConnectionsOfTheirOwn() {
    assertThat(nodes.get(1).opened).isEmpty();
    nodes.get(0).end();
    settle();
    assertThat(nodes.get(1).opened).hasSize(2);
    nodes.get(1).loop.call(() -> nodes.get(1).replica.close());
    settle();
    assertThat(nodes.get(1).opened).allMatch(pipe -> pipe.far == null);
  }
}
