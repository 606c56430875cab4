package io.mayflymq.core.store.segment.file;

import io.mayflymq.core.store.segment.record.RecordFormat;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A segment and what of it is still needed: entries of queues, and gone-marks, the notes that
 * entries of an earlier segment are gone. A mark is needed as long as that segment exists. Belongs
 * to the shard's thread, but for the file.
 */
public final class Segment {
  /** What an entry weighs beside its body; weights are only compared with each other. */
  private static final int ENTRY_WEIGHT = 64;

  public enum State {
    ACTIVE,
    SEALED,
    /** Nothing of it is needed; its deletion is under way. */
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

  /** Damaged in a way that keeps it from being compacted: it stays as long as it has entries. */
  public boolean pinned;

  /**
   * The location that must be safe before it may be deleted: up to there are the records that took
   * the place of its entries, and of its notes of what was delivered. Set before it is condemned.
   */
  public volatile long neededUntil;

  /**
   * Tells of deliveries and returns what no later segment is known to tell: see {@link
   * #neededUntil}.
   */
  public boolean tellsNotes;

  /** Has more than what a segment begins with. */
  public boolean begun;

  public int length = SegmentHeader.SPACE;
  private long entryBytes;
  private long totalWeight;
  private long liveWeight;
  private long liveEntries;
  private long marks;
  private final Map<Segment, Marks> marksElsewhere = new HashMap<>();
  private Segment lastHolder;
  private Marks lastMarks;

  public Segment(SegmentHeader header) {
    this.header = header;
    this.number = header.segment();
    this.key = RecordFormat.segmentKey(header.logId(), number);
  }

  /** A record came with this many entries. */
  public void added(int entries, int bodyLength, int recordLength) {
    entryBytes += recordLength;
    long weight = entries * (long) (ENTRY_WEIGHT + bodyLength);
    totalWeight += weight;
    liveWeight += weight;
    liveEntries += entries;
  }

  /** An entry is not needed any more. */
  public void released(int bodyLength) {
    if (liveEntries == 0) {
      throw new IllegalStateException("more released of segment " + number + " than it has");
    }
    liveEntries--;
    liveWeight -= ENTRY_WEIGHT + bodyLength;
  }

  /** A later segment has got marks about entries of this one. */
  public void marked(Segment holder, int count) {
    if (holder != lastHolder) {
      lastHolder = holder;
      lastMarks = marksElsewhere.computeIfAbsent(holder, key -> new Marks());
    }
    lastMarks.count += count;
    holder.marks += count;
  }

  /** The other segment goes, and its marks about this one with it. */
  public void unmarked(Segment holder) {
    marksElsewhere.remove(holder);
    if (holder == lastHolder) {
      lastHolder = null;
      lastMarks = null;
    }
  }

  /** This segment is gone: nobody needs marks about it. */
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

  /** Its marks have been carried to a later segment. */
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

  /** How many bytes of entries are needed, about: the same share of its bytes as of its weight. */
  public long liveBytes() {
    return totalWeight == 0 ? 0 : (long) ((double) entryBytes * liveWeight / totalWeight);
  }

  /** About how many bytes would have to be copied for it to go. */
  public long neededBytes() {
    return liveBytes() + marks * RecordFormat.SETTLE_LENGTH;
  }

  @Override
  public String toString() {
    return "segment " + number;
  }

  private static final class Marks {
    long count;
  }
}
