package io.mayflymq.core.store.segment;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A segment, with counts of what is still needed of it: entries of queues, and marks, which say
 * that entries of an earlier segment are gone. A mark is needed as long as that segment exists.
 * Belongs to the shard's thread, except for the file.
 */
final class Segment {
  /** The weight of an entry in addition to its body; weights are only compared with each other. */
  private static final int ENTRY_WEIGHT = 64;

  public enum State {
    ACTIVE,
    SEALED,
    /** Nothing of it is needed; it is being deleted. */
    CONDEMNED
  }

  public final SegmentHeader header;
  public final int number;
  public final long key;

  /** Null until the flusher has created it. */
  public volatile LogFile file;

  /** Set by the flusher when all of it is in the file, and its index in another. */
  public volatile boolean written;

  public State state = State.ACTIVE;

  /** Damaged in a way that prevents its compaction: it stays as long as it has entries. */
  public boolean pinned;

  /**
   * The location that must be safe before the segment may be deleted: the records up to there
   * replace its entries and its notes of deliveries. Set before the deletion is requested.
   */
  public volatile long neededUntil;

  /**
   * The number of the burst that must be committed before the segment may be deleted: 0 except in
   * the log of a replica, which may have to undo what replaces the segment. Set before the deletion
   * is requested.
   */
  public volatile long condemnedAt;

  /**
   * Whether it contains notes of deliveries and returns that no later segment is known to have: see
   * {@link #neededUntil}.
   */
  public boolean tellsNotes;

  /** Whether it has more than the notes at its beginning. */
  public boolean begun;

  public int length = SegmentHeader.SPACE;
  private long noteBytes;
  private long nameBytes;
  private long entryBytes;
  private long totalWeight;
  private long liveWeight;
  private long liveEntries;
  private long marks;
  private final Map<Segment, Marks> marksElsewhere = new LinkedHashMap<>();
  private Segment lastHolder;
  private Marks lastMarks;

  public Segment(SegmentHeader header) {
    this.header = header;
    this.number = header.segment();
    this.key = RecordFormat.segmentKey(header.logId(), number);
  }

  /** Counts a note at its beginning: each segment begins with all of them. */
  public void noted(int recordLength) {
    noteBytes += recordLength;
  }

  /** Counts the name of a queue, which has entries behind it. */
  public void named(int recordLength) {
    nameBytes += recordLength;
  }

  /** Counts a record with this many entries. */
  public void added(int entries, int bodyLength, int recordLength) {
    entryBytes += recordLength;
    long weight = entries * (long) (ENTRY_WEIGHT + bodyLength);
    totalWeight += weight;
    liveWeight += weight;
    liveEntries += entries;
  }

  /** Counts an entry that is not needed any more. */
  public void released(int bodyLength) {
    if (liveEntries == 0) {
      throw new IllegalStateException("more released of segment " + number + " than it has");
    }
    liveEntries--;
    liveWeight -= ENTRY_WEIGHT + bodyLength;
  }

  /** Counts marks of a later segment about entries of this one. */
  public void marked(Segment holder, int count) {
    if (holder != lastHolder) {
      lastHolder = holder;
      lastMarks = marksElsewhere.computeIfAbsent(holder, key -> new Marks());
    }
    lastMarks.count += count;
    holder.marks += count;
  }

  /** Removes the marks of another segment, which is being deleted. */
  public void unmarked(Segment holder) {
    marksElsewhere.remove(holder);
    if (holder == lastHolder) {
      lastHolder = null;
      lastMarks = null;
    }
  }

  /** Releases all marks about this segment, which has been deleted. */
  public void releaseMarks(Consumer<Segment> released) {
    marksElsewhere.forEach(
        (holder, held) -> {
          holder.marks -= held.count;
          released.accept(holder);
        });
    marksElsewhere.clear();
    lastHolder = null;
    lastMarks = null;
  }

  /** Called when its marks have been copied to a later segment. */
  public void dropMarks() {
    marks = 0;
  }

  /** Whether nothing of it is needed. */
  public boolean isEmpty() {
    return liveEntries == 0 && marks == 0;
  }

  public long liveEntries() {
    return liveEntries;
  }

  /**
   * Estimates how many bytes of entries are needed: the same share of its bytes as of its weight.
   */
  public long liveBytes() {
    return totalWeight == 0 ? 0 : (long) ((double) entryBytes * liveWeight / totalWeight);
  }

  /**
   * Estimates how many bytes a later segment would have more if what is needed were copied to it:
   * entries, and names of queues. What it begins with it has anyway.
   */
  public long carriedBytes() {
    return totalWeight == 0
        ? 0
        : (long) ((double) (entryBytes + nameBytes) * liveWeight / totalWeight);
  }

  /**
   * Returns how many bytes each segment begins with, as this one does: the header and notes; 0 if
   * there are no notes, as the header alone is small.
   */
  public long beginningBytes() {
    return noteBytes == 0 ? 0 : SegmentHeader.SPACE + noteBytes;
  }

  /** Estimates how many bytes would have to be copied to delete it. */
  public long neededBytes() {
    return carriedBytes() + marks * RecordFormat.SETTLE_LENGTH;
  }

  @Override
  public String toString() {
    return "segment " + number;
  }

  private static final class Marks {
    long count;
  }
}
