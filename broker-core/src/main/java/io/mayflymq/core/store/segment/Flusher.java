package io.mayflymq.core.store.segment;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.StoreStats;
import io.mayflymq.core.store.segment.FlushRound.Purpose;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.SegmentWriter.Unforced;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a log to the disk: wake up, take what is pending, write, force, confirm. While one round
 * is being forced, work for the next one accumulates, so the slower the disk, the more one force
 * covers; there is no timer.
 *
 * <h2>Two roles</h2>
 *
 * <p>Writing continues while the disk is busy: what has been written survives the end of the
 * process, and acknowledgements, which no client waits for, should not wait for a slow force. So
 * there are two roles, writer and forcer, with one thread at most in each: {@link FlushRoles}. The
 * thread that has written becomes the forcer of what it wrote, if there is no other, and gives up
 * the writer's role; if something is submitted meanwhile, a second thread takes that role. When a
 * force is done the forcer ensures that a thread checks whether there is more to do. The same code
 * also runs on a single thread, one role after the other.
 *
 * <h2>The order</h2>
 *
 * <p>The order of the operations makes recovery simple. A segment is forced before the first byte
 * of the next is written, so only the last one can be torn. A segment is deleted only after
 * everything that was submitted before is forced: what replaces its entries (the target of a move,
 * a copy by compaction) is safe then. Deletions are made in the order of the requests, each one
 * safe before the next is made, so no mark about a segment is deleted before the segment.
 *
 * <h2>Errors</h2>
 *
 * <p>A write that fails is repeated, at the same place, when retry() is called. If the disk is
 * full, settlements would free space, but they cannot be written either. A segment in which all is
 * settled need not wait for the marks that say so: without the segment they are meaningless. It
 * must wait for what replaces its entries, as the target of a move or a copy, and for what replaces
 * its notes of deliveries: the beginning of its successor (Segment.neededUntil). So while the log
 * is blocked, the segments that wait for nothing but marks are deleted.
 *
 * <p>A force that fails is final: the kernel may have dropped the pages that it could not write,
 * and would report success at the next force. So is an unexpected exception or error: then it is
 * unknown what has been written. All later commits fail, and both roles are given up.
 */
final class Flusher implements Runnable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Flusher.class);

  private final LogDirectory directory;
  private final SegmentFiles files;
  private final Executor executor;
  private final LogListener listener;
  private final boolean forces;
  private final Object lock = new Object();
  private final SegmentWriter writer;

  /** Written by the forcer. */
  private final Histogram forceTimes = StoreStats.forceTimes();

  /** Written by the thread that forces. */
  private volatile long lastForceNanos;

  // Guarded by the lock
  private final ArrayList<WriteBuffer> submitted = new ArrayList<>();
  private final ArrayList<Commit> commits = new ArrayList<>();
  private final ArrayList<Segment> pendingDeletion = new ArrayList<>();
  private final ArrayList<Segment> deleted = new ArrayList<>();

  private final FlushRoles roles = new FlushRoles();
  private Closing closing;

  /** Up to which burst what replaces a segment is not undone any more. */
  private long committed;

  /** The location that must be safe before that is true here. */
  private volatile long committedTo;

  private volatile LogState state = LogState.OPEN;
  private volatile boolean anyDeleted;
  private volatile long forcedTo;

  // Used by the writer only
  private final List<Commit> waiting = new ArrayList<>();
  private int deletableBefore;

  private record Closing(Iterable<Segment> segments, CompletableFuture<Void> done) {}

  Flusher(
      LogDirectory directory,
      SegmentFiles files,
      LogOptions options,
      Executor executor,
      LogListener listener) {
    this.directory = directory;
    this.files = files;
    this.executor = executor;
    this.listener = listener;
    this.forces = options.sync() == Sync.ALWAYS;
    this.writer = new SegmentWriter(directory, files, forces, lock);
  }

  SegmentFiles files() {
    return files;
  }

  LogState state() {
    return state;
  }

  /**
   * Starts with a log whose records before this location all exist and are safe.
   *
   * @param listed which segments must be there; null if the log has no manifest
   */
  void startAt(long location, SegmentManifest listed) {
    writer.startAt(location);
    forcedTo = location;
    files.startWith(listed);
  }

  /** Returns the location before which everything has been forced. */
  long forcedTo() {
    return forcedTo;
  }

  /** Returns how long forces took. Any thread may call. */
  Histogram.Reading forceTimes() {
    return forceTimes.read();
  }

  /** Returns how long the last force took, in ns; 0 if there was none. Any thread may call. */
  long lastForceNanos() {
    return lastForceNanos;
  }

  /** Returns whether no thread writes, forces or tells what is safe. Any thread may call. */
  boolean isAtRest() {
    synchronized (lock) {
      return roles.isIdle();
    }
  }

  /** Returns how many bytes have been written so far. */
  long writtenBytes() {
    return writer.writtenBytes();
  }

  // Called by the shard

  /**
   * Hands over a write buffer up to its position.
   *
   * @param complete whether nothing more is added to this buffer
   * @param index the index of the segment if the segment ends with this buffer; else null
   * @param commit to be notified when all that was submitted is safe, or null
   */
  void submit(WriteBuffer writeBuffer, boolean complete, SegmentIndex index, Commit commit) {
    synchronized (lock) {
      if (writeBuffer != null) {
        if (!writeBuffer.submitted) {
          writeBuffer.submitted = true;
          submitted.add(writeBuffer);
        }
        writeBuffer.limit = writeBuffer.position;
        writeBuffer.complete = complete;
        writeBuffer.index = index;
      }
      if (commit != null) {
        commits.add(commit);
      }
      wake();
    }
  }

  /**
   * Deletes a segment after all that has been submitted is safe, and its burst is committed, see
   * {@link Segment#condemnedAt}.
   */
  void condemn(Segment segment) {
    synchronized (lock) {
      pendingDeletion.add(segment);
      wake();
    }
  }

  /**
   * Bursts up to this one are committed: segments that wait for that can be deleted.
   *
   * @param upTo a location behind the burst
   */
  void committed(long number, long upTo) {
    synchronized (lock) {
      if (number > committed) {
        committed = number;
        committedTo = upTo;
        if (deletable() > 0) {
          wake();
        }
      }
    }
  }

  /** Returns how many of the segments to be deleted need not wait for a commit. */
  private int deletable() {
    int count = 0;
    while (count < pendingDeletion.size() && pendingDeletion.get(count).condemnedAt <= committed) {
      count++;
    }
    return count;
  }

  /** Repeats writes that have failed. */
  void retry() {
    synchronized (lock) {
      if (state == LogState.BLOCKED) {
        startWriter();
      }
    }
  }

  /** Returns the segments that have been deleted since the last call. */
  List<Segment> takeDeleted() {
    if (!anyDeleted) {
      return List.of();
    }
    synchronized (lock) {
      anyDeleted = false;
      List<Segment> taken = List.copyOf(deleted);
      deleted.clear();
      return taken;
    }
  }

  /**
   * Closes the log: repeats failed writes a last time, fails the commits that wait for them, and
   * closes the files. Nothing may be submitted afterwards.
   */
  CompletableFuture<Void> close(Iterable<Segment> segments) {
    Closing last = new Closing(segments, new CompletableFuture<>());
    synchronized (lock) {
      closing = last;
      startWriter();
    }
    return last.done;
  }

  /** Requests a note of what has been forced and which metadata was seen. */
  void note(long metadataSeen) {
    executor.execute(
        () -> {
          try {
            files.note(forcedTo, metadataSeen);
          } catch (IOException e) {
            fail(e);
          }
        });
  }

  /** Deletes the spare file, as no further segment is expected soon. */
  void trimMemory() {
    executor.execute(files::deleteSpare);
  }

  private void wake() {
    roles.request();
    boolean anyUse = state == LogState.OPEN || (state == LogState.FAILED && !commits.isEmpty());
    if (anyUse) {
      startWriter();
    }
  }

  private void startWriter() {
    if (roles.startWriter()) {
      executor.execute(this);
    }
  }

  // Run by the writer

  @Override
  public void run() {
    boolean writes = true;
    while (writes && take()) {
      FlushRound round = null;
      try {
        round = state == LogState.FAILED ? refuse() : write();
      } catch (IOException e) {
        block(e);
        round = relief();
      } catch (RuntimeException | Error e) {
        fail(e);
      }
      if (round != null) {
        writes = force(round);
      }
    }
  }

  /** Takes what is pending; if nothing is, gives up the writer's role. */
  private boolean take() {
    Closing last = null;
    boolean givesUp = false;
    synchronized (lock) {
      if (roles.take()) {
        writer.add(submitted);
        submitted.clear();
        waiting.addAll(commits);
        commits.clear();
        deletableBefore = deletable();
        return true;
      }
      if (!roles.isForcing()) {
        last = closing;
        closing = null;
        givesUp = last != null && state == LogState.BLOCKED;
      }
    }
    if (last != null) {
      tellWaiting(Commit::failed);
      files.close(last.segments);
      if (givesUp) {
        run(() -> listener.unblocked(LogListener.CLOSED));
      }
      last.done.complete(null);
    }
    return false;
  }

  /** Writes; returns what has to be forced now, or null. */
  private FlushRound write() throws IOException {
    if (!writer.write(isForcing())) {
      return round(Purpose.PROCEED);
    }
    unblock();
    if (!forces) {
      tellWaiting(Commit::safe);
    }
    if (waiting.isEmpty() && deletableBefore == 0) {
      return null;
    }
    return round(Purpose.COMMIT);
  }

  private FlushRound relief() {
    files.deleteSpare();
    return deletableBefore == 0 ? null : round(Purpose.RELIEVE);
  }

  /** Fails the waiting commits, but after a force that is in progress, to keep the order. */
  private FlushRound refuse() {
    boolean now;
    synchronized (lock) {
      now = !roles.waitsForForcer();
    }
    if (now) {
      tellWaiting(Commit::failed);
    }
    return null;
  }

  private void tellWaiting(Consumer<Commit> what) {
    complete(waiting, what);
    waiting.clear();
  }

  private boolean isForcing() {
    synchronized (lock) {
      return roles.isForcing();
    }
  }

  /**
   * Makes this thread the forcer instead of the writer, unless there is a forcer, who then checks
   * again when it is done.
   */
  private FlushRound round(Purpose purpose) {
    synchronized (lock) {
      if (roles.waitsForForcer() || state == LogState.FAILED) {
        return null;
      }
      List<Commit> told = new ArrayList<>();
      List<Segment> toDelete = new ArrayList<>();
      if (purpose == Purpose.COMMIT) {
        told.addAll(waiting);
        waiting.clear();
      }
      if (purpose != Purpose.PROCEED) {
        List<Segment> before = pendingDeletion.subList(0, deletableBefore);
        toDelete.addAll(before);
        before.clear();
      }
      FlushRound round = new FlushRound(writer.takeUnforced(), told, toDelete, purpose);
      // From here on another thread may be the writer.
      roles.becomeForcer();
      if (roles.isRequested()) {
        startWriter();
      }
      return round;
    }
  }

  private void block(IOException cause) {
    boolean first;
    synchronized (lock) {
      first = state == LogState.OPEN;
      if (first) {
        state = LogState.BLOCKED;
      }
      roles.withdraw();
    }
    if (first) {
      LOGGER.error("Cannot write the message log in {}: {}", directory, cause.toString());
      run(() -> listener.blocked(cause));
    }
  }

  private void unblock() {
    boolean blocked;
    synchronized (lock) {
      blocked = state == LogState.BLOCKED;
      if (blocked) {
        state = LogState.OPEN;
      }
    }
    if (blocked) {
      LOGGER.info("The message log in {} can be written again", directory);
      run(() -> listener.unblocked(LogListener.WRITTEN));
    }
  }

  // Run by the forcer

  /** Forces; returns whether this thread is the writer afterwards. */
  private boolean force(FlushRound round) {
    int before = round.toDelete().size();
    try {
      force(round.unforced());
      complete(round.commits(), Commit::safe);
      delete(round);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      complete(round.commits(), Commit::failed);
    }
    synchronized (lock) {
      pendingDeletion.addAll(0, round.toDelete());
      return roles.forced(
          switch (round.purpose()) {
            case COMMIT -> false;
            case PROCEED -> true;
            case RELIEVE -> round.toDelete().size() < before;
          });
    }
  }

  private void force(Unforced unforced) throws IOException {
    if (!unforced.segments().isEmpty()) {
      long began = System.nanoTime();
      for (Segment segment : unforced.segments()) {
        segment.file.force();
      }
      lastForceNanos = System.nanoTime() - began;
      forceTimes.record(lastForceNanos);
    }
    if (unforced.names()) {
      directory.force();
      files.list(unforced.segments());
    }
    forcedTo = unforced.upTo();
  }

  /** Deletes segments. Those that could not be deleted are tried again. */
  private void delete(FlushRound round) throws IOException {
    boolean relieves = round.purpose() == Purpose.RELIEVE;
    List<Segment> going =
        round.toDelete().stream()
            .filter(segment -> !relieves || waitsForMarksOnly(segment))
            .toList();
    if (going.isEmpty() || !files.unlist(going)) {
      return;
    }
    for (Segment segment : going) {
      if (!files.remove(segment, relieves)) {
        return;
      }
      round.toDelete().remove(segment);
      synchronized (lock) {
        deleted.add(segment);
        anyDeleted = true;
      }
    }
  }

  private boolean waitsForMarksOnly(Segment segment) {
    // The records of a replica must be those of some burst, so its marks matter, too.
    long ofBursts = segment.condemnedAt == 0 ? Location.NONE : committedTo;
    return segment.written && Math.max(segment.neededUntil, ofBursts) <= forcedTo;
  }

  // Run by both

  /**
   * Fails the log. A fatal error, which ends the process, is thrown instead, and no other thread is
   * notified.
   */
  private void fail(Throwable cause) {
    if (cause instanceof Error error && Faults.isFatal(cause)) {
      throw error;
    }
    boolean wasBlocked;
    synchronized (lock) {
      // so that the waiting commits fail
      roles.request();
      if (state == LogState.FAILED) {
        return;
      }
      wasBlocked = state == LogState.BLOCKED;
      state = LogState.FAILED;
    }
    LOGGER.error(
        "The disk did not take what was written to the message log in {}: {}. Nothing is confirmed"
            + " any more until a restart",
        directory,
        cause.toString());
    LogFailedException failure =
        new LogFailedException("the message log in " + directory + " has failed", cause);
    if (wasBlocked) {
      run(() -> listener.unblocked(failure.getMessage()));
    }
    run(() -> listener.failed(failure));
  }

  private static void complete(Collection<Commit> told, Consumer<Commit> what) {
    told.forEach(commit -> run(() -> what.accept(commit)));
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      if (Faults.isFatal(e)) {
        throw e;
      }
      LOGGER.error("A listener of the message log has failed", e);
    }
  }
}
