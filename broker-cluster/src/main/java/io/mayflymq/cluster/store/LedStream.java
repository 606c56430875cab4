package io.mayflymq.cluster.store;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.RecoverableQueue;
import io.mayflymq.core.store.RecoverableStream;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.UnreadableException;
import io.mayflymq.core.store.segment.DamagedRecordException;
import io.mayflymq.core.store.stream.StreamLog;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of a replica that leads. Its messages are entries of the log, with their offsets as
 * numbers; those that are committed are in its files, too, and are read there.
 */
final class LedStream implements StreamStore, RecoverableQueue {
  private static final Logger LOGGER = LoggerFactory.getLogger(LedStream.class);

  private final long queueId;
  private final QueueStore entries;
  private final StreamLog files;
  private final LedStreams streams;

  /** Where the entries are in the log. */
  private final FollowerQueue logged = new FollowerQueue();

  /** When messages came that the log had when it was opened and the files had not. */
  private final TreeMap<Long, Long> recovered = new TreeMap<>();

  /** What has been appended since and is not committed. */
  private final ArrayDeque<Message> uncommitted = new ArrayDeque<>();

  private RecoverableStream stream;
  private long nextOffset;
  private boolean isAppended;
  private long appendedAtMillis;

  /** How far the files were forced when that was looked at last. */
  private long forcedBefore;

  private boolean isDeleted;

  LedStream(long queueId, QueueStore entries, StreamLog files, LedStreams streams) {
    this.queueId = queueId;
    this.entries = entries;
    this.files = files;
    this.streams = streams;
    this.nextOffset = files.nextOffset();
    entries.attach(this);
  }

  @Override
  public void attach(RecoverableStream whose) {
    stream = whose;
  }

  @Override
  public void segmentBytes(long bytes) {
    files.segmentBytes(bytes);
  }

  // Appending

  @Override
  public void append(Message message, long nowMillis) {
    long location = entries.store(nextOffset, message, Deadlines.NEVER, nowMillis);
    logged.put(nextOffset, location, message.bodyLength());
    uncommitted.add(message);
    nextOffset++;
    streams.count();
    changed(nowMillis);
  }

  private void changed(long nowMillis) {
    if (!isAppended) {
      isAppended = true;
      appendedAtMillis = nowMillis;
      streams.appended(this);
    }
  }

  /** Returns what was appended in this burst, to be told when that is committed. */
  Appended takeAppended() {
    isAppended = false;
    return new Appended(this, nextOffset, appendedAtMillis);
  }

  /**
   * What was appended in a burst.
   *
   * @param end the offset after it
   * @param millis when it came, in ms since the epoch
   */
  record Appended(LedStream stream, long end, long millis) {
    void committed() {
      stream.committed(end, millis);
    }
  }

  private void committed(long end, long millis) {
    if (isDeleted) {
      return;
    }
    appendRecovered();
    while (files.nextOffset() < end) {
      files.append(uncommitted.remove(), millis);
    }
    stream.safe();
  }

  private void appendRecovered() {
    while (!recovered.isEmpty()) {
      Map.Entry<Long, Long> next = recovered.firstEntry();
      long offset = next.getKey();
      try {
        Message message = entries.read(logged.location(offset), false);
        streams.append(queueId, offset, message, next.getValue());
      } catch (UnreadableException e) {
        if (!(e.getCause() instanceof DamagedRecordException)) {
          throw e;
        }
        LOGGER.error("Offset {} of stream {} is lost: {}", offset, queueId, e.getMessage());
      }
      recovered.remove(offset);
    }
  }

  /** Settles in the log what the files have had, on the disk, since the call before. */
  void settle() {
    if (logged.count() > 0 && forcedBefore > 0) {
      logged.take(0, forcedBefore - 1, location -> true, false, entries::settle);
    }
    forcedBefore = files.forcedOffset();
  }

  // What the log has when it is opened

  @Override
  public boolean recovered(
      long sequence,
      long ownDeadlineMillis,
      long enqueuedAtMillis,
      int priority,
      int bodyLength,
      long location) {
    if (sequence >= files.nextOffset()) {
      recovered.put(sequence, enqueuedAtMillis);
    }
    return logged.put(sequence, location, bodyLength);
  }

  @Override
  public int settled(long sequence) {
    int[] length = new int[1];
    logged.take(
        sequence,
        sequence,
        location -> true,
        true,
        (offset, location, bodyLength) -> length[0] = bodyLength);
    recovered.remove(sequence);
    return length[0];
  }

  /** The log was read to its end. */
  void recovered() {
    nextOffset = Math.max(files.nextOffset(), logged.highest() + 1);
    for (long i = 0; i < logged.count(); i++) {
      entries.left(null); // They need no memory.
    }
    if (!recovered.isEmpty()) {
      changed(recovered.lastEntry().getValue());
    }
  }

  /** Returns how many messages only the files have. */
  long filedMessages() {
    return nextOffset - firstOffset() - logged.count();
  }

  @Override
  public long locationOf(long sequence) {
    return logged.location(sequence);
  }

  @Override
  public long ownDeadlineOf(long sequence) {
    return Deadlines.NEVER;
  }

  /** Nothing is removed from a stream so that it could be brought back. */
  @Override
  public long arrivalOf(long sequence) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isLive(long sequence, long location, boolean paged) {
    return logged.location(sequence) == location;
  }

  @Override
  public void moved(long sequence, long location) {
    logged.move(sequence, location);
  }

  @Override
  public void discard(long sequence) {
    throw new IllegalStateException("no message of a stream is stored by a move");
  }

  @Override
  public void forEachStored(EntrySink sink) {
    logged.visit(
        0,
        Long.MAX_VALUE,
        (offset, location, bodyLength) -> sink.accept(offset, location, bodyLength, 0, false));
  }

  /** What a stream delivers does not change it. */
  @Override
  public void recoveredDelivered(long upTo) {}

  @Override
  public void recoveredReturns(byte[] notes, boolean all) {}

  @Override
  public void noteReturns(RedeliveryNotes notes, int mostBytes) {}

  // What consumers see

  @Override
  public long firstOffset() {
    return files.firstOffset();
  }

  @Override
  public long nextOffset() {
    return nextOffset;
  }

  @Override
  public long safeOffset() {
    return files.nextOffset();
  }

  @Override
  public long bytes() {
    return files.bytes();
  }

  @Override
  public long lastBatchOffset() {
    return files.lastBatchOffset();
  }

  @Override
  public long offsetAt(long timeMillis) {
    return files.offsetAt(timeMillis);
  }

  @Override
  public StreamCursor read(long offset) {
    return files.read(offset);
  }

  @Override
  public long retain(long maxBytes, long maxAgeMillis, long nowMillis) {
    return files.retain(maxBytes, maxAgeMillis, nowMillis);
  }

  @Override
  public long firstRetained(long maxBytes, long maxAgeMillis, long nowMillis) {
    return files.firstRetained(maxBytes, maxAgeMillis, nowMillis);
  }

  @Override
  public void forget() {
    isDeleted = true;
    uncommitted.clear();
    entries.forget();
    streams.forget(queueId);
  }

  @Override
  public String toString() {
    return "stream " + queueId;
  }
}
