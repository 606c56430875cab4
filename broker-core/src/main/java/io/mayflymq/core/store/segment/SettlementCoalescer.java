package io.mayflymq.core.store.segment;

/**
 * Joins settlements, or removals, of neighbouring messages into ranges. Several queues may be
 * settled alternately: each has a slot here, as long as they do not collide.
 */
final class SettlementCoalescer {
  private static final int PLACES = 16;

  /** Receives ranges. */
  interface Sink {
    void settled(long queueId, long from, long to, int segment, long stamp);
  }

  private final Sink sink;
  private final long[] queues = new long[PLACES];
  private final long[] froms = new long[PLACES];
  private final long[] tos = new long[PLACES];
  private final int[] segments = new int[PLACES];
  private final long[] stamps = new long[PLACES];
  private int used;

  SettlementCoalescer(Sink sink) {
    this.sink = sink;
  }

  /**
   * Adds one message, whose record is in this segment.
   *
   * @param stamp what a range has in common besides
   */
  void add(long queueId, long sequence, int segment, long stamp) {
    int place = (int) ((queueId * 0x9e3779b97f4a7c15L) >>> 60);
    if ((used & (1 << place)) != 0) {
      if (queues[place] == queueId && segments[place] == segment && stamps[place] == stamp) {
        if (sequence == tos[place] + 1) {
          tos[place] = sequence;
          return;
        }
        if (sequence == froms[place] - 1) {
          froms[place] = sequence;
          return;
        }
      }
      pass(place);
    }
    used |= 1 << place;
    queues[place] = queueId;
    froms[place] = sequence;
    tos[place] = sequence;
    segments[place] = segment;
    stamps[place] = stamp;
  }

  private void pass(int place) {
    sink.settled(queues[place], froms[place], tos[place], segments[place], stamps[place]);
  }

  /** Whether there are no ranges. */
  boolean isEmpty() {
    return used == 0;
  }

  /** Passes on all ranges. */
  void flush() {
    while (used != 0) {
      int place = Integer.numberOfTrailingZeros(used);
      used &= used - 1;
      pass(place);
    }
  }
}
