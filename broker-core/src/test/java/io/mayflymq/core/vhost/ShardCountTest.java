package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A broker that is started with another number of shards than before. */
class ShardCountTest {
  private static final List<String> QUEUES = List.of("q0", "q1", "q2", "q3");

  /** Four queues on three shards, with ten messages each, of which the first three are settled. */
  private static TestBroker threeShards() {
    TestBroker broker = TestBroker.of(3);
    for (int i = 0; i < QUEUES.size(); i++) {
      broker.declareOn(2 - i % 3, QUEUES.get(i));
      for (int number = 0; number < 10; number++) {
        broker.publish(QUEUES.get(i), i * 100 + number);
      }
      acknowledge(broker, QUEUES.get(i), 3);
    }
    return broker;
  }

  private static void acknowledge(TestBroker broker, String queue, int count) {
    for (int i = 0; i < count; i++) {
      GetResult getResult = broker.fetch(queue);
      long sequence = getResult.sequence();
      broker.settling(
          Settlement.ACKNOWLEDGE, broker.queue(queue), TestBroker.getter(), sequence, sequence);
    }
    broker.advance(1100);
  }

  private static void assertHas(TestBroker broker, String queue, int firstNumber) {
    int queueNumber = QUEUES.indexOf(queue);
    List<Integer> expected = new ArrayList<>();
    for (int number = firstNumber; number < 10; number++) {
      expected.add(queueNumber * 100 + number);
    }
    assertThat(broker.drain(queue)).as(queue).isEqualTo(expected);
  }

  @Test
  void fewerShardsTakeOverAllQueues() {
    TestBroker two = threeShards().afterPowerLoss(2);

    QUEUES.forEach(queue -> assertThat(two.ready(queue)).isEqualTo(7));
    assertThat(two.host.list()).containsExactlyInAnyOrder("shard-0", "shard-1");
    TestBroker again = two.afterPowerLoss();
    QUEUES.forEach(queue -> assertHas(again, queue, 3));
  }

  @Test
  void moreShardsLeaveQueuesOnTheirShards() {
    TestBroker four = threeShards().afterPowerLoss(4);

    assertThat(QUEUES.stream().map(queue -> four.queue(queue).shard().index()))
        .containsExactly(2, 1, 0, 2);
    QUEUES.forEach(queue -> assertHas(four, queue, 3));
  }

  @Test
  void queueTakenOverKeepsItsRedeliveredFlags() {
    TestBroker three = TestBroker.of(3);
    three.declareOn(2, "q2");
    three.publish("q2", 1, 2, 3);
    three.fetch("q2");
    three.advance(1100);

    TestBroker two = three.afterPowerLoss(2).afterPowerLoss(1);

    assertThat(two.fetch("q2").redelivered()).isTrue();
    assertThat(two.fetch("q2").redelivered()).isFalse();
  }

  /** The rest is taken over, and the log with the damage is kept. */
  @Test
  void damagedMessageDoesNotPreventTheStartWithFewerShards() {
    TestBroker three = threeShards();
    MemoryHost host = three.host.afterPowerLoss(new Random(0), 0);
    byte[] bytes = host.directory("shard-2").files().get("0000000001.log");
    int flipped = find(bytes, 5);
    bytes[flipped] ^= 1;
    TestBroker two = three.on(host, three.metadata.afterCrash(), 2, UnaryOperator.identity());
    assertThat(two.drain("q0")).containsExactly(3, 4, 6, 7, 8, 9);
    assertHas(two, "q1", 3);
    assertHas(two, "q2", 3);
    assertHas(two, "q3", 3);
    assertThat(two.host.list()).containsExactlyInAnyOrder("shard-0", "shard-1", "shard-2.damaged");
    assertThat(two.host.directory("shard-2.damaged").files().get("0000000001.log"))
        .isEqualTo(bytes);
    assertThat(two.afterPowerLoss(2).ready("q0")).isZero();
  }

  /** Where the body of the message with this number begins. */
  private static int find(byte[] bytes, int number) {
    byte[] key = "\3key".getBytes(StandardCharsets.US_ASCII);
    for (int at = 0; at < bytes.length - 30; at++) {
      boolean found = Arrays.equals(bytes, at, at + key.length, key, 0, key.length);
      int body = at + key.length + TestBroker.message(number).propertiesLength();
      if (found && ByteBuffer.wrap(bytes).getInt(body) == number) {
        return body;
      }
    }
    throw new AssertionError("no message " + number);
  }

  /** What a crash leaves at each moment of a start with fewer shards. */
  private record Moment(MemoryHost host, MemoryMetadataLog metadata) {}

  private static List<Moment> momentsOfStart(TestBroker before, int count, boolean power) {
    List<Moment> moments = new ArrayList<>();
    MemoryHost host = before.host.afterPowerLoss(new Random(0), 0);
    MemoryMetadataLog metadata = before.metadata.afterCrash();
    Runnable watcher =
        () ->
            moments.add(
                new Moment(
                    power ? host.afterPowerLoss(new Random(moments.size()), 0.5) : host.afterKill(),
                    metadata.afterCrash()));
    host.beforeChange(watcher);
    metadata.beforeChange(watcher);
    TestBroker started = before.on(host, metadata, count, UnaryOperator.identity());
    started.trimMemory();
    watcher.run();
    host.beforeChange(() -> {});
    metadata.beforeChange(() -> {});
    return moments;
  }

  @Test
  void crashDuringATakeOverLosesAndDuplicatesNothing() {
    TestBroker three = threeShards();
    for (boolean power : new boolean[] {false, true}) {
      List<Moment> moments = momentsOfStart(three, 2, power);
      assertThat(moments).hasSizeGreaterThan(20);
      for (Moment moment : moments) {
        for (int count = 1; count <= 4; count++) {
          MemoryHost host = moment.host.afterKill();
          MemoryMetadataLog metadata = moment.metadata.afterCrash();
          TestBroker after = three.on(host, metadata, count, UnaryOperator.identity());
          QUEUES.forEach(queue -> assertHas(after, queue, 3));
        }
      }
    }
  }

  /** What was settled in between must not come back with a copy that was begun before. */
  @Test
  void crashDuringATakeOverFollowedByTheOldNumberOfShardsRestoresNoSettledMessage() {
    TestBroker three = threeShards();
    for (Moment moment : momentsOfStart(three, 2, false)) {
      TestBroker old = three.on(moment.host, moment.metadata, 3, UnaryOperator.identity());
      QUEUES.forEach(queue -> acknowledge(old, queue, 5));
      TestBroker two = old.afterPowerLoss(2);
      QUEUES.forEach(queue -> assertThat(two.ready(queue)).as(queue).isEqualTo(2));
      TestBroker again = two.afterPowerLoss(3);
      QUEUES.forEach(queue -> assertHas(again, queue, 8));
    }
  }
}
