package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures opening a log with a million messages of 100 B, which is in the system's page cache; the
 * operation is the whole recovery.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3)
@Measurement(iterations = 5)
public class RecoveryScan extends Measured {
  @Param("1000000")
  int messages;

  private Path directory;

  /** Writes the log. */
  @Setup
  public void write() throws IOException {
    directory = Files.createTempDirectory("mayfly-bench");
    Message message = Messages.message(Messages.PERSISTENT, 100, Message.NO_TTL);
    try (LogHarness harness = LogHarness.open(directory, Sync.NEVER)) {
      for (int i = 0; i < messages; i++) {
        harness.log.enqueue(1, harness.namedIn, i, Long.MAX_VALUE, 0, QueueHarness.START, message);
        if (i % 1024 == 0) {
          harness.commit();
        }
      }
    }
  }

  /** Removes the log. */
  @TearDown
  public void delete() throws IOException {
    LogHarness.delete(directory);
  }

  /** Opens the log, visits each message, and closes it. */
  @Benchmark
  public long recover() throws IOException {
    try (LogHarness harness = LogHarness.open(directory, Sync.NEVER)) {
      if (harness.recovered != messages) {
        throw new IllegalStateException("recovered " + harness.recovered);
      }
      return harness.recovered;
    }
  }
}
