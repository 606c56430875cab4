package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * The larger part of each segment are records that a compaction writes again: it ends all the same.
 */
class CompactionEndTest {
  private static final int SLICE_BYTES = 500;

  /** Far more than the whole log takes. */
  private static final int MOST_SLICES = 500;

  private final LogRig rig = new LogRig();

  @Test
  void compactionEndsWithManyNotesAtTheBeginningOfEachSegment() throws IOException {
    for (int queue = 0; queue < 90; queue++) {
      rig.deliver(queue, 1);
    }
    for (int i = 0; i < 100; i++) {
      rig.enqueue(1, i, LogRig.message(i, 100));
    }
    requireEnd();
    settleMost(1);
    requireEnd();
  }

  @Test
  void compactionEndsWithLongNamesOfQueuesWithOneMessage() throws IOException {
    rig.longNames = true;
    for (int queue = 0; queue < 100; queue++) {
      rig.enqueue(queue, 0, LogRig.message(queue, 8));
    }
    requireEnd();
  }

  private void settleMost(int queue) {
    for (int i = 0; i < 100; i++) {
      if (i % 10 != 0) {
        rig.settle(queue, i);
      }
    }
  }

  private void requireEnd() throws IOException {
    rig.safe();
    int slices = 0;
    while (rig.log.compact(SLICE_BYTES)) {
      rig.executor.runAll();
      slices++;
      assertThat(slices).as("slices of a compaction").isLessThan(MOST_SLICES);
    }
    rig.safe();
    LogRig again = rig.reopen();
    assertThat(again.entries.keySet()).isEqualTo(rig.entries.keySet());
  }
}
