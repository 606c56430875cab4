package io.mayflymq.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * A group of counters, such as those of the queues of a virtual host; the sums include members that
 * have left. Any thread may call.
 */
public final class CounterGroup implements Counts {
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
    };
  }

  /** Takes a sample of every member and of the sums, for the rates. On one thread. */
  void sample(long nanos, long sincePreviousNanos) {
    long[] sums = new long[Counter.COUNT];
    for (Counters member : begin(sums)) {
      member.sample(nanos, sincePreviousNanos);
      member.addTo(sums);
    }
    rates.sample(nanos, sincePreviousNanos, sums);
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
