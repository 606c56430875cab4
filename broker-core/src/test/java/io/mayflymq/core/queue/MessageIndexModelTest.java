package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.queue.index.MessageIndex;
import io.mayflymq.core.queue.index.Page;
import io.mayflymq.core.queue.index.PagePool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The index against a sorted map of message objects. */
class MessageIndexModelTest {
  private static final long DAY = 86_400_000L;

  enum Action {
    APPEND,
    APPEND_UNACKED,
    APPEND_AT,
    INSERT,
    SKIP,
    TAKE_FIRST,
    TAKE_LAST,
    TAKE_ANY,
    ACK_FIRST,
    ACK_ANY,
    REQUEUE_FIRST,
    REQUEUE_ANY,
    REMOVE_READY,
    SET_FIELDS,
    WALK_FROM_ANYWHERE,
    REMOVE_EVERY_THIRD_READY,
    SETTLE_UNACKED_IN_TURNS,
    PURGE,
    CLEAR,
    PACK,
    REST
  }

  /** One action, some times over, with choices that follow from the seed. */
  record Command(Action action, int times, long seed) {}

  private static final class Message {
    Object content;
    int bodySize;
    long deadline;
    long enqueuedAt;
    int flags;

    /** Negative until it has been given one. */
    long location = -1;

    boolean ready;
  }

  private static final class Rig {
    final PagePool pool = new PagePool(3);
    final MessageIndex<Object> index = new MessageIndex<>(pool);
    final TreeMap<Long, Message> ready = new TreeMap<>();
    final TreeMap<Long, Message> unacked = new TreeMap<>();
    long next;
    long now = 1_800_000_000_000L;

    void run(Command command) {
      Random random = new Random(command.seed);
      for (int i = 0; i < command.times; i++) {
        step(command.action, random);
        checkCounts();
      }
    }

    private void step(Action action, Random random) {
      switch (action) {
        case APPEND -> append(random, true);
        case APPEND_UNACKED -> append(random, false);
        case APPEND_AT -> {
          next += random.nextInt(random.nextInt(10) == 0 ? 5_000_000 : 600);
          append(random, true);
        }
        case INSERT -> insert(random);
        case SKIP -> {
          next += random.nextInt(600);
          index.skipTo(next);
        }
        case TAKE_FIRST -> take(ready.isEmpty() ? null : ready.firstKey());
        case TAKE_LAST -> take(ready.isEmpty() ? null : ready.lastKey());
        case TAKE_ANY -> take(any(ready, random));
        case ACK_FIRST -> remove(unacked, unacked.isEmpty() ? null : unacked.firstKey());
        case ACK_ANY -> remove(unacked, any(unacked, random));
        case REQUEUE_FIRST -> requeue(unacked.isEmpty() ? null : unacked.firstKey());
        case REQUEUE_ANY -> requeue(any(unacked, random));
        case REMOVE_READY -> remove(ready, any(ready, random));
        case SET_FIELDS -> {
          setFields(any(ready, random), random);
          setFields(any(unacked, random), random);
        }
        case WALK_FROM_ANYWHERE -> {
          long after = next == 0 ? -1 : (long) (random.nextDouble() * (next + 2_000)) - 1;
          Long expected = ready.higherKey(after);
          assertThat(index.nextReady(after)).isEqualTo(expected == null ? -1 : expected);
        }
        case REMOVE_EVERY_THIRD_READY -> removeEveryThirdReady();
        case SETTLE_UNACKED_IN_TURNS -> settleUnackedInTurns(random);
        case PURGE -> {
          assertThat(index.clearReady()).isEqualTo(ready.size());
          ready.clear();
        }
        case CLEAR -> {
          index.clear();
          ready.clear();
          unacked.clear();
          assertThat(index.pageCount()).isZero();
        }
        case PACK -> {
          for (Page page = index.pages.head(); page != null; page = page.next) {
            page.pack(); // also those that the index would leave alone for a while
          }
        }
        case REST -> {
          index.trimMemory();
          index.trimMemory();
          assertThat((long) index.pageCount()).isEqualTo(pagesInUse());
        }
      }
    }

    private Message message(Random random, boolean isReady) {
      Message message = new Message();
      message.content = random.nextInt(8) == 0 ? null : new Object();
      message.bodySize = random.nextInt(random.nextInt(20) == 0 ? Integer.MAX_VALUE : 1_000);
      now += random.nextInt(3) == 0 ? random.nextInt(1_000) : 0;
      message.enqueuedAt = now;
      message.deadline = deadline(random);
      message.flags = random.nextInt(256);
      message.ready = isReady;
      return message;
    }

    private void append(Random random, boolean isReady) {
      Message m = message(random, isReady);
      long sequence = next++;
      if (!isReady) {
        index.skipTo(sequence);
        assertThat(index.appendUnacked(m.content, m.bodySize, m.deadline, m.enqueuedAt, m.flags))
            .isEqualTo(sequence);
      } else if (index.nextSequence() == sequence) {
        assertThat(index.append(m.content, m.bodySize, m.deadline, m.enqueuedAt, m.flags))
            .isEqualTo(sequence);
      } else {
        index.insert(sequence, m.content, m.bodySize, m.deadline, m.enqueuedAt, m.flags);
      }
      (isReady ? ready : unacked).put(sequence, m);
    }

    /** A message comes back at a number that is free. */
    private void insert(Random random) {
      long sequence = (long) (random.nextDouble() * next);
      if (next > 0 && !ready.containsKey(sequence) && !unacked.containsKey(sequence)) {
        Message m = message(random, true);
        index.insert(sequence, m.content, m.bodySize, m.deadline, m.enqueuedAt, m.flags);
        ready.put(sequence, m);
      }
    }

    private long deadline(Random random) {
      return switch (random.nextInt(6)) {
        case 0, 1 -> MessageIndex.NO_DEADLINE;
        case 2 -> now + 60_000;
        case 3 -> now + random.nextInt(1_000_000);
        case 4 -> now + (random.nextInt(50) == 0 ? random.nextInt(3_650) * DAY : 1_000);
        default -> now;
      };
    }

    private void take(Long sequence) {
      if (sequence != null) {
        Message message = ready.remove(sequence);
        assertThat(index.take(sequence)).isSameAs(message.content);
        message.ready = false;
        unacked.put(sequence, message);
      }
    }

    private void requeue(Long sequence) {
      if (sequence != null) {
        Message message = unacked.remove(sequence);
        index.requeue(sequence);
        message.ready = true;
        ready.put(sequence, message);
      }
    }

    private void remove(NavigableMap<Long, Message> messages, Long sequence) {
      if (sequence != null) {
        assertThat(index.remove(sequence)).isSameAs(messages.remove(sequence).content);
        assertThat(index.contains(sequence)).isFalse();
      }
    }

    private void setFields(Long sequence, Random random) {
      if (sequence != null) {
        Message message = ready.getOrDefault(sequence, unacked.get(sequence));
        message.deadline = deadline(random);
        message.flags = random.nextInt(256);
        message.location = random.nextLong() >>> (1 + random.nextInt(60));
        index.setDeadline(sequence, message.deadline);
        index.setFlags(sequence, message.flags);
        index.setLocation(sequence, message.location);
      }
    }

    private void removeEveryThirdReady() {
      List<Long> visited = new ArrayList<>();
      List<Long> expected = new ArrayList<>(ready.keySet());
      index.forEachReady(
          sequence -> {
            visited.add(sequence);
            if (visited.size() % 3 == 0) {
              remove(ready, sequence);
            }
          });
      assertThat(visited).isEqualTo(expected);
    }

    private void settleUnackedInTurns(Random random) {
      List<Long> visited = new ArrayList<>();
      List<Long> expected = new ArrayList<>(unacked.keySet());
      index.forEachUnacked(
          sequence -> {
            visited.add(sequence);
            switch (random.nextInt(4)) {
              case 0 -> remove(unacked, sequence);
              case 1 -> requeue(sequence);
              case 2 -> append(random, random.nextBoolean());
              default -> {}
            }
          });
      assertThat(visited).isEqualTo(expected);
    }

    private static Long any(NavigableMap<Long, Message> messages, Random random) {
      if (messages.isEmpty()) {
        return null;
      }
      long first = messages.firstKey();
      double span = messages.lastKey() - first + 1;
      return messages.ceilingKey(first + (long) (random.nextDouble() * span));
    }

    private void checkCounts() {
      assertThat(index.nextSequence()).isLessThanOrEqualTo(next);
      assertThat(index.readyCount()).isEqualTo(ready.size());
      assertThat(index.unackedCount()).isEqualTo(unacked.size());
      assertThat(index.firstReady()).isEqualTo(ready.isEmpty() ? -1 : ready.firstKey());
      assertThat(index.lastReady()).isEqualTo(ready.isEmpty() ? -1 : ready.lastKey());
    }

    private long pagesInUse() {
      TreeMap<Long, Message> all = new TreeMap<>(ready);
      all.putAll(unacked);
      return all.keySet().stream().map(sequence -> sequence >> Page.BITS).distinct().count();
    }

    void checkAll() {
      assertThat(index.readyBytes()).isEqualTo(bytes(ready));
      assertThat(index.unackedBytes()).isEqualTo(bytes(unacked));
      assertThat((long) index.pageCount()).isBetween(pagesInUse(), pagesInUse() + 1);
      List<Long> visited = new ArrayList<>();
      index.forEachReady(visited::add);
      assertThat(visited).containsExactlyElementsOf(ready.keySet());
      visited.clear();
      index.forEachUnacked(visited::add);
      assertThat(visited).containsExactlyElementsOf(unacked.keySet());
      ready.forEach(this::checkMessage);
      unacked.forEach(this::checkMessage);
      checkReferences();
    }

    private void checkMessage(long sequence, Message message) {
      assertThat(index.contains(sequence)).isTrue();
      assertThat(index.isReady(sequence)).isEqualTo(message.ready);
      assertThat(index.isUnacked(sequence)).isEqualTo(!message.ready);
      assertThat(index.content(sequence)).isSameAs(message.content);
      assertThat(index.bodySize(sequence)).isEqualTo(message.bodySize);
      assertThat(index.deadline(sequence)).isEqualTo(message.deadline);
      assertThat(index.enqueuedAt(sequence)).isEqualTo(message.enqueuedAt);
      assertThat(index.flags(sequence)).isEqualTo(message.flags);
      if (message.location >= 0) {
        assertThat(index.location(sequence)).isEqualTo(message.location);
      }
    }

    /** Nothing that is gone is still referred to, neither by a page in use nor by a spare one. */
    private void checkReferences() {
      long held = 0;
      for (Page page = index.pages.head(); page != null; page = page.next) {
        held += page.heldContents();
      }
      long expected = 0;
      for (Map<Long, Message> messages : List.of(ready, unacked)) {
        expected += messages.values().stream().filter(m -> m.content != null).count();
      }
      assertThat(held).isEqualTo(expected);
      for (Page page = pool.take(); page != null; page = pool.take()) {
        assertThat(page.heldContents()).isZero();
        assertThat(page.isEmpty()).isTrue();
      }
    }

    private static long bytes(Map<Long, Message> messages) {
      return messages.values().stream().mapToLong(message -> message.bodySize).sum();
    }
  }

  @Property(tries = 400)
  void indexBehavesLikeASortedMapOfMessages(@ForAll("commands") List<Command> commands) {
    Rig rig = new Rig();
    for (Command command : commands) {
      rig.run(command);
    }
    rig.checkAll();
  }

  @Property(tries = 60)
  void indexIsConsistentAfterEveryStep(@ForAll("commands") List<Command> commands) {
    Rig rig = new Rig();
    for (Command command : commands) {
      rig.run(new Command(command.action, Math.min(command.times, 100), command.seed));
      rig.checkAll();
    }
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Action> actions =
        Arbitraries.frequency(
            Tuple.of(12, Action.APPEND),
            Tuple.of(4, Action.APPEND_UNACKED),
            Tuple.of(4, Action.APPEND_AT),
            Tuple.of(3, Action.INSERT),
            Tuple.of(1, Action.SKIP),
            Tuple.of(10, Action.TAKE_FIRST),
            Tuple.of(2, Action.TAKE_LAST),
            Tuple.of(4, Action.TAKE_ANY),
            Tuple.of(8, Action.ACK_FIRST),
            Tuple.of(4, Action.ACK_ANY),
            Tuple.of(3, Action.REQUEUE_FIRST),
            Tuple.of(5, Action.REQUEUE_ANY),
            Tuple.of(4, Action.REMOVE_READY),
            Tuple.of(3, Action.SET_FIELDS),
            Tuple.of(3, Action.WALK_FROM_ANYWHERE));
    Arbitrary<Integer> times = Arbitraries.oneOf(ints(1, 10), ints(1, 300), ints(1, 3_000));
    Arbitrary<Command> many =
        Combinators.combine(actions, times, Arbitraries.longs()).as(Command::new);
    Arbitrary<Action> rareActions =
        Arbitraries.of(
            Action.REMOVE_EVERY_THIRD_READY,
            Action.SETTLE_UNACKED_IN_TURNS,
            Action.PURGE,
            Action.CLEAR,
            Action.REST);
    Arbitrary<Command> once =
        Combinators.combine(rareActions, Arbitraries.just(1), Arbitraries.longs()).as(Command::new);
    return Arbitraries.frequencyOf(Tuple.of(8, many), Tuple.of(1, once)).list().ofMaxSize(40);
  }

  private static Arbitrary<Integer> ints(int min, int max) {
    return Arbitraries.integers().between(min, max);
  }
}
