package io.mayflymq.bench;

import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.QueueNote;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/** A log in a temporary directory, whose owner only counts the messages. */
final class LogHarness implements RecoveryVisitor, LogOwner, LogListener, Commit, AutoCloseable {
  private static final QueueName NAME = new QueueName("/", "queue");

  final SegmentLog log;
  long recovered;
  int namedIn;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private final Semaphore safe = new Semaphore(0);

  private LogHarness(Path directory, LogOptions.Sync sync) {
    log = new SegmentLog(new DiskDirectory(directory), LogOptions.defaults(0, sync), threads, this);
  }

  /** Opens the log in this directory. */
  static LogHarness open(Path directory, LogOptions.Sync sync) throws IOException {
    LogHarness harness = new LogHarness(directory, sync);
    harness.log.recover(harness, harness);
    return harness;
  }

  /** Commits what has been appended, and waits until it is safe. */
  void commit() {
    log.commit(this);
    safe.acquireUninterruptibly();
  }

  /** Writes all and ends the threads. */
  @Override
  public void close() {
    log.close().join();
    threads.shutdown();
  }

  /** Removes a directory without directories in it. */
  static void delete(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> listing = Files.list(directory)) {
      files = listing.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(directory);
  }

  @Override
  public void safe() {
    safe.release();
  }

  @Override
  public void failed() {
    throw new IllegalStateException("a commit has failed");
  }

  @Override
  public void enqueued(
      long queueId,
      long sequence,
      long deadlineMillis,
      int flags,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    recovered++;
  }

  @Override
  public void replaced(long queueId, long sequence) {}

  @Override
  public void removed(long queueId, long from, long to, int segment, long stamp) {}

  @Override
  public void settled(long queueId, long from, long to, int segment) {}

  @Override
  public void delivered(long queueId, long upTo) {}

  @Override
  public void returned(long queueId, byte[] notes, boolean all) {}

  @Override
  public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {}

  @Override
  public void forEachApplied(AppliedBatches.Sink sink) {}

  @Override
  public void forEachReturned(int mostBytes, ReturnedSink sink) {}

  @Override
  public boolean isLive(long queueId, long sequence, long location) {
    return true;
  }

  @Override
  public void moved(long queueId, long sequence, long from, long to) {}

  @Override
  public QueueNote noteOf(long queueId, int segment) {
    namedIn = segment;
    return new QueueNote(NAME, 1);
  }

  @Override
  public void forEachDelivered(DeliveredSink sink) {}

  @Override
  public void blocked(IOException cause) {
    throw new IllegalStateException(cause);
  }

  @Override
  public void unblocked(String why) {}

  @Override
  public void failed(LogFailedException cause) {
    throw new IllegalStateException(cause);
  }
}
