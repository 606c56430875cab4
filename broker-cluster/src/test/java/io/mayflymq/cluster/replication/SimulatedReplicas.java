package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.ReplicationMessage.Copy;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.store.BurstId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A partition on several nodes: their disks, the connections between them, and the assignments on
 * which the cluster has agreed, each of which a node learns when it is told to. It watches that
 * what is committed stays.
 */
final class SimulatedReplicas {
  private final List<Assignment> agreed = new ArrayList<>();
  private final List<AssignmentChange> proposals = new ArrayList<>();
  private final List<List<Burst>> copies = new ArrayList<>();
  private final LeaderElections elections = new LeaderElections();
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Integer, Connection> connections = new TreeMap<>();

  /** What was committed, by number: the same for ever. */
  private final Map<Long, Commit> committed = new TreeMap<>();

  private long now = 1_000;
  private int contents;

  /** Begins with empty replicas. */
  SimulatedReplicas(int count) {
    List<Integer> numbers = IntStream.range(0, count).boxed().toList();
    agreed.add(Assignment.first(numbers, 0));
    numbers.forEach(number -> nodes.add(new Node(number)));
    nodes.forEach(Node::start);
  }

  /**
   * A burst that was committed.
   *
   * @param epoch the first one whose leader has committed it
   */
  private record Commit(Burst burst, long epoch) {}

  /** A connection from a leader to a follower: in order, until it breaks. */
  private static final class Connection {
    final Deque<Object> toFollower = new ArrayDeque<>();
    final Deque<ToLeader> toLeader = new ArrayDeque<>();
    final Consumer<ToLeader> answers = toLeader::addLast;
  }

  /** A leader is to send all that it has to a follower when this is delivered. */
  private record CopyLater(long epoch) {}

  final class Node implements ReplicaEffects {
    final int number;
    final SimulatedReplicaLog log = new SimulatedReplicaLog(copies);
    private final QueueLeases leases = new QueueLeases(() -> now);

    /** Null while it is down. */
    private ReplicaMachine replica;

    /** How many assignments it has learned, and how many of these it has not forgotten by then. */
    private int learned;

    private int kept = 1;

    /** Whether it learns nothing of what the cluster agrees upon. */
    private boolean isCutOff;

    /** Whether it is to lead no more, and appends nothing. */
    private boolean handsOver;

    /** What is forced, and the replica does not know of yet. */
    private BurstId forced;

    Node(int number) {
      this.number = number;
    }

    boolean isUp() {
      return replica != null;
    }

    boolean leads() {
      return isUp() && replica.leads();
    }

    private void start() {
      learned = kept;
      replica = new ReplicaMachine(number, agreed.get(kept - 1), log, this, now);
      replica.start(now);
    }

    private void crash(Random random) {
      replica = null;
      forced = null;
      log.crash(random);
      kept += learned > kept ? random.nextInt(learned - kept + 1) : 0;
      for (Node other : nodes) {
        disconnect(number, other.number);
        disconnect(other.number, number);
      }
      for (Node other : nodes) {
        if (other.isUp() && random.nextBoolean()) {
          other.replica.ended(number, now);
        }
      }
    }

    private boolean learnNext() {
      if (!isUp() || isCutOff || learned == agreed.size()) {
        return false;
      }
      replica.assigned(agreed.get(learned++), now);
      return true;
    }

    @Override
    public void leads(long epoch) {
      handsOver = false;
      committed.forEach(
          (past, commit) -> {
            if (commit.epoch < epoch) {
              assertThat(past).as("committed").isLessThanOrEqualTo(log.last().number());
              assertThat(log.bursts().get((int) (past - 1))).isSameAs(commit.burst);
            }
          });
    }

    @Override
    public void leadsNoMore(String reason) {
      assertThat(reason).isNotEmpty();
    }

    @Override
    public void send(int to, ToFollower message) {
      connections.get(key(number, to)).toFollower.addLast(message);
    }

    @Override
    public QueueLeases leases() {
      return leases;
    }

    @Override
    public long timeMillis() {
      return 0;
    }

    @Override
    public void heardTime(long timeMillis, long sentAt) {}

    @Override
    public void startTakeOver(int to, Map<Long, Long> streamEnds) {
      connections.get(key(number, to)).toFollower.addLast(new CopyLater(log.last().epoch()));
    }

    @Override
    public void propose(AssignmentChange change) {
      proposals.add(change);
    }

    @Override
    public void reportLeaderless(long epoch, BurstId last, boolean isCandidate) {
      elections.reported(new Leaderless(0, number, epoch, last, isCandidate), now);
    }

    @Override
    public void committed(long upTo) {
      long epoch = log.last().epoch();
      for (long past = 1; past <= upTo; past++) {
        Burst burst = log.bursts().get((int) past - 1);
        Commit before = committed.get(past);
        if (before == null || before.epoch > epoch) {
          committed.put(past, new Commit(burst, epoch));
        }
        if (before != null) {
          assertThat(burst).as("committed twice").isSameAs(before.burst);
        }
      }
    }

    /** Forces some of what was written; the replica is told of it later. */
    private void force(Random random) {
      tellForced();
      if (isUp() && !log.isForced()) {
        forced = log.force(random);
      }
    }

    private void tellForced() {
      if (isUp() && forced != null) {
        BurstId last = forced;
        forced = null;
        replica.forced(last, now);
      }
    }

    private boolean isForced() {
      return forced == null && log.isForced();
    }
  }

  private static int key(int from, int to) {
    return from * 100 + to;
  }

  private void connect(int from, int to) {
    if (from == to || !nodes.get(from).isUp() || !nodes.get(to).isUp()) {
      return;
    }
    connections.put(key(from, to), new Connection());
    nodes.get(from).replica.connected(to);
  }

  private void disconnect(int from, int to) {
    if (connections.remove(key(from, to)) != null && nodes.get(from).isUp()) {
      nodes.get(from).replica.disconnected(to);
    }
  }

  private boolean deliver(int key, boolean toFollower) {
    Connection connection = connections.get(key);
    if (connection == null) {
      return false;
    }
    Node from = nodes.get(key / 100);
    Node to = nodes.get(key % 100);
    if (toFollower) {
      if (connection.toFollower.isEmpty()) {
        return false;
      }
      deliverToFollower(from, to, connection.toFollower.removeFirst());
    } else {
      if (connection.toLeader.isEmpty()) {
        return false;
      }
      from.replica.received(to.number, connection.toLeader.removeFirst(), now);
    }
    return true;
  }

  private void deliverToFollower(Node from, Node to, Object message) {
    Connection connection = connections.get(key(from.number, to.number));
    if (!(message instanceof CopyLater copy)) {
      to.replica.received((ToFollower) message, connection.answers, now);
    } else if (from.leads()) {
      // The copy is made now, and what comes after it follows it.
      connection.toFollower.addLast(new Copy(copy.epoch, from.log.copy()));
      from.replica.tookOver(to.number, now);
    }
  }

  // What may happen

  /** What may happen in one step, and how often. */
  enum Event {
    PUBLISH(40, 1),
    DELIVER(300, 1),
    FORCE(120, 1),
    CONNECT(50, 1),
    TICK(40, 1),
    DECIDE(40, 1),
    LEARN(60, 1),
    START(20, 1),
    DISCONNECT(3, 0),
    ELECT(2, 0),
    CUT_OFF(4, 0),
    DELETE(2, 0),
    HAND_OVER(2, 0),
    CRASH(2, 0);

    final int weight;

    /** The least factor of its weight, in quarters. */
    final int least;

    Event(int weight, int least) {
      this.weight = weight;
      this.least = least;
    }
  }

  /**
   * The longest time between two steps is at most 2 to this, in ms: in some programs a lease lasts
   * for many steps, in others all replicas lag.
   */
  private static final int SLOWEST = 7;

  private static final int[] FACTORS = {0, 1, 4, 12};

  /**
   * Makes a program: so many steps. Each has its own weights, so that programs differ in what is
   * rare.
   */
  void run(Random random, int steps) {
    List<Event> wheel = new ArrayList<>();
    for (Event event : Event.values()) {
      int factor = FACTORS[event.least + random.nextInt(FACTORS.length - event.least)];
      wheel.addAll(Collections.nCopies(event.weight * factor, event));
    }
    int mostMillis = 1 << random.nextInt(SLOWEST + 1);
    for (int step = 0; step < steps; step++) {
      now += random.nextInt(mostMillis);
      happen(wheel.get(random.nextInt(wheel.size())), random);
      assertThat(nodes.stream().filter(node -> node.isUp() && node.replica.mayDeliver(now)).count())
          .as("leaders that deliver")
          .isLessThanOrEqualTo(1);
    }
  }

  private void happen(Event event, Random random) {
    Node node = nodes.get(random.nextInt(nodes.size()));
    int other = random.nextInt(nodes.size());
    switch (event) {
      case PUBLISH -> nodes.forEach(this::publish);
      case DELIVER -> deliverAny(random);
      case FORCE -> node.force(random);
      case CONNECT -> nodes.forEach(leading -> connectOnce(leading.number, other));
      case DISCONNECT -> disconnect(node.number, other);
      case LEARN -> node.learnNext();
      case TICK -> nodes.forEach(this::tick);
      case DECIDE -> decide(random);
      case HAND_OVER -> {
        if (node.leads()) {
          node.handsOver = true;
          node.replica.handOver(ReplicaMachine.ANY, now);
        }
      }
      case DELETE -> {
        if (node.isUp()) {
          node.log.delete(node.replica.committed());
        }
      }
      case CUT_OFF -> node.isCutOff = random.nextBoolean();
      case ELECT -> proposals.add(anyElection(random));
      case CRASH -> {
        if (node.isUp()) {
          node.crash(random);
        }
      }
      case START -> {
        if (!node.isUp()) {
          node.start();
        }
      }
      default -> throw new AssertionError(event);
    }
  }

  private void deliverAny(Random random) {
    List<Integer> keys = List.copyOf(connections.keySet());
    if (!keys.isEmpty()) {
      int key = keys.get(random.nextInt(keys.size()));
      boolean toFollower = random.nextBoolean();
      if (!deliver(key, toFollower)) {
        deliver(key, !toFollower);
      }
    }
  }

  /** Any election that the rules allow. */
  private AssignmentChange anyElection(Random random) {
    Assignment current = agreed.get(agreed.size() - 1);
    List<Integer> inSync = new ArrayList<>(current.inSync());
    Collections.shuffle(inSync, random);
    int least = Math.min(current.majority(), inSync.size());
    int stay = least + random.nextInt(inSync.size() - least + 1);
    return new AssignmentChange.Elected(
        current.revision(), inSync.get(0), Set.copyOf(inSync.subList(0, stay)));
  }

  private void publish(Node node) {
    if (node.leads() && !node.handsOver) {
      node.replica.append(ByteBuffer.allocate(Integer.BYTES).putInt(0, contents++), now);
    }
  }

  private void tick(Node node) {
    if (node.isUp()) {
      node.replica.tick(now);
    }
  }

  /** Proposes the elections that are due by what the nodes have reported. */
  private void electByReports() {
    Set<Integer> reachable =
        nodes.stream().filter(Node::isUp).map(node -> node.number).collect(Collectors.toSet());
    proposals.addAll(
        elections
            .due(
                Map.of(0, agreed.get(agreed.size() - 1)),
                new LeaderElections.Nodes(reachable, Set.of()),
                now)
            .values());
  }

  /** The cluster agrees on one of the changes that were proposed, whichever comes first. */
  private void decide(Random random) {
    electByReports();
    Assignment current = agreed.get(agreed.size() - 1);
    Assignment after = current;
    while (after.equals(current) && !proposals.isEmpty()) {
      after = current.after(proposals.remove(random.nextInt(proposals.size())));
    }
    if (!after.equals(current)) {
      agreed.add(after);
    }
  }

  // The end

  /** All nodes run and reach each other: something new is committed, and all have the same. */
  void heal(Random random) {
    nodes.forEach(node -> node.isCutOff = false);
    nodes.stream().filter(node -> !node.isUp()).forEach(Node::start);
    Set<Integer> all = new HashSet<>();
    for (int rounds = 0; rounds < 200; rounds++) {
      nodes.forEach(node -> nodes.forEach(other -> connectOnce(node.number, other.number)));
      settle(random);
      Node leading = nodes.get(agreed.get(agreed.size() - 1).leader());
      if (leading.leads() && !leading.handsOver) {
        leading.replica.append(ByteBuffer.allocate(Integer.BYTES), now);
        settle(random);
        all.clear();
        nodes.stream()
            .filter(node -> node.log.bursts().equals(leading.log.bursts()))
            .forEach(node -> all.add(node.number));
        boolean isCommitted = committed.containsKey(leading.log.last().number());
        Assignment current = agreed.get(agreed.size() - 1);
        if (isCommitted
            && all.size() == nodes.size()
            && current.inSync().equals(all)
            && leading.replica.mayDeliver(now)) {
          return;
        }
      }
      now += 200;
    }
    throw new AssertionError("no rest: " + agreed.get(agreed.size() - 1) + ", same on " + all);
  }

  private void connectOnce(int from, int to) {
    if (!connections.containsKey(key(from, to))) {
      connect(from, to);
    }
  }

  private void settle(Random random) {
    boolean any = true;
    while (any) {
      int before = agreed.size();
      decide(random);
      any = agreed.size() > before;
      for (Node node : nodes) {
        any |= node.learnNext();
        any |= node.isUp() && !node.isForced();
        node.force(random);
      }
      for (int key : List.copyOf(connections.keySet())) {
        any |= deliver(key, true);
        any |= deliver(key, false);
      }
    }
    nodes.forEach(this::tick);
  }
}
