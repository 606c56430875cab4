package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** A cluster with clients to which random things happen, watched by a {@link Ledger}. */
final class ClusterRig {
  private static final List<String> QUEUES = List.of("q0", "q1", "q2", "q3", "q4", "q5");
  private static final List<String> KEYS = List.of("k0", "k1");
  private static final List<String> OVERFLOWS =
      List.of("drop-head", "reject-publish", "reject-publish-dlx", "block");

  /** So that publishers have stopped waiting when all is mended. */
  private static final int LONGEST_BLOCK_MILLIS = 500;

  /**
   * How it is set up.
   *
   * @param replicated whether its queues are on all nodes
   */
  record Setup(List<Integer> shards, long memoryBytes, long seed, boolean replicated) {}

  private final boolean replicated;
  private final SimulatedCluster cluster;
  private final Ledger ledger;
  private final FaultInjector faults;
  private final Pauses pauses;
  private final Map<NodeProcess, List<SimulatedClient>> clients = new HashMap<>();
  private final Set<String> policies = new TreeSet<>();

  ClusterRig(Setup setup) {
    replicated = setup.replicated;
    cluster = new SimulatedCluster(setup.shards, setup.memoryBytes, new Random(setup.seed));
    ledger = new Ledger(cluster);
    faults = new FaultInjector(cluster, ledger);
    pauses = new Pauses(cluster);
    Random random = new Random(setup.seed);
    cluster.settle(random);
    declareSome(random);
  }

  private void declareSome(Random random) {
    for (String queue : QUEUES) {
      if (random.nextInt(4) > 0) {
        SimulatedClient client = anyClient(random);
        client.declare(queue, isDurable(random), arguments(queue, random));
        if (random.nextBoolean()) {
          client.bind("amq.direct", queue, anyKey(random));
          client.bind("amq.fanout", queue, "");
        }
      }
    }
    cluster.settle(random);
  }

  /** Returns a number that depends on all that has happened. */
  long trace() {
    return cluster.trace().value();
  }

  // Commands

  void run(Command command) {
    Random random = new Random(command.seed());
    if (!carryOutAtClient(command.action(), random) && !carryOutPause(command.action(), random)) {
      faults.carryOut(command.action(), random);
    }
    if (command.action() == Command.Action.REST || command.action() == Command.Action.WAIT) {
      pauses.settled();
    }
    faults.check();
    pauses.check();
  }

  private boolean carryOutPause(Command.Action action, Random random) {
    switch (action) {
      case PAUSE -> {
        String queue = anyQueue(random);
        if (pauses.pause(queue, random)) {
          ledger.timeStandsStill(queue);
        }
      }
      case RESUME -> pauses.resume(anyQueue(random), random);
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean carryOutAtClient(Command.Action action, Random random) {
    SimulatedClient client = anyClient(random);
    if (client == null) {
      return false;
    }
    String queue = anyQueue(random);
    switch (action) {
      case DECLARE -> client.declare(queue, isDurable(random), arguments(queue, random));
      case BIND ->
          client.bind(random.nextBoolean() ? "amq.direct" : "amq.fanout", queue, anyKey(random));
      case PUBLISH -> publish(client, random);
      case SCHEDULE ->
          client.schedule(
              queue, 1 + random.nextInt(random.nextInt(4) == 0 ? 2_000 : 40), content(random));
      case CONSUME ->
          client.consume(
              queue, isAcknowledged(queue, random), random.nextInt(4), random.nextInt(3) == 0);
      case CANCEL -> client.cancel(random);
      case GET -> client.get(queue, isAcknowledged(queue, random));
      case SETTLE -> client.settle(random);
      case ROOM -> client.setRoom(random);
      case CLOSE -> client.close();
      case PURGE -> client.purge(queue);
      case POLICY -> setPolicy(client, queue, random);
      case CLEAR_POLICY -> client.clearPolicy(policyName(queue, random));
      case DELETE -> client.delete(queue, random.nextInt(4) == 0);
      case UNDELETE -> client.undelete(queue);
      case MOVE -> move(client, queue, random);
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Only some queues are consumed without acknowledgements: that may lose messages. */
  private static boolean isAcknowledged(String queue, Random random) {
    return !queue.equals("q0") || random.nextBoolean();
  }

  private SimulatedClient anyClient(Random random) {
    List<SimulatedClient> all = clients();
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  /** Returns the clients of the processes that run. */
  private List<SimulatedClient> clients() {
    List<SimulatedClient> all = new ArrayList<>();
    for (NodeProcess process : cluster.processes()) {
      all.addAll(
          clients.computeIfAbsent(
              process,
              absent -> {
                List<SimulatedClient> added = new ArrayList<>();
                for (int loop = 0; loop < process.shards().count(); loop++) {
                  added.add(new SimulatedClient(process, loop, ledger));
                }
                return added;
              }));
    }
    return all;
  }

  private static String anyQueue(Random random) {
    return QUEUES.get(random.nextInt(QUEUES.size()));
  }

  private static String anyKey(Random random) {
    return KEYS.get(random.nextInt(KEYS.size()));
  }

  private boolean isDurable(Random random) {
    return replicated || random.nextInt(5) > 0;
  }

  /** Dead letters go to queues with higher numbers only, so none comes back. */
  private FieldTable arguments(String queue, Random random) {
    FieldTable.Builder arguments = FieldTable.builder();
    int number = QUEUES.indexOf(queue);
    boolean deadLetters = number < QUEUES.size() - 1 && random.nextInt(3) > 0;
    if (deadLetters) {
      arguments.put("x-dead-letter-exchange", "");
      arguments.put(
          "x-dead-letter-routing-key",
          QUEUES.get(number + 1 + random.nextInt(QUEUES.size() - 1 - number)));
    }
    if (random.nextInt(5) == 0) {
      arguments.put("x-message-ttl", random.nextInt(4) == 0 ? 0 : random.nextInt(60));
    }
    if (random.nextInt(5) == 0) {
      arguments.put("x-max-length", 1 + random.nextInt(4));
      arguments.put("x-overflow", OVERFLOWS.get(random.nextInt(OVERFLOWS.size())));
      arguments.put("x-block-timeout", 1 + random.nextInt(LONGEST_BLOCK_MILLIS));
    }
    if (random.nextBoolean()) {
      arguments.put("x-queue-leader-locator", "balanced");
    }
    if (!replicated && random.nextInt(8) == 0) { // A quorum queue refuses to be asked then.
      arguments.put("x-single-active-consumer", true);
    }
    if (random.nextInt(4) == 0) {
      arguments.put("x-fair-by", SimulatedClient.TENANT);
    }
    if (replicated) {
      arguments.put("x-queue-type", "quorum");
      if (random.nextInt(3) == 0) {
        arguments.put("x-recoverable", random.nextBoolean() ? 400 : 600_000);
      }
    }
    return arguments.build();
  }

  private static SimulatedClient.Content content(Random random) {
    return new SimulatedClient.Content(
        random.nextInt(5) > 0,
        random.nextInt(8) == 0 ? random.nextInt(60) : Message.NO_TTL,
        random.nextInt(random.nextInt(10) == 0 ? 3_000 : 200),
        random.nextInt(4) > 0);
  }

  private void publish(SimulatedClient client, Random random) {
    for (int count = random.nextInt(6); count >= 0; count--) {
      switch (random.nextInt(4)) {
        case 0 -> client.publish("amq.fanout", "", content(random));
        case 1 -> client.publish("amq.direct", anyKey(random), content(random));
        default -> client.publish("", QUEUES.get(random.nextInt(QUEUES.size())), content(random));
      }
    }
  }

  /** As dead letters do, what is moved goes to queues with higher numbers only. */
  private static void move(SimulatedClient client, String queue, Random random) {
    int number = QUEUES.indexOf(queue);
    if (number < QUEUES.size() - 1) {
      String target = QUEUES.get(number + 1 + random.nextInt(QUEUES.size() - 1 - number));
      client.move(queue, target, 1 + random.nextInt(4), random.nextInt(3) == 0 ? 20 : 0);
    }
  }

  private static String policyName(String queue, Random random) {
    return queue + "-" + random.nextInt(2);
  }

  /** Sets what queues of one name have beside their arguments. */
  private void setPolicy(SimulatedClient client, String queue, Random random) {
    Map<String, Object> keys = new TreeMap<>();
    int number = QUEUES.indexOf(queue);
    boolean expires = random.nextInt(3) == 0;
    boolean limitsLength = random.nextInt(3) == 0;
    if (expires) {
      keys.put("message-ttl", random.nextInt(random.nextBoolean() ? 60 : 5_000));
    }
    if (limitsLength) {
      keys.put("max-length", random.nextInt(5));
      keys.put("overflow", OVERFLOWS.get(random.nextInt(OVERFLOWS.size())));
      keys.put("block-timeout", 1 + random.nextInt(LONGEST_BLOCK_MILLIS));
    }
    if (number < QUEUES.size() - 1 && (keys.isEmpty() || random.nextBoolean())) {
      keys.put("dead-letter-exchange", "");
      keys.put(
          "dead-letter-routing-key",
          QUEUES.get(number + 1 + random.nextInt(QUEUES.size() - 1 - number)));
    }
    if (keys.isEmpty() || random.nextInt(8) == 0) {
      keys.put("expires", 1 + random.nextInt(4_000));
      ledger.deletionRequested(queue);
    }
    if (random.nextInt(3) == 0) {
      keys.put("fair-by", SimulatedClient.TENANT);
    }
    String name = policyName(queue, random);
    policies.add(name);
    ledger.policies(queue).requested(expires || limitsLength, limitsLength);
    client.setPolicy(
        Policy.of(PolicyKind.POLICY, name, "^" + queue + "$", "queues", random.nextInt(3), keys));
  }

  // The end

  /** All faults are mended; then everything has to be as the clients were promised. */
  void finish(Random random) {
    faults.mend(random);
    pauses.endAll(random);
    checkMetadata();
    clients().forEach(SimulatedClient::acknowledgeAll);
    cluster.advance(FaultInjector.HEALING_MILLIS, random);
    faults.check();
    if (replicated) {
      goOnWithoutPolicies(random);
    }
    checkConsumers(random);
    clients().forEach(SimulatedClient::cancelAll);
    cluster.settle(random);
    drain(random);
    faults.check();
    ledger.check();
    checkNothingIsLeft(random);
  }

  /** What is published from now on stays until a client takes it, as far as arguments say so. */
  private void goOnWithoutPolicies(Random random) {
    policies.forEach(policy -> anyClient(random).clearPolicy(policy));
    cluster.settle(random);
    ledger.policiesCleared();
    for (String queue : QUEUES) {
      anyClient(random).publish("", queue, content(random));
    }
    cluster.advance(FaultInjector.HEALING_MILLIS, random);
    faults.check();
  }

  private void checkMetadata() {
    NodeProcess first = cluster.nodes().get(0).process();
    for (NodeProcess process : cluster.processes()) {
      int number = process.node().number();
      assertThat(process.state()).as("metadata of node %d", number).isEqualTo(first.state());
      assertThat(process.kept()).as("disk of node %d", number).isEqualTo(first.kept());
    }
    for (KnownQueue queue : ledger.queues()) {
      Queue there = first.queue(queue.name());
      assertThat(queue.mayBeGone() || (there != null && there.id() == queue.id))
          .as("%s is there", queue)
          .isTrue();
    }
  }

  /** Every consumer goes on, or was told that it does not. */
  private void checkConsumers(Random random) {
    Map<Long, Integer> expected = new HashMap<>();
    for (SimulatedClient client : clients()) {
      assertThat(client.isIdle()).as("%s is idle", client).isTrue();
      for (SimulatedConsumer consumer : client.consumers()) {
        if (consumer.isLive()) {
          expected.merge(consumer.known().id, 1, Integer::sum);
        }
      }
    }
    NodeProcess asked = cluster.anyNode(random).process();
    asked
        .vhost()
        .routing()
        .queues()
        .forEach(
            queue -> {
              DeclaredQueue status = status(queue, random);
              int consumers = expected.getOrDefault(queue.id(), 0);
              assertThat(status.consumers()).as("consumers of %s", queue).isEqualTo(consumers);
              assertThat(consumers == 0 || status.messages() == 0)
                  .as("consumers of %s get its messages: %s", queue, status)
                  .isTrue();
            });
  }

  private DeclaredQueue status(Queue queue, Random random) {
    CompletableFuture<DeclaredQueue> asked = queue.lifecycle().status(false);
    cluster.settle(random);
    assertThat(asked).as("status of %s", queue).isCompleted();
    return asked.join();
  }

  /** Clients take all messages that are left. */
  private void drain(Random random) {
    for (String name : QUEUES) {
      SimulatedClient client = anyClient(random);
      Queue queue = client.process().queue(name);
      for (int taken = 0; queue != null && status(queue, random).messages() > 0; taken++) {
        assertThat(taken)
            .as("messages that %s takes from %s: %s", client, queue, status(queue, random))
            .isLessThan(500);
        client.get(name, true);
        cluster.settle(random);
      }
    }
  }

  private void checkNothingIsLeft(Random random) {
    for (NodeProcess process : cluster.processes()) {
      List<Queue> queues = new ArrayList<>();
      process.vhost().routing().queues().forEach(queues::add);
      for (Queue queue : queues) {
        assertThat(status(queue, random))
            .as("nothing is left of %s", queue)
            .isEqualTo(new DeclaredQueue(queue.name(), 0, 0));
      }
    }
  }
}
