package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * The log against a model of what must, may and must not be there, with crashes at any moment. A
 * message of the model is one that is moved from entry to entry; where it may be is a set of
 * places.
 */
class SegmentLogCrashTest {
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
    COMMIT,
    FLUSH,
    DISK,
    COMPACT,
    REST,
    RESTART,
    KILL,
    POWER_LOSS,
    FULL_DISK,
    ROOM_AGAIN,
    NO_DELETES,
    DELETES
  }

  record Command(Action action, int times, long seed) {}

  /** Where a message is, {@link #GONE}, or both as long as the change is not safe. */
  private static final QueueKey GONE = new QueueKey(-1, -1);

  /** What a power loss may do to a log; a kill leaves a torn tail at most. */
  private static final Set<Damage.Kind> AFTER_POWER_LOSS =
      Set.of(Damage.Kind.TORN_TAIL, Damage.Kind.INDEX, Damage.Kind.MANIFEST_COPY);

  private static final class Rig {
    final LogOptions options;
    LogRig rig;

    /** Every message by a number: the places where a crash may show it. */
    final Map<Integer, Set<QueueKey>> places = new HashMap<>();

    /** Where it has been since the last crash, in order: it may be at a place again. */
    final Map<Integer, List<QueueKey>> ways = new HashMap<>();

    /** Where it is as long as nothing crashes. */
    final Map<Integer, QueueKey> current = new HashMap<>();

    final TreeMap<QueueKey, Integer> byPlace = new TreeMap<>();
    final Map<Integer, Message> contents = new HashMap<>();
    final Map<Long, Long> nextSequences = new HashMap<>();
    final Map<Long, Long> safelyDelivered = new HashMap<>();
    final Map<QueueKey, Integer> safelyReturned = new HashMap<>();
    final Map<Integer, Set<Long>> named = new HashMap<>();
    final List<Integer> confirmed = new ArrayList<>();
    int commits;
    int numbers;

    Rig(Sync sync) {
      options = LogRig.options(sync);
      rig = new LogRig(new MemoryDirectory(), options);
    }

    void run(Command command) {
      Random random = new Random(command.seed);
      switch (command.action) {
        case RESTART -> restart();
        case KILL -> crash(rig.directory.afterKill(), true);
        case POWER_LOSS -> {
          if (options.sync() == Sync.ALWAYS) {
            crash(rig.directory.afterPowerLoss(random, random.nextInt(3) / 2.0), false);
          }
        }
        case FULL_DISK -> rig.directory.fill(random.nextInt(3000));
        case ROOM_AGAIN -> {
          rig.directory.fill(Long.MAX_VALUE);
          rig.log.retry();
        }
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

    private void step(Action action, Random random) {
      long queue = random.nextInt(3);
      switch (action) {
        case ENQUEUE -> enqueue(queue, random.nextInt(200));
        case ENQUEUE_LARGE -> enqueue(queue, random.nextInt(6000));
        case FAN_OUT -> fanOut(random.nextInt(300));
        case SETTLE_FIRST -> settle(byPlace.ceilingKey(new QueueKey(queue, 0)));
        case SETTLE_ANY -> settle(any(random));
        case MOVE -> move(any(random), random);
        case REMOVE -> remove(any(random), random.nextInt(3));
        case BRING_BACK -> bringBack(removed(random));
        case FORGET -> {
          if (random.nextInt(20) == 0) {
            forget(queue);
          }
        }
        case DELIVER -> rig.deliver(queue, nextSequences.getOrDefault(queue, 0L));
        case RETURN -> comeBack(any(random));
        case COMMIT -> commit();
        case FLUSH -> rig.log.flush();
        case DISK -> disk(random);
        case COMPACT -> rig.log.compact(random.nextInt(3000));
        case REST -> rig.log.trimMemory();
        default -> throw new AssertionError(action);
      }
    }

    /** The flusher runs; at times while more comes, which a second thread may write. */
    private void disk(Random random) {
      List<Action> meanwhile =
          List.of(Action.ENQUEUE, Action.SETTLE_FIRST, Action.FLUSH, Action.COMMIT, Action.MOVE);
      int[] left = {random.nextInt(8)};
      rig.directory.beforeChange(
          () -> {
            if (left[0]-- > 0) {
              step(meanwhile.get(random.nextInt(meanwhile.size())), random);
              rig.executor.runAll();
            }
          });
      rig.executor.runAll();
      rig.directory.beforeChange(() -> {});
    }

    private QueueKey any(Random random) {
      if (byPlace.isEmpty()) {
        return null;
      }
      long queue = random.nextInt(3);
      QueueKey key =
          byPlace.ceilingKey(
              new QueueKey(
                  queue, random.nextInt(1 + nextSequences.getOrDefault(queue, 0L).intValue())));
      return key == null ? byPlace.firstKey() : key;
    }

    private QueueKey fresh(long queue) {
      return new QueueKey(queue, nextSequences.merge(queue, 1L, Long::sum) - 1);
    }

    private void place(int number, QueueKey key, Message message) {
      contents.put(number, message);
      Set<QueueKey> set = new HashSet<>();
      set.add(GONE);
      set.add(key);
      places.put(number, set);
      ways.put(number, new ArrayList<>(List.of(key)));
      current.put(number, key);
      byPlace.put(key, number);
    }

    private void came(int number, QueueKey place) {
      places.get(number).add(place);
      ways.get(number).add(place);
      current.put(number, place);
    }

    private void enqueue(long queue, int bodyLength) {
      int number = numbers++;
      Message message = LogRig.message(number, bodyLength);
      QueueKey key = fresh(queue);
      rig.enqueue(queue, key.sequence(), message);
      place(number, key, message);
    }

    private void fanOut(int bodyLength) {
      Message message = LogRig.message(numbers, bodyLength);
      RecordTargets targets = new RecordTargets();
      List<QueueKey> keys = new ArrayList<>();
      for (long queue = 0; queue < 3; queue++) {
        QueueKey key = fresh(queue);
        keys.add(key);
        targets.add(queue, key.sequence(), Long.MAX_VALUE, 7);
      }
      long location = rig.log.enqueue(targets, 1000, message);
      for (QueueKey key : keys) {
        rig.put(key.queueId(), key.sequence(), location, message);
        place(numbers++, key, message);
      }
    }

    private void settle(QueueKey key) {
      if (key != null) {
        rig.settle(key.queueId(), key.sequence());
        came(byPlace.remove(key), GONE);
      }
    }

    private void comeBack(QueueKey key) {
      if (key != null) {
        int returns = returns(key) + 1;
        rig.comeBack(key.queueId(), key.sequence(), returns, 1000L * returns);
      }
    }

    private int returns(QueueKey key) {
      Map<Long, LogRig.Back> queue = rig.returned.get(key.queueId());
      LogRig.Back back = queue == null ? null : queue.get(key.sequence());
      assertThat(back == null || back.untilMillis() == 1000L * back.returns()).isTrue();
      return back == null ? 0 : back.returns();
    }

    private Map<QueueKey, Integer> returned() {
      Map<QueueKey, Integer> all = new HashMap<>();
      rig.returned.forEach(
          (queue, known) ->
              known.keySet().stream()
                  .map(sequence -> new QueueKey(queue, sequence))
                  .forEach(key -> all.put(key, returns(key))));
      return all;
    }

    private void remove(QueueKey key, long stamp) {
      if (key != null && !StoreIds.isRemoved(key.queueId())) {
        goesTo(key, rig.remove(key, stamp));
      }
    }

    private QueueKey removed(Random random) {
      long id = StoreIds.ofRemoved(random.nextInt(3));
      QueueKey key = byPlace.ceilingKey(new QueueKey(id, random.nextInt(1 + numbers)));
      return key == null ? byPlace.ceilingKey(new QueueKey(StoreIds.ofRemoved(0), 0)) : key;
    }

    private void bringBack(QueueKey key) {
      if (key != null) {
        QueueKey to = new QueueKey(StoreIds.queueOf(key.queueId()), key.sequence());
        rig.move(key, to, contents.get(byPlace.get(key)));
        goesTo(key, to);
      }
    }

    private void goesTo(QueueKey from, QueueKey to) {
      int number = byPlace.remove(from);
      came(number, to);
      byPlace.put(to, number);
    }

    private void move(QueueKey from, Random random) {
      if (from == null) {
        return;
      }
      QueueKey to = fresh(random.nextInt(3));
      rig.move(from, to, contents.get(byPlace.get(from)));
      goesTo(from, to);
    }

    private void forget(long queue) {
      rig.forget(queue);
      forgotten(queue);
      forgotten(StoreIds.ofRemoved(queue));
    }

    private void forgotten(long queue) {
      var gone = byPlace.subMap(new QueueKey(queue, 0), new QueueKey(queue + 1, 0));
      gone.values().forEach(number -> came(number, GONE));
      gone.clear();
    }

    private void commit() {
      int commit = commits++;
      Map<Integer, Integer> before = new HashMap<>();
      ways.forEach((number, way) -> before.put(number, way.size()));
      Map<Long, Long> delivered = new HashMap<>(rig.delivered);
      Map<QueueKey, Integer> returned = returned();
      rig.commit(
          () -> {
            confirmed.add(commit);
            safelyDelivered.putAll(delivered);
            safelyReturned.putAll(returned);
            // What it was before the commit, it cannot be any more; what happened since, may have.
            before.forEach(
                (number, length) -> {
                  List<QueueKey> way = ways.get(number);
                  places.get(number).retainAll(way.subList(length - 1, way.size()));
                });
          },
          () -> {});
    }

    private void restart() {
      rig.directory.fill(Long.MAX_VALUE);
      rig.log.retry();
      rig.executor.runAll();
      commit();
      rig.executor.runAll();
      assertThat(places)
          .allSatisfy((number, set) -> assertThat(set).containsExactly(current.get(number)));
      rig.close();
      crash(rig.directory.afterKill(), true);
    }

    private void crash(MemoryDirectory after, boolean kill) {
      named.clear();
      Map<Long, Long> delivered = rig.delivered;
      Map<QueueKey, Integer> returned = returned();
      rig = new LogRig(after, options);
      safelyDelivered.forEach(
          (queue, upTo) ->
              assertThat(rig.delivered.get(queue)).isBetween(upTo, delivered.get(queue)));
      safelyDelivered.putAll(rig.delivered);
      safelyReturned.forEach(
          (key, returns) -> assertThat(returns(key)).isBetween(returns, returned.get(key)));
      assertThat(returned.keySet()).containsAll(returned().keySet());
      safelyReturned.putAll(returned());
      Set<QueueKey> unexplained = new HashSet<>(rig.entries.keySet());
      byPlace.clear();
      places.forEach(
          (number, set) -> {
            QueueKey found = null;
            for (QueueKey key : set) {
              if (rig.entries.containsKey(key)) {
                assertThat(found).as("message %s is in two places", number).isNull();
                found = key;
              }
            }
            if (found != null) {
              assertNamed(after, found);
            }
            if (found == null) {
              assertThat(set).as("message %s is lost", number).contains(GONE);
            } else {
              unexplained.remove(found);
              byPlace.put(found, number);
            }
            current.put(number, found == null ? GONE : found);
          });
      assertThat(unexplained).as("came back").isEmpty();
      places.clear();
      current.values().removeIf(GONE::equals);
      ways.clear();
      current.forEach(
          (number, key) -> {
            places.put(number, new HashSet<>(Set.of(key)));
            ways.put(number, new ArrayList<>(List.of(key)));
          });
      assertThat(rig.report.damages())
          .extracting(Damage::kind)
          .isSubsetOf(kill ? Set.of(Damage.Kind.TORN_TAIL) : AFTER_POWER_LOSS);
      confirmed.clear();
      commits = 0;
    }

    /** The queue of a message is known from its segment alone. */
    private void assertNamed(MemoryDirectory files, QueueKey key) {
      int segment = Location.segment(rig.entries.get(key).location());
      if (named.computeIfAbsent(segment, absent -> new HashSet<>()).add(key.queueId())) {
        assertThat(
                LogRig.tellsName(files, segment, key.queueId())
                    || LogRig.tellsName(files, segment, StoreIds.queueOf(key.queueId())))
            .as("%s in segment %d", key, segment)
            .isTrue();
      }
    }

    private void check() {
      assertThat(rig.entries.keySet()).isEqualTo(byPlace.keySet());
      byPlace.forEach(
          (key, number) ->
              SegmentLogTest.assertSame(
                  rig.read(key.queueId(), key.sequence()), contents.get(number)));
      assertThat(rig.log.usage().liveEntries()).isEqualTo(rig.entries.size());
      for (int i = 0; i < confirmed.size(); i++) {
        assertThat(confirmed.get(i)).isEqualTo(i);
      }
    }
  }

  @Property
  void crashLosesNoSafeRecordAndRestoresNoSettledMessage(
      @ForAll("commands") List<Command> commands) {
    run(new Rig(Sync.ALWAYS), commands);
  }

  @Property(tries = 150)
  void killLosesNothingUnderSyncNever(@ForAll("commands") List<Command> commands) {
    run(new Rig(Sync.NEVER), commands);
  }

  private static void run(Rig rig, List<Command> commands) {
    commands.forEach(rig::run);
    rig.restart();
    rig.check();
    rig.rig.compact();
    rig.check();
    LogUsage usage = rig.rig.log.usage();
    // Besides the messages, which are short, there are names of queues, and marks: also one of each
    // message that can be brought back.
    assertThat(usage.diskBytes())
        .isLessThanOrEqualTo(5 * usage.liveBytes() / 2 + 6L * rig.options.segmentBytes() + 16_000);
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
            Tuple.of(6, Action.COMMIT),
            Tuple.of(2, Action.FLUSH),
            Tuple.of(6, Action.DISK),
            Tuple.of(6, Action.COMPACT),
            Tuple.of(1, Action.REST),
            Tuple.of(1, Action.RESTART),
            Tuple.of(3, Action.KILL),
            Tuple.of(4, Action.POWER_LOSS),
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
