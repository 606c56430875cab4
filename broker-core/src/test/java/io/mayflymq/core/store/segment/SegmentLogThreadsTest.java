package io.mayflymq.core.store.segment;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log on a real disk with the two threads that it has in a broker: none waits for ever. */
class SegmentLogThreadsTest {
  private static final int COMMITS = 5_000;
  private static final LogOptions OPTIONS =
      new LogOptions(3, 64 << 10, 4096, Sync.ALWAYS).of(LogRig.IDENTITY);

  @TempDir Path path;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  @AfterEach
  void stop() {
    threads.shutdown();
  }

  @Test
  void commitsAreReportedInOrderAndTheLogCloses() throws Exception {
    LogRig rig = open();
    ConcurrentLinkedQueue<Integer> safe = new ConcurrentLinkedQueue<>();
    CountDownLatch all = new CountDownLatch(COMMITS);
    for (int i = 0; i < COMMITS; i++) {
      rig.enqueue(1, i, LogRig.message(i, i % 7 == 0 ? 900 : 10));
      if (i % 3 != 0) {
        rig.settle(1, i);
      }
      if (i % 2 == 0) {
        rig.log.flush();
      }
      rig.log.commit(note(i, safe, all));
      if (i % 100 == 0) {
        rig.log.compact(10_000);
      }
    }
    assertThat(all.await(60, SECONDS)).as("all are told, but for %s", all).isTrue();
    assertThat(safe).containsExactlyElementsOf(IntStream.range(0, COMMITS).boxed().toList());
    rig.log.close().get(60, SECONDS);

    LogRig again = open();
    assertThat(again.report.damages()).isEmpty();
    assertThat(again.entries.keySet()).isEqualTo(rig.entries.keySet());
    again.log.close().get(60, SECONDS);
  }

  private LogRig open() {
    return LogRig.on(new DiskDirectory(path), OPTIONS, threads);
  }

  private static Commit note(int number, ConcurrentLinkedQueue<Integer> safe, CountDownLatch all) {
    return new Commit() {
      @Override
      public void safe() {
        safe.add(number);
        all.countDown();
      }

      @Override
      public void failed() {
        throw new AssertionError("commit " + number + " has failed");
      }
    };
  }
}
