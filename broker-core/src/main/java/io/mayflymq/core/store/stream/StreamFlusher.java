package io.mayflymq.core.store.stream;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the streams of a shard to the disk, on a thread of its own: take what is pending, write
 * it, force each file that was written to, index it, report that it is safe. During one round, work
 * for the next one accumulates, so the slower the disk, the more one force covers.
 *
 * <p>A write that fails is repeated, at the same place, when retry() is called. A force that fails
 * is final: the kernel may have dropped the pages that it could not write, and would report success
 * at the next force. Commits wait until what has failed is written; a force that was requested by
 * whenForced() fails at once, as the shard waits for it. Retention and deletion do not wait for
 * writes, as deleted data must not reappear, and continue while nothing can be written: they free
 * the disk space that is missing.
 */
final class StreamFlusher implements Runnable {
  /**
   * So many segments are open at most, of which each has two files. Streams that are written to
   * take a force each, which takes much longer than opening them again.
   */
  static final int MOST_OPEN = 64;

  private static final Logger LOGGER = LoggerFactory.getLogger(StreamFlusher.class);

  private final StreamDisk disk;
  private final Executor shard;
  private final boolean forces;
  private final Object lock = new Object();

  // Guarded by the lock
  private final List<StreamWrite> submitted = new ArrayList<>();
  private final List<Commit> commits = new ArrayList<>();
  private final List<CompletableFuture<Void>> forced = new ArrayList<>();
  private final List<Runnable> removals = new ArrayList<>();
  private boolean pending;
  private boolean scheduled;

  private volatile LogState state = LogState.OPEN;
  private final AtomicLong writtenBytes = new AtomicLong();
  private final AtomicLong writtenWrites = new AtomicLong();
  private final AtomicLong safeBytes = new AtomicLong();

  // Used by the flusher only
  private final Histogram forceTimes = StoreStats.forceTimes();
  private final ArrayDeque<StreamWrite> writing = new ArrayDeque<>();
  private final ArrayDeque<Commit> waiting = new ArrayDeque<>();
  private final List<CompletableFuture<Void>> forcing = new ArrayList<>();
  private final ArrayDeque<Runnable> removing = new ArrayDeque<>();
  private final List<StreamWrite> written = new ArrayList<>();
  private final Set<StreamSegment> unforced = new LinkedHashSet<>();

  /** Segments that are open, those first that were not written to for the longest time. */
  private final Map<StreamSegment, StreamOutput> open = new LinkedHashMap<>(16, 0.75f, true);

  /** Segments that were written to since what is forced was noted. */
  private final Map<StreamSegment, StreamOutput> unnoted = new LinkedHashMap<>();

  StreamFlusher(StreamDisk disk, Executor shard) {
    this.disk = disk;
    this.shard = shard;
    this.forces = disk.sync() == Sync.ALWAYS;
  }

  // Any thread

  LogState state() {
    return state;
  }

  /** Whether nothing is being written, forced or told to be safe. */
  boolean isAtRest() {
    synchronized (lock) {
      return !scheduled;
    }
  }

  /** How many bytes of records have been written so far. */
  long writtenBytes() {
    return writtenBytes.get();
  }

  /** How many writes have been done so far. */
  long writtenWrites() {
    return writtenWrites.get();
  }

  /** How many bytes of records are safe. */
  long safeBytes() {
    return safeBytes.get();
  }

  /** Returns how long forces took. */
  Histogram.Reading forceTimes() {
    return forceTimes.read();
  }

  // The shard's side

  void submit(List<StreamWrite> writes, Commit commit) {
    synchronized (lock) {
      submitted.addAll(writes);
      if (commit != null) {
        commits.add(commit);
      }
      wake();
    }
  }

  /** Returns what is done when all that was submitted is safe, and fails if that has to wait. */
  CompletableFuture<Void> whenForced() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    synchronized (lock) {
      forced.add(done);
      wake();
    }
    return done;
  }

  /** Deletes a segment. */
  void condemn(StreamOutput stream, StreamSegment segment) {
    remove(() -> delete(stream, segment));
  }

  /** Deletes a stream. */
  void forget(StreamOutput stream) {
    remove(() -> delete(stream));
  }

  private void remove(Runnable removal) {
    synchronized (lock) {
      removals.add(removal);
      wake();
    }
  }

  /** Requests notes of how much of each stream has been forced. To be called regularly. */
  void note() {
    disk.flusher()
        .execute(
            () -> {
              for (Map.Entry<StreamSegment, StreamOutput> each : unnoted.entrySet()) {
                try {
                  each.getValue().files.note(each.getKey());
                } catch (IOException e) {
                  fail(e);
                }
              }
              unnoted.clear();
            });
  }

  /** Repeats writes that have failed. */
  void retry() {
    synchronized (lock) {
      if (state == LogState.BLOCKED) {
        wake();
      }
    }
  }

  private void wake() {
    pending = true;
    if (!scheduled) {
      scheduled = true;
      disk.flusher().execute(this);
    }
  }

  // The flusher's side

  @Override
  public void run() {
    while (take()) {
      for (Runnable removal = removing.poll(); removal != null; removal = removing.poll()) {
        contain(removal);
      }
      if (state == LogState.FAILED) {
        refuse();
        continue;
      }
      try {
        write();
        force();
        publish();
        unblock();
        if (writing.isEmpty()) {
          confirm();
        } else {
          goOn();
        }
      } catch (ForceException e) {
        fail(e.getCause());
      } catch (IOException e) {
        block(e);
      } catch (RuntimeException | Error e) {
        fail(e);
      }
    }
  }

  /** More segments are to be written to than may be open at once. */
  private void goOn() {
    synchronized (lock) {
      pending = true;
    }
  }

  private boolean take() {
    synchronized (lock) {
      if (!pending) {
        scheduled = false;
        return false;
      }
      pending = false;
      writing.addAll(submitted);
      submitted.clear();
      waiting.addAll(commits);
      commits.clear();
      forcing.addAll(forced);
      forced.clear();
      removing.addAll(removals);
      removals.clear();
      return true;
    }
  }

  private void write() throws IOException {
    for (StreamWrite write = writing.peek(); write != null; write = writing.peek()) {
      StreamSegment segment = write.segment();
      boolean indexes = write.index() != null && segment.created;
      if ((write.length() > 0 || indexes) && !write.stream().forgotten) {
        if (!isOpen(segment, write.stream())) {
          return;
        }
        unforced.add(segment);
        if (write.length() > 0) {
          segment.file.write(write.records().duplicate().flip(), write.position());
        }
      }
      writtenBytes.addAndGet(write.length());
      writtenWrites.incrementAndGet();
      written.add(writing.remove());
    }
  }

  /** Opens a segment; false if no more can be open before some are forced. */
  private boolean isOpen(StreamSegment segment, StreamOutput stream) throws IOException {
    if (open.get(segment) != null) {
      return true;
    }
    if (open.size() >= MOST_OPEN && !closeIdle()) {
      return false;
    }
    if (stream.files == null) {
      stream.files = StreamFiles.begin(disk.directories(), stream);
    }
    if (segment.created) {
      stream.files.reopen(segment);
      open.put(segment, stream);
    } else {
      create(stream, segment);
    }
    return true;
  }

  /** Closes the segment that was not used for the longest time; false if all are in use. */
  private boolean closeIdle() {
    for (StreamSegment segment : open.keySet()) {
      if (!unforced.contains(segment)) {
        close(segment);
        return true;
      }
    }
    return false;
  }

  /**
   * Creates a segment. A record without a header could never be read: so the header is safe before
   * the first record.
   */
  private void create(StreamOutput stream, StreamSegment segment) throws IOException {
    stream.files.create(segment);
    open.put(segment, stream);
    try {
      if (forces) {
        stream.files.keep(segment);
      } else {
        stream.files.list(segment);
      }
    } catch (FileSystemException e) {
      // The directory could not be opened, as there are too many open files: no force has failed.
      close(segment);
      segment.created = false;
      throw e;
    } catch (IOException e) {
      throw new ForceException(e);
    }
  }

  private void force() throws ForceException {
    if (forces && !unforced.isEmpty()) {
      long began = System.nanoTime();
      try {
        for (StreamSegment segment : unforced) {
          segment.file.force();
        }
        forceTimes.record(System.nanoTime() - began);
      } catch (IOException e) {
        throw new ForceException(e);
      }
    }
    unforced.clear();
  }

  /** Reports how far each stream is safe now. */
  private void publish() {
    Map<StreamOutput, StreamWrite> last = new LinkedHashMap<>();
    long bytes = 0;
    for (StreamWrite write : written) {
      bytes += write.length();
      if (!write.stream().forgotten) {
        write.segment().forcedLength = write.end();
        index(write);
        last.put(write.stream(), write);
        if (write.complete()) {
          close(write.segment());
          unnoted.remove(write.segment());
        } else {
          unnoted.put(write.segment(), write.stream());
        }
      }
    }
    written.clear();
    safeBytes.addAndGet(bytes);
    for (StreamWrite write : last.values()) {
      shard.execute(() -> write.stream().safe(write.segment(), write.end(), write.nextOffset()));
    }
  }

  /**
   * Writes index entries. The index only saves time: without it, or with a part of it, more is
   * read.
   */
  private void index(StreamWrite write) {
    StreamSegment segment = write.segment();
    if (write.index() == null || segment.index == null) {
      return;
    }
    ByteBuffer entries = write.index().flip();
    try {
      int length = entries.remaining();
      segment.index.write(entries, segment.indexLength);
      segment.indexLength += length;
    } catch (IOException e) {
      LOGGER.warn(
          "The index of {} of {} stays incomplete: {}", segment, write.stream(), e.toString());
      close(segment.index);
      segment.index = null;
      segment.indexed = false;
    }
  }

  private void confirm() {
    for (Commit commit = waiting.poll(); commit != null; commit = waiting.poll()) {
      contain(commit::safe);
    }
    forcing.forEach(done -> done.complete(null));
    forcing.clear();
  }

  private void refuse() {
    writing.clear();
    for (Commit commit = waiting.poll(); commit != null; commit = waiting.poll()) {
      contain(commit::failed);
    }
    failForces(new IOException("the log of streams has failed, or is closed"));
  }

  private void failForces(IOException cause) {
    forcing.forEach(done -> done.completeExceptionally(cause));
    forcing.clear();
  }

  private void delete(StreamOutput stream, StreamSegment segment) {
    close(segment);
    segment.created = false;
    unnoted.remove(segment);
    try {
      stream.files.delete(segment);
    } catch (IOException e) {
      LOGGER.warn("{} of {} could not be deleted: {}", segment, stream, e.toString());
    }
  }

  private void delete(StreamOutput stream) {
    List.copyOf(open.keySet()).stream()
        .filter(segment -> open.get(segment) == stream)
        .forEach(this::close);
    unnoted.values().removeIf(other -> other == stream);
    try {
      disk.directories().delete(stream.id);
    } catch (IOException e) {
      LOGGER.warn("{} could not be deleted, until the next start: {}", stream, e.toString());
    }
  }

  // Errors

  private void block(IOException cause) {
    boolean first;
    synchronized (lock) {
      first = state == LogState.OPEN;
      state = LogState.BLOCKED;
    }
    if (first) {
      LOGGER.error("Cannot write streams: {}", cause.toString());
      contain(() -> disk.listener().blocked(cause));
    }
    failForces(cause);
  }

  private void unblock() {
    if (state == LogState.BLOCKED) {
      synchronized (lock) {
        state = LogState.OPEN;
      }
      LOGGER.info("Streams can be written again");
      contain(() -> disk.listener().unblocked(LogListener.WRITTEN));
    }
  }

  private void fail(Throwable cause) {
    if (cause instanceof Error error && Faults.isFatal(cause)) {
      throw error;
    }
    boolean wasBlocked = state == LogState.BLOCKED;
    synchronized (lock) {
      state = LogState.FAILED;
      // so that commits that have arrived meanwhile fail, too
      pending = true;
    }
    LOGGER.error(
        "The disk did not take what was written to streams: {}. Nothing of them is confirmed or"
            + " delivered any more until a restart",
        cause.toString());
    LogFailedException failure = new LogFailedException("the log of streams has failed", cause);
    if (wasBlocked) {
      contain(() -> disk.listener().unblocked(failure.getMessage()));
    }
    contain(() -> disk.listener().failed(failure));
    refuse();
  }

  /** Closes the files, after a last attempt to write what could not be written. */
  void close() {
    if (state == LogState.BLOCKED) {
      synchronized (lock) {
        pending = true;
      }
      run();
    }
    refuse();
    List.copyOf(open.keySet()).forEach(this::close);
    if (state == LogState.BLOCKED) {
      contain(() -> disk.listener().unblocked(LogListener.CLOSED));
    }
  }

  private void close(StreamSegment segment) {
    open.remove(segment);
    unforced.remove(segment);
    close(segment.file);
    close(segment.index);
    segment.file = null;
    segment.index = null;
  }

  private static void close(LogFile file) {
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        LOGGER.warn("Closing a file of a stream: {}", e.toString());
      }
    }
  }

  private static void contain(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      if (Faults.isFatal(e)) {
        throw e;
      }
      LOGGER.error("A listener of the streams has failed", e);
    }
  }

  private static final class ForceException extends IOException {
    ForceException(IOException cause) {
      super(cause);
    }
  }
}
