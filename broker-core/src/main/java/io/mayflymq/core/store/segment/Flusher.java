package io.mayflymq.core.store.segment;

import io.mayflymq.core.fault.Faults;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.segment.FlushRound.Purpose;
import io.mayflymq.core.store.segment.SegmentWriter.Unforced;
import io.mayflymq.core.store.segment.file.LogDirectory;
import io.mayflymq.core.store.segment.file.LogOptions;
import io.mayflymq.core.store.segment.file.LogOptions.Sync;
import io.mayflymq.core.store.segment.file.Segment;
import io.mayflymq.core.store.segment.file.SegmentFiles;
import io.mayflymq.core.store.segment.file.SegmentManifest;
import io.mayflymq.core.store.segment.index.SegmentIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Brings a log to the disk: wake, swap what is pending, write, force, confirm. While one round is being forced the next one's work
 * piles up, so the slower the disk, the more goes with one force; there is no timer in it.
 *
 * TWO ROLES
 * Writing goes on while the disk is busy: what has been written survives the end of the process, and acknowledgements, which nobody waits
 * for, should not have to wait for a slow force. So there are two roles, the writer's and the forcer's, one thread at most in each.
 * Who has written becomes the forcer of what he wrote, if there is no other, and lets the writer's role go; if something is submitted
 * meanwhile, a second thread takes it up. When a force is done the forcer sees to it that somebody looks whether there is more. On a
 * single thread the same code runs too, one role after the other.
 *
 * THE ORDER
 * It is what makes recovery simple. A segment is forced before the first byte of the next is written, so only the last one
 * can be torn. A segment is deleted only after everything that was submitted before is forced: what took the place of its entries
 * (the target of a move, a copy by compaction) is safe by then. Deletions are made in the order of the requests, each one safe
 * before the next is made, so no mark about a segment vanishes before the segment.
 *
 * TROUBLE
 * A write that fails is made again, at the same place, when retry() is called. The disk may be full, and then it is settlements that
 * relieve it, though they cannot be written either. A segment of which all is settled need not wait for the marks that say so: without
 * the segment they are about nothing. It must wait for what took the place of its entries, as the target of a move or a copy, and of
 * its notes of what was delivered: the beginning of its successor (Segment.neededUntil). So while the log is blocked those segments
 * are deleted that wait for nothing but marks.
 *
 * A force that fails is final: the kernel may have dropped
 * the pages that it could not write, and would say at the next force that all is well. So is an exception or an error that nothing is
 * expected to throw: what has been written is unknown then. Commits fail from there on, and no role stays taken.
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

  // Guarded by the lock
  private final ArrayList<WriteBuffer> submitted = new ArrayList<>();
  private final ArrayList<Commit> commits = new ArrayList<>();
  private final ArrayList<Segment> pendingDeletion = new ArrayList<>();
  private final ArrayList<Segment> deleted = new ArrayList<>();

  /** Something has come that no writer has taken. */
  private boolean pending;

  /** Somebody is the writer, or about to be. */
  private boolean writing;

  /** Somebody is the forcer. */
  private boolean forcing;

  /** The writer had something for the forcer, and there was one. */
  private boolean refused;

  private Closing closing;

  private volatile LogState state = LogState.OPEN;
  private volatile boolean anyDeleted;
  private volatile long forcedTo;

  // The writer's
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

  LogState state() {
    return state;
  }

  /**
   * Everything before this location was there, and safe, when the log was opened.
   *
   * @param listed which segments must be there; null if the log has no manifest
   */
  void startAt(long location, SegmentManifest listed) {
    writer.startAt(location);
    forcedTo = location;
    files.startWith(listed);
  }

  /** The location before which everything has been forced. */
  long forcedTo() {
    return forcedTo;
  }

  /** How many bytes have been written so far. */
  long writtenBytes() {
    return writer.writtenBytes();
  }

  // The shard's side

  /**
   * Hands over a chunk up to its position.
   *
   * @param complete whether nothing more comes in this chunk
   * @param index the index of the segment if it ends with this chunk; else null
   * @param commit to be told when all that was submitted is safe, or null
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

  /** Deletes a segment after all that has been submitted is safe. */
  void condemn(Segment segment) {
    synchronized (lock) {
      pendingDeletion.add(segment);
      wake();
    }
  }

  /** Tries again what could not be written. */
  void retry() {
    synchronized (lock) {
      if (state == LogState.BLOCKED && !writing) {
        schedule();
      }
    }
  }

  /** Tells, once each, which segments have been deleted. */
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
   * Ends it: tries a last time what could not be written, has commits fail that wait for it, and
   * closes the files. Nothing may be submitted afterwards.
   */
  CompletableFuture<Void> close(Iterable<Segment> segments) {
    Closing last = new Closing(segments, new CompletableFuture<>());
    synchronized (lock) {
      closing = last;
      if (!writing) {
        schedule();
      }
    }
    return last.done;
  }

  /** Has it noted what has been forced and which metadata was seen. */
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

  /** Has the file deleted that is kept for another segment: none will be needed soon. */
  void trimMemory() {
    executor.execute(files::deleteSpare);
  }

  private void wake() {
    pending = true;
    boolean anyUse = state == LogState.OPEN || (state == LogState.FAILED && !commits.isEmpty());
    if (anyUse && !writing) {
      schedule();
    }
  }

  private void schedule() {
    pending = true;
    writing = true;
    executor.execute(this);
  }

  // The writer's side

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

  /** Takes what is pending; if nothing is, the role ends. */
  private boolean take() {
    Closing last = null;
    synchronized (lock) {
      if (pending) {
        pending = false;
        writer.add(submitted);
        submitted.clear();
        waiting.addAll(commits);
        commits.clear();
        deletableBefore = pendingDeletion.size();
        return true;
      }
      writing = false;
      if (!forcing) {
        last = closing;
        closing = null;
      }
    }
    if (last != null) {
      tellWaiting(Commit::failed);
      files.close(last.segments);
      last.done.complete(null);
    }
    return false;
  }

  /** Writes; returns what is to be done at the disk now, or null. */
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

  /** After what is being forced, for the order. */
  private FlushRound refuse() {
    boolean now;
    synchronized (lock) {
      now = !forcing;
      refused = forcing;
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
      return forcing;
    }
  }

  /**
   * Makes this thread the forcer rather than the writer, unless there is one, who will have all
   * this looked at again.
   */
  private FlushRound round(Purpose purpose) {
    synchronized (lock) {
      refused = forcing;
      if (forcing || state == LogState.FAILED) {
        return null;
      }
      forcing = true;
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
      // From here on another may be the writer.
      writing = false;
      if (pending) {
        schedule();
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
      pending = false;
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
      run(listener::unblocked);
    }
  }

  // The forcer's side

  /** Returns whether this thread is the writer from here on. */
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
      forcing = false;
      pendingDeletion.addAll(0, round.toDelete());
      pending |=
          switch (round.purpose()) {
            case COMMIT -> refused;
            case PROCEED -> true;
            case RELIEVE -> refused || round.toDelete().size() < before;
          };
      refused = false;
      boolean writes = !writing;
      writing = true;
      return writes;
    }
  }

  private void force(Unforced unforced) throws IOException {
    for (Segment segment : unforced.segments()) {
      segment.file.force();
    }
    if (unforced.names()) {
      directory.force();
      files.list(unforced.segments());
    }
    forcedTo = unforced.upTo();
  }

  /** What has gone is no longer among the doomed; the others are tried again. */
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
    return segment.written && segment.neededUntil <= forcedTo;
  }

  // Of both

  /** Of a process that is to end no other thread may hear; it does so when this one has ended. */
  private void fail(Throwable cause) {
    if (cause instanceof Error error && Faults.isFatal(cause)) {
      throw error;
    }
    synchronized (lock) {
      pending = true; // For the commits that wait.
      if (state == LogState.FAILED) {
        return;
      }
      state = LogState.FAILED;
    }
    LOGGER.error(
        "The disk did not take what was written to the message log in {}: {}. Nothing is confirmed"
            + " any more until a restart",
        directory,
        cause.toString());
    run(
        () ->
            listener.failed(
                new LogFailedException("the message log in " + directory + " has failed", cause)));
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
