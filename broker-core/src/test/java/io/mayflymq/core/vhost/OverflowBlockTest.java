package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.Int64Header;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers that wait for room in a full queue. */
class OverflowBlockTest {
  private static final int SHARDS = 3;
  private static final int TIMEOUT = 1_000;

  private final TestBroker broker = TestBroker.of(SHARDS);
  private final Map<Integer, Boolean> outcomes = new TreeMap<>();

  private static FieldTable.Builder blocking(int length) {
    return FieldTable.builder()
        .put("x-max-length", length)
        .put("x-overflow", "block")
        .put("x-block-timeout", TIMEOUT);
  }

  private void publish(int loop, String queue, Message message) {
    int number = TestBroker.numberOf(message);
    broker.on(
        loop,
        () ->
            broker
                .commands(loop)
                .publish(
                    broker.queue(queue),
                    message,
                    (sequence, accepted) -> {
                      assertThat(outcomes).as("once").doesNotContainKey((int) sequence);
                      outcomes.put((int) sequence, accepted);
                    },
                    number));
  }

  private void publish(int loop, String queue, int... numbers) {
    for (int number : numbers) {
      publish(loop, queue, TestBroker.message(number));
    }
    broker.trimMemory();
  }

  @Test
  void publishersEnterInOrderAsSoonAsThereIsRoom() {
    broker.declareOn(0, "q", blocking(2).build());
    publish(1, "q", 1, 2, 3);
    publish(2, "q", 4);
    assertThat(broker.ready("q")).isEqualTo(2);
    assertThat(outcomes).containsOnlyKeys(1, 2);
    assertThat(broker.commands(1).fullQueue()).isSameAs(broker.queue("q"));
    GetResult first = broker.fetch("q");
    assertThat(TestBroker.numberOf(first.message())).isEqualTo(1);
    assertThat(outcomes).containsOnlyKeys(1, 2, 3);
    assertThat(broker.commands(1).fullQueue()).isNull();
    assertThat(broker.drain("q")).containsExactly(2, 3, 4);
    assertThat(outcomes).containsOnlyKeys(1, 2, 3, 4).doesNotContainValue(false);
    assertThat(broker.commands(2).isSettled()).isTrue();
  }

  @Test
  void oneThatHasWaitedForTooLongIsRefused() {
    broker.declareOn(0, "q", blocking(1).build());
    publish(1, "q", 1, 2);
    broker.advance(TIMEOUT - 1);
    assertThat(outcomes).containsOnlyKeys(1);
    broker.advance(2);
    assertThat(outcomes).containsEntry(2, false);
    assertThat(broker.drain("q")).containsExactly(1);
    assertThat(broker.commands(1).bytesUnderWay()).isZero();
  }

  @Test
  void whatNeverFitsIsRefusedAtOnce() {
    broker.declareOn(0, "none", blocking(0).build());
    broker.declareOn(
        0,
        "small",
        FieldTable.builder().put("x-max-length-bytes", 100).put("x-overflow", "block").build());
    publish(1, "none", 1);
    publish(1, "small", TestBroker.message(2, true, Message.NO_TTL, 200));
    broker.trimMemory();
    assertThat(outcomes).containsEntry(1, false).containsEntry(2, false);
  }

  /** It does not count for the limit, so it is no matter that others wait for room. */
  @Test
  void whatWaitsForItsTimeNeedsNoRoom() {
    broker.declareOn(0, "q", blocking(1).put("x-deliver-at-header", "at").build());
    Message scheduled =
        TestBroker.message(9).with(new Int64Header("at"), broker.clock().millis() + 60_000);
    publish(1, "q", 1);
    publish(2, "q", scheduled);
    broker.trimMemory();
    assertThat(outcomes).containsOnlyKeys(1, 9);
    broker.on(
        2,
        () -> {
          publish(2, "q", TestBroker.message(2));
          publish(2, "q", TestBroker.message(8).with(new Int64Header("at"), Long.MAX_VALUE / 2));
          publish(
              2,
              "q",
              TestBroker.message(10).with(new Int64Header("at"), broker.clock().millis() + 60_000));
        });
    broker.trimMemory();
    assertThat(outcomes).as("too far away is not waited for").containsOnlyKeys(1, 9, 10);
    assertThat(broker.drain("q")).containsExactly(1, 2, 8);
    broker.advance(60_000);
    assertThat(broker.drain("q")).containsExactly(9, 10);
    assertThat(outcomes).doesNotContainValue(false);
  }

  @Test
  void smallMessagesDoNotOvertakeALargeOne() {
    broker.declareOn(
        0,
        "q",
        FieldTable.builder().put("x-max-length-bytes", 300).put("x-overflow", "block").build());
    publish(1, "q", TestBroker.message(1, true, Message.NO_TTL, 200));
    publish(1, "q", TestBroker.message(2, true, Message.NO_TTL, 200));
    publish(1, "q", TestBroker.message(3, true, Message.NO_TTL, 0));
    broker.trimMemory();
    assertThat(broker.ready("q")).isEqualTo(1);
    assertThat(broker.drain("q")).containsExactly(1, 2, 3);
  }

  @Test
  void fullQueueHoldsUpNothingElseOfTheConnection() {
    broker.declareOn(0, "q", blocking(1).build());
    broker.declareOn(0, "other");
    publish(0, "q", 1);
    GetResult held = broker.fetch("q");
    publish(0, "q", 2);
    broker.on(
        0,
        () -> {
          publish(0, "q", TestBroker.message(3));
          publish(0, "other", TestBroker.message(4));
        });
    broker.trimMemory();
    assertThat(outcomes).containsOnlyKeys(1, 2, 4);
    broker.settling(
        Settlement.REQUEUE,
        broker.queue("q"),
        TestBroker.getter(),
        held.sequence(),
        held.sequence());
    broker.trimMemory();
    assertThat(broker.ready("q")).as("what is returned enters over the limit").isEqualTo(2);
    assertThat(broker.drain("q")).containsExactly(1, 2, 3);
  }

  @Test
  void unacknowledgedOnesCountIfTheScopeSaysSo() {
    broker.declareOn(0, "q", blocking(1).put("x-max-length-scope", "total").build());
    publish(1, "q", 1, 2);
    GetResult held = broker.fetch("q");
    assertThat(broker.ready("q")).isZero();
    broker.settling(
        Settlement.ACKNOWLEDGE,
        broker.queue("q"),
        TestBroker.getter(),
        held.sequence(),
        held.sequence());
    broker.trimMemory();
    assertThat(broker.drain("q")).containsExactly(2);
  }

  /** Two full queues that dead-letter to each other, on one shard and on two. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void cycleOfFullQueuesDoesNotWaitForItself(int shard) {
    broker.declareOn(0, "a", with(blocking(2), "b"));
    broker.declareOn(shard, "b", with(blocking(2), "a"));
    publish(2, "a", 1, 2, 3);
    publish(2, "b", 11, 12, 13);
    for (int round = 0; round < 2; round++) {
      for (String queue : List.of("a", "b")) {
        GetResult taken = broker.fetch(queue);
        broker.settling(
            Settlement.REJECT,
            broker.queue(queue),
            TestBroker.getter(),
            taken.sequence(),
            taken.sequence());
        broker.trimMemory();
      }
    }
    assertThat(broker.commands(2).isSettled()).isFalse();
    List<Integer> all = new ArrayList<>();
    while (broker.ready("a") + broker.ready("b") > 0) {
      all.addAll(broker.drain("a"));
      all.addAll(broker.drain("b"));
    }
    assertThat(all).containsExactlyInAnyOrder(1, 2, 3, 11, 12, 13);
    assertThat(outcomes).hasSize(6).doesNotContainValue(false);
  }

  private static FieldTable with(FieldTable.Builder arguments, String target) {
    return arguments
        .put("x-dead-letter-exchange", "")
        .put("x-dead-letter-routing-key", target)
        .build();
  }

  @Test
  void scheduledMessagesEnterOverTheLimitWhenTheyAreDue() {
    broker.declareOn(0, "q", blocking(1).build());
    long due = broker.clock().millis() + 100;
    broker.on(
        0,
        () ->
            broker
                .commands(0)
                .schedule(broker.queue("q"), TestBroker.message(2), due, (s, accepted) -> {}, 2));
    publish(1, "q", 1);
    broker.advance(150);
    assertThat(broker.drain("q")).containsExactly(1, 2);
  }

  @Test
  void deletedQueueLetsGoOfItsPublishers() {
    broker.declareOn(0, "q", blocking(1).build());
    publish(1, "q", 1, 2);
    broker.delete("q");
    broker.trimMemory();
    assertThat(outcomes).containsOnlyKeys(1, 2);
    assertThat(broker.commands(1).fullQueue()).isNull();
  }

  @Test
  void purgeMakesRoom() {
    broker.declareOn(0, "q", blocking(2).build());
    publish(1, "q", 1, 2, 3, 4, 5);
    broker.purge("q");
    broker.trimMemory();
    assertThat(outcomes).containsOnlyKeys(1, 2, 3, 4);
    assertThat(broker.drain("q")).containsExactly(3, 4, 5);
  }

  @Test
  void changedPolicyCountsForThoseThatWait() {
    broker.declareOn(
        0,
        "q",
        FieldTable.builder().put("x-overflow", "block").put("x-block-timeout", TIMEOUT).build());
    policy(Map.of("max-length", 1L));
    publish(1, "q", 1, 2, 3);
    assertThat(broker.ready("q")).isEqualTo(1);
    policy(Map.of("max-length", 2L));
    assertThat(broker.ready("q")).isEqualTo(2);
    policy(Map.of("max-length", 2L, "block-timeout", 100L));
    broker.advance(120);
    assertThat(outcomes).containsEntry(3, false);
  }

  @Test
  void nothingThatWaitsEntersAPausedQueue() {
    broker.declareOn(0, "q", blocking(1).build());
    publish(1, "q", 1, 2, 3);
    pause();
    assertThat(broker.drain("q")).containsExactly(1);
    broker.advance(TIMEOUT - 1);
    publish(2, "q", 4);
    assertThat(outcomes).containsOnlyKeys(1);
    broker.advance(2);
    assertThat(outcomes).containsOnlyKeys(1, 2, 3).containsEntry(2, false).containsEntry(3, false);
    resume();
    assertThat(outcomes).containsEntry(4, true);
    assertThat(broker.drain("q")).containsExactly(4);
    assertThat(broker.commands(1).isSettled()).isTrue();
    assertThat(broker.commands(2).isSettled()).isTrue();
  }

  @Test
  void pausedQueueThatIsDeletedLetsGoOfItsPublishers() {
    broker.declareOn(0, "q", blocking(1).build());
    publish(1, "q", 1, 2);
    pause();
    broker.delete("q");
    broker.trimMemory();
    assertThat(outcomes).containsOnlyKeys(1, 2);
  }

  private void pause() {
    broker.vhost.policies().set(QueuePause.of("q", Pause.PUBLISHING, null));
    broker.trimMemory();
  }

  private void resume() {
    broker.vhost.policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf("q"));
    broker.trimMemory();
  }

  private void policy(Map<String, Object> definition) {
    broker.vhost.policies().set(Policy.of(PolicyKind.POLICY, "p", "q", "queues", 0, definition));
    broker.trimMemory();
    broker.advance(1);
  }

  @Test
  void nothingThatWaitsIsThereAfterACrash() {
    broker.declareOn(0, "q", blocking(1).build());
    publish(1, "q", 1, 2);
    assertThat(outcomes).containsOnlyKeys(1);
    assertThat(broker.afterKill().drain("q")).containsExactly(1);
  }

  private static Map<Integer, Boolean> tail(Map<Integer, Boolean> all) {
    Map<Integer, Boolean> last = new TreeMap<>(all);
    last.keySet().removeIf(number -> number < all.size() - 10);
    return last;
  }

  /** A message that waits, in the model. */
  private record Waiting(int number, long since) {}

  /** A message in the queue, in the model. */
  private record Ready(int number, long since) {}

  /** The queue as simply as possible. */
  private static final class Naive {
    final int limit;
    final long ttl;
    final List<Ready> ready = new ArrayList<>();
    final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    final Map<Integer, Boolean> outcomes = new TreeMap<>();
    boolean paused;

    Naive(int limit, long ttl) {
      this.limit = limit;
      this.ttl = ttl;
    }

    /** What is under way when the queue is paused enters, if nothing waits. */
    void publish(int number, long now) {
      boolean held = paused;
      paused &= !waiting.isEmpty();
      waiting.addLast(new Waiting(number, now));
      look(now);
      paused = held;
    }

    void look(long now) {
      if (ttl > 0) {
        ready.removeIf(message -> message.since + ttl < now);
      }
      while (!waiting.isEmpty()) {
        Waiting first = waiting.peekFirst();
        if (ready.size() < limit && !paused) {
          ready.add(new Ready(first.number, now));
          outcomes.put(first.number, true);
        } else if (first.since + TIMEOUT < now) {
          outcomes.put(first.number, false);
        } else {
          return;
        }
        waiting.removeFirst();
      }
    }

    Integer fetch(long now) {
      Integer taken = ready.isEmpty() ? null : ready.remove(0).number;
      look(now);
      return taken;
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 0", "3, 600", "4, 600", "5, 1500", "6, 1500"})
  void randomProgramsDoWhatTheModelDoes(long seed, int ttl) {
    Random random = new Random(seed);
    int limit = 1 + random.nextInt(5);
    FieldTable.Builder arguments = blocking(limit);
    if (ttl > 0) {
      arguments.put("x-message-ttl", ttl);
    }
    broker.declareOn(0, "q", arguments.build());
    Naive naive = new Naive(limit, ttl);
    int number = 0;
    for (int step = 0; step < 1_500; step++) {
      long now = broker.clock().millis();
      if (random.nextInt(20) == 0) {
        naive.paused = !naive.paused;
        if (naive.paused) {
          pause();
        } else {
          resume();
        }
        naive.look(now);
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          int loop = random.nextInt(SHARDS);
          int[] numbers = new int[1 + random.nextInt(4)];
          for (int i = 0; i < numbers.length; i++) {
            numbers[i] = ++number;
            naive.publish(number, now);
          }
          int first = numbers[0];
          broker.on(
              loop,
              () -> {
                for (int i = 0; i < numbers.length; i++) {
                  publish(loop, "q", TestBroker.message(first + i));
                }
              });
          broker.trimMemory();
        }
        case 1, 2 -> {
          Integer expected = naive.fetch(now);
          GetResult taken = broker.fetch("q");
          assertThat(taken == null ? null : TestBroker.numberOf(taken.message()))
              .as("step %d", step)
              .isEqualTo(expected);
        }
        default -> {
          int millis = 1 + random.nextInt(50);
          broker.advance(millis);
          for (long passed = now + 1; passed <= now + millis; passed++) {
            naive.look(passed);
          }
        }
      }
      assertThat(outcomes.equals(naive.outcomes))
          .as("step %d: %s %s", step, tail(outcomes), tail(naive.outcomes))
          .isTrue();
      assertThat(broker.ready("q")).as("step %d", step).isEqualTo(naive.ready.size());
    }
    assertThat(outcomes).containsValue(true).containsValue(false);
  }
}
