package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.metadata.MemoryMetadataLog;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.MemoryHost;
import io.mayflymq.core.store.segment.MemoryDirectory;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** A broker whose metadata are lost, or older than the messages. */
class LostMetadataTest {
  private static TestBroker start(TestBroker before, MemoryHost host, MemoryMetadataLog kept) {
    return before.on(host, kept, before.shards.count(), UnaryOperator.identity());
  }

  private static void assertRefuses(
      TestBroker before, MemoryHost host, MemoryMetadataLog kept, String... named) {
    Map<String, Map<String, Integer>> files = files(host);
    assertThatThrownBy(() -> start(before, host, kept))
        .isInstanceOf(StoreException.class)
        .hasMessageContainingAll(named);
    assertThat(files(host)).as("what a refused start has left").isEqualTo(files);
  }

  private static Map<String, Map<String, Integer>> files(MemoryHost host) {
    Map<String, Map<String, Integer>> files = new TreeMap<>();
    host.list().forEach(name -> files.put(name, host.directory(name).sizes()));
    return files;
  }

  @Test
  void olderMetadataPreventTheStartUntilLossIsAccepted() {
    TestBroker broker = TestBroker.of(2);
    broker.declare("old");
    MemoryMetadataLog backup = broker.metadata.afterCrash();
    broker.declare("new");
    broker.publish("old", 1, 2);
    broker.publish("new", 3, 4, 5);
    MemoryHost host = broker.host.afterPowerLoss(new Random(1), 0);

    assertRefuses(broker, host, backup.afterCrash(), "queue 'new' in vhost '/' (3 messages)");

    host.acceptLoss(true);
    TestBroker accepted = start(broker, host, backup.afterCrash());
    assertThat(accepted.drain("new")).containsExactly(3, 4, 5);
    accepted.publish("new", 6);
    TestBroker again = accepted.afterKill();
    assertThat(again.drain("new")).containsExactly(6);
    assertThat(again.drain("old")).containsExactly(1, 2);
  }

  @Test
  void queuesWithoutMetadataAreAdoptedAlsoOnFewerShards() {
    TestBroker broker = TestBroker.of(3);
    for (int i = 0; i < 6; i++) {
      broker.declare("q" + i);
      broker.publish("q" + i, i * 10, i * 10 + 1);
    }
    MemoryHost host = broker.host.afterPowerLoss(new Random(1), 0);
    assertRefuses(broker, host, new MemoryMetadataLog(), "'q0'", "'q5'");
    host.acceptLoss(true);
    TestBroker accepted = broker.on(host, new MemoryMetadataLog(), 1, UnaryOperator.identity());
    for (int i = 0; i < 6; i++) {
      assertThat(accepted.drain("q" + i)).containsExactly(i * 10, i * 10 + 1);
    }
    assertThat(accepted.queue("q0").definition().durable()).isTrue();
    // No id is given out twice.
    accepted.declare("another");
    assertThat(accepted.drain("another")).isEmpty();
  }

  /** A deletion is safe before the messages leave the log: a crash in between is no loss. */
  @Test
  void crashDuringAQueueDeletionNeitherPreventsTheStartNorAdoptsTheQueue() {
    TestBroker broker = TestBroker.of(1);
    broker.declare("stays");
    broker.declare("goes");
    broker.publish("stays", 1);
    broker.publish("goes", 2, 3);
    List<MemoryHost> hosts = new ArrayList<>();
    List<MemoryMetadataLog> metadata = new ArrayList<>();
    Runnable watcher =
        () -> {
          hosts.add(broker.host.afterKill());
          metadata.add(broker.metadata.afterCrash());
        };
    broker.host.beforeChange(watcher);
    broker.metadata.beforeChange(watcher);
    broker.delete("goes");
    broker.publish("stays", 4);
    broker.advance(2100);
    watcher.run();
    broker.host.beforeChange(() -> {});
    broker.metadata.beforeChange(() -> {});
    assertThat(hosts).hasSizeGreaterThan(3);
    int gone = 0;
    for (int i = 0; i < hosts.size(); i++) {
      TestBroker after = start(broker, hosts.get(i), metadata.get(i));
      assertThat(after.drain("stays")).startsWith(1);
      gone += after.queue("goes") == null ? 1 : 0;
    }
    assertThat(gone).isPositive();
  }

  @Test
  void adoptedQueueThatIsDeletedIsNotAdoptedAgain() {
    TestBroker broker = TestBroker.of(1);
    broker.declare("q");
    broker.declare("other");
    broker.publish("q", 1);
    broker.publish("other", 2);
    MemoryHost host = broker.host.afterKill();
    host.acceptLoss(true);
    TestBroker accepted = start(broker, host, new MemoryMetadataLog());
    // Metadata know of the deletion and the log does not yet.
    MemoryHost before = accepted.host.afterKill();
    accepted.delete("q");
    TestBroker after = start(accepted, before, accepted.metadata.afterCrash());
    assertThat(after.queue("q")).isNull();
    assertThat(after.drain("other")).containsExactly(2);
  }

  @Test
  void adoptedQueueDoesNotReplaceAQueueOfTheSameName() {
    TestBroker broker = TestBroker.of(1);
    broker.declare("q");
    broker.publish("q", 1);
    MemoryMetadataLog backup = broker.metadata.afterCrash();
    broker.delete("q");
    broker.declare("q");
    broker.publish("q", 2);
    MemoryHost host = broker.host.afterKill();
    host.acceptLoss(true);
    TestBroker accepted = start(broker, host, backup);
    assertThat(accepted.drain("q.orphan-2")).containsExactly(2);
  }

  /** As in the log of an older version, or when the note is damaged. */
  @Test
  void queueWithoutAKnownNameIsAdoptedUnderItsNumber() {
    TestBroker broker = TestBroker.of(1);
    broker.declare("lost name");
    broker.publish("lost name", 1);
    broker.advance(2100);
    MemoryHost host = broker.host.afterKill();
    MemoryDirectory files = host.directory("shard-0");
    byte[] bytes = files.files().get("0000000001.log").clone();
    bytes[1024 + 30] ^= 1;
    files.put("0000000001.log", bytes);
    assertRefuses(broker, host, new MemoryMetadataLog(), "id 1", "(1 messages)");
    host.acceptLoss(true);
    assertThat(start(broker, host, new MemoryMetadataLog()).drain("orphan-1")).containsExactly(1);
  }

  @Test
  void adoptedQueueHasItsScheduledMessages() {
    TestBroker broker = TestBroker.of(1);
    Queue queue = broker.declare("q");
    long due = broker.loops.clock().millis() + 60_000;
    broker.on(0, () -> broker.commands(0).schedule(queue, TestBroker.message(7), due, null, 7));
    broker.trimMemory();
    MemoryHost host = broker.host.afterKill();
    host.acceptLoss(true);
    TestBroker accepted = start(broker, host, new MemoryMetadataLog());
    assertThat(accepted.ready("q")).isZero();
    accepted.advance(61_000);
    assertThat(accepted.drain("q")).containsExactly(7);
  }

  /**
   * Messages arrive and leave on three shards, the machine dies, metadata are lost or older, one
   * byte has changed and there are fewer shards: one message at most is lost, all others are in a
   * queue.
   */
  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  void damageAndLostMetadataTogetherLoseOneMessageAtMost(@ForAll long seed) {
    Random random = new Random(seed);
    TestBroker broker = TestBroker.of(1 + random.nextInt(3));
    TreeMap<Integer, String> confirmed = new TreeMap<>();
    MemoryMetadataLog backup = new MemoryMetadataLog();
    List<String> queues = new ArrayList<>();
    for (int step = 0; step < 40; step++) {
      switch (random.nextInt(8)) {
        case 0 -> {
          queues.add("q" + step);
          broker.declare("q" + step);
        }
        case 1 -> backup = random.nextInt(3) == 0 ? broker.metadata.afterCrash() : backup;
        case 2 -> takeSome(broker, queues, confirmed, random);
        default -> publishSome(broker, queues, confirmed, random, step);
      }
    }
    broker.advance(2100);
    MemoryHost host =
        random.nextBoolean() ? broker.host.afterKill() : broker.host.afterPowerLoss(random, 0.5);
    host.acceptLoss(true);
    boolean damaged = random.nextBoolean() && damage(host, random);
    int shards = 1 + random.nextInt(3);
    TestBroker after = broker.on(host, backup, shards, UnaryOperator.identity());
    after.expectFaults(Throwable.class);
    TreeMap<Integer, String> found = new TreeMap<>();
    for (Queue queue : after.vhost.routing().queues()) {
      after.drain(queue.name()).forEach(number -> found.put(number, queue.name()));
    }
    List<Integer> missing = new ArrayList<>(confirmed.keySet());
    missing.removeAll(found.keySet());
    assertThat(missing).as("lost").hasSizeLessThanOrEqualTo(damaged ? 1 : 0);
    if (!damaged) {
      assertThat(found).isEqualTo(confirmed);
    }
  }

  private static void publishSome(
      TestBroker broker,
      List<String> queues,
      Map<Integer, String> confirmed,
      Random random,
      int step) {
    if (!queues.isEmpty()) {
      String queue = queues.get(random.nextInt(queues.size()));
      for (int i = 0; i < 1 + random.nextInt(8); i++) {
        broker.publish(queue, step * 100 + i);
        confirmed.put(step * 100 + i, queue);
      }
    }
  }

  private static void takeSome(
      TestBroker broker, List<String> queues, Map<Integer, String> confirmed, Random random) {
    if (!queues.isEmpty()) {
      String queue = queues.get(random.nextInt(queues.size()));
      for (int i = 0; i < random.nextInt(6) && broker.ready(queue) > 0; i++) {
        var fetched = broker.fetch(queue);
        broker.settling(
            Settlement.ACKNOWLEDGE,
            broker.queue(queue),
            TestBroker.getter(),
            fetched.sequence(),
            fetched.sequence());
        broker.advance(300);
        confirmed.remove(TestBroker.numberOf(fetched.message()));
      }
    }
  }

  private static boolean damage(MemoryHost host, Random random) {
    List<String> shards = host.list().stream().filter(name -> name.startsWith("shard-")).toList();
    MemoryDirectory files = host.directory(shards.get(random.nextInt(shards.size())));
    List<String> logs = files.list().stream().filter(name -> name.endsWith(".log")).toList();
    if (logs.isEmpty()) {
      return false;
    }
    String name = logs.get(random.nextInt(logs.size()));
    byte[] bytes = files.files().get(name).clone();
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    files.put(name, bytes);
    return true;
  }
}
