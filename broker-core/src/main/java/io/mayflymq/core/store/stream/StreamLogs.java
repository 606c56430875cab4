package io.mayflymq.core.store.stream;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.LogState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The streams of a shard, which share one thread that writes them to the disk. Belongs to the
 * shard's thread, except where stated otherwise.
 */
public final class StreamLogs {
  /** Each reader has a window of its own, so only this many are kept for the next consumers. */
  private static final int SPARE_READERS = 8;

  private final StreamDisk disk;
  private final StreamFlusher flusher;
  private final Runnable touched;
  private final Map<Long, StreamLog> logs = new ConcurrentHashMap<>();
  private final List<StreamLog> dirty = new ArrayList<>();
  private final ArrayDeque<EntryReader> spareReaders = new ArrayDeque<>(SPARE_READERS);
  private List<StreamWrite> writes = new ArrayList<>();
  private long appendedCount;
  private long appendedBytes;
  private long submittedWrites;

  /**
   * Makes the streams of a shard.
   *
   * @param shard runs a task in a burst of the shard
   * @param touched called when there is something to {@link #flush} at the end of the burst
   */
  public StreamLogs(StreamDisk disk, Executor shard, Runnable touched) {
    this.disk = disk;
    this.touched = touched;
    this.flusher = new StreamFlusher(disk, shard);
  }

  /** Creates a stream. Any thread may call. */
  public StreamStore open(long id, QueueName name) {
    return open(id, name, false);
  }

  /**
   * Creates a stream of messages that a replicated log has made safe: they may be read at once. Any
   * thread may call.
   */
  public StreamLog openReplicated(long id, QueueName name) {
    return open(id, name, true);
  }

  private StreamLog open(long id, QueueName name, boolean isSafeElsewhere) {
    StreamLog log = new StreamLog(id, name, this, isSafeElsewhere);
    logs.put(id, log);
    return log;
  }

  /**
   * Recovers the messages of the streams that are open.
   *
   * @return how many messages there are
   * @throws IOException if files cannot be read or written
   */
  public long recover() throws IOException {
    long messages = 0;
    for (StreamLog log : logs.values()) {
      log.recovered(new StreamRecovery(log.output, disk.directories()).run());
      messages += log.nextOffset() - log.firstOffset();
    }
    return messages;
  }

  /** How many messages have been appended so far. */
  public long appendedCount() {
    return appendedCount;
  }

  /** Returns how long forced writes took. */
  public Histogram.Reading forceTimes() {
    return flusher.forceTimes();
  }

  /** Returns how many bytes all streams take on disk. */
  public long bytes() {
    return logs.values().stream().mapToLong(StreamLog::bytes).sum();
  }

  /** Returns how many bytes were written. */
  public long writtenBytes() {
    return flusher.writtenBytes();
  }

  /** Returns how many bytes are not written yet. */
  public long pendingBytes() {
    return appendedBytes - flusher.writtenBytes();
  }

  /** Returns how many bursts of streams are not written yet. */
  public long pendingWrites() {
    return submittedWrites - flusher.writtenWrites();
  }

  /** Returns whether nothing is being written, forced or told to be safe. Any thread may call. */
  public boolean isAtRest() {
    return flusher.isAtRest();
  }

  /** Whether something has been appended that is not safe yet. */
  public boolean hasUnsafe() {
    return state() == LogState.FAILED ? !dirty.isEmpty() : appendedBytes != flusher.safeBytes();
  }

  /**
   * Passes everything that was appended to the flusher; called at the end of each burst.
   *
   * @param commit is notified when all of it is safe, or has failed, on the flusher's thread; or
   *     null
   */
  public void flush(Commit commit) {
    for (StreamLog log : dirty) {
      log.endOfBurst();
    }
    dirty.clear();
    if (!writes.isEmpty() || commit != null) {
      submittedWrites += writes.size();
      flusher.submit(writes, commit);
      writes = new ArrayList<>();
    }
  }

  /**
   * Passes everything that was appended to the flusher. The result is done when all of it is safe.
   * It fails as soon as that is not possible, as the disk is full or has failed: what could not be
   * written is written later all the same, if the disk has room again. On the shard.
   */
  public CompletableFuture<Void> force() {
    flush(null);
    return flusher.whenForced();
  }

  /** Returns the state of the streams. Any thread may call. */
  public LogState state() {
    return flusher.state();
  }

  /** Requests notes of how much has been forced, so that a later truncation is noticed. */
  public void note() {
    flusher.note();
  }

  /** Repeats writes that have failed. */
  public void retry() {
    flusher.retry();
  }

  /**
   * Writes everything and closes the files. No other method may be called afterwards.
   *
   * @return completed when that is done, or has failed
   */
  public CompletableFuture<Void> close() {
    flush(null);
    return CompletableFuture.runAsync(flusher::close, disk.flusher())
        .whenComplete((done, failure) -> disk.flusher().shutdown());
  }

  // For the streams

  void dirty(StreamLog log) {
    dirty.add(log);
    touched.run();
  }

  void appended(long bytes) {
    appendedCount++;
    appendedBytes += bytes;
  }

  void submit(StreamWrite write) {
    writes.add(write);
  }

  void condemn(StreamOutput stream, StreamSegment segment) {
    flusher.condemn(stream, segment);
  }

  void forget(StreamOutput stream) {
    logs.remove(stream.id);
    flusher.forget(stream);
  }

  EntryReader borrowReader() {
    return spareReaders.isEmpty() ? new EntryReader() : spareReaders.pollLast();
  }

  void giveBack(EntryReader reader) {
    if (spareReaders.size() < SPARE_READERS) {
      reader.reset();
      spareReaders.addLast(reader);
    }
  }
}
