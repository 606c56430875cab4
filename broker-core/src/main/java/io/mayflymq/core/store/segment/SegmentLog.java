package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.segment.file.LogDirectory;
import io.mayflymq.core.store.segment.file.LogOptions;
import io.mayflymq.core.store.segment.file.LogRefusedException;
import io.mayflymq.core.store.segment.file.Segment;
import io.mayflymq.core.store.segment.file.SegmentFiles;
import io.mayflymq.core.store.segment.record.DamagedRecordException;
import io.mayflymq.core.store.segment.record.Location;
import io.mayflymq.core.store.segment.record.RecordDecoder;
import io.mayflymq.core.store.segment.record.RecordEncoder;
import io.mayflymq.core.store.segment.record.RecordFormat;
import io.mayflymq.core.store.segment.record.RecordHeader;
import io.mayflymq.core.store.segment.record.RecordTargets;
import io.mayflymq.core.store.segment.record.RecordType;
import io.mayflymq.core.store.segment.recovery.LogUsage;
import io.mayflymq.core.store.segment.recovery.Recovery;
import io.mayflymq.core.store.segment.recovery.RecoveryReport;
import io.mayflymq.core.store.segment.recovery.RecoveryVisitor;
import io.mayflymq.core.store.segment.recovery.SegmentTable;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/*
 * The log of a shard: what entered its durable queues, and what has left them.
 *
 * WHY ONE LOG
 * A message is made safe by forcing a file, and a disk forces as many files as it has time for: so the queues of a shard share one.
 * What all of them wrote while the disk was busy goes with the next force. Records are only ever appended; a file has a bounded size
 * and is then called a segment; the log is the sequence of the segments that still exist.
 *
 * WHAT IT SAYS
 * A log is a set of entries (queue, sequence number, message) and of marks, each of which says that entries of a queue, by their
 * range of numbers, in a certain segment are gone. The content of the queues is the entries without a mark. Four records come of
 * this: an entry in one or several queues that share one content; a mark; and an entry that is also a mark, which is atomic as it is one
 * record: a dead letter leaves one queue and enters others, and a copy by compaction voids its original. As a mark names
 * the segment that it is about, neither the order of records nor that an entry exists twice for a while can confuse it.
 * Beside these there are four notes. DELIVERED says which messages of a queue may have been delivered; a segment begins with what is
 * current, so the newest one has all of it and no older one is needed for it. RETURNED says how often messages have come back and until when they
 * wait, and is kept in the same way. FORCED says how much of its segment the disk has, so
 * that a write that a power loss took can be told from damage (see Recovery). QUEUE says what a queue is called of which its segment has
 * entries, and which metadata knew it: without metadata the messages can still be told whose they are.
 *
 *     append ---> chunk --(submit)--> flusher: write, force ---> segment file, index file
 *        |          |                     |                           |
 *     account     read                 confirm, delete             read, compact, recover
 *
 * WHAT A MARK COSTS
 * An entry is needed until it is settled. A mark is needed until the segment that it is about has been deleted; after that nothing
 * is there that it could void. So marks must not be forgotten early, or acknowledged messages come back, and must not be kept for ever,
 * or a log of a million messages that came and went would be full of them. Each segment counts the entries that are needed and
 * the marks that are needed, and knows which later segments have marks about it: a small matrix, exact, and nothing per message. At zero
 * the segment is deleted. (See Segment and SegmentTable.)
 *
 * WHY IT IS BOUNDED
 * A message that stays for ever keeps its segment, and a mark keeps its own. When the segments are more than twice what is live and two
 * more, the emptiest one is compacted: its needed records are appended again, its owner is told the new locations, and it is
 * deleted. As long as the log is over the bound, less than half of it is live on average, so the emptiest one frees more than it costs.
 *
 * THREADS
 * One thread, the shard's, appends, reads and counts; the flusher's two, one of which writes while the other forces, touch the files.
 * They meet at the hand-over of chunks, once a burst, under a lock; the bytes of a chunk that have been submitted do not change any
 * more, so all may read them. Each log has a flusher of its own: forces of several logs overlap in the kernel, and a log that is blocked or has failed holds
 * up no other. Appending never waits and never fails: what cannot be written stays in memory and the listener is told, and it is for the
 * owner to stop its publishers then (pendingBytes() says how far the disk is behind).
 *
 * MEMORY
 * Appending a record makes no object: it is encoded into an off-heap buffer that is used again once it is in the file. Beside these
 * buffers, 16 spare ones at most, the log keeps the index of the segment it is writing (ten bytes a record), and four windows
 * for reading, of 256 KiB.
 *
 * FILES
 *     0000000042.log          a segment: header, records (RecordFormat)
 *     0000000042.idx          its index, when it is complete (IndexBuilder)
 *     0000000042.spare        what is left of a segment that is gone, for another one (SegmentFiles)
 *     0000000042-*.damaged    bytes of it that were no record when the log was opened
 *     segments.manifest       which segments must be there, and a copy of it (SegmentManifest)
 */
/**
 * The durable log of a shard. Belongs to the shard's thread, except for what says otherwise.
 *
 * <p>It is opened, then recovered with {@link #recover}, and only then used.
 */
public final class SegmentLog {
  private final LogDirectory directory;
  private final LogOptions options;
  private final SegmentFiles files;
  private final Flusher flusher;
  private final SegmentTable table;
  private final RecordReader reader;
  private final RecordDecoder decoder = new RecordDecoder();
  private final SettlementCoalescer runs = new SettlementCoalescer(this::appendSettled);
  private final RecordHeader head = new RecordHeader();
  private final RecordTargets single = new RecordTargets();
  private LogAppender tail;
  private Compactor compactor;
  private long committedBytes;
  private long bytesAtRest;

  /**
   * Makes a log of the files in a directory. Nothing is read or written yet.
   *
   * @param directory a directory that belongs to this log alone
   * @param executor the threads that the log is flushed on, of this log alone, since they wait for
   *     the disk: two, so that it can write what comes while it forces what came; one is enough
   * @param listener hears of troubles, on these threads
   */
  public SegmentLog(
      LogDirectory directory, LogOptions options, Executor executor, LogListener listener) {
    this.directory = directory;
    this.options = options;
    this.files = new SegmentFiles(directory, options.segmentBytes());
    this.flusher = new Flusher(directory, files, options, executor, listener);
    this.table = new SegmentTable(options.segmentBytes(), this::condemn);
    this.reader = new RecordReader(table);
  }

  /**
   * Reads what the log holds, and makes it ready to be used. Torn ends are cut, damaged parts
   * copied to files of their own, and both are reported and logged.
   *
   * @param visitor hears of everything; may {@link #release} and {@link #read} meanwhile
   * @throws LogRefusedException if segments are missing or belong to another log, unless the
   *     options accept that; then nothing has been changed
   * @throws IOException if a file cannot be read or written, or was written by a newer version or
   *     for another shard
   */
  public RecoveryReport recover(RecoveryVisitor visitor, LogOwner owner) throws IOException {
    if (tail != null) {
      throw new IllegalStateException("the log has been recovered already");
    }
    Recovery recovery = new Recovery(directory, options, table, visitor);
    tail = new LogAppender(options, 0, 1, 0, table, files, flusher, owner);
    RecoveryReport report = recovery.run();
    int first = recovery.lastSegment() + 1;
    long record = recovery.nextRecord();
    tail = new LogAppender(options, recovery.logId(), first, record, table, files, flusher, owner);
    flusher.startAt(Location.of(first, 0), recovery.manifest());
    compactor = new Compactor(directory, table, tail, reader, owner);
    table.checkAll();
    return report;
  }

  /**
   * A message enters a queue.
   *
   * @param queueId the queue; an id is never given to another queue
   * @param namedIn the last segment for which {@link LogOwner#noteOf} was asked about the queue, so
   *     that it is not asked at each message; 0 if that is not known
   * @param sequence the message's number in the queue, 0 or more
   * @param deadlineMillis when it expires there, in ms since the epoch; {@link Long#MAX_VALUE} for
   *     never
   * @param flags eight bits that are the owner's
   * @param enqueuedAtMillis the time, in ms since the epoch
   * @return where it can be read
   */
  public long enqueue(
      long queueId,
      int namedIn,
      long sequence,
      long deadlineMillis,
      int flags,
      long enqueuedAtMillis,
      Message message) {
    single.clear();
    single.add(queueId, namedIn, sequence, deadlineMillis, flags);
    return enqueue(single, enqueuedAtMillis, message);
  }

  /** A message enters several queues, which share one content. Else like the above. */
  public long enqueue(RecordTargets targets, long enqueuedAtMillis, Message message) {
    head.type = RecordType.ENQUEUE;
    return append(targets, enqueuedAtMillis, message);
  }

  /**
   * A message leaves a queue and enters others: as one record, so after a crash it has done both or
   * neither.
   *
   * @param sourceQueueId the queue that it leaves
   * @param sourceSequence its number there
   * @param sourceLocation its location there
   * @param sourceBodyLength the length of its body there, in bytes
   * @param targets the queues that it enters
   * @param enqueuedAtMillis the time, in ms since the epoch
   * @param message the message as it enters them
   * @return where it can be read
   */
  public long move(
      long sourceQueueId,
      long sourceSequence,
      long sourceLocation,
      int sourceBodyLength,
      RecordTargets targets,
      long enqueuedAtMillis,
      Message message) {
    head.type = RecordType.MOVE;
    head.goneQueue = sourceQueueId;
    head.goneFrom = sourceSequence;
    head.goneTo = sourceSequence;
    head.goneSegment = Location.segment(sourceLocation);
    long location = append(targets, enqueuedAtMillis, message);
    release(sourceLocation, sourceBodyLength);
    return location;
  }

  private long append(RecordTargets targets, long enqueuedAtMillis, Message message) {
    if (targets.size() == 0) {
      throw new IllegalArgumentException("a record without a queue");
    }
    head.targets.set(targets);
    head.enqueuedAt = enqueuedAtMillis;
    head.bodyLength = message.bodyLength();
    head.priority = message.priority();
    tail.begin(head, RecordEncoder.length(head.type, targets.size(), message));
    RecordEncoder.message(tail.buffer(), tail.start(), head, message);
    return tail.end(head);
  }

  /**
   * A message has left its queue for good. Neighbours are joined to ranges, and written at the next
   * {@link #flush} or {@link #commit}.
   *
   * @param location where it was stored
   * @param bodyLength the length of its body in bytes
   */
  public void settle(long queueId, long sequence, long location, int bodyLength) {
    runs.add(queueId, sequence, Location.segment(location));
    release(location, bodyLength);
  }

  /**
   * An entry is not needed any more, and the log need not remember that: as when recovery brings
   * one that is settled by a later record or whose queue is gone.
   *
   * @param location where it was stored
   * @param bodyLength the length of its body in bytes
   */
  public void release(long location, int bodyLength) {
    table.release(Location.segment(location), bodyLength);
  }

  /**
   * A queue has gone with all that was in it.
   *
   * @param entries what was in it
   */
  public void forget(long queueId, Entries entries) {
    TreeSet<Integer> touched = new TreeSet<>();
    entries.forEach(
        (location, bodyLength) -> {
          Segment segment = table.get(Location.segment(location));
          segment.released(bodyLength);
          touched.add(segment.number);
        });
    for (int segment : touched) {
      head.type = RecordType.FORGET;
      head.goneQueue = queueId;
      head.goneSegment = segment;
      tail.begin(head, RecordFormat.FORGET_LENGTH);
      RecordEncoder.gone(tail.buffer(), tail.start(), head);
      tail.end(head);
    }
    touched.forEach(number -> table.check(table.get(number)));
  }

  /**
   * Messages of a queue may have been delivered: those with numbers up to this one. Safe with the
   * next {@link #commit}; the last such note of a queue that is safe is always found again. A queue
   * that {@link LogOwner#forEachDelivered} does not name any more is forgotten.
   *
   * @param upTo the highest number that may have been delivered
   */
  public void delivered(long queueId, long upTo) {
    head.type = RecordType.DELIVERED;
    head.deliveredQueue = queueId;
    head.deliveredUpTo = upTo;
    tail.begin(head, RecordFormat.DELIVERED_LENGTH);
    RecordEncoder.delivered(tail.buffer(), tail.start(), head);
    tail.end(head);
  }

  /**
   * Messages of a queue have come back. Kept as {@link #delivered} is: a segment begins with what
   * {@link LogOwner#forEachReturned} names.
   *
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether what was told of the queue's returns before is void
   */
  public void returned(long queueId, byte[] notes, boolean all) {
    head.type = RecordType.RETURNED;
    head.returnedQueue = queueId;
    head.returnedAll = all;
    head.returnedNotes = notes;
    tail.begin(head, RecordFormat.RETURNED_FIXED + (long) notes.length);
    RecordEncoder.returned(tail.buffer(), tail.start(), head);
    tail.end(head);
    head.returnedNotes = null;
  }

  /** The entries of a queue. */
  @FunctionalInterface
  public interface Entries {
    /** Names each of them once. */
    void forEach(EntrySink sink);
  }

  /** Takes entries. */
  @FunctionalInterface
  public interface EntrySink {
    /**
     * Takes one.
     *
     * @param location where it was stored
     * @param bodyLength the length of its body in bytes
     */
    void accept(long location, int bodyLength);
  }

  /**
   * Reads a message. It comes from memory if it is not in the file yet.
   *
   * @param location what appending returned, or recovery or compaction told, for an entry that has
   *     not been released
   * @throws DamagedRecordException if it is not as it was written
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  public Message read(long location) {
    reader.find(tail, location);
    return decoder.message(reader.buffer(), reader.start());
  }

  /**
   * Has everything appended so far made safe, together with what else is pending.
   *
   * @param commit is told when it is, or that it will not be: on one of the flusher's threads at a
   *     time, in the order of the calls
   */
  public void commit(Commit commit) {
    runs.flush();
    tail.publish(commit);
    committedBytes = tail.recordBytes();
    noteDeletions();
  }

  /**
   * Whether anything has been appended since the last {@link #commit}: what nobody waits for, and
   * what is forced only when somebody asks.
   */
  public boolean unforced() {
    return tail.recordBytes() > committedBytes || !runs.isEmpty();
  }

  /** The log's random id, which its files have in common. */
  public long id() {
    return tail.logId();
  }

  /**
   * Has everything written, soon, but not forced: it survives the end of the process, and becomes
   * safe with the next commit. Enough for what may be repeated, like acknowledgements.
   *
   * <p>To be called at the end of every burst, even if nothing has been appended: it also notes in
   * the log what has been forced.
   */
  public void flush() {
    runs.flush();
    tail.publish(null);
    noteDeletions();
  }

  /**
   * Frees disk, a slice at a time. To be called now and then, as at the end of bursts.
   *
   * @param budget about how many bytes to copy at most
   * @return whether there is more to do at once
   */
  public boolean compact(int budget) {
    noteDeletions();
    return flusher.state() == LogState.OPEN && compactor.step(budget);
  }

  /**
   * Gives back the disk that is kept for the next segment, if nothing has been appended since the
   * last call. To be called now and then.
   */
  public void trimMemory() {
    if (tail.recordBytes() == bytesAtRest) {
      flusher.trimMemory();
    }
    bytesAtRest = tail.recordBytes();
  }

  /**
   * Has it noted how much has been forced, and which metadata the log has seen. To be called now
   * and then: a file that is cut off later is noticed by that.
   *
   * @param metadataSeen the sequence number of metadata of this moment
   */
  public void note(long metadataSeen) {
    flusher.note(metadataSeen);
  }

  /** Tries again what could not be written. Any thread; the owner's timer, once a second or so. */
  public void retry() {
    flusher.retry();
  }

  /** How the log is. Any thread. */
  public LogState state() {
    return flusher.state();
  }

  /** How many bytes have been appended and are not written yet. */
  public long pendingBytes() {
    return tail.appendedBytes() - flusher.writtenBytes();
  }

  /** What the log occupies and what of it is needed. */
  public LogUsage usage() {
    noteDeletions();
    return table.usage();
  }

  /**
   * Ends the log: writes all, completes the last segment and closes the files. Commits that still
   * wait, as the disk is full, fail. Nothing may be called afterwards.
   *
   * @return done when that has happened, or could not; the executor is not needed any more then
   */
  public CompletableFuture<Void> close() {
    runs.flush();
    tail.seal();
    flusher.submit(null, false, null, Commit.UNTOLD);
    return flusher.close(List.copyOf(table.all()));
  }

  private void appendSettled(long queueId, long from, long to, int segment) {
    if (table.find(segment) != null) {
      head.type = RecordType.SETTLE;
      head.goneQueue = queueId;
      head.goneFrom = from;
      head.goneTo = to;
      head.goneSegment = segment;
      tail.begin(head, RecordFormat.SETTLE_LENGTH);
      RecordEncoder.gone(tail.buffer(), tail.start(), head);
      tail.end(head);
    }
  }

  /** What took the place of the segment's entries must be on its way before the segment goes. */
  private void condemn(Segment segment) {
    tail.carryNotes(segment);
    tail.publish(null);
    flusher.condemn(segment);
  }

  private void noteDeletions() {
    for (Segment segment : flusher.takeDeleted()) {
      table.deleted(segment);
    }
  }
}
