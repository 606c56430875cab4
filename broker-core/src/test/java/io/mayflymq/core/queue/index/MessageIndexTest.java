package io.mayflymq.core.queue.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageIndexTest {
  private static final long NOW = 1_800_000_000_000L;

  private final PagePool pool = new PagePool(4);
  private final MessageIndex<String> index = new MessageIndex<>(pool);

  private long append(String content) {
    return index.append(content, 100, MessageIndex.NO_DEADLINE, NOW, 0);
  }

  private void append(int count) {
    for (int i = 0; i < count; i++) {
      append("content");
    }
  }

  @Test
  void newIndexIsEmptyAndHasNoPages() {
    assertThat(index.firstReady()).isEqualTo(-1);
    assertThat(index.lastReady()).isEqualTo(-1);
    assertThat(index.nextReady(-1)).isEqualTo(-1);
    assertThat(index.contains(0)).isFalse();
    assertThat(index.clearReady()).isZero();
    assertThat(index.pageCount()).isZero();
  }

  @Test
  void messageChangesBetweenReadyUnacknowledgedAndRemoved() {
    long sequence = index.append("hello", 5, NOW + 60, NOW, 0x83);
    assertThat(index.isReady(sequence)).isTrue();
    assertThat(index.readyBytes()).isEqualTo(5);

    assertThat(index.take(sequence)).isEqualTo("hello");
    assertThat(index.isUnacked(sequence)).isTrue();
    assertThat(index.readyBytes()).isZero();
    assertThat(index.unackedBytes()).isEqualTo(5);
    assertThat(index.firstReady()).isEqualTo(-1);

    index.requeue(sequence);
    assertThat(index.firstReady()).isEqualTo(sequence);
    assertThat(index.deadline(sequence)).isEqualTo(NOW + 60);
    assertThat(index.flags(sequence)).isEqualTo(0x83);

    assertThat(index.remove(sequence)).isEqualTo("hello");
    assertThat(index.contains(sequence)).isFalse();
    assertThat(index.readyCount() + index.unackedCount()).isZero();
  }

  @Test
  void requeuedMessageReturnsToItsPlace() {
    append(3_000);
    index.take(0);
    index.take(1_500);
    index.take(2_999);

    index.requeue(2_999);
    index.requeue(0);
    index.requeue(1_500);

    assertThat(index.firstReady()).isZero();
    assertThat(index.nextReady(1_499)).isEqualTo(1_500);
    assertThat(index.lastReady()).isEqualTo(2_999);
  }

  @Test
  void messagesRequeuedBetweenReadyOnesAreFoundInOrder() {
    append(60 * Page.ENTRIES);
    List<Long> taken = new ArrayList<>();
    for (long sequence = 3 * Page.ENTRIES; sequence < 57 * Page.ENTRIES; sequence++) {
      index.take(sequence);
      taken.add(sequence);
    }
    Collections.shuffle(taken, new Random(3));

    List<Long> expected = new ArrayList<>();
    index.forEachReady(expected::add);
    for (Long sequence : taken.subList(0, 150)) {
      index.requeue(sequence);
      expected.add(sequence);
    }

    Collections.sort(expected);
    List<Long> visited = new ArrayList<>();
    index.forEachReady(visited::add);
    assertThat(visited).isEqualTo(expected);
  }

  @Test
  void nextReadyContinuesAfterARemovedMessage() {
    append(20 * Page.ENTRIES);
    for (long sequence = 0; sequence < 19 * Page.ENTRIES; sequence++) {
      if (sequence % (4 * Page.ENTRIES) != 0) {
        index.remove(sequence);
      }
    }
    for (long after = 18 * Page.ENTRIES; after >= 0; after -= 700) {
      long next = (after / (4 * Page.ENTRIES) + 1) * 4 * Page.ENTRIES;
      index.deadline(19 * Page.ENTRIES);
      assertThat(index.nextReady(after)).isEqualTo(Math.min(next, 19 * Page.ENTRIES));
    }
  }

  @Test
  void operationsOnMessagesInAnotherStateAreRefused() {
    long ready = append("ready");
    long unacked = index.appendUnacked("unacked", 1, MessageIndex.NO_DEADLINE, NOW, 0);

    assertThatThrownBy(() -> index.take(unacked)).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> index.requeue(ready)).isInstanceOf(NoSuchElementException.class);
    for (long absent : new long[] {-1, 2, 5_000, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThat(index.contains(absent)).isFalse();
      assertThatThrownBy(() -> index.remove(absent)).isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(() -> index.content(absent)).isInstanceOf(NoSuchElementException.class);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> index.insert(1, "twice", 1, MessageIndex.NO_DEADLINE, NOW, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> index.skipTo(1));
    assertThat(index.readyCount()).isEqualTo(1);
    assertThat(index.unackedCount()).isEqualTo(1);
  }

  @Test
  void oneOldMessageKeepsOnlyItsOwnPage() {
    long staying = append("staying");
    index.take(staying);
    for (int i = 0; i < 1_000_000; i++) {
      long sequence = append("passing");
      assertThat(index.firstReady()).isEqualTo(sequence);
      index.take(sequence);
      index.remove(sequence);
    }

    assertThat(index.pageCount()).isLessThanOrEqualTo(2);
    index.requeue(staying);
    assertThat(index.firstReady()).isEqualTo(staying);
    assertThat(index.nextReady(staying)).isEqualTo(-1);
  }

  @Test
  void messagesAreRestoredAtTheirSequenceNumbers() {
    long[] sequences = {7, 8, 5_000, 10_000_000_000L, 10_000_000_001L, Long.MAX_VALUE >> 4};
    for (long sequence : sequences) {
      index.insert(sequence, "m" + sequence, 10, NOW + sequence, NOW, 1);
    }

    List<Long> visited = new ArrayList<>();
    index.forEachReady(visited::add);
    assertThat(visited).containsExactly(7L, 8L, 5_000L, sequences[3], sequences[4], sequences[5]);
    assertThat(index.pageCount()).isEqualTo(4);
    assertThat(index.content(10_000_000_001L)).isEqualTo("m10000000001");
    assertThat(index.deadline(sequences[5])).isEqualTo(NOW + sequences[5]);
    assertThat(append("next")).isEqualTo(sequences[5] + 1);
  }

  @Test
  void purgeLeavesUnacknowledgedMessages() {
    append(5_000);
    index.take(10);
    index.take(4_000);

    assertThat(index.clearReady()).isEqualTo(4_998);

    assertThat(index.readyCount()).isZero();
    assertThat(index.readyBytes()).isZero();
    assertThat(index.unackedBytes()).isEqualTo(200);
    assertThat(index.firstReady()).isEqualTo(-1);
    assertThat(index.pageCount()).as("two with an unacked message, and the tail").isEqualTo(3);
    assertThat(append("next")).isEqualTo(5_000);
    assertThat(index.firstReady()).isEqualTo(5_000);
  }

  @Test
  void pagesAreReusedUpToTheLimitOfThePool() {
    append(20 * Page.ENTRIES);
    assertThat(index.pageCount()).isEqualTo(20);

    index.clearReady();

    assertThat(pool.spareCount()).isEqualTo(4);
    assertThat(index.pageCount()).isZero();
    append(4 * Page.ENTRIES);
    assertThat(pool.spareCount()).isZero();
  }

  @Test
  void emptyIdleQueueReleasesItsLastPage() {
    append(99);
    index.trimMemory();
    index.trimMemory();
    assertThat(index.readyCount()).isEqualTo(99);
    append("last");
    index.clearReady();
    index.trimMemory();
    assertThat(index.pageCount()).as("used since the last time").isEqualTo(1);

    index.trimMemory();

    assertThat(index.pageCount()).isZero();
    assertThat(append("next")).isEqualTo(100);
    assertThat(index.content(100)).isEqualTo("next");
  }

  @Test
  void messagesAppendedDuringAVisitAreNotVisited() {
    append(10);
    List<Long> visited = new ArrayList<>();

    index.forEachReady(
        sequence -> {
          visited.add(sequence);
          index.remove(sequence);
          append("again");
        });

    assertThat(visited).hasSize(10);
    assertThat(index.firstReady()).isEqualTo(10);
    assertThat(index.readyCount()).isEqualTo(10);
  }

  @Test
  void deadlinesFarApartInOnePageAreExact() {
    long[] deadlines = {MessageIndex.NO_DEADLINE, NOW, NOW + 1, 0, Long.MAX_VALUE - 1, NOW - 1};
    for (long deadline : deadlines) {
      index.append("m", 1, deadline, deadline, 0);
    }
    for (int i = 0; i < deadlines.length; i++) {
      assertThat(index.deadline(i)).isEqualTo(deadlines[i]);
      assertThat(index.enqueuedAt(i)).isEqualTo(deadlines[i]);
    }
    long[] distances = {0, Integer.MIN_VALUE + 1, Integer.MAX_VALUE, Integer.MIN_VALUE};
    index.skipTo(Page.ENTRIES);
    for (long distance : distances) {
      long sequence = index.append("m", 1, NOW + distance, NOW, 0);
      assertThat(index.deadline(sequence)).isEqualTo(NOW + distance);
    }
    index.setDeadline(0, NOW + 5);
    index.setDeadline(1, MessageIndex.NO_DEADLINE);
    assertThat(index.deadline(0)).isEqualTo(NOW + 5);
    assertThat(index.deadline(1)).isEqualTo(MessageIndex.NO_DEADLINE);
  }
}
