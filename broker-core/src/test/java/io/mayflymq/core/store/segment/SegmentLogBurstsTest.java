package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

/**
 * The log of a replica: whatever crashes and is cut, it has what its queues had at the end of one
 * of its bursts, and of no burst before the last one that was safe, or that it was cut behind.
 */
class SegmentLogBurstsTest {
  enum Action {
    ENQUEUE,
    ENQUEUE_LARGE,
    FAN_OUT,
    SETTLE_FIRST,
    SETTLE_ANY,
    MOVE,
    REMOVE,
    BRING_BACK,
    FORGET,
    DELIVER,
    RETURN,
    APPLY,
    APPLY_PARTLY,
    RESTART_NODE,
    END_BURST,
    LEAD,
    COMMITTED,
    COMMIT,
    FLUSH,
    DISK,
    COMPACT,
    NOTE,
    RESTART,
    KILL,
    POWER_LOSS,
    CUT,
    BROKEN_CUT,
    FULL_DISK,
    ROOM_AGAIN,
    NO_DELETES,
    DELETES
  }

  record Command(Action action, int times, long seed) {}

  /** What a crash may do to a log. */
  private static final List<Damage.Kind> AFTER_CRASH =
      List.of(Damage.Kind.TORN_TAIL, Damage.Kind.INDEX, Damage.Kind.MANIFEST_COPY);

  private static final LogOptions OPTIONS = LogRig.options(Sync.ALWAYS).ofReplica();

  /**
   * What the queues had at the end of a burst.
   *
   * @param made how many bursts had been made before, with those that were undone
   */
  private record Ended(
      int made, BurstId id, EpochHistory history, ReplicaContents contents, ByteBuffer content) {}

  private static final class Rig {
    LogRig rig = new LogRig(new MemoryDirectory(), OPTIONS);
    final List<Ended> ended = new ArrayList<>();
    final Map<QueueKey, Message> contents = new HashMap<>();
    final Map<Long, Long> nextSequences = new HashMap<>();
    long epoch = 1;
    long safe;

    /** What the replicas have agreed on, whether the log remembers that or not. */
    long committed;

    int messages;
    int made;

    /** The links of the nodes that send batches. */
    final List<BatchOrigin> origins = new ArrayList<>();

    /** The highest number that a segment had when the log was cut, and those that it left. */
    int highestAtCut;

    Set<Integer> leftByCut = Set.of();

    Rig() {
      for (int node = 0; node < 3; node++) {
        origins.add(new BatchOrigin(node, new UUID(node, 0)));
      }
      ended.add(new Ended(0, BurstId.NONE, EpochHistory.NONE, ReplicaContents.of(rig), null));
    }

    private Bursts bursts() {
      return rig.log.bursts();
    }

    void run(Command command) {
      Random random = new Random(command.seed);
      switch (command.action) {
        case RESTART -> {
          roomAgain();
          rig.close();
          reopen(rig.directory.afterKill(), Long.MAX_VALUE);
        }
        case KILL -> reopen(rig.directory.afterKill(), Long.MAX_VALUE);
        case POWER_LOSS ->
            reopen(rig.directory.afterPowerLoss(random, random.nextInt(3) / 2.0), Long.MAX_VALUE);
        case CUT -> cut(random, false);
        case BROKEN_CUT -> cut(random, true);
        case FULL_DISK -> rig.directory.fill(random.nextInt(3000));
        case ROOM_AGAIN -> roomAgain();
        case NO_DELETES -> rig.directory.failDeletes(true);
        case DELETES -> rig.directory.failDeletes(false);
        default -> {
          for (int i = 0; i < command.times; i++) {
            step(command.action, random);
          }
        }
      }
      check();
    }

    private void roomAgain() {
      rig.directory.fill(Long.MAX_VALUE);
      rig.log.retry();
      rig.executor.runAll();
    }

    private void step(Action action, Random random) {
      long queue = random.nextInt(3);
      switch (action) {
        case ENQUEUE -> enqueue(queue, random.nextInt(200));
        case ENQUEUE_LARGE -> enqueue(queue, random.nextInt(6000));
        case FAN_OUT -> fanOut(random.nextInt(300));
        case SETTLE_FIRST -> settle(rig.entries.ceilingKey(new QueueKey(queue, 0)));
        case SETTLE_ANY -> settle(any(random));
        case MOVE -> move(any(random), fresh(random.nextInt(3)));
        case REMOVE -> remove(any(random), random.nextInt(3));
        case BRING_BACK -> bringBack(removed(random));
        case FORGET -> {
          if (random.nextInt(20) == 0) {
            rig.forget(queue);
          }
        }
        case DELIVER -> rig.deliver(queue, nextSequences.getOrDefault(queue, 0L));
        case RETURN -> comeBack(any(random), random);
        case APPLY -> rig.apply(origins.get(random.nextInt(3)), 0, LinkBatches.SUCCESS);
        case APPLY_PARTLY -> {
          byte[] outcome = new byte[2 + random.nextInt(500)];
          random.nextBytes(outcome);
          rig.apply(origins.get(random.nextInt(3)), random.nextInt(3), outcome);
        }
        case RESTART_NODE -> {
          int node = random.nextInt(3);
          origins.set(node, new BatchOrigin(node, new UUID(random.nextLong(), made)));
        }
        case END_BURST -> endBurst();
        case LEAD -> {
          epoch += 1 + random.nextInt(3);
          endBurst();
        }
        case COMMITTED -> {
          int open = (int) (bursts().last().number() - committed);
          committed += random.nextBoolean() ? open : random.nextInt(open + 1);
          rig.log.committed(committed);
        }
        case COMMIT -> commit();
        case FLUSH -> rig.log.flush();
        case DISK -> rig.executor.runAll();
        case COMPACT -> rig.log.compact(random.nextInt(3000));
        case NOTE -> rig.log.note(rig.metadata);
        default -> throw new AssertionError(action);
      }
    }

    private QueueKey any(Random random) {
      if (rig.entries.isEmpty()) {
        return null;
      }
      long queue = random.nextInt(3);
      int most = 1 + nextSequences.getOrDefault(queue, 0L).intValue();
      QueueKey key = rig.entries.ceilingKey(new QueueKey(queue, random.nextInt(most)));
      return key == null ? rig.entries.firstKey() : key;
    }

    private QueueKey fresh(long queue) {
      return new QueueKey(queue, nextSequences.merge(queue, 1L, Long::sum) - 1);
    }

    private void enqueue(long queue, int bodyLength) {
      Message message = LogRig.message(messages++, bodyLength);
      QueueKey key = fresh(queue);
      rig.enqueue(queue, key.sequence(), message);
      contents.put(key, message);
    }

    private void fanOut(int bodyLength) {
      Message message = LogRig.message(messages++, bodyLength);
      RecordTargets targets = new RecordTargets();
      List<QueueKey> keys = List.of(fresh(0), fresh(1), fresh(2));
      keys.forEach(key -> targets.add(key.queueId(), key.sequence(), Long.MAX_VALUE, 7));
      long location = rig.log.enqueue(targets, 1000, message);
      keys.forEach(key -> rig.put(key.queueId(), key.sequence(), location, message));
      keys.forEach(key -> contents.put(key, message));
    }

    private void settle(QueueKey key) {
      if (key != null) {
        rig.settle(key.queueId(), key.sequence());
      }
    }

    private void comeBack(QueueKey key, Random random) {
      if (key != null) {
        rig.comeBack(key.queueId(), key.sequence(), ++messages, random.nextInt(1000));
      }
    }

    private void move(QueueKey from, QueueKey to) {
      if (from != null) {
        Message message = contents.get(from);
        rig.move(from, to, message);
        contents.put(to, message);
      }
    }

    private void remove(QueueKey key, long stamp) {
      if (key != null && !StoreIds.isRemoved(key.queueId())) {
        contents.put(rig.remove(key, stamp), contents.get(key));
      }
    }

    private QueueKey removed(Random random) {
      long id = StoreIds.ofRemoved(random.nextInt(3));
      QueueKey key = rig.entries.ceilingKey(new QueueKey(id, random.nextInt(1 + messages)));
      return key == null ? rig.entries.ceilingKey(new QueueKey(StoreIds.ofRemoved(0), 0)) : key;
    }

    private void bringBack(QueueKey key) {
      if (key != null) {
        move(key, new QueueKey(StoreIds.queueOf(key.queueId()), key.sequence()));
      }
    }

    private void endBurst() {
      rig.batches.note(rig.log::applied);
      BurstId id = new BurstId(epoch, bursts().last().number() + 1);
      ByteBuffer content = rig.log.begunBurst(1000 * id.number());
      rig.log.endBurst(id, WireBurst.leaderMillis(content));
      Ended before = ended.get(ended.size() - 1);
      ended.add(new Ended(++made, id, before.history.with(id), ReplicaContents.of(rig), content));
    }

    private void commit() {
      long last = bursts().last().number();
      LogRig committing = rig;
      rig.commit(
          () -> {
            if (rig == committing) {
              safe = Math.max(safe, last);
            }
          },
          () -> {});
    }

    private void cut(Random random, boolean breaks) {
      long upTo = committed + random.nextInt((int) (bursts().last().number() - committed) + 1);
      rig.close();
      boolean blocked = rig.log.state() != LogState.OPEN;
      rig.directory.fill(Long.MAX_VALUE);
      rig.directory.failDeletes(false);
      if (breaks) {
        MemoryDirectory broken = cutPartly(upTo, random.nextInt(12));
        MemoryDirectory after =
            random.nextBoolean()
                ? broken.afterKill()
                : broken.afterPowerLoss(random, random.nextInt(3) / 2.0);
        reopen(after, random.nextBoolean() ? upTo : Long.MAX_VALUE, upTo);
      } else {
        List<Integer> before = segments();
        reopen(rig.directory.afterKill(), upTo, upTo);
        if (!blocked && !before.isEmpty()) {
          highestAtCut = before.get(before.size() - 1);
          leftByCut = Set.copyOf(segments());
        }
      }
    }

    private List<Integer> segments() {
      return SegmentNames.segments(rig.directory.names());
    }

    /** A cut during which the process ends, after so many changes of files. */
    private MemoryDirectory cutPartly(long upTo, int changes) {
      MemoryDirectory broken = rig.directory.afterKill();
      int[] left = {changes};
      broken.beforeChange(
          () -> {
            if (left[0]-- == 0) {
              throw new UncheckedIOException(new IOException("the process ends"));
            }
          });
      try {
        new LogRig(broken, OPTIONS, upTo);
      } catch (UncheckedIOException e) {
        assertThat(e).hasRootCauseMessage("the process ends");
      }
      return broken;
    }

    private void reopen(MemoryDirectory after, long upTo) {
      reopen(after, upTo, Long.MAX_VALUE);
    }

    /**
     * The log is opened again.
     *
     * @param least no later bursts need be there
     */
    private void reopen(MemoryDirectory after, long upTo, long least) {
      rig = new LogRig(after, OPTIONS, upTo);
      assertThat(bursts().last().number()).isLessThanOrEqualTo(upTo);
      verify(least);
    }

    private void verify(long least) {
      long last = bursts().last().number();
      assertThat(last).isBetween(Math.min(safe, least), (long) ended.size() - 1);
      ended.subList((int) last + 1, ended.size()).clear();
      safe = last;
      // A replica may be told that a burst is committed before it has made that burst safe.
      committed = Math.min(committed, last);
      assertThat(bursts().committed()).isLessThanOrEqualTo(committed);
      Ended expected = ended.get((int) last);
      assertThat(bursts().last()).isEqualTo(expected.id);
      assertThat(bursts().history()).isEqualTo(expected.history);
      assertThat(bursts().isOpen()).isFalse();
      ReplicaContents.of(rig).assertEqualTo(expected.contents);
      assertThat(rig.report.damages()).extracting(Damage::kind).isSubsetOf(AFTER_CRASH);
    }

    private void check() {
      rig.entries.forEach(
          (key, stored) ->
              SegmentLogTest.assertSame(
                  rig.read(key.queueId(), key.sequence()), contents.get(key)));
      assertThat(rig.log.usage().liveEntries()).isEqualTo(rig.entries.size());
      assertThat(segments())
          .as("numbers are not used again")
          .allMatch(number -> number > highestAtCut || leftByCut.contains(number));
    }
  }

  @Property(tries = 150)
  void logHasWhatWasThereAtTheEndOfABurst(@ForAll("commands") List<Command> commands) {
    Rig rig = new Rig();
    commands.forEach(rig::run);
    rig.run(new Command(Action.END_BURST, 1, 0));
    rig.run(new Command(Action.RESTART, 1, 0));
  }

  /** The log of a replica that follows the one of a rig. */
  private static final class Follower {
    final Rig leader;
    final Random random;
    LogRig rig = new LogRig(new MemoryDirectory(), OPTIONS);

    /** The bursts that it has. */
    final List<Ended> taken = new ArrayList<>();

    Follower(Rig leader, Random random) {
      this.leader = leader;
      this.random = random;
      taken.add(leader.ended.get(0));
    }

    void step() {
      int common = 0;
      while (common + 1 < Math.min(taken.size(), leader.ended.size())
          && taken.get(common + 1).made == leader.ended.get(common + 1).made) {
        common++;
      }
      if (common < taken.size() - 1) {
        rig.close();
        reopen(rig.directory.afterKill(), common);
      }
      switch (random.nextInt(12)) {
        case 0 -> reopen(rig.directory.afterKill(), Long.MAX_VALUE);
        case 1 ->
            reopen(rig.directory.afterPowerLoss(random, random.nextInt(3) / 2.0), Long.MAX_VALUE);
        case 2, 3 -> rig.executor.runAll();
        case 4 -> rig.safe();
        case 5, 6 -> rig.log.compact(random.nextInt(3000));
        case 7 -> rig.log.committed(Math.min(leader.safe, leader.committed));
        default -> takeSome();
      }
      assertThat(rig.log.usage().liveEntries()).isEqualTo(rig.entries.size());
    }

    private void reopen(MemoryDirectory after, long upTo) {
      rig = new LogRig(after, OPTIONS, upTo);
      int last = (int) rig.log.bursts().last().number();
      assertThat(last)
          .isBetween((int) Math.min(rig.log.bursts().committed(), upTo), taken.size() - 1);
      taken.subList(last + 1, taken.size()).clear();
      assertSame();
    }

    private void takeSome() {
      int most = 1 + random.nextInt(5);
      for (int i = 0; i < most && taken.size() < leader.ended.size(); i++) {
        takeNext(leader.ended.get(taken.size()));
      }
    }

    private void takeNext(Ended next) {
      ByteBuffer content = next.content;
      WireBurst read = leader.rig.log.readBurst(next.id.number());
      if (read == null) {
        assertThat(next.id.number()).isLessThanOrEqualTo(leader.committed);
      } else {
        assertThat(read.id()).isEqualTo(next.id);
        assertThat(read.content()).isEqualTo(content);
      }
      rig.log.take(content, rig);
      rig.log.endBurst(next.id, WireBurst.leaderMillis(content));
      taken.add(next);
      assertSame();
      if (random.nextBoolean()) {
        rig.log.flush();
      }
    }

    private void assertSame() {
      Ended last = taken.get(taken.size() - 1);
      assertThat(rig.log.bursts().last()).isEqualTo(last.id);
      assertThat(rig.log.bursts().history()).isEqualTo(last.history);
      ReplicaContents.of(rig).assertEqualTo(last.contents);
    }

    void end() {
      while (taken.size() < leader.ended.size()) {
        takeSome();
      }
      rig.entries.forEach(
          (key, stored) ->
              SegmentLogTest.assertSame(
                  rig.read(key.queueId(), key.sequence()), leader.contents.get(key)));
    }
  }

  @Property(tries = 150)
  void followerHasWhatItsLeaderHas(@ForAll("commands") List<Command> commands, @ForAll long seed) {
    Rig leader = new Rig();
    Follower follower = new Follower(leader, new Random(seed));
    for (Command command : commands) {
      leader.run(command);
      for (int i = 0; i < 3; i++) {
        follower.step();
      }
    }
    leader.run(new Command(Action.END_BURST, 1, 0));
    follower.step();
    follower.end();
  }

  @Test
  void burstThatHasChangedOnItsWayIsRefused() {
    LogRig leader = new LogRig(new MemoryDirectory(), OPTIONS);
    leader.enqueue(1, 1, LogRig.message(1, 20));
    leader.enqueue(1, 2, LogRig.message(2, 20));
    leader.settle(1, 1);
    ByteBuffer content = leader.log.begunBurst(5);
    LogRig follower = new LogRig(new MemoryDirectory(), OPTIONS);
    for (int i = WireBurst.RECORDS; i < content.limit(); i++) {
      byte before = content.get(i);
      content.put(i, (byte) (before ^ 4));
      assertThatThrownBy(() -> follower.log.take(content, follower))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no record of a burst at");
      content.put(i, before);
    }
    assertThat(follower.entries).isEmpty();
    assertThat(follower.log.bursts().isOpen()).isFalse();
  }

  @Test
  void burstOfWhichAPartHasBeenDeletedIsNotRead() {
    LogRig rig = new LogRig(new MemoryDirectory(), OPTIONS);
    for (int i = 0; i < 60; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.log.endBurst(new BurstId(1, 1), 0);
    for (int i = 0; i < 30; i++) {
      rig.settle(1, i);
    }
    rig.log.endBurst(new BurstId(1, 2), 0);
    rig.safe();
    assertThat(rig.log.readBurst(1)).isNotNull();
    rig.log.committed(2);
    rig.safe();
    assertThat(rig.directory.names())
        .doesNotContain(SegmentNames.log(1))
        .contains(SegmentNames.log(2));
    assertThat(rig.log.readBurst(1)).isNull();
    LogRig again = rig.reopen(OPTIONS);
    assertThat(again.log.readBurst(1)).isNull();
    assertThat(again.log.readBurst(2)).isNotNull();
    assertThat(again.log.readBurst(3)).isNull();
  }

  @Test
  void burstsThatAreReadInTurnAreNotSearchedFor() {
    LogOptions options = LogOptions.defaults(3, Sync.ALWAYS).of(LogRig.IDENTITY).ofReplica();
    LogRig rig = new LogRig(new MemoryDirectory(), options);
    int bursts = 400;
    for (int number = 1; number <= bursts; number++) {
      rig.enqueue(1, number, LogRig.message(number, 5_000));
      rig.log.endBurst(new BurstId(1, number), 0);
    }
    rig.safe();
    LogRig again = rig.reopen(options);
    AtomicInteger reads = new AtomicInteger();
    again.directory.failReads(
        () -> {
          reads.incrementAndGet();
          return false;
        });
    for (int number = 1; number <= bursts; number++) {
      assertThat(again.log.readBurst(number).id().number()).isEqualTo(number);
      if (number > 100) {
        assertThat(again.log.readBurst(number - 100)).as("of a slower follower").isNotNull();
      }
    }
    assertThat(reads.get()).as("reads of 2 MB in parts of up to 256 KiB").isLessThan(200);
  }

  @Test
  void segmentIsDeletedWhenTheBurstThatEmptiedItIsCommittedAndSafe() {
    LogRig rig = new LogRig(new MemoryDirectory(), OPTIONS);
    for (int i = 0; i < 60; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.log.endBurst(new BurstId(1, 1), 0);
    rig.log.committed(1);
    rig.safe();
    for (int i = 0; i < 60; i++) {
      rig.settle(1, i);
    }
    rig.safe();
    assertThat(rig.directory.names()).as("not ended").contains(SegmentNames.log(1));
    rig.log.endBurst(new BurstId(1, 2), 0);
    rig.safe();
    assertThat(rig.directory.names()).as("not committed").contains(SegmentNames.log(1));
    rig.enqueue(1, 60, LogRig.message(60, 100));
    rig.log.endBurst(new BurstId(1, 3), 0);
    rig.log.committed(3);
    rig.executor.runAll();
    assertThat(rig.directory.names()).as("not safe").contains(SegmentNames.log(1));
    rig.safe();
    assertThat(rig.directory.names()).doesNotContain(SegmentNames.log(1));
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Action> actions =
        Arbitraries.frequency(
            Tuple.of(10, Action.ENQUEUE),
            Tuple.of(1, Action.ENQUEUE_LARGE),
            Tuple.of(2, Action.FAN_OUT),
            Tuple.of(6, Action.SETTLE_FIRST),
            Tuple.of(4, Action.SETTLE_ANY),
            Tuple.of(4, Action.MOVE),
            Tuple.of(4, Action.REMOVE),
            Tuple.of(3, Action.BRING_BACK),
            Tuple.of(1, Action.FORGET),
            Tuple.of(3, Action.DELIVER),
            Tuple.of(3, Action.RETURN),
            Tuple.of(4, Action.APPLY),
            Tuple.of(3, Action.APPLY_PARTLY),
            Tuple.of(1, Action.RESTART_NODE),
            Tuple.of(14, Action.END_BURST),
            Tuple.of(2, Action.LEAD),
            Tuple.of(6, Action.COMMITTED),
            Tuple.of(6, Action.COMMIT),
            Tuple.of(2, Action.FLUSH),
            Tuple.of(6, Action.DISK),
            Tuple.of(8, Action.COMPACT),
            Tuple.of(3, Action.NOTE),
            Tuple.of(1, Action.RESTART),
            Tuple.of(2, Action.KILL),
            Tuple.of(2, Action.POWER_LOSS),
            Tuple.of(3, Action.CUT),
            Tuple.of(2, Action.BROKEN_CUT),
            Tuple.of(1, Action.FULL_DISK),
            Tuple.of(2, Action.ROOM_AGAIN),
            Tuple.of(1, Action.NO_DELETES),
            Tuple.of(2, Action.DELETES));
    return Combinators.combine(actions, Arbitraries.integers().between(1, 20), Arbitraries.longs())
        .as(Command::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(200);
  }
}
