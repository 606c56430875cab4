package io.mayflymq.core.store.segment;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes buffers to the files of their segments, in order. Used by the flusher thread that is the
 * writer. A write that has failed is repeated, at the same place, by the next call.
 */
final class SegmentWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(SegmentWriter.class);

  /**
   * What has been written and not been forced.
   *
   * @param segments the segments whose files have to be forced
   * @param names whether files have been created
   * @param upTo the location after it
   */
  record Unforced(List<Segment> segments, boolean names, long upTo) {
    boolean isEmpty() {
      return segments.isEmpty() && !names;
    }
  }

  private final LogDirectory directory;
  private final SegmentFiles files;
  private final boolean forces;
  private final Object lock;
  private final ArrayDeque<WriteBuffer> chunks = new ArrayDeque<>();
  private final ArrayList<Segment> unforced = new ArrayList<>();
  private final AtomicLong writtenBytes = new AtomicLong();
  private boolean namesUnforced;
  private long writtenTo;

  /**
   * Creates a writer.
   *
   * @param forces whether a segment is to be forced before the first byte of the next is written
   * @param lock guards the fields of write buffers that are marked so
   */
  SegmentWriter(LogDirectory directory, SegmentFiles files, boolean forces, Object lock) {
    this.directory = directory;
    this.files = files;
    this.forces = forces;
    this.lock = lock;
  }

  void startAt(long location) {
    writtenTo = location;
  }

  void add(Collection<WriteBuffer> more) {
    chunks.addAll(more);
  }

  /** How many bytes have been written so far. Any thread. */
  long writtenBytes() {
    return writtenBytes.get();
  }

  /** Returns what has to be forced, which is the caller's task from now on. */
  Unforced takeUnforced() {
    Unforced taken = new Unforced(List.copyOf(unforced), namesUnforced, writtenTo);
    unforced.clear();
    namesUnforced = false;
    return taken;
  }

  /**
   * Writes the pending buffers.
   *
   * @param forcing whether something written before is being forced
   * @return whether that was all; if not, it continues when what has been written is safe
   */
  boolean write(boolean forcing) throws IOException {
    for (WriteBuffer writeBuffer = chunks.peek();
        writeBuffer != null;
        writeBuffer = chunks.peek()) {
      int limit;
      boolean complete;
      SegmentIndex index;
      synchronized (lock) {
        limit = writeBuffer.limit;
        complete = writeBuffer.complete;
        index = writeBuffer.index;
      }
      Segment segment = writeBuffer.segment;
      if (segment.file == null) {
        create(segment);
      }
      // A record without a header could never be read: so the header is safe before the first
      // record.
      boolean first = writeBuffer.base + writeBuffer.written == SegmentHeader.SPACE;
      if (first && mustWait(forcing)) {
        return false;
      }
      if (limit > writeBuffer.written) {
        write(writeBuffer, segment, limit);
      }
      if (!complete) {
        // It is the last one: another buffer follows only after its predecessor was submitted
        // complete.
        setAside(writeBuffer);
        return true;
      }
      if (index != null) {
        cut(segment, writeBuffer.base + limit);
        if (mustWait(forcing)) {
          return false;
        }
        store(index);
        segment.written = true;
      }
      chunks.remove();
      writeBuffer.done = true;
    }
    return true;
  }

  private boolean mustWait(boolean forcing) {
    return forces && (forcing || namesUnforced || !unforced.isEmpty());
  }

  private void create(Segment segment) throws IOException {
    segment.file = files.create(segment.header);
    unforced.add(segment);
    namesUnforced = true;
  }

  private void write(WriteBuffer writeBuffer, Segment segment, int limit) throws IOException {
    markUnforced(segment);
    writeBuffer.writeView.limit(limit).position(writeBuffer.written);
    segment.file.write(writeBuffer.writeView, writeBuffer.base + (long) writeBuffer.written);
    writtenBytes.addAndGet(limit - writeBuffer.written);
    writeBuffer.written = limit;
    writtenTo = Location.of(segment.number, writeBuffer.base + limit);
  }

  /** Truncates what the file contained before it was this segment's. */
  private void cut(Segment segment, long end) throws IOException {
    if (segment.file.size() > end) {
      segment.file.truncate(end);
      markUnforced(segment);
    }
  }

  private void markUnforced(Segment segment) {
    if (unforced.isEmpty() || unforced.get(unforced.size() - 1) != segment) {
      unforced.add(segment);
    }
  }

  /** Leaves a buffer until it is submitted again, unless that has happened already. */
  private void setAside(WriteBuffer writeBuffer) {
    synchronized (lock) {
      if (writeBuffer.limit == writeBuffer.written && !writeBuffer.complete) {
        chunks.remove();
        writeBuffer.submitted = false;
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

  /** Deletes an incomplete index, which would only look like damage at the next start. */
  private void discard(String name) {
    try {
      directory.delete(name);
    } catch (IOException e) {
      LOGGER.warn("{} in {} could not be deleted: {}", name, directory, e.toString());
    }
  }
}
