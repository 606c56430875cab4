package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What one connection does in order it sees in order, also where dead letters go over several
 * shards, whichever of these is fast or slow.
 */
class CommandOrderTest {
  private static final int SHARDS = 4;
  private static final int HOME = 0;
  private static final int ROUNDS = 150;
  private static final int LATER = 99;

  /** What a connection can do that makes a dead letter of message 1. */
  private enum Cause {
    REJECT,
    REQUEUE_OVER_THE_DELIVERY_LIMIT,
    REQUEUE_OF_AN_EXPIRED_MESSAGE,
    PUBLISH_THAT_DROPS_THE_HEAD,
    PUBLISH_THAT_IS_REFUSED,
    PUBLISH_WITHOUT_TIME_TO_LIVE
  }

  /** Queues that send what comes to them on at once. */
  private enum Relay {
    MAX_LENGTH_ZERO,
    TTL_ZERO,
    REFUSES;

    FieldTable.Builder arguments(FieldTable.Builder deadLettering) {
      return switch (this) {
        case MAX_LENGTH_ZERO -> deadLettering.put("x-max-length", 0);
        case TTL_ZERO -> deadLettering.put("x-message-ttl", 0);
        case REFUSES ->
            deadLettering.put("x-max-length", 0).put("x-overflow", "reject-publish-dlx");
      };
    }
  }

  /** A connection that does one thing after the other, and waits where a channel would. */
  private static final class Client {
    private final TestBroker broker;
    private final ShardCommandSender commands;
    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();
    private boolean waits;

    Client(TestBroker broker) {
      this.broker = broker;
      this.commands = broker.commands(HOME);
    }

    void then(Runnable step) {
      steps.add(step);
    }

    void thenAfter(Queue queue, Runnable step) {
      steps.add(
          () -> {
            CompletableFuture<Void> arrival =
                commands.hasCaused() ? commands.arrivalAt(queue) : null;
            if (arrival == null) {
              step.run();
              return;
            }
            waits = true;
            arrival.thenRun(
                () ->
                    broker
                        .shards
                        .get(HOME)
                        .execute(
                            () -> {
                              waits = false;
                              step.run();
                              goOn();
                            }));
          });
    }

    void goOn() {
      while (!waits && !steps.isEmpty()) {
        steps.remove().run();
      }
    }
  }

  private final Random random = new Random(20);
  private TestBroker broker;

  private FieldTable.Builder deadLetteringTo(String target) {
    if (random.nextBoolean()) {
      return TestBroker.deadLetteringTo(target).toBuilder();
    }
    broker.vhost.bind(Binding.toQueue("amq.direct", target, "to " + target), this);
    return FieldTable.builder()
        .put("x-dead-letter-exchange", "amq.direct")
        .put("x-dead-letter-routing-key", "to " + target);
  }

  private int anyShard() {
    return random.nextInt(SHARDS);
  }

  /** Declares the last queue and those before it. @return the first one's target */
  private String chain() {
    broker.declareOn(anyShard(), "last");
    String next = "last";
    for (int i = random.nextInt(3); i > 0; i--) {
      Relay relay = Relay.values()[random.nextInt(Relay.values().length)];
      broker.declareOn(anyShard(), "relay" + i, relay.arguments(deadLetteringTo(next)).build());
      next = "relay" + i;
    }
    return next;
  }

  /** Declares the first queue, and has a client make a dead letter in it. */
  private void cause(Cause cause, Client client) {
    FieldTable.Builder arguments = deadLetteringTo(chain());
    switch (cause) {
      case REJECT, PUBLISH_WITHOUT_TIME_TO_LIVE -> {}
      case REQUEUE_OVER_THE_DELIVERY_LIMIT -> arguments.put("x-delivery-limit", 0);
      case REQUEUE_OF_AN_EXPIRED_MESSAGE -> arguments.put("x-message-ttl", 100);
      case PUBLISH_THAT_DROPS_THE_HEAD -> arguments.put("x-max-length", 1);
      case PUBLISH_THAT_IS_REFUSED ->
          arguments.put("x-max-length", 1).put("x-overflow", "reject-publish-dlx");
    }
    Queue first = broker.declareOn(anyShard(), "first", arguments.build());
    switch (cause) {
      case PUBLISH_WITHOUT_TIME_TO_LIVE ->
          publish(client, first, TestBroker.message(1, true, 0, 0));
      case PUBLISH_THAT_DROPS_THE_HEAD -> {
        broker.publish("first", 1);
        publish(client, first, TestBroker.message(2));
      }
      case PUBLISH_THAT_IS_REFUSED -> {
        broker.publish("first", 2);
        publish(client, first, TestBroker.message(1));
      }
      default -> {
        broker.publish("first", 1);
        long sequence = broker.fetch("first").sequence();
        broker.loops.clock().advance(200);
        Consumer getter = TestBroker.getter();
        client.then(
            () -> {
              if (cause == Cause.REJECT) {
                client.commands.reject(first, getter, sequence, sequence);
              } else {
                client.commands.fail(first, getter, sequence, sequence);
              }
            });
      }
    }
  }

  private static void publish(Client client, Queue queue, Message message) {
    client.thenAfter(queue, () -> client.commands.publish(queue, message, null, 0));
  }

  /** Lets the client begin, then the loops run in an order of no sense. */
  private void run(Client client) {
    broker.on(
        HOME,
        () -> {
          client.goOn();
          client.commands.flush();
        });
    List<Integer> loops = new ArrayList<>(List.of(0, 1, 2, 3));
    boolean ran = true;
    while (ran) {
      ran = false;
      Collections.shuffle(loops, random);
      for (int loop : loops) {
        int steps = random.nextInt(3);
        for (int i = 0; i < steps; i++) {
          broker.loops.get(loop).step();
        }
      }
      for (int loop : loops) {
        ran |= broker.loops.get(loop).waiting() > 0;
      }
    }
    broker.trimMemory();
  }

  @ParameterizedTest
  @EnumSource
  void getReturnsTheDeadLetterCausedByAnEarlierCommand(Cause cause) {
    for (int round = 0; round < ROUNDS; round++) {
      broker = TestBroker.of(SHARDS);
      Client client = new Client(broker);
      cause(cause, client);
      List<CompletableFuture<GetResult>> got = new ArrayList<>();
      Queue last = broker.queue("last");
      client.thenAfter(
          last,
          () -> {
            client.commands.flush();
            got.add(last.requests().fetch(false));
          });
      run(client);
      assertThat(got).as("round %d", round).hasSize(1);
      GetResult getResult = got.get(0).join();
      assertThat(getResult).as("round %d", round).isNotNull();
      assertThat(TestBroker.numberOf(getResult.message())).isOne();
      assertThat(client.commands.arrivalEverywhere()).as("nothing is remembered for ever").isNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void publishedMessageIsBehindTheDeadLetterOfAnEarlierCommand(Cause cause) {
    for (int round = 0; round < ROUNDS; round++) {
      broker = TestBroker.of(SHARDS);
      Client client = new Client(broker);
      cause(cause, client);
      publish(client, broker.queue("last"), TestBroker.message(LATER));
      client.then(client.commands::flush);
      run(client);
      assertThat(broker.drain("last")).as("round %d", round).containsExactly(1, LATER);
    }
  }

  @Test
  void autoDeleteQueueDeadLettersItsMessagesBeforeTheCancelOk() {
    for (int round = 0; round < ROUNDS; round++) {
      broker = TestBroker.of(SHARDS);
      FieldTable arguments =
          deadLetteringTo(chain()).put("x-dead-letter-on", "queue_deleted").build();
      Queue first = null;
      int shard = anyShard();
      while (first == null || first.shard().index() != shard) {
        broker.vhost.declareQueue(
            new QueueDeclaration(
                "first" + (first == null ? "" : first.name()),
                true,
                false,
                true,
                arguments,
                this,
                broker.shards.get(HOME),
                false,
                true));
        broker.trimMemory();
        first = broker.queue("first" + (first == null ? "" : first.name()));
      }
      Queue leaving = first;
      Queue last = broker.queue("last");
      Consumer consumer = broker.consume(leaving.name(), true, 1).consumer;
      broker.publish(leaving.name(), 1);
      List<GetResult> got = new ArrayList<>();
      leaving
          .requests()
          .cancel(consumer)
          .thenRun(() -> last.requests().fetch(false).thenAccept(got::add));
      Client client = new Client(broker);
      run(client);
      broker.advance(1100);
      assertThat(got).as("round %d", round).hasSize(1);
      assertThat(got.get(0)).as("round %d", round).isNotNull();
    }
  }

  @Test
  void onlyTargetsOfPossibleDeadLettersAreWaitedFor() {
    broker = TestBroker.of(SHARDS);
    broker.declareOn(2, "dead");
    broker.declareOn(3, "other");
    broker.declareOn(1, "plain");
    broker.declareOn(1, "dying", TestBroker.deadLetteringTo("dead"));
    ShardCommandSender commands = broker.commands(HOME);
    Consumer getter = TestBroker.getter();
    broker.on(
        HOME,
        () -> {
          commands.reject(broker.queue("plain"), getter, 0, 0);
          commands.acknowledge(broker.queue("dying"), getter, 0, 0);
          commands.publish(broker.queue("dying"), TestBroker.message(1), null, 0);
          assertThat(commands.hasCaused()).as("no dead letter can come of any of these").isFalse();
          commands.reject(broker.queue("dying"), getter, 0, 0);
          assertThat(commands.hasCaused()).isTrue();
          assertThat(commands.arrivalAt(broker.queue("other"))).isNull();
          assertThat(commands.arrivalAt(broker.queue("dying"))).as("the same shard").isNull();
          assertThat(commands.arrivalAt(broker.queue("dead"))).isNotNull();
        });
    broker.trimMemory();
    broker.on(HOME, () -> assertThat(commands.arrivalAt(broker.queue("dead"))).isNull());
    assertThat(commands.hasCaused()).isFalse();
  }
}
