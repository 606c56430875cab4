package io.mayflymq.core.store.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.RecoverableStream;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.EntryWriter;
import io.mayflymq.core.store.segment.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The log of one stream: segments, of which the last one grows and the first ones are deleted.
 * Belongs to the shard's thread, except where stated otherwise.
 *
 * <p>Segments have the format of those of a shard's message log ({@link
 * io.mayflymq.core.store.segment.RecordFormat}). Messages are never settled in a stream, so nothing
 * is counted, and only whole segments are deleted.
 *
 * <h2>Files</h2>
 *
 * <ul>
 *   <li>{@code 0000000042.log}: a segment, which is a header with its first offset, and records
 *   <li>{@code 0000000042.offsets}: its sparse index ({@link SparseIndex}), in which the position
 *       of a consumer is found
 *   <li>{@code segments.manifest} and a copy of it: which segments must exist, and the name of the
 *       stream
 * </ul>
 *
 * <h2>The way of a message</h2>
 *
 * <p>A message is appended to a buffer. At the end of the burst {@link StreamFlusher} writes and
 * forces the buffer, and adds to the index. Then the message is safe, and consumers can get it.
 * They read it from memory ({@link StreamTail}) if it is still there, else from the file.
 *
 * <h2>Memory</h2>
 *
 * <p>It does not grow with the stream. The shard knows of each segment where it begins and ends,
 * and the newest messages are kept for consumers that keep up. Other consumers read files, ahead,
 * through a window.
 *
 * <h2>After a crash</h2>
 *
 * <p>Each start begins a new segment, so older segments are only read. Messages that were not safe
 * when the broker crashed may exist or not. No consumer has got them, so their offsets are given
 * out again if they do not exist.
 */
public final class StreamLog implements StreamStore {
  /** The largest size at which a segment ends; a position in it has to fit into an int. */
  private static final int MOST_SEGMENT_BYTES = 1 << 30;

  private static final int LEAST_SEGMENT_BYTES = 4 << 10;
  private static final int DEFAULT_SEGMENT_BYTES = 500_000_000;

  private static final int FIRST_BUFFER_BYTES = 1 << 10;

  /** If more is pending, it is passed to the flusher before the end of the burst. */
  private static final int MOST_BUFFER_BYTES = 256 << 10;

  final StreamOutput output;
  private final StreamLogs logs;
  private final EntryWriter writer;
  private final List<StreamSegment> segments = new ArrayList<>();
  private final StreamTail tail = new StreamTail();
  private RecoverableStream stream;
  private int segmentBytes = DEFAULT_SEGMENT_BYTES;
  private int lastNumber;
  private long nextOffset;

  /** The offset after the last message that is forced. */
  private long forcedOffset;

  private int forcedSegment;
  private long bytes;
  private int cursors;

  /** The segment that grows; null before the first append of this process. */
  private StreamSegment active;

  private ByteBuffer records;
  private ByteBuffer index;
  private boolean inBurst;

  /** Whether what is appended is safe already, as a replicated log has it. */
  private final boolean isSafeElsewhere;

  StreamLog(long id, QueueName name, StreamLogs logs, boolean isSafeElsewhere) {
    this.output = new StreamOutput(id, name, this::safe);
    this.logs = logs;
    this.isSafeElsewhere = isSafeElsewhere;
    this.writer = new EntryWriter(id);
  }

  @Override
  public void attach(RecoverableStream whose) {
    stream = whose;
  }

  /** Takes over what was found at start. */
  void recovered(StreamRecovery.Found found) {
    output.files = found.files();
    output.logId = found.logId();
    segments.addAll(found.segments());
    lastNumber = found.lastNumber();
    nextOffset = found.nextOffset();
    forcedOffset = nextOffset;
    tail.startAt(nextOffset);
    segments.forEach(segment -> bytes += segment.length);
  }

  @Override
  public void segmentBytes(long wanted) {
    segmentBytes = (int) Math.max(LEAST_SEGMENT_BYTES, Math.min(MOST_SEGMENT_BYTES, wanted));
  }

  // Appending

  @Override
  public void append(Message message, long nowMillis) {
    int length = Math.toIntExact(EntryWriter.length(message));
    if (active == null || active.length >= segmentBytes) {
      roll();
    }
    makeRoom(length);
    boolean beginsBatch = !inBurst;
    if (beginsBatch) {
      inBurst = true;
      logs.dirty(this);
    }
    long millis = Math.max(nowMillis, lastMillis());
    int flags = beginsBatch ? StreamSegment.BEGINS_BATCH : 0;
    writer.put(records, active.key, active.length, nextOffset, flags, millis, message);
    active.appended(nextOffset, length, millis, beginsBatch);
    index = active.index(index);
    tail.add(message);
    nextOffset++;
    bytes += length;
    logs.appended(length);
  }

  /**
   * Goes on with a higher offset: there are no messages in between.
   *
   * @param offset that of the next message
   */
  public void skipTo(long offset) {
    complete();
    nextOffset = offset;
    tail.startAt(offset);
  }

  /** Deletes all messages, which are forced; the next one has the same offset as it would have. */
  public void clear() {
    segments.forEach(segment -> logs.condemn(output, segment));
    segments.clear();
    active = null;
    bytes = 0;
  }

  private void complete() {
    if (active != null) {
      index = active.indexLast(index);
      submit(true);
      active = null;
    }
  }

  private void roll() {
    complete();
    // The number of the shard is not included: a stream may be on another shard after the next
    // start.
    active = new StreamSegment(new SegmentHeader(0, output.logId, ++lastNumber, nextOffset));
    segments.add(active);
    bytes += active.length;
  }

  private void makeRoom(int length) {
    if (records != null && records.capacity() - records.position() < length) {
      if (records.capacity() + length <= MOST_BUFFER_BYTES) {
        int capacity = Math.max(records.capacity() * 2, records.position() + length);
        records = EntryWriter.buffer(capacity).put(records.flip());
      } else {
        submit(false);
      }
    }
    if (records == null) {
      records = EntryWriter.buffer(Math.max(length, FIRST_BUFFER_BYTES));
    }
  }

  private void submit(boolean complete) {
    ByteBuffer full = records == null ? EntryWriter.buffer(0) : records;
    int position = active.length - full.position();
    logs.submit(new StreamWrite(output, active, position, full, index, nextOffset, complete));
    records = null;
    index = null;
  }

  /** Called at the end of the burst: passes what was appended to the flusher. */
  void endOfBurst() {
    inBurst = false;
    if (records != null) {
      submit(false);
    }
  }

  /**
   * Called when the flusher has made it safe up to here. A report may come after a later one if the
   * flusher runs on this thread, as in tests.
   */
  private void safe(StreamSegment segment, int end, long offset) {
    for (int i = segments.size() - 1; i >= 0; i--) {
      StreamSegment earlier = segments.get(i);
      if (earlier.number() < segment.number()) {
        if (earlier.isSafe()) {
          break;
        }
        earlier.safeLength = earlier.length;
      }
    }
    segment.safeLength = Math.max(segment.safeLength, end);
    forcedSegment = Math.max(forcedSegment, segment.number());
    forcedOffset = Math.max(forcedOffset, offset);
    if (!output.forgotten) {
      stream.safe();
      tail.trim(forcedOffset, cursors > 0);
    }
  }

  // Where messages are

  @Override
  public long firstOffset() {
    return segments.isEmpty() ? nextOffset : segments.get(0).firstOffset();
  }

  @Override
  public long nextOffset() {
    return nextOffset;
  }

  @Override
  public long safeOffset() {
    return isSafeElsewhere ? nextOffset : forcedOffset;
  }

  /** Returns the offset after the last message that is forced. */
  public long forcedOffset() {
    return forcedOffset;
  }

  /** Returns the number of the last segment of which something was forced; 0 for none. */
  public int forcedSegment() {
    return forcedSegment;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  private long lastMillis() {
    return segments.isEmpty() ? 0 : segments.get(segments.size() - 1).lastMillis;
  }

  @Override
  public long lastBatchOffset() {
    if (segments.isEmpty()) {
      return nextOffset;
    }
    StreamSegment last = segments.get(segments.size() - 1);
    if (last.batchOffset < 0) {
      last.batchOffset = search(last, SegmentSearch::lastBatch);
    }
    return last.batchOffset;
  }

  @Override
  public long offsetAt(long timeMillis) {
    for (StreamSegment segment : segments) {
      if (segment.lastMillis >= timeMillis) {
        boolean written = segment.safeLength > SegmentHeader.SPACE;
        long found = written ? search(segment, search -> search.offsetAt(timeMillis)) : -1;
        return found >= 0 ? found : Math.max(forcedOffset, segment.firstOffset());
      }
    }
    return nextOffset;
  }

  private interface Question {
    long answer(SegmentSearch search) throws IOException;
  }

  private long search(StreamSegment segment, Question question) {
    EntryReader reader = borrowReader();
    try (SegmentSearch search = open(segment, reader)) {
      return question.answer(search);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      giveBack(reader);
    }
  }

  // Reading

  @Override
  public StreamCursor read(long offset) {
    cursors++;
    return new StreamReader(this, offset, false);
  }

  /** As {@link #read}, for what is forced only. */
  public StreamReader readFiles(long offset) {
    cursors++;
    return new StreamReader(this, offset, true);
  }

  void closed() {
    cursors--;
  }

  EntryReader borrowReader() {
    return logs.borrowReader();
  }

  void giveBack(EntryReader reader) {
    logs.giveBack(reader);
  }

  /** Opens a segment for reading. */
  SegmentSearch open(StreamSegment segment, EntryReader reader) throws IOException {
    return new SegmentSearch(output.files.directory(), segment, reader);
  }

  /** Returns the message, if it is in memory. */
  Message inMemory(long offset) {
    return tail.get(offset);
  }

  /** Returns the segment with this offset, or the first one after it; null if there is none. */
  StreamSegment segmentOf(long offset) {
    int low = 0;
    int high = segments.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (segments.get(middle).lastOffset < offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return low < segments.size() ? segments.get(low) : null;
  }

  // Retention

  @Override
  public long retain(long maxBytes, long maxAgeMillis, long nowMillis) {
    while (firstMayGo(0, bytes, maxBytes, maxAgeMillis, nowMillis)) {
      StreamSegment gone = segments.remove(0);
      bytes -= gone.length;
      logs.condemn(output, gone);
    }
    return segments.size() > 1
        ? Deadlines.after(segments.get(0).lastMillis, maxAgeMillis)
        : Deadlines.NEVER;
  }

  @Override
  public long firstRetained(long maxBytes, long maxAgeMillis, long nowMillis) {
    long left = bytes;
    int first = 0;
    while (firstMayGo(first, left, maxBytes, maxAgeMillis, nowMillis)) {
      left -= segments.get(first).length;
      first++;
    }
    return segments.isEmpty() ? nextOffset : segments.get(first).firstOffset();
  }

  private boolean firstMayGo(int first, long size, long maxBytes, long maxAge, long nowMillis) {
    if (first >= segments.size() - 1 || !segments.get(first).isSafe()) {
      return false;
    }
    return (maxBytes >= 0 && size > maxBytes)
        || Deadlines.after(segments.get(first).lastMillis, maxAge) <= nowMillis;
  }

  @Override
  public void forget() {
    output.forgotten = true;
    tail.trim(nextOffset, false);
    logs.forget(output);
  }

  @Override
  public String toString() {
    return output.toString();
  }
}
