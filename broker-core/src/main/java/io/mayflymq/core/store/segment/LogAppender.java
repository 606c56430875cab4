package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.Commit;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * The end of the log, where records are appended: in memory, in write buffers that the flusher
 * writes to the disk. Belongs to the shard's thread.
 */
final class LogAppender {
  /**
   * How many buffers are outside of the heap, and used again and again; where the disk is behind,
   * more are on the heap. The memory of one outside is free only when a collection has found it to
   * be garbage, and too many of them can exhaust it before.
   */
  private static final int MOST_DIRECT_BUFFERS = 8;

  /** Keeps a segment, which begins with notes of deliveries, below 2 GiB. */
  private static final int MOST_RECORD_LENGTH = Integer.MAX_VALUE - (256 << 20);

  /** The share of a segment that notes of returns may take: one part of this many. */
  private static final int PART_FOR_RETURNS = 4;

  private final LogOptions options;
  private final long logId;
  private final SegmentTable table;
  private final SegmentFiles files;
  private final Flusher flusher;
  private final LogOwner owner;
  private final Bursts bursts;
  private final RecordFormat format = new RecordFormat();
  private final RecordHeader note = new RecordHeader();
  private final ArrayDeque<WriteBuffer> retained = new ArrayDeque<>();
  private final ArrayDeque<WriteBuffer> spare = new ArrayDeque<>();
  private int directBuffers;

  private int nextSegment;
  private long records;
  private Segment active;
  private IndexBuilder index;
  private int indexSize = 1 << 16;
  private WriteBuffer writeBuffer;
  private int emptyLength;
  private int forcedNoted;
  private int recordsEnd;
  private boolean unpublished;
  private long appendedBytes;
  private long recordBytes;

  /**
   * Where a log goes on.
   *
   * @param logId identifies the log in its segments
   * @param segment the number of the first segment that may be created
   * @param record how many records the log had before
   * @param bursts those of a replicated log; null for another one
   */
  record Start(long logId, int segment, long record, Bursts bursts) {
    /** That of a log whose contents have not been read: nothing may be appended. */
    static final Start UNKNOWN = new Start(0, 1, 0, null);
  }

  /** Creates the end of a log. Nothing is written before the first record. */
  LogAppender(
      LogOptions options, Start start, SegmentTable table, Flusher flusher, LogOwner owner) {
    this.options = options;
    this.logId = start.logId;
    this.nextSegment = start.segment;
    this.records = start.record;
    this.bursts = start.bursts;
    this.table = table;
    this.files = flusher.files();
    this.flusher = flusher;
    this.owner = owner;
  }

  /**
   * Reserves room for a record, whose length and type are set, and sets its location.
   *
   * @throws IllegalArgumentException if the record is too long for any segment
   */
  void begin(RecordHeader head, long length) {
    if (length > MOST_RECORD_LENGTH) {
      throw new IllegalArgumentException("a record of " + length + " bytes");
    }
    if (head.inBurst) {
      bursts.open();
    }
    boolean fits = active != null && active.length + length <= options.segmentBytes();
    if (active == null || (!fits && active.length > emptyLength)) {
      roll();
    }
    if (head.type.hasContent) {
      nameQueues(head.targets);
    }
    makeRoom(head, (int) length);
  }

  /** Writes the names of these queues, if the segment does not have them yet. */
  private void nameQueues(RecordTargets targets) {
    for (int i = 0; i < targets.size(); i++) {
      if (targets.namedIn(i) != active.number) {
        nameQueue(targets.queueId(i));
      }
    }
  }

  private void nameQueue(long queueId) {
    QueueNote queue = owner.noteOf(queueId, active.number);
    if (queue != null) {
      note.type = RecordType.QUEUE;
      note.namedQueue = queueId;
      note.metadataSeen = queue.metadataSeen();
      note.queueName = queue.name().encode();
      makeRoom(note, RecordFormat.QUEUE_FIXED + note.queueName.length);
      RecordEncoder.queue(writeBuffer.buffer, writeBuffer.position, note);
      end(note);
      note.queueName = null;
      files.saw(queue.metadataSeen());
    }
  }

  private void makeRoom(RecordHeader head, int length) {
    head.length = length;
    if (writeBuffer.room() < length) {
      submitComplete(null);
      startChunk(length);
    }
    head.segment = active.number;
    head.offset = active.length;
  }

  /** Returns the buffer into which the record is to be encoded. */
  ByteBuffer buffer() {
    return writeBuffer.buffer;
  }

  /** Returns the index in the buffer where the record starts. */
  int start() {
    return writeBuffer.position;
  }

  /** Completes the record that was encoded. Returns its location. */
  long end(RecordHeader head) {
    format.seal(writeBuffer.view, writeBuffer.position, head.length, active.key, head.offset);
    writeBuffer.position += head.length;
    active.length += head.length;
    appendedBytes += head.length;
    records++;
    if (head.type != RecordType.FORCED) {
      recordsEnd = active.length;
      recordBytes += head.length;
    }
    unpublished = true;
    if (bursts != null) {
      bursts.has(head);
    }
    index.add(head);
    table.account(active, head);
    return head.location();
  }

  /**
   * Hands everything over to the flusher.
   *
   * @param commit to be notified when it is safe, or null
   */
  void publish(Commit commit) {
    if (active != null) {
      noteForced();
    }
    if (unpublished || commit != null) {
      unpublished = false;
      flusher.submit(writeBuffer, false, null, commit);
    }
  }

  /** Notes how much of this segment has been forced, if that is more than what is noted. */
  private void noteForced() {
    long forced = flusher.forcedTo();
    boolean news =
        Location.segment(forced) == active.number
            && Location.offset(forced) > forcedNoted
            && forcedNoted < recordsEnd;
    if (news) {
      forcedNoted = Location.offset(forced);
      note.type = RecordType.FORCED;
      note.forcedTo = forcedNoted;
      makeRoom(note, RecordFormat.FORCED_LENGTH);
      RecordEncoder.forced(writeBuffer.buffer, writeBuffer.position, note);
      end(note);
    }
  }

  /**
   * Ends the current segment. The next record begins another one.
   *
   * @return the segment; null if there is none
   */
  Segment seal() {
    Segment sealed = active;
    if (sealed != null) {
      indexSize = index.size() + index.size() / 8;
      submitComplete(index.build(sealed.header, sealed.length));
      unpublished = false;
      active = null;
      index = null;
      writeBuffer = null;
      sealed.state = Segment.State.SEALED;
    }
    return sealed;
  }

  /**
   * Ensures that a remaining segment has the notes of deliveries and returns that only this segment
   * has, which is about to be deleted: if there is something to note, and the current segment did
   * not begin with it, a new segment is begun.
   */
  void carryNotes(Segment segment) {
    if (segment.tellsNotes && active == null) {
      if (bursts != null) {
        beginIfNone();
      }
      owner.forEachDelivered((queueId, upTo) -> beginIfNone());
      owner.forEachReturned(1, (queueId, notes) -> beginIfNone());
    }
  }

  private void beginIfNone() {
    if (active == null) {
      roll();
    }
  }

  /** Returns the write buffer that has this record; null if it is in the file. */
  WriteBuffer find(long location) {
    if (retained.isEmpty() || location < retained.peekFirst().startLocation()) {
      return null;
    }
    for (WriteBuffer candidate : retained) {
      long start = candidate.startLocation();
      if (location >= start && location < start + candidate.position) {
        return candidate;
      }
    }
    throw new IllegalArgumentException(
        "no record at " + Location.segment(location) + ":" + Location.offset(location));
  }

  /** Returns up to which offset the records of a segment are to be read from its file. */
  int endInFile(Segment segment) {
    WriteBuffer first = retained.peekFirst();
    return first != null && first.segment == segment ? first.base : segment.length;
  }

  /**
   * Returns the location after the last record; {@link Location#NONE} if there is no current
   * segment.
   */
  long endLocation() {
    return active == null ? Location.NONE : Location.of(active.number, active.length);
  }

  long logId() {
    return logId;
  }

  /** Returns how many bytes have been appended so far. */
  long appendedBytes() {
    return appendedBytes;
  }

  /**
   * Returns the same without notes of what has been forced, which need not be forced themselves.
   */
  long recordBytes() {
    return recordBytes;
  }

  /** Begins a segment. */
  void roll() {
    Segment sealed = seal();
    if (nextSegment == Integer.MAX_VALUE) {
      throw new IllegalStateException("the log has used up its segment numbers");
    }
    SegmentHeader header = new SegmentHeader(options.shard(), logId, nextSegment++, records);
    active = new Segment(bursts == null ? header : header.ofReplica());
    index = new IndexBuilder(indexSize);
    table.add(active);
    startChunk(0);
    unpublished = true;
    if (bursts != null) {
      bursts.describeHistory(note);
      int epochs = note.history.starts().size();
      makeRoom(note, RecordFormat.HISTORY_FIXED + epochs * RecordFormat.EPOCH);
      RecordEncoder.history(writeBuffer.buffer, writeBuffer.position, note);
      end(note);
    }
    owner.forEachDelivered(
        (queueId, upTo) -> {
          note.type = RecordType.DELIVERED;
          note.deliveredQueue = queueId;
          note.deliveredUpTo = upTo;
          makeRoom(note, RecordFormat.DELIVERED_LENGTH);
          RecordEncoder.delivered(writeBuffer.buffer, writeBuffer.position, note);
          end(note);
        });
    owner.forEachReturned(
        options.segmentBytes() / PART_FOR_RETURNS,
        (queueId, notes) -> {
          note.type = RecordType.RETURNED;
          note.returnedQueue = queueId;
          note.returnedAll = true;
          note.returnedNotes = notes;
          makeRoom(note, RecordFormat.RETURNED_FIXED + notes.length);
          RecordEncoder.returned(writeBuffer.buffer, writeBuffer.position, note);
          end(note);
        });
    note.returnedNotes = null;
    if (bursts != null) {
      owner.forEachApplied(this::noteApplied);
    }
    emptyLength = active.length;
    if (emptyLength > SegmentHeader.SPACE) {
      table.notesTold(endLocation());
    }
    forcedNoted = SegmentHeader.SPACE;
    recordsEnd = active.length;
    if (sealed != null) {
      table.check(sealed);
    }
  }

  private void noteApplied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {
    note.type = RecordType.APPLIED;
    note.appliedOrigin = origin;
    note.appliedNumber = number;
    note.unknownUpTo = unknownUpTo;
    note.appliedOutcome = outcome;
    makeRoom(note, RecordFormat.APPLIED_FIXED + outcome.length);
    RecordEncoder.applied(writeBuffer.buffer, writeBuffer.position, note);
    end(note);
  }

  private void submitComplete(SegmentIndex indexOfSegment) {
    flusher.submit(writeBuffer, true, indexOfSegment, null);
  }

  private void startChunk(int least) {
    while (!retained.isEmpty() && retained.peekFirst().done) {
      WriteBuffer written = retained.removeFirst();
      written.segment = null;
      if (written.buffer.isDirect()) {
        spare.addLast(written);
      }
    }
    if (least > options.bufferBytes()) {
      writeBuffer = new WriteBuffer(ByteBuffer.allocate(least));
    } else if (!spare.isEmpty()) {
      writeBuffer = spare.removeLast();
    } else if (directBuffers < MOST_DIRECT_BUFFERS) {
      directBuffers++;
      writeBuffer = new WriteBuffer(ByteBuffer.allocateDirect(options.bufferBytes()));
    } else {
      writeBuffer = new WriteBuffer(ByteBuffer.allocate(options.bufferBytes()));
    }
    writeBuffer.start(active, active.length);
    retained.addLast(writeBuffer);
  }
}
