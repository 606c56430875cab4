package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

class LongPairHeapTest {
  private static final int CHUNK_BYTES = 1024 * 16;

  enum Action {
    ADD,
    POLL,
    DISCARD,
    CLEAR
  }

  /**
   * One kind of action, some times over.
   *
   * @param seed gives the deadlines that are added, or the messages that are discarded
   */
  record Command(Action action, int times, int spread, long seed) {}

  private record Entry(long deadline, long sequence) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int byDeadline = Long.compare(deadline, other.deadline);
      return byDeadline != 0 ? byDeadline : Long.compare(sequence, other.sequence);
    }
  }

  /** The index beside a sorted set of the live entries. */
  private static final class Rig {
    final TreeSet<Entry> live = new TreeSet<>();
    final Set<Long> liveSequences = new HashSet<>();
    final LongPairHeap index = new LongPairHeap(liveSequences::contains);
    long nextSequence;

    void run(Command command) {
      Random random = new Random(command.seed);
      for (int i = 0; i < command.times; i++) {
        switch (command.action) {
          case ADD -> add(random.nextInt(command.spread));
          case POLL -> poll();
          case DISCARD -> discard(random);
          case CLEAR -> clear();
        }
        check();
      }
    }

    void add(long deadline) {
      long sequence = nextSequence++;
      live.add(new Entry(deadline, sequence));
      liveSequences.add(sequence);
      index.add(deadline, sequence);
    }

    /** Polls like a queue: past the entries of messages that are gone. */
    void poll() {
      long sequence = index.poll();
      while (sequence != -1 && !liveSequences.contains(sequence)) {
        sequence = index.poll();
      }
      Entry expected = live.pollFirst();
      assertThat(sequence).isEqualTo(expected == null ? -1 : expected.sequence);
      liveSequences.remove(sequence);
    }

    void discard(Random random) {
      if (live.isEmpty()) {
        return;
      }
      Entry pivot = new Entry(random.nextInt(1_000_000), random.nextInt((int) nextSequence));
      Entry victim = live.ceiling(pivot);
      victim = victim == null ? live.last() : victim;
      live.remove(victim);
      liveSequences.remove(victim.sequence);
      index.discarded();
    }

    void clear() {
      live.clear();
      liveSequences.clear();
      index.clear();
      assertThat(index.capacityBytes()).isZero();
    }

    void check() {
      assertThat(index.size()).isBetween(live.size(), 3 * live.size() + 16);
      assertThat(index.isEmpty()).isEqualTo(index.size() == 0);
      assertThat(index.capacityBytes()).isLessThanOrEqualTo(index.size() * 16L + 2 * CHUNK_BYTES);
      long earliest = live.isEmpty() ? Long.MAX_VALUE : live.first().deadline;
      assertThat(index.peekDeadline()).isLessThanOrEqualTo(earliest);
      if (liveSequences.contains(index.peekSequence())) {
        assertThat(new Entry(index.peekDeadline(), index.peekSequence())).isEqualTo(live.first());
      }
    }

    void drain() {
      while (!live.isEmpty()) {
        poll();
        check();
      }
      poll();
      assertThat(index.isEmpty()).isTrue();
      assertThat(index.peekDeadline()).isEqualTo(Long.MAX_VALUE);
      assertThat(index.peekSequence()).isEqualTo(-1);
    }
  }

  @Property(tries = 500)
  void heapPollsLiveEntriesInOrderAndKeepsFewRemovedOnes(
      @ForAll("commands") List<Command> commands) {
    Rig rig = new Rig();
    commands.forEach(rig::run);
    rig.drain();
  }

  @Example
  void emptyHeapHasNoArray() {
    LongPairHeap index = new LongPairHeap(sequence -> true);

    assertThat(index.capacityBytes()).isZero();
    assertThat(index.peekDeadline()).isEqualTo(Long.MAX_VALUE);
    assertThat(index.poll()).isEqualTo(-1);
  }

  @Example
  void equalDeadlinesArePolledInQueueOrder() {
    LongPairHeap index = new LongPairHeap(sequence -> true);
    for (long sequence : new long[] {5, 3, 9, 1, 7}) {
      index.add(1_000, sequence);
    }

    assertThat(index.peekDeadline()).isEqualTo(1_000);
    assertThat(List.of(index.poll(), index.poll(), index.poll(), index.poll(), index.poll()))
        .containsExactly(1L, 3L, 5L, 7L, 9L);
  }

  @Example
  void entriesOfConsumedMessagesAreRemovedFromTheHeap() {
    Set<Long> live = new HashSet<>();
    LongPairHeap index = new LongPairHeap(live::contains);
    Random random = new Random(1);
    long largest = 0;
    for (long sequence = 0; sequence < 200_000; sequence++) {
      live.add(sequence);
      index.add(random.nextInt(1_000_000), sequence);
      if (sequence >= 1_000) {
        live.remove(sequence - 1_000);
        index.discarded();
      }
      largest = Math.max(largest, index.size());
    }

    assertThat(largest).as("entries for 1,000 live messages").isLessThan(3_100);
    assertThat(index.capacityBytes()).isLessThan(5L * CHUNK_BYTES);
  }

  @Example
  void shrinkingHeapReleasesItsMemory() {
    TreeMap<Long, Long> live = new TreeMap<>();
    LongPairHeap index = new LongPairHeap(live::containsKey);
    Random random = new Random(2);
    for (long sequence = 0; sequence < 100_000; sequence++) {
      long deadline = random.nextInt(1_000_000);
      live.put(sequence, deadline);
      index.add(deadline, sequence);
    }
    assertThat(index.capacityBytes()).isLessThan(100_000 * 16 + CHUNK_BYTES);

    Iterator<Long> sequences = live.keySet().iterator();
    for (int left = 99_999; left >= 100; left--) {
      sequences.next();
      sequences.remove();
      index.discarded();
      assertThat(index.size()).isLessThanOrEqualTo(3 * left + 16);
      assertThat(index.capacityBytes()).isLessThanOrEqualTo(index.size() * 16L + 2 * CHUNK_BYTES);
    }

    assertThat(index.capacityBytes()).isLessThan(2 * CHUNK_BYTES);
    live.values().stream()
        .sorted()
        .forEach(
            deadline -> {
              while (!live.containsKey(index.peekSequence())) {
                index.poll();
              }
              assertThat(index.peekDeadline()).isEqualTo(deadline);
              index.poll();
            });
  }

  @Example
  void entriesRemovedWhileOthersArePolledAreSwept() {
    Set<Long> live = new HashSet<>();
    LongPairHeap index = new LongPairHeap(live::contains);
    for (long sequence = 0; sequence < 2_000; sequence++) {
      live.add(sequence);
      index.add(sequence, sequence);
    }
    for (long sequence = 1_001; sequence < 2_000; sequence++) {
      live.remove(sequence);
      index.discarded();
    }
    for (long sequence = 0; sequence <= 1_000; sequence++) {
      assertThat(index.poll()).isEqualTo(sequence);
      live.remove(sequence);
    }

    assertThat(index.size()).as("dead entries with far deadlines").isLessThan(100);
  }

  @Example
  void heapWithoutRemovedEntriesIsNotSwept() {
    Set<Long> live = new HashSet<>(List.of(2L, 3L, 4L));
    List<Long> asked = new ArrayList<>();
    LongPairHeap index =
        new LongPairHeap(
            sequence -> {
              asked.add(sequence);
              return live.contains(sequence);
            });
    for (long sequence = 1; sequence <= 4; sequence++) {
      index.add(sequence, sequence);
    }
    index.discarded();
    assertThat(index.poll()).isEqualTo(1);
    assertThat(asked).containsExactly(1L);

    while (!index.isEmpty()) {
      index.poll();
    }
    assertThat(asked).containsExactly(1L);
  }

  @Provide
  Arbitrary<List<Command>> commands() {
    Arbitrary<Action> actions =
        Arbitraries.frequency(
            Tuple.of(10, Action.ADD),
            Tuple.of(5, Action.POLL),
            Tuple.of(8, Action.DISCARD),
            Tuple.of(1, Action.CLEAR));
    Arbitrary<Integer> times = Arbitraries.oneOf(ints(1, 10), ints(1, 200));
    Arbitrary<Integer> spreads = Arbitraries.of(1, 10, 1_000_000);
    return Combinators.combine(actions, times, spreads, Arbitraries.longs())
        .as(Command::new)
        .list()
        .ofMaxSize(30);
  }

  private static Arbitrary<Integer> ints(int min, int max) {
    return Arbitraries.integers().between(min, max);
  }
}
