package io.mayflymq.core.store.segment;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The segments of a log, and which of them can be deleted: those without needed entries and needed
 * marks. A mark is needed as long as the segment that it is about exists. Belongs to the shard's
 * thread.
 */
final class SegmentTable {
  private static final double FULL = 0.85;

  private final TreeMap<Integer, Segment> segments = new TreeMap<>();
  private final int segmentBytes;
  private Segment last;
  private long changes;

  /** Called with a segment that can be deleted. */
  private final Consumer<Segment> condemn;

  public SegmentTable(int segmentBytes, Consumer<Segment> condemn) {
    this.segmentBytes = segmentBytes;
    this.condemn = condemn;
  }

  public void add(Segment segment) {
    segments.put(segment.number, segment);
  }

  /** The segment of this number; null if it has been deleted. */
  public Segment find(int number) {
    if (last == null || last.number != number) {
      last = segments.get(number);
    }
    return last;
  }

  /** The segment of this number, which must exist. */
  public Segment get(int number) {
    Segment segment = find(number);
    if (segment == null) {
      throw new IllegalStateException("segment " + number + " has been deleted");
    }
    return segment;
  }

  /** The segment behind one; null if it is the last one. */
  public Segment after(Segment segment) {
    Map.Entry<Integer, Segment> next = segments.higherEntry(segment.number);
    return next == null ? null : next.getValue();
  }

  public Collection<Segment> all() {
    return segments.values();
  }

  /** Counts the entries and marks of a record. */
  public void account(Segment segment, RecordHeader head) {
    changes++;
    if (isNote(head.type)) {
      segment.tellsNotes = true;
      if (!segment.begun) {
        segment.noted(head.length);
      }
    } else if (head.type != RecordType.FORCED) {
      segment.begun = true;
    }
    if (head.type == RecordType.QUEUE) {
      segment.named(head.length);
    }
    if (head.type.hasContent) {
      segment.added(head.targets.size(), head.bodyLength, head.length);
    }
    int gone = head.goneCount();
    if (gone > 0 && head.goneSegment != segment.number) {
      Segment about = find(head.goneSegment);
      if (about != null) {
        about.marked(segment, gone);
        if (head.type.hasContent) {
          about.neededUntil = head.location() + head.length;
        }
      }
    }
  }

  private static boolean isNote(RecordType type) {
    return type == RecordType.DELIVERED
        || type == RecordType.RETURNED
        || type == RecordType.HISTORY
        || type == RecordType.APPLIED;
  }

  /** Called when nothing more is added to the existing segments. */
  void sealAll() {
    boolean told = false;
    for (Segment segment : segments.descendingMap().values()) {
      segment.state = Segment.State.SEALED;
      if (told) {
        segment.tellsNotes = false;
      }
      told |= segment.begun;
    }
  }

  /**
   * Called when a new segment began with all notes of deliveries and returns: once these are safe,
   * no older notes are needed.
   */
  public void notesTold(long upToLocation) {
    for (Segment segment : segments.values()) {
      if (segment.tellsNotes && segment.number < Location.segment(upToLocation)) {
        segment.neededUntil = Math.max(segment.neededUntil, upToLocation);
        segment.tellsNotes = false;
      }
    }
  }

  /** Counts an entry that is not needed any more. */
  public void release(int number, int bodyLength) {
    changes++;
    Segment segment = get(number);
    segment.released(bodyLength);
    check(segment);
  }

  /** Requests the deletion of a segment if it can be deleted. */
  public void check(Segment segment) {
    if (segment.state == Segment.State.SEALED && segment.isEmpty()) {
      segment.state = Segment.State.CONDEMNED;
      condemn.accept(segment);
    }
  }

  /** Requests the deletion of every segment that can be deleted. */
  public void checkAll() {
    List.copyOf(segments.values()).forEach(this::check);
  }

  /** Called when everything needed of a segment has been copied: it can be deleted. */
  public void compacted(Segment segment) {
    segments.values().forEach(other -> other.unmarked(segment));
    segment.dropMarks();
    segment.state = Segment.State.CONDEMNED;
    condemn.accept(segment);
  }

  /** A segment has been deleted. */
  public void deleted(Segment segment) {
    segments.remove(segment.number);
    last = null;
    List<Segment> relieved = new ArrayList<>();
    segment.releaseMarks(relieved::add);
    relieved.forEach(this::check);
  }

  public LogUsage usage() {
    long disk = 0;
    long live = 0;
    long entries = 0;
    for (Segment segment : segments.values()) {
      disk += segment.length;
      live += segment.liveBytes();
      entries += segment.liveEntries();
    }
    return new LogUsage(segments.size(), disk, live, entries);
  }

  /**
   * Returns the segment to compact next; null if none has to be. The disk space may be twice the
   * live data plus two segments; a short segment counts as a whole one, so that there are never
   * many of them. The notes with which each segment begins do not count: if they are the larger
   * part of a segment, no compaction makes the log shorter.
   *
   * <p>May be called often: it examines the segments only if something has changed.
   */
  public Segment victim() {
    if (changes < segments.size()) {
      return null;
    }
    long total = 0;
    long live = 0;
    Segment best = null;
    double least = FULL;
    for (Segment segment : segments.values()) {
      if (segment.state == Segment.State.CONDEMNED) {
        continue;
      }
      long size = Math.max(1, Math.max(segment.length, segmentBytes) - segment.beginningBytes());
      total += size;
      live += segment.carriedBytes();
      double share = (double) segment.neededBytes() / size;
      boolean ready = segment.state == Segment.State.SEALED && segment.written;
      if (ready && !segment.pinned && share < least) {
        least = share;
        best = segment;
      }
    }
    changes = total > 2 * live + 2L * segmentBytes ? changes : 0;
    return total > 2 * live + 2L * segmentBytes ? best : null;
  }
}
