package io.mayflymq.core.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * Counters whose owners come and go, such as those of the queues of a virtual host; together they
 * count what all of them ever did. Any thread may call.
 */
public final class CounterGroup implements Counts {
  /** Each knows its place, so that nobody waits for a set of 100,000 to grow. */
  private final ArrayList<Counters> members = new ArrayList<>();

  private final long[] departed = new long[Counter.COUNT];
  private final RateWindow rates = new RateWindow();

  /** Somebody new counts, who is in no group. */
  public synchronized void join(Counters member) {
    member.place = members.size();
    members.add(member);
  }

  /** A member will count no further: what it counted stays in the sum. On its own thread. */
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

  /** The sums of this moment, which are cheaper to have all at once. */
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
   * Puts what the departed counted into the sums and gives the members of the same moment, which
   * are added up without holding up those who come and go.
   */
  private synchronized List<Counters> begin(long[] sums) {
    System.arraycopy(departed, 0, sums, 0, sums.length);
    return List.copyOf(members);
  }
}
