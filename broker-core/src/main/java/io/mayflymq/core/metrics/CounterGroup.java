package io.mayflymq.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * A group of counters, such as those of the queues of a virtual host; the sums include members that
 * have left. Any thread may call.
 */
public final class CounterGroup implements Counts {
  /** How many bytes the histories of all members may take together, if each can have the least. */
  private static final long MOST_HISTORY_BYTES = 128L << 20;

  private static final int LEAST_HISTORY_BYTES = 512;

  /**
   * Each member knows its index, so that joining and leaving need no search and no large hash set.
   */
  private final ArrayList<Counters> members = new ArrayList<>();

  private final long[] departed = new long[Counter.COUNT];
  private final RateWindow rates = new RateWindow();

  /** Adds a member, which is in no group. */
  public synchronized void join(Counters member) {
    member.place = members.size();
    members.add(member);
  }

  /** Removes a member: its counts stay in the sum. On the member's own thread. */
  public synchronized void leave(Counters member) {
    int place = member.place;
    if (place != Counters.NOWHERE) {
      Counters last = members.remove(members.size() - 1);
      if (last != member) {
        members.set(place, last);
        last.place = place;
      }
      member.place = Counters.NOWHERE;
      member.addTo(departed);
    }
  }

  @Override
  public long get(Counter counter) {
    return sums()[counter.cell];
  }

  @Override
  public double rate(Counter counter) {
    return rates.rate(counter.cell);
  }

  @Override
  public PastCounts at(long[] nanos) {
    return new PastCounts(rates.at(nanos, Counter.COUNT));
  }

  /** Returns the present sums, which is cheaper than asking for each one. */
  public Counts snapshot() {
    long[] sums = sums();
    return new Counts() {
      @Override
      public long get(Counter counter) {
        return sums[counter.cell];
      }

      @Override
      public double rate(Counter counter) {
        return CounterGroup.this.rate(counter);
      }

      @Override
      public PastCounts at(long[] nanos) {
        return CounterGroup.this.at(nanos);
      }
    };
  }

  /** Takes a sample of every member and of the sums, for the rates. On one thread. */
  void sample(long nanos, long sincePreviousNanos) {
    long[] sums = new long[Counter.COUNT];
    List<Counters> present = begin(sums);
    int historyBytes = historyBytes(present.size());
    for (Counters member : present) {
      member.sample(nanos, sincePreviousNanos, historyBytes);
      member.addTo(sums);
    }
    rates.sample(nanos, sincePreviousNanos, sums, SampleHistory.USUAL_BYTES);
  }

  /** How many bytes the history of each member may take. */
  static int historyBytes(int members) {
    long share = MOST_HISTORY_BYTES / Math.max(1, members);
    return (int) Math.max(LEAST_HISTORY_BYTES, Math.min(SampleHistory.USUAL_BYTES, share));
  }

  private long[] sums() {
    long[] sums = new long[Counter.COUNT];
    begin(sums).forEach(member -> member.addTo(sums));
    return sums;
  }

  /**
   * Copies the sums of members that have left and returns the members of the same moment, which are
   * then added up without blocking joins and leaves.
   */
  private synchronized List<Counters> begin(long[] sums) {
    System.arraycopy(departed, 0, sums, 0, sums.length);
    return List.copyOf(members);
  }
}
