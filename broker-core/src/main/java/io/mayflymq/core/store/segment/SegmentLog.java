package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.core.store.RedeliveryNotes;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.StoreStats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The durable log of a shard. Belongs to the shard's thread, except where stated otherwise.
 *
 * <p>It is opened, then recovered with {@link #recover}, and only then used.
 *
 * <p>The message log of a shard: records of what entered its durable queues, and of what has left
 * them.
 *
 * <h2>Why one log</h2>
 *
 * <p>A message is made safe by forcing a file, and a disk can do only a limited number of forces at
 * a time: so the queues of a shard share one log. What all of them wrote while the disk was busy is
 * covered by the next force. Records are only ever appended; a file has a bounded size and is
 * called a segment; the log is the sequence of the segments that still exist.
 *
 * <h2>What it contains</h2>
 *
 * <p>A log is a set of entries (queue, sequence number, message) and of marks. A mark says that
 * entries of a queue, by their range of numbers, in a certain segment are gone. The content of the
 * queues is the entries without a mark. This needs the following records: an entry in one or
 * several queues that share one content; a mark; and an entry that is also a mark, which is atomic
 * as it is one record: a dead letter leaves one queue and enters others, and a copy by compaction
 * voids its original. As a mark names the segment that it is about, the order of records does not
 * matter, nor that an entry exists twice for a while. Besides these there are notes. DELIVERED says
 * which messages of a queue may have been delivered; a segment begins with the current state, so
 * the newest one has all of it and no older one is needed for it. Two more are kept in the same
 * way: RETURNED says how often messages have been returned and until when they wait, and APPLIED,
 * in the log of a replica, which batches of commands have been applied. FORCED says how much of its
 * segment has been forced, so that a write that a power loss undid can be told from damage (see
 * Recovery). QUEUE has the name of a queue of which its segment has entries, and the sequence
 * number of the metadata that knew it: so even without metadata it is known to which queues the
 * messages belong.
 *
 * <pre>{@code
 * append -> write buffer --(submit)--> flusher: write, force ---> segment file, index file
 *    |          |                     |                           |
 * account     read                 confirm, delete             read, compact, recover
 * }</pre>
 *
 * <h2>What a mark costs</h2>
 *
 * <p>An entry is needed until it is settled. A mark is needed until the segment that it is about
 * has been deleted; after that it has no effect. So marks must not be deleted early, or
 * acknowledged messages reappear, and must not be kept for ever, or the log would fill with marks
 * of messages that are long gone. Each segment counts the entries that are needed and the marks
 * that are needed, and knows which later segments have marks about it: a small matrix, exact, and
 * without data per message. At zero the segment is deleted. (See Segment and {@link SegmentTable}.)
 *
 * <h2>Why it is bounded</h2>
 *
 * <p>A message that stays for ever keeps its segment, and a mark keeps its own. When the segments
 * are larger than twice the live data plus two segments, the emptiest one is compacted: its needed
 * records are appended again, its owner gets the new locations, and it is deleted. As long as the
 * log exceeds the bound, less than half of it is live on average, so compacting the emptiest one
 * frees more than it costs.
 *
 * <h2>Threads</h2>
 *
 * <p>One thread, the shard's, appends, reads and counts; the two threads of the flusher, one of
 * which writes while the other forces, access the files. They meet at the hand-over of write
 * buffers, once a burst, under a lock; the bytes of a buffer that have been submitted do not change
 * any more, so all threads may read them. Each log has a flusher of its own: forces of several logs
 * overlap in the kernel, and a log that is blocked or has failed does not delay the others.
 * Appending never waits and never fails: what cannot be written stays in memory and the listener is
 * notified; the owner has to stop its publishers then (pendingBytes() returns how far the disk is
 * behind).
 *
 * <h2>Memory</h2>
 *
 * <p>Appending a record allocates no object: it is encoded into an off-heap buffer that is reused
 * once it is in the file. Besides these buffers, of which 16 spare ones are kept at most, the log
 * keeps the index of the segment it is writing (ten bytes a record), and four windows for reading,
 * of 256 KiB.
 *
 * <pre>{@code
 * FILES
 *     0000000042.log          a segment: header, records (RecordFormat)
 *     0000000042.idx          its index, when it is complete (IndexBuilder)
 *     0000000042.spare        the file of a deleted segment, to be reused by another one
 *                             (SegmentFiles)
 *     0000000042-*.damaged    bytes of it that were not valid records when the log was opened
 *     segments.manifest       which segments must exist, and a copy of it (SegmentManifest)
 * }</pre>
 */
public final class SegmentLog {
  /** How many threads its executor may have: one writes while the other one forces. */
  public static final int THREADS = 2;

  private final LogDirectory directory;
  private final LogOptions options;
  private final SegmentFiles files;
  private final Flusher flusher;
  private final SegmentTable table;

  /** Null except in the log of a replica. */
  private final Bursts bursts;

  private final RecordReader reader;
  private final RecordDecoder decoder = new RecordDecoder();
  private final SettlementCoalescer runs = new SettlementCoalescer(this::appendSettled);
  private final SettlementCoalescer removals = new SettlementCoalescer(this::appendRemoved);
  private final RecordHeader head = new RecordHeader();
  private final RecordTargets single = new RecordTargets();
  private LogOwner owner;
  private LogAppender tail;
  private Compactor compactor;
  private BurstReader burstReader;
  private long committedBytes;
  private long bytesAtRest;

  /**
   * Creates a log for the files in a directory. Nothing is read or written yet.
   *
   * @param directory a directory that belongs to this log alone
   * @param executor the threads that the log is flushed on, used by this log alone, since they wait
   *     for the disk: two, so that new data is written during a force; one is enough
   * @param listener is notified of problems, on these threads
   */
  public SegmentLog(
      LogDirectory directory, LogOptions options, Executor executor, LogListener listener) {
    this.directory = directory;
    this.options = options;
    this.files = new SegmentFiles(directory, options.segmentBytes());
    this.flusher = new Flusher(directory, files, options, executor, listener);
    this.table = new SegmentTable(options.segmentBytes(), this::condemn);
    this.bursts = options.replicated() ? new Bursts() : null;
    this.head.inBurst = bursts != null;
    this.reader = new RecordReader(table);
  }

  /**
   * Reads the contents of the log, and makes it ready for use. Torn ends are cut, damaged parts are
   * copied to separate files, and both are reported and logged.
   *
   * @param visitor receives everything; may {@link #release} and {@link #read} meanwhile
   * @throws LogRefusedException if segments are missing or belong to another log, unless the
   *     options accept that; then nothing has been changed
   * @throws IOException if a file cannot be read or written, or was written by a newer version or
   *     for another shard
   */
  public RecoveryReport recover(RecoveryVisitor visitor, LogOwner owner) throws IOException {
    return recover(visitor, owner, Recovery.ALL);
  }

  /**
   * Does the same for the log of a replica, and undoes the bursts behind one: if that is
   * interrupted, it has to be done again.
   *
   * @param upTo the number of the last burst that is to remain; it must not be lower than that of a
   *     burst that is committed
   */
  public RecoveryReport recover(RecoveryVisitor visitor, LogOwner itsOwner, long upTo)
      throws IOException {
    owner = itsOwner;
    if (tail != null) {
      throw new IllegalStateException("the log has been recovered already");
    }
    Recovery recovery = new Recovery(directory, options, table, visitor, bursts);
    tail = new LogAppender(options, LogAppender.Start.UNKNOWN, table, flusher, owner);
    RecoveryReport report = recovery.run(upTo);
    int first = recovery.lastSegment() + 1;
    LogAppender.Start start =
        new LogAppender.Start(recovery.logId(), first, recovery.nextRecord(), bursts);
    tail = new LogAppender(options, start, table, flusher, owner);
    flusher.startAt(Location.of(first, 0), recovery.manifest());
    compactor = new Compactor(directory, table, tail, reader, owner);
    if (bursts != null) {
      burstReader = new BurstReader(table, bursts, tail, reader);
      flusher.committed(bursts.committed(), bursts.end());
    }
    table.checkAll();
    return report;
  }

  /**
   * Logs that a message enters a queue.
   *
   * @param queueId the queue; an id is never reused
   * @param namedIn the last segment for which {@link LogOwner#noteOf} was called for the queue, so
   *     that it is not called for each message; 0 if that is not known
   * @param sequence the message's number in the queue, 0 or more
   * @param deadlineMillis when it expires there, in ms since the epoch; {@link Long#MAX_VALUE} for
   *     never
   * @param flags eight bits for the owner's use
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

  /** Does the same for a message that enters several queues, which share one content. */
  public long enqueue(RecordTargets targets, long enqueuedAtMillis, Message message) {
    head.type = RecordType.ENQUEUE;
    return append(targets, enqueuedAtMillis, message);
  }

  /**
   * Logs that a message leaves a queue and enters others: as one record, so after a crash either
   * both or neither has happened.
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
    if (StoreIds.isRemoved(sourceQueueId)) {
      beforeReturn(sourceLocation);
    }
    head.type = RecordType.MOVE;
    head.goneQueue = sourceQueueId;
    head.goneFrom = sourceSequence;
    head.goneTo = sourceSequence;
    head.goneSegment = Location.segment(sourceLocation);
    long location = append(targets, enqueuedAtMillis, message);
    release(sourceLocation, sourceBodyLength);
    return location;
  }

  /**
   * A message that had been removed is about to enter its queue again, under its old number. A mark
   * means the entries of a segment that have a number, so the new entry must be in another one.
   *
   * @param location where it is now
   */
  void beforeReturn(long location) {
    removals.flush();
    if (Location.segment(location) == Location.segment(tail.endLocation())) {
      tail.roll();
    }
  }

  private long append(RecordTargets targets, long enqueuedAtMillis, Message message) {
    if (targets.size() == 0) {
      throw new IllegalArgumentException("a record without a queue");
    }
    head.targets.set(targets);
    head.enqueuedAt = enqueuedAtMillis;
    head.bodyLength = message.bodyLength();
    head.priority = message.ownPriority();
    tail.begin(head, RecordEncoder.length(head.type, targets.size(), message));
    RecordEncoder.message(tail.buffer(), tail.start(), head, message);
    return tail.end(head);
  }

  /**
   * Logs that a message has left its queue for good. Neighbouring messages are joined to ranges,
   * which are written at the next {@link #flush} or {@link #commit}.
   *
   * @param location where it was stored
   * @param bodyLength the length of its body in bytes
   */
  public void settle(long queueId, long sequence, long location, int bodyLength) {
    if (bursts != null) {
      bursts.open();
    }
    if (StoreIds.isRemoved(queueId)) {
      removals.flush();
    }
    runs.add(queueId, sequence, Location.segment(location), 0);
    release(location, bodyLength);
  }

  /**
   * Logs that a message has left its queue and can be brought back: it has the id of {@link
   * StoreIds#ofRemoved} from now on, and is where it was. Joined to ranges like {@link #settle}.
   *
   * @param location where it was stored
   * @param stamp when and why, as {@link io.mayflymq.core.store.RemovalStamp} packs it
   */
  public void removed(long queueId, long sequence, long location, long stamp) {
    if (bursts != null) {
      bursts.open();
    }
    removals.add(queueId, sequence, Location.segment(location), stamp);
  }

  /**
   * Releases an entry without logging that: when recovery finds one that is settled by a later
   * record or whose queue is gone.
   *
   * @param location where it was stored
   * @param bodyLength the length of its body in bytes
   */
  public void release(long location, int bodyLength) {
    table.release(Location.segment(location), bodyLength);
  }

  /**
   * Logs that a queue was deleted with all its entries.
   *
   * @param entries its entries
   */
  public void forget(long queueId, Entries entries) {
    removals.flush();
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
   * Logs that messages of a queue with numbers up to this one may have been delivered. Safe with
   * the next {@link #commit}; the last such note of a queue that is safe is always found again.
   * When {@link LogOwner#forEachDelivered} does not visit a queue any more, its note is dropped.
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
   * Logs that messages of a queue have been returned. Kept in the same way as {@link #delivered}: a
   * segment begins with what {@link LogOwner#forEachReturned} visits.
   *
   * @param notes which ones, packed by {@link RedeliveryNotes}
   * @param all whether earlier notes about the queue's returns are void
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

  /**
   * Something has happened that will be logged before the burst ends. What a replicated log notes
   * meanwhile belongs to the burst, and is undone with it.
   */
  public void beginBurst() {
    bursts.open();
  }

  /**
   * Logs that batches of commands have been applied, in the burst of a replicated log that has what
   * they have changed. Kept in the same way as {@link #delivered}: a segment begins with what
   * {@link LogOwner#forEachApplied} visits. Parameters as in {@link AppliedBatches.Sink}.
   */
  public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    head.type = RecordType.APPLIED;
    head.appliedOrigin = origin;
    head.appliedNumber = number;
    head.unknownUpTo = unknownUpTo;
    head.appliedOutcome = outcome;
    tail.begin(head, RecordFormat.APPLIED_FIXED + (long) outcome.length);
    RecordEncoder.applied(tail.buffer(), tail.start(), head);
    tail.end(head);
  }

  /**
   * Ends a burst of a replicated log: what was appended since the last one is its content.
   *
   * @param id its name; its number is that of the last one and one
   * @param leaderMillis the leader's time, in ms since the epoch
   */
  public void endBurst(BurstId id, long leaderMillis) {
    flushRuns();
    bursts.describeBurst(head, id, leaderMillis);
    tail.begin(head, RecordFormat.BURST_LENGTH);
    RecordEncoder.burst(tail.buffer(), tail.start(), head);
    tail.end(head);
  }

  /**
   * Returns what was appended to a replicated log since the last burst ended, in the form in which
   * {@link #take} takes it.
   *
   * @param leaderMillis the leader's time, in ms since the epoch
   */
  public ByteBuffer begunBurst(long leaderMillis) {
    flushRuns();
    return burstReader.begun(leaderMillis);
  }

  /**
   * Reads a burst of a replicated log in that form.
   *
   * @param number its number
   * @return null if the log does not have all of it any more
   */
  public WireBurst readBurst(long number) {
    noteDeletions();
    return burstReader.read(number);
  }

  /**
   * Takes what a burst has changed in the log of another replica, here and in the queues. The
   * caller ends the burst.
   *
   * @param content what {@link #begunBurst} or {@link #readBurst} has returned
   * @throws IllegalArgumentException if the content has changed on its way; nothing is taken then
   */
  public void take(ByteBuffer content, ReplicaQueues queues) {
    new BurstTaker(this, tail, queues, false).take(content);
  }

  /**
   * Takes a part of all that another replica has into an empty log. As its queues are in use while
   * they are copied, entries may come twice, and may be gone before they come.
   *
   * @param content what a {@link LogCopy} gives, and the bursts that have ended since it was begun
   * @throws IllegalArgumentException if the content has changed on its way; nothing is taken then
   */
  public void takeCopy(ByteBuffer content, ReplicaQueues queues) {
    new BurstTaker(this, tail, queues, true).take(content);
  }

  /**
   * Ends a copy: the log has what another replica had after a burst, and goes on behind it. It
   * cannot be cut before that.
   *
   * @param last that burst
   * @param history the epochs up to it
   */
  public void beginBehind(BurstId last, EpochHistory history) {
    flushRuns();
    bursts.beginBehind(last, history);
    tail.roll();
  }

  /**
   * Begins a copy of all that the log has, for another replica. Until it is complete or given up,
   * the log must not be compacted.
   */
  public LogCopy copy() {
    return new LogCopy(directory, table, tail, reader, owner);
  }

  /** Returns whether anything was appended to a replicated log since the last burst ended. */
  public boolean isBurstOpen() {
    return bursts.isOpen();
  }

  /**
   * Bursts of a replicated log up to this one are committed: they are not undone any more. Segments
   * that have waited for that are deleted once these bursts are safe here, after the next {@link
   * #flush} or {@link #commit}.
   */
  public void committed(long number) {
    bursts.committed(number);
  }

  /** Returns the bursts of a replicated log. To be read only. */
  public Bursts bursts() {
    return bursts;
  }

  /** The entries of a queue. */
  @FunctionalInterface
  public interface Entries {
    /** Visits each of them once. */
    void forEach(EntrySink sink);
  }

  /** Receives entries. */
  @FunctionalInterface
  public interface EntrySink {
    /**
     * Receives one entry.
     *
     * @param location where it was stored
     * @param bodyLength the length of its body in bytes
     */
    void accept(long location, int bodyLength);
  }

  /**
   * Reads a message. It comes from memory if it is not in the file yet.
   *
   * @param location what an append returned, or recovery or compaction reported, for an entry that
   *     has not been released
   * @throws DamagedRecordException if it is not as it was written
   * @throws java.io.UncheckedIOException if the file cannot be read
   */
  public Message read(long location) {
    reader.find(tail, location);
    return decoder.message(reader.buffer(), reader.start());
  }

  /**
   * An entry.
   *
   * @param message its message
   * @param enqueuedAtMillis when it was appended first, in ms since the epoch
   */
  public record Entry(Message message, long enqueuedAtMillis) {}

  /** Reads a message and when it came; otherwise as {@link #read}. */
  public Entry readEntry(long location) {
    Message message = read(location);
    return new Entry(message, RecordDecoder.enqueuedAt(reader.buffer(), reader.start()));
  }

  /**
   * Makes everything appended so far safe.
   *
   * @param commit is notified when it is safe, or has failed: on one of the flusher's threads at a
   *     time, in the order of the calls
   */
  public void commit(Commit commit) {
    flushRuns();
    publish(commit);
    committedBytes = tail.recordBytes();
    noteDeletions();
  }

  /**
   * Whether anything has been appended since the last {@link #commit}: data that no client waits
   * for, and that is forced only on request.
   */
  public boolean unforced() {
    return tail.recordBytes() > committedBytes || !runs.isEmpty() || !removals.isEmpty();
  }

  /** Returns the log's random id, which its files have in common. */
  public long id() {
    return tail.logId();
  }

  /**
   * Starts to write everything, without a force: it survives the end of the process, and becomes
   * safe with the next commit. Enough for data that may be repeated, like acknowledgements.
   *
   * <p>To be called at the end of every burst, even if nothing has been appended: it also notes in
   * the log what has been forced.
   */
  public void flush() {
    flushRuns();
    publish(null);
    noteDeletions();
  }

  private void publish(Commit commit) {
    tail.publish(commit);
    if (bursts != null) {
      // Only now: what is deleted may be replaced by what has just been submitted.
      flusher.committed(bursts.committed(), bursts.end());
    }
  }

  /**
   * Frees disk space, a slice at a time. To be called regularly, as at the end of bursts.
   *
   * @param budget about how many bytes to copy at most
   * @return whether there is more to do at once
   */
  public boolean compact(int budget) {
    noteDeletions();
    return flusher.state() == LogState.OPEN && compactor.step(budget, this::deletionsWait);
  }

  /**
   * Whether segments of a replicated log wait for a commit before they are deleted. The marks about
   * them are carried on until then, so compacting others would free nothing, and never end.
   */
  private boolean deletionsWait() {
    return bursts != null
        && table.all().stream()
            .anyMatch(
                segment ->
                    segment.state == Segment.State.CONDEMNED
                        && segment.condemnedAt > bursts.committed());
  }

  /**
   * Periodic maintenance: deletes the spare file if nothing has been appended since the last call.
   */
  public void trimMemory() {
    if (tail.recordBytes() == bytesAtRest) {
      flusher.trimMemory();
    }
    bytesAtRest = tail.recordBytes();
  }

  /**
   * Requests a note of how much has been forced, and which metadata the log has seen. To be called
   * regularly: with the note, a file that is truncated later is noticed.
   *
   * @param metadataSeen the present sequence number of metadata
   */
  public void note(long metadataSeen) {
    flusher.note(metadataSeen);
  }

  /**
   * Repeats writes that have failed. Any thread may call; the owner does so once a second or so.
   */
  public void retry() {
    flusher.retry();
  }

  /** Returns the state of the log. Any thread may call. */
  public LogState state() {
    return flusher.state();
  }

  /** Returns how many bytes have been written. */
  public long writtenBytes() {
    return flusher.writtenBytes();
  }

  /** Returns how many bytes have been appended and are not written yet. */
  public long pendingBytes() {
    return tail.appendedBytes() - flusher.writtenBytes();
  }

  /** Returns what it uses, and how much was compacted since it was recovered. */
  public StoreStats.Log figures() {
    LogUsage usage = usage();
    return new StoreStats.Log(
        usage.segments(),
        usage.diskBytes(),
        usage.liveBytes(),
        compactor.compactedSegments(),
        compactor.copiedBytes());
  }

  /** Returns how long forced writes took. Any thread may call. */
  public Histogram.Reading forceTimes() {
    return flusher.forceTimes();
  }

  /** Returns how long the last forced write took, in ns; 0 if there was none. */
  public long lastForceNanos() {
    return flusher.lastForceNanos();
  }

  /** Returns whether nothing is being written, forced or told to be safe. Any thread may call. */
  public boolean isAtRest() {
    return flusher.isAtRest();
  }

  /** Returns the size of the log and of its live data. */
  public LogUsage usage() {
    noteDeletions();
    return table.usage();
  }

  /**
   * Closes the log: writes all, completes the last segment and closes the files. Commits that still
   * wait, as the disk is full, fail. No other method may be called afterwards.
   *
   * @return completed when that is done or has failed; the executor is not needed any more then
   */
  public CompletableFuture<Void> close() {
    if (tail != null) {
      flushRuns();
      tail.seal();
    }
    flusher.submit(null, false, null, Commit.UNAWAITED);
    return flusher.close(List.copyOf(table.all()));
  }

  /** Removals first: what can be brought back may have been settled since. */
  private void flushRuns() {
    removals.flush();
    runs.flush();
  }

  private void appendSettled(long queueId, long from, long to, int segment, long stamp) {
    head.type = RecordType.SETTLE;
    appendRange(queueId, from, to, segment, RecordFormat.SETTLE_LENGTH);
  }

  private void appendRemoved(long queueId, long from, long to, int segment, long stamp) {
    head.type = RecordType.REMOVED;
    head.removal = stamp;
    appendRange(queueId, from, to, segment, RecordFormat.REMOVED_LENGTH);
  }

  private void appendRange(long queueId, long from, long to, int segment, int length) {
    if (table.find(segment) != null) {
      head.goneQueue = queueId;
      head.goneFrom = from;
      head.goneTo = to;
      head.goneSegment = segment;
      tail.begin(head, length);
      RecordEncoder.gone(tail.buffer(), tail.start(), head);
      tail.end(head);
    }
  }

  /** Deletes a segment, when what replaces its entries has been submitted. */
  private void condemn(Segment segment) {
    tail.carryNotes(segment);
    tail.publish(null);
    segment.condemnedAt = bursts == null ? 0 : bursts.condemning();
    flusher.condemn(segment);
  }

  private void noteDeletions() {
    for (Segment segment : flusher.takeDeleted()) {
      table.deleted(segment);
      if (bursts != null) {
        bursts.deleted(segment.number);
      }
    }
  }
}
