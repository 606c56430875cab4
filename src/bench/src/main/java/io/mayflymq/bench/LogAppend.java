package io.mayflymq.bench;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.RecordTargets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The log of a shard, in the directory for temporary files. Bursts are committed one after the
 * other, each when the one before is safe, so that with {@code sync=ALWAYS} the disk is most of
 * what is measured, and with {@code NEVER} the work. The operation is one message, from append to
 * settlement.
 */
public class LogAppend extends Measured {
  private static final int BURST = 256;

  @Param({"100", "1024"})
  int bodyBytes;

  @Param({"ALWAYS", "NEVER"})
  LogOptions.Sync sync;

  private final RecordTargets target = new RecordTargets();
  private final long[] locations = new long[BURST];
  private Message message;
  private Message deadLetter;
  private Path directory;
  private LogHarness harness;
  private long sequence;

  /** Opens an empty log. */
  @Setup
  public void open() throws IOException {
    message = Messages.message(Messages.PERSISTENT, bodyBytes, Message.NO_TTL);
    deadLetter = Messages.message(Messages.RICH, bodyBytes, Message.NO_TTL);
    directory = Files.createTempDirectory("mayfly-bench");
    harness = LogHarness.open(directory, sync);
  }

  /** Removes the log. */
  @TearDown
  public void close() throws IOException {
    harness.close();
    LogHarness.delete(directory);
  }

  /** Messages enter a queue and leave it. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void enqueue() {
    append();
    harness.commit();
    for (int i = 0; i < BURST; i++) {
      harness.log.settle(1, sequence + i, locations[i], bodyBytes);
    }
    sequence += BURST;
  }

  /** Messages enter a queue, leave it as dead letters for another, and leave that. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void deadLetter() {
    append();
    harness.commit();
    for (int i = 0; i < BURST; i++) {
      target.clear();
      target.add(2, sequence + i, Long.MAX_VALUE, 0);
      locations[i] =
          harness.log.move(
              1, sequence + i, locations[i], bodyBytes, target, QueueHarness.START, deadLetter);
    }
    harness.commit();
    for (int i = 0; i < BURST; i++) {
      harness.log.settle(2, sequence + i, locations[i], bodyBytes);
    }
    sequence += BURST;
  }

  private void append() {
    for (int i = 0; i < BURST; i++) {
      locations[i] =
          harness.log.enqueue(
              1, harness.namedIn, sequence + i, Long.MAX_VALUE, 0, QueueHarness.START, message);
    }
  }
}
