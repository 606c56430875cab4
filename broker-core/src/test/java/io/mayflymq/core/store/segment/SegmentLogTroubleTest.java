package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A log whose disk is full or fails. */
class SegmentLogTroubleTest {
  @Test
  void fullDiskBlocksTheLogUntilThereIsSpace() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    rig.directory.fill(60);
    rig.enqueue(1, 1, LogRig.message(1, 100));
    rig.commit("first");
    rig.executor.runAll();
    for (int i = 2; i < 100; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.commit("second");
    rig.executor.runAll();
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.events).containsExactly("safe", "blocked: No space left on device");
    assertThat(rig.log.state()).isEqualTo(LogState.BLOCKED);
    assertThat(rig.log.pendingBytes()).isGreaterThan(10_000);
    SegmentLogTest.readAll(rig, 100);
    rig.directory.fill(Long.MAX_VALUE);
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.events)
        .containsExactly(
            "safe",
            "blocked: No space left on device",
            "unblocked: it can be written again",
            "first",
            "second");
    assertThat(rig.log.pendingBytes()).isZero();
    SegmentLogTest.readAll(rig.reopen(), 100);
  }

  @Test
  void errorOfTheWriterThreadFailsTheLogAndAllWaitingCommits() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    rig.directory.beforeChange(
        () -> {
          throw new AssertionError("a defect");
        });
    rig.enqueue(1, 1, LogRig.message(1, 100));
    rig.commit("first");
    rig.executor.runAll();
    assertThat(rig.log.state()).isEqualTo(LogState.FAILED);
    rig.directory.beforeChange(() -> {});
    rig.commit("second");
    rig.executor.runAll();
    assertThat(rig.events)
        .startsWith("safe")
        .anyMatch(event -> event.startsWith("failed"))
        .contains("first failed", "second failed");
    var closed = rig.log.close();
    rig.executor.runAll();
    assertThat(closed).isDone();
  }

  @Test
  void settlementsFreeSpaceOnAFullDisk() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 100; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.safe();
    int segments = rig.log.usage().segments();
    rig.directory.fill(0);
    // What moves keeps its segment, as where it went is not on disk yet.
    LogRig.Stored old = rig.entries.remove(new QueueKey(1, 0));
    RecordTargets targets = new RecordTargets();
    targets.add(2, 0, Long.MAX_VALUE, 0);
    Message deadLetter = LogRig.message(0, 100);
    rig.put(2, 0, rig.log.move(1, 0, old.location(), 100, targets, 1000, deadLetter), deadLetter);
    for (int i = 1; i < 95; i++) {
      rig.settle(1, i);
    }
    rig.commit("settled");
    rig.executor.runAll();
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.log.state()).isEqualTo(LogState.BLOCKED);
    assertThat(rig.events).endsWith("blocked: No space left on device");
    assertThat(rig.log.usage().segments()).isBetween(2, segments - 1);
    assertThat(rig.directory.names())
        .contains(SegmentNames.log(1))
        .doesNotContain(SegmentNames.log(2), SegmentNames.index(2));
    // Killed now, nothing is lost, and of what was settled only what is in a segment that is left.
    LogRig killed = rig.reopen();
    assertThat(killed.entries).containsKeys(new QueueKey(1, 0), new QueueKey(1, 99));
    rig.directory.fill(Long.MAX_VALUE);
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.events).endsWith("unblocked: it can be written again", "settled");
    rig.compact();
    assertThat(rig.directory.names()).doesNotContain(SegmentNames.log(1));
    assertThat(rig.reopen().entries.keySet()).isEqualTo(rig.entries.keySet()).hasSize(6);
  }

  @Test
  void deliveriesFreeSpaceOnAFullDisk() {
    LogRig before = new LogRig();
    before.enqueue(1, 0, LogRig.message(0, 100));
    before.deliver(1, 0);
    for (int i = 1; i < 100; i++) {
      before.enqueue(1, i, LogRig.message(i, 100));
    }
    before.safe();
    int last = before.log.usage().segments();
    for (LogRig rig : List.of(before, before.reopen())) {
      rig.directory.fill(0);
      for (int i = 0; i < 95; i++) {
        rig.deliver(1, i);
        rig.settle(1, i);
        rig.log.flush();
      }
      rig.executor.runAll();
      rig.log.retry();
      rig.executor.runAll();
      assertThat(rig.events).endsWith("blocked: No space left on device");
      assertThat(rig.directory.names())
          .contains(SegmentNames.log(last))
          .doesNotContain(SegmentNames.log(1), SegmentNames.log(2));
      // The newest segment on disk repeats the notes of the others.
      assertThat(rig.reopen().delivered).isEqualTo(Map.of(1L, 0L));
    }
  }

  @Test
  void failedForceIsFinal() {
    LogRig rig = new LogRig();
    rig.enqueue(1, 0, LogRig.message(0, 100));
    rig.safe();
    rig.directory.failForceAfter(0);
    rig.enqueue(1, 1, LogRig.message(1, 100));
    rig.commit("first");
    rig.executor.runAll();
    rig.enqueue(1, 2, LogRig.message(2, 100));
    rig.commit("second");
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.events)
        .containsExactly("safe", "failed: Input/output error", "first failed", "second failed");
    rig.commit("third");
    assertThat(rig.events).hasSize(4);
    rig.executor.runAll();
    assertThat(rig.events).endsWith("second failed", "third failed");
    assertThat(rig.log.state()).isEqualTo(LogState.FAILED);
    SegmentLogTest.readAll(rig, 3);
    LogRig again =
        new LogRig(rig.directory.afterPowerLoss(new Random(1), 0), LogRig.options(Sync.ALWAYS));
    assertThat(again.entries).containsOnlyKeys(new QueueKey(1, 0));
  }

  @Test
  void segmentIndexThatCouldNotBeWrittenIsRebuilt() {
    LogRig rig = new LogRig();
    for (int i = 0; i < 35; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    rig.safe();
    assertThat(rig.directory.names()).contains(SegmentNames.index(1));
    rig.directory.remove(SegmentNames.index(1));
    LogRig again = rig.reopen();
    SegmentLogTest.readAll(again, 35);
    assertThat(again.directory.names()).contains(SegmentNames.index(1));
    assertThat(again.report.damages()).isEmpty();
  }

  @Test
  void segmentThatCannotBeDeletedIsDeletedLater() {
    LogRig rig = new LogRig();
    rig.directory.failDeletes(true);
    for (int i = 0; i < 200; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
      rig.settle(1, i);
      rig.safe();
    }
    assertThat(rig.log.state()).isEqualTo(LogState.OPEN);
    assertThat(rig.log.usage().segments()).isGreaterThan(5);
    assertThat(rig.reopen().entries).isEmpty();
    rig.directory.failDeletes(false);
    rig.safe();
    rig.safe();
    assertThat(rig.log.usage().segments()).isEqualTo(1);
  }

  @Test
  void commitsOfABlockedLogFailWhenItIsClosed() {
    LogRig rig = new LogRig();
    rig.directory.fill(500);
    rig.enqueue(1, 0, LogRig.message(0, 1000));
    rig.commit("first");
    rig.executor.runAll();
    rig.commit("second");
    rig.close();
    assertThat(rig.events)
        .containsExactly(
            "blocked: No space left on device",
            "first failed",
            "second failed",
            "unblocked: it was closed");
  }

  @Test
  void closingABlockedLogTriesOnceMoreToWrite() {
    LogRig rig = new LogRig();
    rig.directory.fill(500);
    rig.enqueue(1, 0, LogRig.message(0, 1000));
    rig.commit("first");
    rig.executor.runAll();
    rig.directory.fill(Long.MAX_VALUE);
    rig.close();
    assertThat(rig.events)
        .containsExactly(
            "blocked: No space left on device", "unblocked: it can be written again", "first");
    SegmentLogTest.readAll(rig.reopen(), 1);
  }

  @Test
  void logThatFailsWhileItIsBlockedIsBlockedNoMore() {
    LogRig rig = new LogRig();
    rig.directory.fill(500);
    rig.enqueue(1, 0, LogRig.message(0, 1000));
    rig.commit("first");
    rig.executor.runAll();
    rig.directory.beforeChange(
        () -> {
          throw new AssertionError("a defect");
        });
    rig.log.retry();
    rig.executor.runAll();
    assertThat(rig.log.state()).isEqualTo(LogState.FAILED);
    assertThat(rig.events).hasSize(4).startsWith("blocked: No space left on device");
    assertThat(rig.events.get(1)).startsWith("unblocked: ").endsWith(" has failed");
    assertThat(rig.events.subList(2, 4)).containsExactly("failed: a defect", "first failed");
  }
}
