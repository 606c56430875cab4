package io.mayflymq.core.metrics;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counters whose owners come and go, such as those of the queues of a virtual host; together they
 * count what all of them ever did. Any thread may call.
 */
public final class CounterGroup implements Counts {
  /**
   * A set that grows a part at a time: the loop that declares the 100,000th queue waits for none.
   */
  private final Set<Counters> members = ConcurrentHashMap.newKeySet();

  private final long[] departed = new long[Counter.COUNT];
  private final RateWindow rates = new RateWindow();

  /** Somebody new counts. */
  public void join(Counters member) {
    members.add(member);
  }

  /** A member will count no further: what it counted stays in the sum. On its own thread. */
  public synchronized void leave(Counters member) {
    if (members.remove(member)) {
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
