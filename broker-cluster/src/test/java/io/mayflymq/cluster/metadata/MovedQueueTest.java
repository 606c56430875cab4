package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataCommand.QueueIs;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * All that a queue has goes with it when it is moved, and its times stay, although the clocks of
 * nodes differ. If it cannot be moved it goes on where it was.
 */
class MovedQueueTest {
  private static final String VHOST = "v";
  private static final String QUEUE = "q";
  private static final String OTHER = "other";
  private static final long CLOCK_DIFFERENCE = 3_600_000;

  /** Longer than any part of a move may take. */
  private static final long LONGEST_MILLIS = 60_000;

  private static final int STEP_MILLIS = 5;

  private static final int TIMES = 80;

  /** More steps are made before the last time than a move of a few messages has. */
  private static final int STEPS_APART = 6;

  private final Object connection = new Object();
  private Random random;
  private SimulatedCluster cluster;
  private SimulatedLinks links;
  private Node first;
  private Node second;
  private Node third;
  private long elapsed;

  @BeforeEach
  void start() {
    random = new Random(1);
    links = new SimulatedLinks(name -> cluster.nodes.get(Character.digit(name.charAt(4), 10)));
    cluster = new SimulatedCluster(3, links);
    first = cluster.nodes.get(0);
    second = cluster.nodes.get(1);
    third = cluster.nodes.get(2);
    second.loops.clock().advance(CLOCK_DIFFERENCE);
    first.administration.vhosts().put(VhostDefinition.of(VHOST));
    settle();
    elapsed = 0;
  }

  private void settle() {
    cluster.settle(random);
  }

  private void pass(long millis) {
    settle();
    for (long left = millis; left > 0; left -= STEP_MILLIS) {
      long step = Math.min(left, STEP_MILLIS);
      cluster.nodes.forEach(node -> node.loops.clock().advance(step));
      elapsed += step;
      settle();
    }
  }

  /** Lets time pass until so much has passed since the beginning. */
  private void passUntil(long millis) {
    assertThat(millis).isGreaterThanOrEqualTo(elapsed);
    pass(millis - elapsed);
  }

  private <T> T await(CompletableFuture<T> future) {
    long end = elapsed + LONGEST_MILLIS;
    settle();
    while (!future.isDone() && elapsed < end) {
      pass(STEP_MILLIS);
    }
    assertThat(future).isDone();
    return future.join();
  }

  private static VirtualHost vhost(Node node) {
    return node.broker.virtualHost(VHOST);
  }

  private static Queue queue(Node node, String name) {
    return vhost(node).routing().queue(name);
  }

  private Node home() {
    return cluster.nodes.stream()
        .filter(node -> queue(node, QUEUE).isLocal())
        .findFirst()
        .orElseThrow();
  }

  private void declare(Node at, String name, FieldTable arguments) {
    await(
        vhost(at)
            .declareQueue(
                new QueueDeclaration(
                    name,
                    true,
                    false,
                    false,
                    arguments,
                    connection,
                    at.broker.shards().get(0),
                    false,
                    true)));
  }

  private void declare(FieldTable.Builder arguments) {
    declare(first, QUEUE, arguments.build());
  }

  private static FieldTable.Builder with(String argument, int value) {
    return FieldTable.builder().put(argument, value);
  }

  private static FieldTable.Builder with(String argument, String value) {
    return FieldTable.builder().put(argument, value);
  }

  private CompletableFuture<Void> beginMove(Node to) {
    return vhost(home()).moveQueue(QUEUE, "node%d@host".formatted(to.number));
  }

  private void move(Node to) {
    await(beginMove(to));
    settle();
    assertThat(home()).isSameAs(to);
  }

  // Clients

  private static void run(Node at, Runnable work) {
    at.loops.get(0).call(() -> at.broker.shards().get(0).run(work));
  }

  private static ShardCommandSender sender(Node at) {
    return new ShardCommandSender(at.broker.shards().get(0), at.broker.partitions(), () -> {});
  }

  /** Publishes a message. Returns whether it is confirmed. */
  private boolean publish(Node at, Message message, long delayMillis) {
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    run(
        at,
        () -> {
          ShardCommandSender sender = sender(at);
          if (delayMillis > 0) {
            long due = at.broker.shards().get(0).now() + delayMillis;
            sender.schedule(
                queue(at, QUEUE), message, due, (number, taken) -> outcome.complete(taken), 1);
          } else {
            sender.publish(
                queue(at, QUEUE), message, (number, taken) -> outcome.complete(taken), 1);
          }
          sender.flush();
        });
    return await(outcome);
  }

  private boolean publish(Node at, int number) {
    return publish(at, NumberedMessage.of(number, true, Message.NO_TTL, 0), 0);
  }

  private static Message withPriority(int number, int priority) {
    byte[] properties =
        BasicProperties.builder().deliveryMode(2).priority(priority).build().encode();
    ByteBuffer content = ByteBuffer.allocate(properties.length + Integer.BYTES);
    content.put(properties).putInt(number);
    return new Message(
        ShortString.of(""),
        ShortString.of(QUEUE),
        content.array(),
        properties.length,
        Message.NO_TTL,
        priority,
        true,
        List.of());
  }

  private GetResult get(String name, boolean acknowledges) {
    Node at =
        cluster.nodes.stream()
            .filter(node -> queue(node, name).isLocal())
            .findFirst()
            .orElseThrow();
    return await(queue(at, name).requests().fetch(acknowledges));
  }

  /** Takes a message of the queue; -1 if there is none. */
  private int take() {
    GetResult got = get(QUEUE, false);
    return got == null ? -1 : NumberedMessage.numberOf(got.message());
  }

  private List<Integer> takeAll() {
    List<Integer> all = new ArrayList<>();
    for (int number = take(); number >= 0; number = take()) {
      all.add(number);
    }
    return all;
  }

  /** Takes a message of the queue and returns it as a consumer that has failed. */
  private boolean takeAndReturn() {
    Node home = home();
    GetResult got = get(QUEUE, true);
    if (got == null) {
      return false;
    }
    run(
        home,
        () -> {
          ShardCommandSender sender = sender(home);
          sender.fail(queue(home, QUEUE), Consumer.ofGet(), got.sequence(), got.sequence());
          sender.flush();
        });
    settle();
    return true;
  }

  private QueueSnapshot snapshot() {
    Node home = home();
    Queue queue = queue(home, QUEUE);
    return await(queue.shard().call(() -> QueueSnapshot.of(queue)));
  }

  /** A consumer that acknowledges what it gets, and follows its queue. */
  private final class Member implements ConsumerTarget {
    private final Node at;
    private final String name;
    private final FieldTable arguments;
    private final List<Integer> received;
    private final Queue queue;
    private final Consumer consumer;
    private Member successor;

    Member(Node at, String name, FieldTable arguments) {
      this(at, name, arguments, new ArrayList<>());
    }

    private Member(Node at, String name, FieldTable arguments, List<Integer> received) {
      this.at = at;
      this.name = name;
      this.arguments = arguments;
      this.received = received;
      this.queue = queue(at, QUEUE);
      this.consumer =
          new Consumer(ShortString.of(name), new ConsumeOptions(true, false, 1, arguments), this);
      run(at, () -> queue.requests().subscribe(consumer, () -> {}));
    }

    void cancel() {
      if (successor != null) {
        successor.cancel();
      } else {
        run(at, () -> queue.requests().cancel(consumer));
        settle();
      }
    }

    @Override
    public ConsumerOrigin origin() {
      return new ConsumerOrigin("node" + at.number, name, 1, "pid", "guest", "127.0.0.1", 1);
    }

    @Override
    public boolean reserve(Consumer asking) {
      return true;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      received.add(NumberedMessage.numberOf(message));
      at.broker
          .shards()
          .get(0)
          .execute(
              () -> {
                ShardCommandSender sender = sender(at);
                sender.acknowledge(queue, to, sequence, sequence);
                sender.flush();
              });
    }

    @Override
    public void moved(Consumer gone) {
      at.broker
          .shards()
          .get(0)
          .execute(() -> successor = new Member(at, name, arguments, received));
    }

    @Override
    public void cancelled(Consumer gone) {}
  }

  // What goes with the queue

  @Test
  void scheduledMessagesArriveAtTheirTime() {
    declare(FieldTable.builder());
    assertThat(publish(first, NumberedMessage.of(1, true, Message.NO_TTL, 0), 10_000)).isTrue();
    assertThat(publish(third, NumberedMessage.of(2, true, Message.NO_TTL, 0), 20_000)).isTrue();
    pass(3_000);
    move(second);
    assertThat(snapshot().scheduled().messages()).isEqualTo(2);
    passUntil(9_995);
    assertThat(take()).isEqualTo(-1);
    passUntil(10_005);
    assertThat(take()).isEqualTo(1);
    move(third);
    passUntil(19_995);
    assertThat(take()).isEqualTo(-1);
    passUntil(20_005);
    assertThat(take()).isEqualTo(2);
  }

  @Test
  void deadLettersThatWaitArriveWhenTheirTargetTakesThem() {
    declare(third, OTHER, with("x-max-length", 1).put("x-overflow", "reject-publish").build());
    declare(
        with("x-dead-letter-exchange", "")
            .put("x-dead-letter-routing-key", OTHER)
            .put("x-message-ttl", 10));
    publish(first, 1);
    pass(20);
    publish(first, 2);
    publish(first, 3);
    pass(20);
    assertThat(snapshot().waiting().messages()).isEqualTo(2);
    move(second);
    assertThat(snapshot().waiting().messages()).isEqualTo(2);
    for (int number = 1; number <= 3; number++) {
      GetResult got = get(OTHER, false);
      assertThat(got).as("dead letter %d", number).isNotNull();
      assertThat(NumberedMessage.numberOf(got.message())).isEqualTo(number);
      pass(LONGEST_MILLIS);
    }
    assertThat(snapshot().waiting().messages()).isZero();
  }

  @Test
  void retriesKeepTheirDelayAndTheirNumber() {
    declare(with("x-delayed-retry-type", "all").put("x-delayed-retry-min", 10_000));
    publish(first, 1);
    assertThat(takeAndReturn()).isTrue();
    long returned = elapsed;
    pass(2_000);
    move(second);
    passUntil(returned + 9_995);
    assertThat(takeAndReturn()).isFalse();
    passUntil(returned + 10_005);
    assertThat(takeAndReturn()).isTrue();
    returned = elapsed;
    move(third);
    passUntil(returned + 19_995);
    assertThat(takeAndReturn()).isFalse();
    passUntil(returned + 20_005);
    assertThat(take()).isEqualTo(1);
  }

  @Test
  void messagesGoOnInTheOrderOfTheirPriorities() {
    declare(with("x-max-priority", 5));
    for (int number = 0; number < 12; number++) {
      publish(first, withPriority(number, number % 3), 0);
    }
    move(second);
    publish(first, withPriority(12, 1), 0);
    assertThat(takeAll()).containsExactly(2, 5, 8, 11, 1, 4, 7, 10, 12, 0, 3, 6, 9);
  }

  @Test
  void singleActiveConsumerAndItsSuccessorsStay() {
    declare(FieldTable.builder().put("x-single-active-consumer", true));
    Member active = new Member(third, "active", FieldTable.EMPTY);
    settle();
    Member next = new Member(first, "next", FieldTable.EMPTY);
    settle();
    Member last = new Member(second, "last", FieldTable.EMPTY);
    settle();
    publish(first, 1);
    move(second);
    pass(100);
    publish(first, 2);
    pass(100);
    active.cancel();
    publish(first, 3);
    pass(100);
    move(third);
    pass(100);
    publish(first, 4);
    pass(100);
    next.cancel();
    publish(first, 5);
    pass(100);
    assertThat(active.received).containsExactly(1, 2);
    assertThat(next.received).containsExactly(3, 4);
    assertThat(last.received).containsExactly(5);
  }

  @Test
  void singleActiveConsumerStaysWhateverJoinedBeforeIt() {
    declare(FieldTable.builder().put("x-single-active-consumer", true));
    Member gone = new Member(third, "gone", FieldTable.EMPTY);
    settle();
    Member low = new Member(first, "low", FieldTable.EMPTY);
    settle();
    Member high = new Member(second, "high", with("x-priority", 5).build());
    settle();
    gone.cancel();
    pass(100);
    move(second);
    pass(100);
    publish(first, 1);
    pass(100);
    assertThat(high.received).containsExactly(1);
    assertThat(low.received).isEmpty();
  }

  @Test
  void consumersKeepTheirPriorities() {
    declare(FieldTable.builder());
    Member low = new Member(first, "low", FieldTable.EMPTY);
    Member high = new Member(third, "high", with("x-priority", 5).build());
    settle();
    move(second);
    pass(100);
    for (int number = 1; number <= 5; number++) {
      publish(first, number);
      pass(100);
    }
    assertThat(high.received).containsExactly(1, 2, 3, 4, 5);
    assertThat(low.received).isEmpty();
  }

  @Test
  void leaseEndsWhenItWouldHaveEnded() {
    declare(with("x-expires", 10_000));
    pass(1_000);
    get(QUEUE, false);
    long used = elapsed;
    pass(4_000);
    move(second);
    pass(1_000);
    move(third);
    passUntil(used + 9_995);
    cluster.nodes.forEach(node -> assertThat(queue(node, QUEUE)).isNotNull());
    passUntil(used + 10_005);
    cluster.nodes.forEach(node -> assertThat(queue(node, QUEUE)).isNull());
  }

  @Test
  void leaseDoesNotRunBecauseOfAMoveWhileThereAreConsumers() {
    declare(with("x-expires", 1_000));
    Member consumer = new Member(third, "consumer", FieldTable.EMPTY);
    pass(5_000);
    move(second);
    pass(5_000);
    publish(first, 1);
    pass(100);
    assertThat(consumer.received).containsExactly(1);
    consumer.cancel();
    pass(900);
    assertThat(queue(first, QUEUE)).isNotNull();
    pass(200);
    assertThat(queue(first, QUEUE)).isNull();
  }

  @Test
  void messagesExpireAtTheirDeadlines() {
    declare(with("x-message-ttl", 30_000));
    publish(first, 1);
    publish(first, NumberedMessage.of(2, true, 10_000, 0), 0);
    publish(third, 3);
    pass(2_000);
    move(second);
    passUntil(9_995);
    assertThat(snapshot().totals().ready()).isEqualTo(3);
    passUntil(10_005);
    assertThat(snapshot().totals().ready()).isEqualTo(2);
    move(third);
    passUntil(29_995);
    assertThat(snapshot().totals().ready()).isEqualTo(2);
    passUntil(30_005);
    assertThat(snapshot().totals().ready()).isZero();
  }

  /** It stood still before the first move, does so during it, and goes on before the second. */
  @Test
  void timeThatStoodStillIsNotCounted() {
    declare(with("x-message-ttl", 3_000));
    publish(first, 1);
    publish(first, NumberedMessage.of(2, true, 1_000, 0), 0);
    stop();
    passUntil(2_000);
    goOn();
    publish(third, 3);
    passUntil(2_500);
    stop();
    passUntil(6_000);
    move(second);
    passUntil(12_000);
    assertThat(snapshot().totals().ready()).isEqualTo(3);
    goOn();
    long later = elapsed - 2_500;
    move(third);
    passUntil(2_990 + later);
    assertThat(snapshot().totals().ready()).isEqualTo(3);
    passUntil(3_010 + later);
    assertThat(snapshot().totals().ready()).isEqualTo(2);
    passUntil(4_990 + later);
    assertThat(snapshot().totals().ready()).isEqualTo(2);
    passUntil(5_010 + later);
    assertThat(snapshot().totals().ready()).isZero();
  }

  private void stop() {
    await(vhost(home()).policies().set(QueuePause.of(QUEUE, Pause.DELIVERIES, PauseTtl.STOP)));
  }

  private void goOn() {
    await(vhost(home()).policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(QUEUE)));
  }

  @Test
  void fullQueueIsStillFull() {
    declare(with("x-max-length", 3).put("x-overflow", "reject-publish"));
    for (int number = 1; number <= 3; number++) {
      assertThat(publish(third, number)).isTrue();
    }
    assertThat(publish(third, 4)).isFalse();
    move(second);
    assertThat(publish(third, 5)).isFalse();
    assertThat(take()).isEqualTo(1);
    assertThat(publish(third, 6)).isTrue();
    assertThat(publish(third, 7)).isFalse();
    assertThat(takeAll()).containsExactly(2, 3, 6);
  }

  @Test
  void publishersThatWaitFollowTheQueue() {
    declare(with("x-max-length", 1).put("x-overflow", "block").put("x-block-timeout", "1h"));
    assertThat(publish(first, 1)).isTrue();
    List<Integer> entered = new ArrayList<>();
    run(
        first,
        () -> {
          ShardCommandSender sender = sender(first);
          for (int number = 2; number <= 4; number++) {
            sender.publish(
                queue(first, QUEUE),
                NumberedMessage.of(number, true, Message.NO_TTL, 0),
                (sequence, taken) -> entered.add(taken ? (int) sequence : -1),
                number);
          }
          sender.flush();
        });
    settle();
    move(second);
    assertThat(entered).isEmpty();
    assertThat(take()).isEqualTo(1);
    pass(1_000);
    assertThat(entered).containsExactly(2);
    assertThat(take()).isEqualTo(2);
    pass(1_000);
    move(first);
    assertThat(take()).isEqualTo(3);
    pass(1_000);
    assertThat(take()).isEqualTo(4);
    assertThat(entered).containsExactly(2, 3, 4);
  }

  @Test
  void fullQueueGoesOnDroppingItsHead() {
    declare(with("x-max-length", 2));
    IntStream.rangeClosed(1, 3).forEach(number -> publish(first, number));
    move(second);
    publish(first, 4);
    assertThat(takeAll()).containsExactly(3, 4);
  }

  // What happens meanwhile

  @Test
  void queueStaysIfTheDiskOfItsNewNodeIsFull() {
    declare(FieldTable.builder());
    IntStream.range(0, 50)
        .forEach(
            number -> publish(first, NumberedMessage.of(number, true, Message.NO_TTL, 1_000), 0));
    second.fillDisk(10_000);
    CompletableFuture<Void> moved = beginMove(second);
    pass(LONGEST_MILLIS);
    assertThat(moved).isCompletedExceptionally();
    assertThat(home()).isSameAs(first);
    assertThat(vhost(third).isMoving(QUEUE)).isFalse();
    assertThat(publish(third, 50)).isTrue();
    assertThat(take()).isZero();

    second.fillDisk(Long.MAX_VALUE);
    pass(LONGEST_MILLIS);
    move(second);
    assertThat(takeAll()).isEqualTo(IntStream.rangeClosed(1, 50).boxed().toList());
  }

  /**
   * Something happens after more and more steps of a move, each time on a cluster that begins anew.
   *
   * @return how many of the moves were made
   */
  private int atEachStep(Runnable prepare, Supplier<CompletableFuture<?>> what, Runnable check) {
    int made = 0;
    for (int time = 0; time < TIMES; time++) {
      int steps = time * STEPS_APART;
      start();
      random = new Random(time);
      prepare.run();
      CompletableFuture<Void> moved = beginMove(second);
      for (int i = 0; i < steps; i++) {
        cluster.nodes.forEach(node -> node.step(random));
        if (random.nextInt(3) == 0) {
          cluster.commit(random);
          cluster.nodes.forEach(node -> node.loops.clock().advance(1));
          elapsed++;
        }
      }
      await(what.get().exceptionally(refused -> null));
      pass(LONGEST_MILLIS / 4);
      assertThat(moved).as("after %d steps", steps).isDone();
      made += moved.isCompletedExceptionally() ? 0 : 1;
      check.run();
      cluster.nodes.forEach(node -> node.faults.assertNone());
    }
    return made;
  }

  private void restart(Node node) {
    node.crash(random);
    links.restarted(node);
    pass(LONGEST_MILLIS / 10);
  }

  @Test
  void queueIsDeletedMeanwhile() {
    int made =
        atEachStep(
            () -> {
              declare(FieldTable.builder());
              IntStream.range(0, 10).forEach(number -> publish(first, number));
            },
            () -> vhost(third).deleteQueue(QUEUE, connection, false, false),
            this::checkDeleted);
    // What asks for a deletion waits while the queue hands out nothing.
    assertThat(made).isPositive();
  }

  private void checkDeleted() {
    cluster.nodes.forEach(node -> assertThat(queue(node, QUEUE)).isNull());
    cluster.nodes.forEach(this::restart);
    cluster.nodes.forEach(node -> assertThat(queue(node, QUEUE)).isNull());
    declare(FieldTable.builder());
    assertThat(take()).isEqualTo(-1);
  }

  /** As when the node of the queue is forgotten: the queue is deleted without asking there. */
  @Test
  void queueEndsWithItsNodeMeanwhile() {
    int made =
        atEachStep(
            () -> {
              declare(FieldTable.builder());
              IntStream.range(0, 10).forEach(number -> publish(first, number));
            },
            () -> {
              long id = queue(third, QUEUE).id();
              return third
                  .propose(
                      List.of(new QueueIs(VHOST, QUEUE, id), new QueueDeleted(VHOST, QUEUE)), null)
                  .exceptionallyCompose(
                      // It has moved by now: it is not of that node any more.
                      undone ->
                          vhost(third)
                              .deleteQueue(QUEUE, connection, false, false)
                              .thenApply(count -> null));
            },
            this::checkDeleted);
    assertThat(made).as("some are deleted before, some after the move").isBetween(1, TIMES - 1);
  }

  @Test
  void policyIsSetMeanwhile() {
    int made =
        atEachStep(
            () -> {
              declare(FieldTable.builder());
              IntStream.range(0, 10).forEach(number -> publish(first, number));
            },
            () ->
                vhost(third)
                    .policies()
                    .set(
                        Policy.parse(
                            PolicyKind.POLICY,
                            "short",
                            Map.of("pattern", ".*", "definition", Map.of("max-length", 3)))),
            () -> assertThat(takeAll()).containsExactly(7, 8, 9));
    assertThat(made).isEqualTo(TIMES);
  }
}
