package io.mayflymq.core.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.replication.ReplicationMessage.ToFollower;
import io.mayflymq.core.replication.ReplicationMessage.ToLeader;
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
   * A batch that was committed.
   *
   * @param epoch the first one whose leader has committed it
   */
  private record Commit(Batch batch, long epoch) {}

  /** A connection from a leader to a follower: in order, until it breaks. */
  private static final class Connection {
    final Deque<Object> toFollower = new ArrayDeque<>();
    final Deque<ToLeader> toLeader = new ArrayDeque<>();
  }

  /** All that a leader has, on its way to a follower. */
  private record Copy(List<Batch> batches) {}

  final class Node implements LeaderEffects {
    final int number;
    final SimulatedReplicaLog log = new SimulatedReplicaLog();
    private boolean up;

    /** How many assignments it has learned, and how many of these it has not forgotten by then. */
    private int learned;

    private int kept;
    private Replica replica;
    private PartitionLeader leader;
    private PartitionFollower follower;

    /** What is forced, and the replica does not know of yet. */
    private BatchId forced;

    Node(int number) {
      this.number = number;
    }

    private void start() {
      up = true;
      replica = new Replica(log);
      learned = kept;
      follow();
      learnNext();
    }

    private void follow() {
      leader = null;
      follower = new PartitionFollower(replica);
    }

    private void crash(Random random) {
      up = false;
      leader = null;
      follower = null;
      forced = null;
      log.crash(random);
      kept += learned > kept ? random.nextInt(learned - kept + 1) : 0;
      for (Node other : nodes) {
        disconnect(number, other.number);
        disconnect(other.number, number);
      }
    }

    private boolean learnNext() {
      if (!up || learned == agreed.size()) {
        return false;
      }
      Assignment next = agreed.get(learned++);
      if (leader != null && !leader.assigned(next, now)) {
        endLeading();
      }
      if (leader == null && next.leader() == number && replica.mayLead(next.epoch())) {
        lead(next);
      } else if (follower != null) {
        follower.heardOf(next.epoch());
      }
      return true;
    }

    private void lead(Assignment assignment) {
      committed.forEach(
          (past, commit) -> {
            if (commit.epoch < assignment.epoch()) {
              assertThat(past).as("committed").isLessThanOrEqualTo(log.last().number());
              assertThat(log.batches().get((int) (past - 1))).isSameAs(commit.batch);
            }
          });
      follower = null;
      leader = new PartitionLeader(number, assignment, replica, this, now);
      for (Node other : nodes) {
        disconnect(other.number, number);
      }
    }

    private void endLeading() {
      for (Node other : nodes) {
        disconnect(number, other.number);
      }
      follow();
    }

    @Override
    public void send(int to, ToFollower message) {
      connections.get(key(number, to)).toFollower.addLast(message);
    }

    @Override
    public void startTakeOver(int to) {
      connections.get(key(number, to)).toFollower.addLast(new Copy(null));
    }

    @Override
    public void propose(AssignmentChange.InSync change) {
      proposals.add(change);
    }

    @Override
    public void relieve(String reason) {
      electAnother(number);
    }

    @Override
    public void committed(long upTo) {
      for (long past = 1; past <= upTo; past++) {
        Batch batch = log.batches().get((int) past - 1);
        Commit before = committed.get(past);
        if (before == null || before.epoch > leader.epoch()) {
          committed.put(past, new Commit(batch, leader.epoch()));
        }
        if (before != null) {
          assertThat(batch).as("committed twice").isSameAs(before.batch);
        }
      }
    }

    /** Forces some of what was written; the replica is told of it later. */
    private void force(Random random) {
      tellForced();
      if (up && !log.isForced()) {
        forced = log.force(random);
      }
    }

    private void tellForced() {
      if (up && forced != null) {
        BatchId last = forced;
        forced = null;
        if (leader != null) {
          leader.forced(last, now);
        } else {
          follower.forced(last);
        }
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
    Node leading = nodes.get(from);
    Node following = nodes.get(to);
    if (from == to || leading.leader == null || following.follower == null) {
      return;
    }
    Connection opened = new Connection();
    connections.put(key(from, to), opened);
    following.follower.connected(opened.toLeader::addLast);
    // A follower has one leader at a time.
    nodes.stream()
        .filter(other -> other.number != from)
        .forEach(other -> disconnect(other.number, to));
    leading.leader.connected(to);
  }

  private void disconnect(int from, int to) {
    if (connections.remove(key(from, to)) != null && nodes.get(from).leader != null) {
      nodes.get(from).leader.disconnected(to);
    }
  }

  private boolean deliver(int key, boolean toFollower) {
    Connection connection = connections.get(key);
    Node from = nodes.get(key / 100);
    Node to = nodes.get(key % 100);
    if (connection == null || from.leader == null) {
      return false;
    }
    if (toFollower) {
      if (connection.toFollower.isEmpty()) {
        return false;
      }
      deliverToFollower(from, to, connection.toFollower.removeFirst());
    } else {
      if (connection.toLeader.isEmpty()) {
        return false;
      }
      if (!from.leader.received(to.number, connection.toLeader.removeFirst(), now)) {
        from.endLeading();
      }
    }
    return true;
  }

  private void deliverToFollower(Node from, Node to, Object message) {
    if (message instanceof Copy copy) {
      if (copy.batches == null) {
        // The copy is made now, and what comes after it follows it.
        List<Batch> all = List.copyOf(from.log.batches());
        connections.get(key(from.number, to.number)).toFollower.addLast(new Copy(all));
        from.leader.tookOver(to.number, now);
      } else {
        to.log.offer(copy.batches);
      }
    } else {
      to.follower.received((ToFollower) message);
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
    CRASH(2, 0);

    final int weight;

    /** The least factor of its weight, in quarters. */
    final int least;

    Event(int weight, int least) {
      this.weight = weight;
      this.least = least;
    }
  }

  /** The longest time between two steps: so that some programs have replicas that lag. */
  private static final int MOST_MILLIS = 200;

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
    int mostMillis = 1 + random.nextInt(MOST_MILLIS);
    for (int step = 0; step < steps; step++) {
      now += random.nextInt(mostMillis);
      happen(wheel.get(random.nextInt(wheel.size())), random);
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
      case ELECT -> proposals.add(anyElection(random));
      case CRASH -> {
        if (node.up) {
          node.crash(random);
        }
      }
      case START -> {
        if (!node.up) {
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
    if (node.leader != null) {
      node.leader.append(ByteBuffer.allocate(Integer.BYTES).putInt(0, contents++), now);
    }
  }

  private void tick(Node node) {
    if (node.leader != null) {
      node.leader.tick(now);
    }
  }

  private void electAnother(int not) {
    Assignment current = agreed.get(agreed.size() - 1);
    Set<Integer> reachable =
        nodes.stream()
            .filter(node -> node.up && node.number != not)
            .map(node -> node.number)
            .collect(Collectors.toSet());
    current.replicas().stream()
        .filter(replica -> current.inSync().contains(replica) && reachable.contains(replica))
        .findFirst()
        .ifPresent(next -> proposals.add(current.elect(next, reachable)));
  }

  /**
   * The cluster agrees on one of the changes that were proposed, whichever comes first. Where no
   * node leads it proposes an election itself.
   */
  private void decide(Random random) {
    Assignment current = agreed.get(agreed.size() - 1);
    Node leader = nodes.get(current.leader());
    boolean leads = leader.up && (leader.leader != null || leader.learned < agreed.size());
    if (proposals.isEmpty() && !leads) {
      proposals.add(anyElection(random));
    }
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
    nodes.stream().filter(node -> !node.up).forEach(Node::start);
    Set<Integer> all = new HashSet<>();
    for (int rounds = 0; rounds < 200; rounds++) {
      settle(random);
      Node leading = leading();
      if (leading == null) {
        electAnother(-1);
      } else {
        nodes.forEach(other -> connectOnce(leading.number, other.number));
        leading.leader.append(ByteBuffer.allocate(Integer.BYTES), now);
        settle(random);
        all.clear();
        nodes.stream()
            .filter(node -> node.log.batches().equals(leading.log.batches()))
            .forEach(node -> all.add(node.number));
        boolean isCommitted = committed.containsKey(leading.log.last().number());
        Assignment current = agreed.get(agreed.size() - 1);
        if (isCommitted
            && all.size() == nodes.size()
            && current.inSync().equals(all)
            && leading.leader.holdsLease(now)) {
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

  private Node leading() {
    int leader = agreed.get(agreed.size() - 1).leader();
    return nodes.get(leader).leader == null ? null : nodes.get(leader);
  }

  private void settle(Random random) {
    boolean any = true;
    while (any) {
      any = !proposals.isEmpty();
      if (any) {
        decide(random);
      }
      for (Node node : nodes) {
        any |= node.learnNext();
        any |= node.up && !node.isForced();
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
