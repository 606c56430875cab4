package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * A queue that clients of all nodes use is moved back and forth, while frames, disks and changes of
 * metadata take their time, links are cut and nodes crash at any moment: nothing that was confirmed
 * is lost, nothing is there twice, and the messages of each publisher keep their order.
 */
class MoveQueueModelTest {
  private static final int STEPS = 600;

  private final Object connection = new Object();
  private Random random;
  private SimulatedCluster cluster;
  private SimulatedLinks links;
  private MovingClients clients;

  private void start(long seed) {
    start(seed, FieldTable.EMPTY);
  }

  private void start(long seed, FieldTable arguments) {
    random = new Random(seed);
    links = new SimulatedLinks(name -> cluster.nodes.get(Character.digit(name.charAt(4), 10)));
    cluster = new SimulatedCluster(3, links);
    Node first = cluster.nodes.get(0);
    first.administration.vhosts().put(VhostDefinition.of(MovingClients.VHOST));
    settle();
    vhost(first)
        .declareQueue(
            new QueueDeclaration(
                MovingClients.QUEUE,
                true,
                false,
                false,
                arguments,
                connection,
                first.broker.shards().get(0),
                false,
                true));
    settle();
    clients = new MovingClients(cluster);
  }

  private static VirtualHost vhost(Node node) {
    return node.broker.virtualHost(MovingClients.VHOST);
  }

  private static Queue queue(Node node) {
    return vhost(node).routing().queue(MovingClients.QUEUE);
  }

  private Node home() {
    return cluster.nodes.stream().filter(node -> queue(node).isLocal()).findFirst().orElse(null);
  }

  private Node any() {
    return cluster.nodes.get(random.nextInt(cluster.nodes.size()));
  }

  private void settle() {
    cluster.settle(random);
  }

  private void advance(long millis) {
    for (Node node : cluster.nodes) {
      node.loops.clock().advance(millis);
    }
  }

  /** Lets time pass until nothing changes any more. */
  private void rest() {
    for (int i = 0; i < 60; i++) {
      cluster.nodes.forEach(node -> vhost(node).endStrandedMoves());
      settle();
      advance(200);
    }
    settle();
  }

  private CompletableFuture<Void> move(Node from, Node to) {
    return vhost(from).moveQueue(MovingClients.QUEUE, "node%d@host".formatted(to.number));
  }

  private void moveSomewhere() {
    Node from = home();
    Node to = any();
    if (from != null && from != to) {
      try {
        move(from, to).exceptionally(failure -> null);
      } catch (RuntimeException e) {
        assertThat(e).hasMessageContaining("is being moved");
      }
    }
  }

  private List<Message> drain() {
    Node home = home();
    List<Message> all = new ArrayList<>();
    GetResult next = next(home);
    while (next != null) {
      all.add(next.message());
      next = next(home);
    }
    return all;
  }

  private GetResult next(Node home) {
    CompletableFuture<GetResult> got = queue(home).requests().fetch(false);
    settle();
    assertThat(got).isDone();
    return got.join();
  }

  private void crash(Node node) {
    node.faults.assertNone(); // The process that follows has none yet.
    node.crash(random);
    links.restarted(node);
    clients.restarted(node);
  }

  private void finish() {
    rest();
    cluster.nodes.forEach(node -> clients.on(node).cancel());
    rest();
    cluster.nodes.forEach(
        node -> {
          crash(node);
          rest();
        });
    cluster.nodes.forEach(node -> node.faults.assertNone());
    clients.check(drain());
  }

  @Test
  void queueMovesWithItsMessages() {
    start(1);
    Node first = cluster.nodes.get(0);
    Node second = cluster.nodes.get(1);
    clients.on(first).publish(5);
    clients.on(second).publish(5);
    settle();
    CompletableFuture<Void> moved = move(first, second);
    for (int i = 0; i < 10; i++) {
      settle();
      advance(10);
    }
    assertThat(moved).isCompleted();
    assertThat(home()).isSameAs(second);
    clients.on(first).publish(5);
    settle();
    cluster.nodes.forEach(node -> node.faults.assertNone());
    assertThat(clients.confirmedCount()).isEqualTo(15);
    assertThat(drain()).hasSize(15);
  }

  @Test
  void consumersGoOnAtTheNewPlace() {
    start(2);
    Node first = cluster.nodes.get(0);
    Node second = cluster.nodes.get(1);
    Node third = cluster.nodes.get(2);
    for (Node node : cluster.nodes) {
      clients.on(node).consume(3);
    }
    clients.on(third).publish(20);
    settle();
    for (Node to : List.of(second, third, first)) {
      CompletableFuture<Void> moved = move(home(), to);
      for (int i = 0; i < 500; i++) {
        settle();
        advance(10);
      }
      assertThat(moved).isCompleted();
    }
    for (int i = 0; i < 200; i++) {
      clients.on(any()).acknowledge(random);
      settle();
    }
    finish();
  }

  @Property(tries = 25)
  void nothingIsLostOrDoubled(@ForAll long seed) {
    run(seed, false);
  }

  @Property(tries = 25)
  void nothingIsLostOrDoubledWhenNodesCrash(@ForAll long seed) {
    run(seed, true);
  }

  private static FieldTable anyArguments(Random random) {
    FieldTable.Builder arguments = FieldTable.builder();
    if (random.nextInt(3) == 0) {
      arguments.put("x-max-priority", MovingClients.PRIORITIES);
    }
    if (random.nextInt(3) == 0) {
      arguments.put("x-delayed-retry-type", "all");
      arguments.put("x-delayed-retry-min", 1 + random.nextInt(40));
    }
    if (random.nextInt(4) == 0) {
      arguments.put("x-single-active-consumer", true);
    }
    return arguments.build();
  }

  void run(long seed, boolean faults) {
    start(seed, anyArguments(new Random(seed)));
    for (int step = 0; step < STEPS; step++) {
      act(faults);
      for (int i = random.nextInt(20); i > 0; i--) {
        any().step(random);
      }
      if (random.nextInt(3) == 0) {
        cluster.commit(random);
      }
    }
    finish();
  }

  private void act(boolean faults) {
    Node node = any();
    switch (random.nextInt(faults ? 16 : 14)) {
      case 0, 1 ->
          clients.on(node).publish(1 + random.nextInt(4), random.nextInt(MovingClients.PRIORITIES));
      case 2 -> clients.on(node).schedule(1 + random.nextInt(50));
      case 3 -> clients.on(node).consume(1 + random.nextInt(5));
      case 4, 5, 6 -> clients.on(node).acknowledge(random);
      case 7 -> clients.on(node).get();
      case 8 -> moveSomewhere();
      case 9 -> advance(1 + random.nextInt(5));
      case 10 -> advance(random.nextInt(20) == 0 ? 4_000 : 5);
      case 11 -> {
        if (random.nextInt(5) == 0) {
          settle();
        }
      }
      case 12 -> {
        if (random.nextInt(5) == 0) {
          clients.on(node).cancel();
        }
      }
      case 13 -> cluster.nodes.forEach(each -> vhost(each).endStrandedMoves());
      case 14 -> {
        if (random.nextInt(12) == 0) {
          crash(node);
        }
      }
      default -> {
        if (random.nextInt(10) == 0) {
          links.cut(node, any());
          clients.disturbed();
        } else if (random.nextInt(5) == 0) {
          cluster.lose(random);
        }
      }
    }
  }
}
