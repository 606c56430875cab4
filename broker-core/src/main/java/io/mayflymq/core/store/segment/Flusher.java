package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Brings a log to the disk, on a thread of its own: wake, swap what is pending, write, force, confirm. While one round is at the
 * disk the next one's work piles up, so the slower the disk, the more goes with one force; there is no timer in it.
 *
 * The order is what makes recovery simple. A segment is forced before the first byte of the next is written, so only the last one
 * can be torn. A segment is deleted only after everything that was submitted before is forced: what took the place of its entries
 * (the target of a move, a copy by compaction) is safe by then. Deletions are made in the order of the requests, each one safe
 * before the next is made, so no mark about a segment vanishes before the segment.
 *
 * A write that fails is made again, at the same place, when retry() is called. The disk may be full, and then it is settlements that
 * relieve it, though they cannot be written either. A segment of which all is settled need not wait for the marks that say so: without
 * the segment they are about nothing. It must wait for what took the place of its entries, as the target of a move or a copy, and of
 * its notes of what was delivered: the beginning of its successor (Segment.neededUntil). So while the log is blocked those segments
 * are deleted that wait for nothing but marks.
 *
 * A force that fails is final: the kernel may have dropped
 * the pages that it could not write, and would say at the next force that all is well.
 */
final class Flusher implements Runnable {
  /** A commit of nobody. */
  static final Commit FORCE =
      new Commit() {
        @Override
        public void safe() {}

        @Override
        public void failed() {}
      };

  private static final Logger LOGGER = LoggerFactory.getLogger(Flusher.class);

  private final LogDirectory directory;
  private final Executor executor;
  private final LogListener listener;
  private final boolean forces;
  private final Object lock = new Object();

  // Guarded by the lock
  private final ArrayList<Chunk> submitted = new ArrayList<>();
  private final ArrayList<Commit> commits = new ArrayList<>();
  private final ArrayList<Segment> condemned = new ArrayList<>();
  private final ArrayList<Segment> deleted = new ArrayList<>();
  private boolean pending;
  private boolean scheduled;

  private volatile LogState state = LogState.OPEN;
  private volatile boolean anyDeleted;
  private volatile long forcedTo;

  private final AtomicLong writtenBytes = new AtomicLong();

  // The flusher's own
  private final ArrayDeque<Chunk> writing = new ArrayDeque<>();
  private final ArrayDeque<Commit> waiting = new ArrayDeque<>();
  private final ArrayDeque<Segment> doomed = new ArrayDeque<>();
  private final ArrayList<Segment> unforced = new ArrayList<>();
  private boolean namesUnforced;
  private long writtenTo;

  Flusher(LogDirectory directory, Executor executor, LogListener listener, Sync sync) {
    this.directory = directory;
    this.executor = executor;
    this.listener = listener;
    this.forces = sync == Sync.ALWAYS;
  }

  LogState state() {
    return state;
  }

  /** Everything before this location was there, and safe, when the log was opened. */
  void startAt(long location) {
    writtenTo = location;
    forcedTo = location;
  }

  /** The location before which everything has been forced. */
  long forcedTo() {
    return forcedTo;
  }

  /** How many bytes have been written so far. */
  long writtenBytes() {
    return writtenBytes.get();
  }

  // The shard's side

  /**
   * Hands over a chunk up to its position.
   *
   * @param complete whether nothing more comes in this chunk
   * @param index the index of the segment if it ends with this chunk; else null
   * @param commit to be told when all that was submitted is safe, or null
   */
  void submit(Chunk chunk, boolean complete, SegmentIndex index, Commit commit) {
    synchronized (lock) {
      if (chunk != null) {
        if (!chunk.submitted) {
          chunk.submitted = true;
          submitted.add(chunk);
        }
        chunk.limit = chunk.position;
        chunk.complete = complete;
        chunk.index = index;
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
      condemned.add(segment);
      wake();
    }
  }

  /** Tries again what could not be written. */
  void retry() {
    synchronized (lock) {
      if (state == LogState.BLOCKED && !scheduled) {
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

  private void wake() {
    pending = true;
    boolean anyUse = state == LogState.OPEN || (state == LogState.FAILED && !commits.isEmpty());
    if (anyUse && !scheduled) {
      schedule();
    }
  }

  private void schedule() {
    scheduled = true;
    pending = true;
    executor.execute(this);
  }

  // The flusher's side

  @Override
  public void run() {
    while (take()) {
      if (state == LogState.FAILED) {
        refuse();
        continue;
      }
      try {
        write();
        if ((forces && !waiting.isEmpty()) || !doomed.isEmpty()) {
          force();
        }
        unblock();
        confirm();
        delete();
      } catch (ForceException e) {
        fail(e.getCause());
      } catch (IOException e) {
        block(e);
        relieve();
      } catch (RuntimeException e) {
        fail(e);
      }
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
      doomed.addAll(condemned);
      condemned.clear();
      return true;
    }
  }

  private void write() throws IOException {
    for (Chunk chunk = writing.peek(); chunk != null; chunk = writing.peek()) {
      int limit;
      boolean complete;
      SegmentIndex index;
      synchronized (lock) {
        limit = chunk.limit;
        complete = chunk.complete;
        index = chunk.index;
      }
      Segment segment = chunk.segment;
      if (segment.file == null) {
        create(segment);
      }
      if (limit > chunk.written) {
        if (unforced.isEmpty() || unforced.get(unforced.size() - 1) != segment) {
          unforced.add(segment);
        }
        chunk.writeView.limit(limit).position(chunk.written);
        segment.file.write(chunk.writeView, chunk.base + (long) chunk.written);
        writtenBytes.addAndGet(limit - chunk.written);
        chunk.written = limit;
        writtenTo = Location.of(segment.number, chunk.base + limit);
      }
      if (!complete) {
        // It is the last one: a chunk follows only after its predecessor was submitted complete.
        setAside(chunk);
        break;
      }
      if (index != null) {
        if (forces) {
          force();
        }
        store(index);
        segment.written = true;
      }
      writing.remove();
      chunk.done = true;
    }
  }

  /** A record without a header could never be read: so that is safe before the first record. */
  private void create(Segment segment) throws IOException {
    LogFile file = directory.create(SegmentNames.log(segment.number));
    try {
      segment.header.store(file);
    } catch (IOException e) {
      file.close();
      throw e;
    }
    segment.file = file;
    unforced.add(segment);
    namesUnforced = true;
    if (forces) {
      force();
    }
  }

  /** Leaves a chunk until it is submitted again, unless it has been already. */
  private void setAside(Chunk chunk) {
    synchronized (lock) {
      if (chunk.limit == chunk.written && !chunk.complete) {
        writing.remove();
        chunk.submitted = false;
      }
    }
  }

  private void store(SegmentIndex index) {
    try {
      index.store(directory);
    } catch (IOException e) {
      LOGGER.warn(
          "The index of segment {} in {} could not be written ({}); the next start reads the"
              + " segment instead",
          index.header().segment(),
          directory,
          e.toString());
      discard(SegmentNames.index(index.header().segment()));
    }
  }

  /** Half an index is none, and only makes the next start suspect damage. */
  private void discard(String name) {
    try {
      directory.delete(name);
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be deleted: {}", name, directory, e.toString());
    }
  }

  private void force() throws ForceException {
    try {
      for (Segment segment : unforced) {
        segment.file.force();
      }
      unforced.clear();
      if (namesUnforced) {
        directory.force();
        namesUnforced = false;
      }
      forcedTo = writtenTo;
    } catch (IOException e) {
      throw new ForceException(e);
    }
  }

  private void confirm() {
    for (Commit commit = waiting.poll(); commit != null; commit = waiting.poll()) {
      run(commit::safe);
    }
  }

  private void refuse() {
    for (Commit commit = waiting.poll(); commit != null; commit = waiting.poll()) {
      run(commit::failed);
    }
  }

  private void delete() throws ForceException {
    boolean done = true;
    while (done && !doomed.isEmpty()) {
      done = delete(doomed.peek());
      if (done) {
        doomed.remove();
      }
    }
  }

  private boolean delete(Segment segment) throws ForceException {
    try {
      // The index first: without its segment it might be taken for that of a later one.
      directory.delete(SegmentNames.index(segment.number));
      directory.delete(SegmentNames.log(segment.number));
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be deleted: {}", segment, directory, e.toString());
      return false;
    }
    try {
      directory.force();
    } catch (IOException e) {
      throw new ForceException(e);
    }
    synchronized (lock) {
      deleted.add(segment);
      anyDeleted = true;
    }
    closeFiles(List.of(segment));
    return true;
  }

  /** Makes room by what may go although nothing can be written; if there is, writing is tried. */
  private void relieve() {
    List<Segment> gone = new ArrayList<>();
    try {
      if (!doomed.isEmpty()) {
        force();
      }
      for (Segment segment : doomed) {
        if (segment.written && segment.neededUntil <= forcedTo && delete(segment)) {
          gone.add(segment);
        }
      }
    } catch (ForceException e) {
      fail(e.getCause());
    }
    doomed.removeAll(gone);
    if (!gone.isEmpty() && state == LogState.BLOCKED) {
      synchronized (lock) {
        pending = true;
      }
    }
  }

  private void block(IOException cause) {
    boolean first;
    synchronized (lock) {
      first = state == LogState.OPEN;
      state = LogState.BLOCKED;
      pending = false;
    }
    if (first) {
      LOGGER.error("Cannot write the message log in {}: {}", directory, cause.toString());
      run(() -> listener.blocked(cause));
    }
  }

  private void unblock() {
    if (state == LogState.BLOCKED) {
      synchronized (lock) {
        state = LogState.OPEN;
      }
      LOGGER.info("The message log in {} can be written again", directory);
      run(listener::unblocked);
    }
  }

  private void fail(Throwable cause) {
    synchronized (lock) {
      state = LogState.FAILED;
      pending = true; // For the commits that have come meanwhile.
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
    refuse();
  }

  /** Ends it: tries a last time what could not be written, and closes the files. */
  void close(Iterable<Segment> segments) {
    if (state == LogState.BLOCKED) {
      synchronized (lock) {
        pending = true;
      }
      run();
    }
    refuse();
    closeFiles(segments);
  }

  private void closeFiles(Iterable<Segment> segments) {
    for (Segment segment : segments) {
      LogFile file = segment.file;
      if (file != null) {
        try {
          file.close();
        } catch (IOException e) {
          LOGGER.warn("Closing {} in {}: {}", segment, directory, e.toString());
        }
      }
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOGGER.error("A listener of the message log has failed", e);
    }
  }

  private static final class ForceException extends IOException {
    ForceException(IOException cause) {
      super(cause);
    }
  }
}
