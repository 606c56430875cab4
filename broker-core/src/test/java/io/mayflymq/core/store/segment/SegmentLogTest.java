package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

public class SegmentLogTest {
  @Test
  void recoveredMessageHasAllItsFields() {
    LogRig rig = new LogRig();
    Message message =
        new Message(
                ShortString.of("amq.topic"),
                ShortString.of("a.b.ü"),
                new byte[] {1, 2, 3, 4, 5},
                3,
                60_000,
                200,
                true,
                List.of("blind", "ß"))
            .withOneKey(true)
            .withPublishedDeaths(true);
    long location = rig.log.enqueue(5, 0, 17, 123_456, 0xa5, 99_000, message);
    rig.put(5, 17, location, message);
    assertSame(rig.log.read(location), message);
    rig.safe();
    LogRig again = rig.reopen();
    assertThat(again.entries)
        .containsOnlyKeys(new QueueKey(5, 17))
        .containsValue(new LogRig.Stored(location, 2, 123_456, 0xa5, 99_000, 200));
    assertSame(again.log.read(location), message);
    assertThat(again.report.damages()).isEmpty();
  }

  /** In a queue with priorities a message without one is not on the lowest. */
  @Test
  void aPriorityOfZeroIsNotTakenForNone() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 400; i++) {
      BasicProperties properties =
          BasicProperties.builder().priority(i % 3 == 0 ? null : i % 3 - 1).build();
      byte[] content = properties.encodeBefore(new byte[100], 0);
      int priority = Math.max(0, i % 3 - 1);
      rig.enqueue(
          1,
          i,
          new Message(
              ShortString.EMPTY,
              ShortString.EMPTY,
              content,
              content.length - 100,
              Message.NO_TTL,
              priority,
              true,
              List.of()));
      if (i % 2 == 0) {
        rig.settle(1, i);
      }
    }
    rig.safe();
    for (boolean compacted : new boolean[] {false, true}) {
      if (compacted) {
        rig.compact();
      }
      LogRig again = rig.reopen();
      assertThat(again.entries).hasSize(200);
      again.entries.forEach(
          (key, stored) -> assertThat(stored.priority()).isEqualTo((int) (key.sequence() % 3) - 1));
    }
  }

  @Test
  void recordsAddedDuringAForceAreWrittenMeanwhile() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    rig.enqueue(1, 1, LogRig.message(1, 10));
    rig.commit("first");
    List<LogRig> killed = new ArrayList<>();
    int writes = rig.directory.writes;
    rig.directory.beforeChange(
        () -> {
          if (rig.directory.writes == writes) {
            return;
          }
          // The write is made, so this is the force.
          rig.directory.beforeChange(() -> {});
          rig.settle(1, 0);
          rig.enqueue(1, 2, LogRig.message(2, 10));
          rig.commit("second");
          rig.executor.runAll();
          killed.add(rig.reopen());
        });
    rig.executor.runAll();
    assertThat(rig.events).containsExactly("safe", "first", "second");
    assertThat(killed.get(0).entries).containsOnlyKeys(new QueueKey(1, 1), new QueueKey(1, 2));
  }

  @Test
  void commitsOfSeveralQueuesAreConfirmedInOrderAfterOneForce() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    int forces = rig.directory.forces;
    int writes = rig.directory.writes;
    for (int i = 1; i <= 5; i++) {
      rig.enqueue(i, i, LogRig.message(i, 10));
      rig.commit("commit " + i);
    }
    assertThat(rig.events).containsExactly("safe");
    rig.executor.runAll();
    assertThat(rig.events)
        .containsExactly("safe", "commit 1", "commit 2", "commit 3", "commit 4", "commit 5");
    assertThat(rig.directory.forces).isEqualTo(forces + 1);
    assertThat(rig.directory.writes).isEqualTo(writes + 1);
  }

  @Test
  void syncNeverConfirmsWithoutAForce() {
    LogRig rig = new LogRig(new MemoryDirectory(), LogRig.options(Sync.NEVER));
    int forces = rig.directory.forces;
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    assertThat(rig.events).containsExactly("safe");
    assertThat(rig.directory.forces).isEqualTo(forces);
    assertThat(rig.reopen().entries).hasSize(1);
  }

  @Test
  void syncNeverMayLoseWhatWasConfirmedIfThePowerFails() {
    LogRig rig = new LogRig(new MemoryDirectory(), LogRig.options(Sync.NEVER));
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    assertThat(rig.events).containsExactly("safe");
    MemoryDirectory left = rig.directory.afterPowerLoss(new Random(0), 0);
    assertThat(new LogRig(left, LogRig.options(Sync.NEVER)).entries).isEmpty();
  }

  @Test
  void flushWritesWithoutAForce() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    int forces = rig.directory.forces;
    rig.settle(1, 0);
    rig.log.flush();
    rig.executor.runAll();
    assertThat(rig.directory.forces).isEqualTo(forces);
    assertThat(rig.reopen().entries).isEmpty();
  }

  @Test
  void messagesAreReadFromMemoryAndFromFiles() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 500; i++) {
      rig.enqueue(1, i, LogRig.message(i, i));
      if (i % 100 == 50) {
        rig.safe();
      }
    }
    // A record longer than a buffer, and one longer than a segment
    rig.enqueue(1, 500, LogRig.message(500, 3000));
    rig.enqueue(1, 501, LogRig.message(501, 10_000));
    rig.enqueue(1, 502, LogRig.message(502, 1));
    readAll(rig, 503);
    rig.safe();
    readAll(rig, 503);
    assertThat(rig.log.pendingBytes()).isZero();
    LogRig again = rig.reopen();
    readAll(again, 503);
    assertThat(again.report.records()).isGreaterThanOrEqualTo(503);
  }

  static void readAll(LogRig rig, int count) {
    assertThat(rig.entries).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertSame(rig.read(1, i), LogRig.message(i, rig.read(1, i).bodyLength()));
    }
    Random random = new Random(1);
    for (int i = 0; i < count; i++) {
      int any = random.nextInt(count);
      assertSame(rig.read(1, any), LogRig.message(any, rig.read(1, any).bodyLength()));
    }
  }

  @Test
  void largeRecordHasItsOwnSegment() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.enqueue(1, 1, LogRig.message(1, 10_000));
    rig.enqueue(1, 2, LogRig.message(2, 10));
    assertThat(rig.entries.values().stream().map(entry -> Location.segment(entry.location())))
        .containsExactly(1, 2, 3);
  }

  @Test
  void moveIsOneRecord() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 10));
    rig.safe();
    LogRig.Stored old = rig.entries.remove(new QueueKey(1, 0));
    RecordTargets targets = new RecordTargets();
    targets.add(2, 40, 5000, 1);
    targets.add(3, 50, Long.MAX_VALUE, 2);
    Message deadLetter = LogRig.message(9, 12);
    long to = rig.log.move(1, 0, old.location(), old.bodyLength(), targets, 2000, deadLetter);
    rig.safe();
    LogRig again = rig.reopen();
    assertThat(again.entries).containsOnlyKeys(new QueueKey(2, 40), new QueueKey(3, 50));
    assertThat(again.entries.get(new QueueKey(2, 40)))
        .isEqualTo(new LogRig.Stored(to, 12, 5000, 1, 2000, 9));
    assertSame(again.read(3, 50), deadLetter);
    // Cut in the middle of the move, neither half of it has happened.
    MemoryDirectory cut = rig.directory.afterKill();
    String name = SegmentNames.log(1);
    byte[] bytes = cut.bytes(name);
    cut.put(name, Arrays.copyOf(bytes, bytes.length - RecordFormat.FORCED_LENGTH - 1));
    assertThat(new LogRig(cut, LogRig.options(Sync.ALWAYS)).entries)
        .containsOnlyKeys(new QueueKey(1, 0));
  }

  @Test
  void consecutiveMessagesAreSettledByOneRecord() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 10; i++) {
      rig.enqueue(1, i, LogRig.message(i, 10));
      rig.enqueue(2, i, LogRig.message(i, 10));
    }
    rig.safe();
    long before = rig.directory.bytes(SegmentNames.log(1)).length;
    for (int i = 2; i < 9; i++) {
      rig.settle(1, i);
      rig.settle(2, 10 - i);
    }
    rig.safe();
    assertThat(rig.directory.bytes(SegmentNames.log(1)).length - before)
        .isEqualTo(2 * RecordFormat.SETTLE_LENGTH + RecordFormat.FORCED_LENGTH);
    assertThat(rig.reopen().entries)
        .containsOnlyKeys(
            new QueueKey(1, 0),
            new QueueKey(1, 1),
            new QueueKey(1, 9),
            new QueueKey(2, 0),
            new QueueKey(2, 1),
            new QueueKey(2, 9));
  }

  @Test
  void deletedQueueIsNotRecovered() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 60; i++) {
      rig.enqueue(i % 2, i, LogRig.message(i, 50));
    }
    rig.safe();
    rig.forget(1);
    rig.safe();
    LogRig again = rig.reopen();
    assertThat(again.entries).hasSize(30);
    assertThat(again.entries.lastKey().queueId()).isZero();
  }

  @Test
  void segmentsAreDeletedWhenNoLongerNeeded() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 2000; i++) {
      rig.enqueue(1, i, LogRig.message(i, 50));
      if (i >= 10) {
        rig.settle(1, i - 10);
      }
      if (i % 20 == 0) {
        rig.safe();
      }
    }
    rig.safe();
    rig.safe();
    assertThat(rig.log.usage().segments()).isLessThanOrEqualTo(2);
    assertThat(rig.directory.names())
        .filteredOn(name -> !name.startsWith("segments."))
        .hasSizeLessThanOrEqualTo(3);
    assertThat(rig.reopen().entries.keySet()).isEqualTo(rig.entries.keySet());
  }

  @Test
  void oneOldMessageDoesNotKeepAllSegments() {
    LogRig rig = new LogRig();
    rig.enqueue(9, 0, LogRig.message(9, 70));
    int most = 0;
    for (int i = 0; i < 5000; i++) {
      rig.enqueue(1, i, LogRig.message(i, 50));
      if (i >= 10) {
        rig.settle(1, i - 10);
      }
      if (i % 7 == 0) {
        rig.log.compact(1000);
        rig.safe();
        most = Math.max(most, rig.directory.sizes().values().stream().mapToInt(x -> x).sum());
      }
    }
    rig.safe();
    assertThat(most).isLessThan(4 * 4096 + 2 * 11 * 140 + 2000);
    StoreStats.Log figures = rig.log.figures();
    assertThat(figures.compactedSegments()).isPositive();
    assertThat(figures.copiedBytes()).isGreaterThan(figures.compactedSegments() * 70);
    assertThat(figures.liveBytes()).isBetween(70L, figures.bytes());
    assertThat(rig.log.forceTimes().count()).isPositive();
    assertThat(rig.log.writtenBytes()).isGreaterThan(figures.bytes());
    assertSame(rig.read(9, 0), LogRig.message(9, 70));
    LogRig again = rig.reopen();
    assertThat(again.entries.keySet()).isEqualTo(rig.entries.keySet());
    assertSame(again.read(9, 0), LogRig.message(9, 70));
  }

  @Test
  void settlementsAreKeptAsLongAsTheirMessagesAreInASegment() {
    LogRig rig = new LogRig();
    // A segment that stays full, whose few settled messages must not come back.
    for (int i = 0; i < 60; i++) {
      rig.enqueue(9, i, LogRig.message(i, 150));
    }
    for (int i = 0; i < 1000; i++) {
      rig.enqueue(1, i, LogRig.message(i, 50));
      rig.settle(1, i);
      if (i % 100 == 0) {
        rig.settle(9, i / 100);
        rig.compact();
      }
    }
    rig.compact();
    rig.safe();
    assertThat(rig.reopen().entries.keySet()).isEqualTo(rig.entries.keySet());
    assertThat(rig.log.usage().segments()).isLessThanOrEqualTo(9);
  }

  @Test
  void smallSegmentsOfManyStartsAreMerged() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 50; i++) {
      rig.enqueue(1, i, LogRig.message(i, 10));
      rig.safe();
      rig.close();
      rig = rig.reopen();
      rig.compact();
    }
    assertThat(rig.log.usage().segments()).isLessThan(6);
    readAll(rig, 50);
  }

  @Test
  void logReportsWhetherRecordsAreUnforced() {
    LogRig rig = new LogRig();
    assertThat(rig.log.unforced()).isFalse();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    assertThat(rig.log.unforced()).isTrue();
    rig.safe();
    assertThat(rig.log.unforced()).isFalse();
    rig.settle(1, 0);
    assertThat(rig.log.unforced()).isTrue();
    rig.log.flush();
    rig.executor.runAll();
    assertThat(rig.log.unforced()).isTrue();
    rig.safe();
    assertThat(rig.log.unforced()).isFalse();
  }

  @Test
  void deliveryNotesAreKeptWhenTheirSegmentIsDeleted() {
    LogRig rig = new LogRig();
    rig.deliver(1, 40);
    rig.deliver(2, 50);
    rig.deliver(1, 60);
    rig.comeAndGo(1, 0);
    assertThat(rig.directory.names()).doesNotContain(SegmentNames.log(1));
    assertThat(rig.reopen().delivered).containsExactly(Map.entry(1L, 60L), Map.entry(2L, 50L));
    // Every start deletes the unneeded segments, and keeps their notes.
    for (int i = 0; i < 4; i++) {
      rig.close();
      rig = rig.reopen();
      rig.compact();
      assertThat(rig.delivered).containsExactly(Map.entry(1L, 60L), Map.entry(2L, 50L));
      assertThat(rig.directory.names()).filteredOn(name -> name.endsWith(".log")).hasSize(1);
    }
    // Of a queue that is gone, nothing is kept.
    rig.delivered.clear();
    rig.enqueue(1, 1000, LogRig.message(0, 10));
    rig.settle(1, 1000);
    rig.enqueue(1, 1001, LogRig.message(0, 5000));
    rig.compact();
    rig.compact();
    assertThat(rig.reopen().delivered).isEmpty();
  }

  @Test
  void deliveryNotesMayExceedASegment() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 1000; i++) {
      rig.deliver(i, 7L * i);
    }
    for (int i = 0; i < 50; i++) {
      rig.enqueue(1, i, LogRig.message(i, 1000));
    }
    rig.safe();
    LogRig again = rig.reopen();
    assertThat(again.delivered).isEqualTo(rig.delivered).hasSize(1000);
    readAll(again, 50);
  }

  @Test
  void logOfAnotherShardIsRefused() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    LogOptions other = new LogOptions(4, 4096, 1024, Sync.ALWAYS);
    assertThatThrownBy(() -> rig.reopen(other))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("it does not belong here");
  }

  @Test
  void recoveryCutsTheLogWhereAWriteIsMissing() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    for (int i = 1; i < 4; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
      rig.log.flush();
      rig.executor.runAll();
    }
    String name = SegmentNames.log(1);
    MemoryDirectory gap = rig.directory.afterPowerLossBut(name, 1);
    LogRig again = new LogRig(gap, LogRig.options(Sync.ALWAYS));
    assertThat(again.entries).containsOnlyKeys(new QueueKey(1, 0), new QueueKey(1, 1));
    int from = Location.offset(rig.entries.get(new QueueKey(1, 2)).location());
    int to = rig.directory.bytes(name).length;
    assertThat(again.report.damages())
        .containsExactly(new Damage(name, Damage.Kind.TORN_TAIL, from, to));
    assertThat(again.directory.bytes(SegmentNames.damaged(1, from))).hasSize(to - from);
    // It is reported once, after whatever the log has been through since.
    again.enqueue(1, 4, LogRig.message(4, 100));
    again.safe();
    LogRig third = again.reopen();
    assertThat(third.report.damages()).isEmpty();
    assertThat(third.entries.keySet()).isEqualTo(again.entries.keySet());
  }

  @Test
  void chainOfMovesWhoseFirstIsLostLeavesTheMessageInItsQueue() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    for (int queue = 1; queue < 4; queue++) {
      LogRig.Stored old = rig.entries.remove(new QueueKey(queue, 0));
      RecordTargets targets = new RecordTargets();
      targets.add(queue + 1, 0, Long.MAX_VALUE, 0);
      Message message = LogRig.message(0, 100);
      long to = rig.log.move(queue, 0, old.location(), 100, targets, 1000, message);
      rig.put(queue + 1, 0, to, message);
      rig.log.flush();
      rig.executor.runAll();
    }
    // The first move is lost, and so the message is where it was, and nowhere else.
    MemoryDirectory gap = rig.directory.afterPowerLossBut(SegmentNames.log(1), 0);
    assertThat(new LogRig(gap, LogRig.options(Sync.ALWAYS)).entries)
        .containsOnlyKeys(new QueueKey(1, 0));
  }

  @Test
  void idleLogWritesOneNoteAboutTheForcedEnd() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    int length = rig.directory.bytes(SegmentNames.log(1)).length;
    for (int i = 0; i < 5; i++) {
      rig.log.flush();
      rig.executor.runAll();
      assertThat(rig.log.unforced()).isFalse();
      assertThat(rig.directory.bytes(SegmentNames.log(1)))
          .hasSize(length + RecordFormat.FORCED_LENGTH);
      rig.safe();
    }
  }

  @Test
  void recordsAreWrittenOnlyAfterTheirSegmentHeaderIsForced() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.enqueue(1, 1, LogRig.message(1, 100));
    rig.log.flush();
    rig.executor.runAll();
    MemoryDirectory after = rig.directory.afterPowerLossBut(SegmentNames.log(1), 0);
    LogRig again = new LogRig(after, LogRig.options(Sync.ALWAYS));
    assertThat(again.report.damages()).isEmpty();
    assertThat(SegmentNames.segments(again.directory.names())).isEmpty();
  }

  @Test
  void recordsInAMessageBodyAreNotTakenForRecordsOfTheLog() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    byte[] segment = rig.directory.bytes(SegmentNames.log(1));
    byte[] record = Arrays.copyOfRange(segment, SegmentHeader.SPACE, segment.length);
    byte[] content = new byte[2 + record.length];
    System.arraycopy(record, 0, content, 2, record.length);
    Message nested =
        new Message(
            ShortString.EMPTY, ShortString.EMPTY, content, 2, Message.NO_TTL, 0, true, List.of());
    rig.enqueue(1, 1, nested);
    rig.enqueue(1, 2, LogRig.message(2, 10));
    rig.safe();
    rig.enqueue(1, 3, LogRig.message(3, 10));
    rig.safe();
    MemoryDirectory damaged = rig.directory.afterKill();
    damaged.bytes(SegmentNames.log(1))[segment.length] ^= 1;
    LogRig again = new LogRig(damaged, LogRig.options(Sync.ALWAYS));
    assertThat(again.entries)
        .containsOnlyKeys(new QueueKey(1, 0), new QueueKey(1, 2), new QueueKey(1, 3));
    assertThat(again.report.damages())
        .containsExactly(
            new Damage(
                SegmentNames.log(1),
                Damage.Kind.RECORDS,
                segment.length,
                Location.offset(rig.entries.get(new QueueKey(1, 2)).location())));
    assertThat(again.directory.names()).contains(SegmentNames.damaged(1, segment.length));
  }

  public static void assertSame(Message actual, Message expected) {
    assertThat(actual.content()).isEqualTo(expected.content());
    assertThat(actual.exchange()).isEqualTo(expected.exchange());
    assertThat(actual.routingKey()).isEqualTo(expected.routingKey());
    assertThat(actual.propertiesLength()).isEqualTo(expected.propertiesLength());
    assertThat(actual.ttlMillis()).isEqualTo(expected.ttlMillis());
    assertThat(actual.priority()).isEqualTo(expected.priority());
    assertThat(actual.persistent()).isEqualTo(expected.persistent());
    assertThat(actual.blindKeys()).isEqualTo(expected.blindKeys());
    assertThat(actual.hasOneKey()).isEqualTo(expected.hasOneKey());
    assertThat(actual.hasPublishedDeaths()).isEqualTo(expected.hasPublishedDeaths());
  }
}
