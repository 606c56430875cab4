package io.mayflymq.core.store.segment;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Which bursts a replicated log has. Belongs to the shard's thread.
 *
 * <p>The bursts of a replicated log. Records of queues are parts of bursts, which have numbers that
 * all replicas of a partition agree on. A burst ends with a record that has its number, and is in
 * the log as a whole or not at all.
 *
 * <h2>What may be undone</h2>
 *
 * <p>Bursts that are not committed may be undone, from the last one backwards: the log is cut
 * before the first record of a burst, and opened again. So what the log had at the end of each
 * burst that is not undone must be found in what remains. Entries of a segment that is deleted are
 * void by records behind it. So a segment is deleted only when the burst is committed that was the
 * last one, finished or not, when the segment was no longer needed.
 *
 * <p>Records that are no part of a burst, as copies by compaction and notes at the start of a
 * segment, stand for what the log has at that place. They are cut with what is behind a burst, and
 * are not sent to other replicas. If a segment begins within a burst, its notes have what that
 * burst has changed. It says so, and goes with that burst.
 */
public final class Bursts {
  /** The number of the last burst that began before a segment. */
  private final NavigableMap<Integer, Long> lastBefore = new TreeMap<>();

  private BurstId last = BurstId.NONE;
  private EpochHistory history = EpochHistory.NONE;
  private long base;
  private long committed;
  private long leaderMillis;
  private long end;
  private boolean open;
  private int records;
  private long begin;

  /** Returns the last burst that is finished; {@link BurstId#NONE} if there is none. */
  public BurstId last() {
    return last;
  }

  /** Returns the epochs of the bursts. */
  public EpochHistory history() {
    return history;
  }

  /** Returns the number of the burst behind which the log begins: earlier ones cannot be undone. */
  public long base() {
    return base;
  }

  /**
   * Returns the number of the last burst of which the log may not have all records any more, as
   * segments were deleted; 0 if it has all.
   */
  public long gone() {
    return lastBefore.isEmpty() ? base : Math.max(base, lastBefore.firstEntry().getValue());
  }

  /** Returns the number of the last burst that is known to be committed. */
  public long committed() {
    return committed;
  }

  /** Returns the leader's time at the end of the last burst, in ms since the epoch. */
  public long leaderMillis() {
    return leaderMillis;
  }

  /** Returns a location behind the last burst. */
  public long end() {
    return end;
  }

  /** Whether a burst has begun and not ended. */
  public boolean isOpen() {
    return open;
  }

  /** Returns how many records the burst has that has begun. */
  public int records() {
    return records;
  }

  /** Returns the location of the first of these records. */
  public long begin() {
    return begin;
  }

  /** Something happens that belongs to a burst: if none has begun, one begins. */
  public void open() {
    open = true;
  }

  /** Returns the burst that must be committed before what is condemned now may be deleted. */
  public long condemning() {
    return open ? last.number() + 1 : last.number();
  }

  /** Bursts up to this one are committed. */
  public void committed(long number) {
    committed = Math.max(committed, Math.min(number, last.number()));
  }

  /**
   * What the log has so far is what another replica had after a burst: with it, the log begins.
   *
   * @param first that burst
   * @param itsHistory the epochs up to it
   */
  public void beginBehind(BurstId first, EpochHistory itsHistory) {
    last = first;
    history = itsHistory;
    base = first.number();
    open = false;
    records = 0;
  }

  /** Fills in the fields of a record at the end of a burst. */
  public void describeBurst(RecordHeader head, BurstId id, long millis) {
    if (id.number() != last.number() + 1) {
      throw new IllegalArgumentException(id + " behind " + last);
    }
    head.type = RecordType.BURST;
    head.burst = id;
    head.burstRecords = records;
    head.committed = committed;
    head.leaderMillis = millis;
  }

  /** Fills in the fields of the record at the beginning of a segment. */
  public void describeHistory(RecordHeader head) {
    head.type = RecordType.HISTORY;
    head.burst = last;
    head.base = base;
    head.committed = committed;
    head.withinBurst = open;
    head.history = history;
  }

  /** A record has been appended, or recovered. */
  public void has(RecordHeader head) {
    if (head.type == RecordType.HISTORY) {
      last = head.burst;
      history = head.history;
      base = head.base;
      committed = Math.max(committed, head.committed);
      if (!head.withinBurst) {
        // The end of an earlier one may be in a segment that has been deleted.
        open = false;
        records = 0;
      }
      lastBefore.put(head.segment, records > 0 ? last.number() + 1 : last.number());
    } else if (head.type == RecordType.BURST) {
      last = head.burst;
      history = history.with(last);
      committed = Math.max(committed, head.committed);
      leaderMillis = head.leaderMillis;
      end = head.location() + head.length;
      open = false;
      records = 0;
    } else if (head.inBurst) {
      open = true;
      if (records++ == 0) {
        begin = head.location();
      }
    }
  }

  /** A segment has been deleted. */
  public void deleted(int segment) {
    lastBefore.remove(segment);
  }

  /** Returns the last segment before which no burst behind this one began; 0 if there is none. */
  public int segmentOf(long number) {
    int found = 0;
    for (var segment : lastBefore.descendingMap().entrySet()) {
      if (segment.getValue() <= number) {
        found = segment.getKey();
        break;
      }
    }
    return found;
  }
}
