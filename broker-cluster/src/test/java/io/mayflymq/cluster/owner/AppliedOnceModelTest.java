package io.mayflymq.cluster.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.owner.BatchFrames.Publish;
import io.mayflymq.cluster.owner.LeaderRig.Frame;
import io.mayflymq.core.codec.ByteReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Nodes send batches to leaders that are lost with what is not committed, over connections that are
 * lost with what is under way. Whatever happens, a message is in the history of the partition at
 * most once, and once if its publisher was told so.
 */
class AppliedOnceModelTest {
  private static final int STEPS = 400;
  private static final int NODES = 3;

  /** What a publisher knows. */
  private enum Told {
    NOTHING,
    CONFIRMED,
    REFUSED,
    FAILED
  }

  /** One connection, and what is under way on it. */
  private static final class Connection {
    final OwnerLink home;
    final ArrayDeque<Frame> toHome = new ArrayDeque<>();
    final List<Frame> toNode;

    /** Whether the leader has ended it. */
    final boolean[] closes;

    Connection(OwnerLink home, List<Frame> toNode, boolean[] closes) {
      this.closes = closes;
      this.home = home;
      this.toNode = toNode;
    }
  }

  private static final class Node {
    final int number;
    UUID link;
    long last;
    final TreeMap<Long, List<Publish>> open = new TreeMap<>();

    /** Null if there is none that the node knows of. */
    Connection connection;

    Node(int number) {
      this.number = number;
    }

    void send(Frame frame) {
      if (connection != null) {
        connection.toHome.add(frame);
      }
    }
  }

  private static final class Run {
    final Random random;
    final List<Node> nodes = new ArrayList<>();
    final Map<Integer, Told> told = new HashMap<>();

    /** Those that their node has forgotten, and whose frames may arrive all the same. */
    final List<Connection> old = new ArrayList<>();

    LeaderRig leader;
    int messages;
    int resent;

    /** What the replicas have agreed on, whether the log remembers that or not. */
    long committed;

    Run(Random random) {
      this.random = random;
      lead(new LeaderRig());
      for (int i = 0; i < NODES; i++) {
        nodes.add(new Node(i));
        restart(nodes.get(i));
      }
    }

    void lead(LeaderRig next) {
      leader = next;
      leader.refusing(() -> random.nextInt(30) == 0);
      leader.behind(() -> random.nextInt(10) == 0);
      leader.breakingOff(() -> random.nextInt(60) == 0);
    }

    void step() {
      Node node = nodes.get(random.nextInt(NODES));
      switch (random.nextInt(26)) {
        case 0, 1, 2, 3, 4, 5 -> publish(node);
        case 6, 7, 8, 9, 10, 11 -> arriveAtHome(node.connection, 1 + random.nextInt(5));
        case 12, 13, 14 -> arriveAtNode(node);
        case 15, 16, 17 -> committed = leader.commit();
        case 18 -> lose(node);
        case 19 -> connect(node);
        case 20 -> {
          if (!old.isEmpty()) {
            arriveAtHome(old.get(random.nextInt(old.size())), 1 + random.nextInt(3));
          }
        }
        case 21 -> {
          if (random.nextInt(3) == 0) {
            restart(node);
          }
        }
        case 22 -> {
          if (random.nextInt(3) == 0) {
            crash();
          }
        }
        case 23 -> {
          if (random.nextInt(4) == 0) {
            leader.queue(1 + random.nextInt(LeaderRig.QUEUES)).gate().close();
          }
        }
        case 24 -> startQueues();
        default -> leader.log.log.compact(random.nextInt(3000));
      }
    }

    private void publish(Node node) {
      List<Publish> batch = new ArrayList<>();
      for (int i = random.nextInt(5); i >= 0; i--) {
        // The last queue is not there; the number of a message that a queue fails at is negative.
        int message = ++messages * (random.nextInt(40) == 0 ? -1 : 1);
        int queue = 1 + random.nextInt(20) * LeaderRig.QUEUES / 19;
        batch.add(new Publish(message, queue, random.nextInt(5) > 0));
        told.put(message, Told.NOTHING);
      }
      node.last++;
      node.open.put(node.last, batch);
      node.send(BatchFrames.batch(node.last, random.nextBoolean(), batch));
    }

    private void arriveAtHome(Connection connection, int most) {
      if (connection != null) {
        leader.run(
            () -> {
              for (int i = 0; i < most && !connection.toHome.isEmpty(); i++) {
                Frame frame = connection.toHome.poll();
                connection.home.frame(frame.type(), frame.read());
              }
            });
      }
    }

    private void arriveAtNode(Node node) {
      if (node.connection != null && !node.connection.toNode.isEmpty()) {
        Frame frame = node.connection.toNode.remove(0);
        if (frame.type() == LinkFrame.RETURNED) {
          returned(node, frame.read());
        }
      }
    }

    private void returned(Node node, ByteReader in) {
      List<Publish> batch = node.open.remove(in.number());
      Told[] outcome = new Told[batch.size()];
      Arrays.fill(outcome, Told.CONFIRMED);
      for (long left = in.number(); left > 0; left--) {
        outcome[in.integer()] = Told.REFUSED;
      }
      for (long left = in.number(); left > 0; left--) {
        outcome[in.integer()] = Told.FAILED;
      }
      for (int i = 0; i < outcome.length; i++) {
        if (batch.get(i).isAwaited()) {
          told.put(batch.get(i).message(), outcome[i]);
        }
      }
    }

    /** The node knows it; the leader perhaps later. */
    private void lose(Node node) {
      Connection lost = node.connection;
      node.connection = null;
      if (lost != null) {
        if (random.nextBoolean()) {
          leader.run(() -> lost.home.lost("cut"));
        } else {
          old.add(lost);
        }
      }
    }

    private void connect(Node node) {
      if (node.connection != null && node.connection.closes[0]) {
        lose(node);
      }
      if (node.connection != null) {
        return;
      }
      List<Frame> toNode = new ArrayList<>();
      boolean[] closes = new boolean[1];
      OwnerLink home = leader.open(toNode, () -> closes[0] = true);
      node.connection = new Connection(home, toNode, closes);
      node.send(BatchFrames.origin(node.link, node.number));
      // Connections of a node begin in order, whatever is under way on them.
      arriveAtHome(node.connection, 1);
      for (int queue = 1; queue <= LeaderRig.QUEUES + 1; queue++) {
        node.send(BatchFrames.queue(queue));
      }
      node.open.forEach(
          (number, batch) -> node.send(BatchFrames.batch(number, random.nextBoolean(), batch)));
      resent += node.open.size();
    }

    /** Another process of a node: what its clients do not know, they never will. */
    private void restart(Node node) {
      lose(node);
      node.link = new UUID(node.number, random.nextLong());
      node.last = 0;
      node.open.clear();
      connect(node);
    }

    /** The leader is lost, and with it what is not committed, or some of it. */
    private void crash() {
      long last = leader.log.log.bursts().last().number();
      long upTo = committed + random.nextInt((int) (last - committed) + 1);
      leader.faults.take();
      lead(new LeaderRig(leader.log.directory.afterKill(), upTo));
      assertThat(leader.log.log.bursts().last().number()).isGreaterThan(committed);
      old.clear();
      nodes.forEach(node -> node.connection = null);
      assertThat(leader.messages()).doesNotHaveDuplicates();
    }

    private void startQueues() {
      for (int queue = 1; queue <= LeaderRig.QUEUES; queue++) {
        long id = queue;
        leader.run(() -> leader.queue(id).gate().open());
      }
      leader.advance(5);
    }

    /** All nodes hear of all their batches. */
    void end() {
      startQueues();
      for (Node node : nodes) {
        connect(node);
        while (!node.connection.toHome.isEmpty()) {
          arriveAtHome(node.connection, 3);
          leader.commit();
        }
        leader.commit();
        // What is told of a batch that waited for the disk waits for a burst of its own.
        leader.commit();
        while (!node.connection.toNode.isEmpty()) {
          arriveAtNode(node);
        }
        assertThat(node.open).isEmpty();
      }
      leader.faults.take();
    }

    void verify() {
      Map<Integer, Integer> times = new HashMap<>();
      leader.messages().forEach(message -> times.merge(message, 1, Integer::sum));
      told.forEach(
          (message, is) -> {
            int found = times.getOrDefault(message, 0);
            switch (is) {
              case CONFIRMED -> assertThat(found).as("%d is confirmed", message).isEqualTo(1);
              case REFUSED -> assertThat(found).as("%d is refused", message).isZero();
              case FAILED, NOTHING -> assertThat(found).as("%d", message).isLessThan(2);
            }
          });
    }
  }

  @Property(tries = 100)
  void messageIsInTheHistoryOnce(@ForAll long seed) {
    Run run = new Run(new Random(seed));
    for (int i = 0; i < STEPS; i++) {
      run.step();
    }
    run.end();
    run.verify();
    assertThat(run.told).containsValue(Told.CONFIRMED);
    assertThat(run.resent).isPositive();
  }
}
