package io.mayflymq.core.metrics;

import io.mayflymq.core.metrics.histogram.Histogram;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A group of counters, such as those of the queues of a virtual host; the sums include members that
 * have left. Any thread may call.
 */
public final class CounterGroup implements Counts {
  /** How many bytes the histories of all members may take together, if each can have the least. */
  private static final long MOST_HISTORY_BYTES =
      Math.min(128L << 20, Runtime.getRuntime().maxMemory() / 64);

  private static final int LEAST_HISTORY_BYTES = 512;

  /**
   * Each member knows its index, so that joining and leaving need no search and no large hash set.
   */
  private final ArrayList<Counters> members = new ArrayList<>();

  private final long[][] departed;
  private final RateWindow rates = new RateWindow();

  /** When the first sample was taken. */
  private volatile long beginNanos = PastCounts.NO_SAMPLE;

  private final boolean measuresWaits;

  /**
   * How long messages waited in members that have left; null if none has, or it is not measured.
   */
  private Histogram.Reading departedWaits;

  /** Creates a group of members of one kind. */
  public CounterGroup() {
    this(1);
  }

  /**
   * Creates a group of members of several kinds.
   *
   * @param kinds how many, 1 or more
   */
  public CounterGroup(int kinds) {
    this(kinds, false);
  }

  /**
   * Creates a group of members of several kinds.
   *
   * @param kinds how many, 1 or more
   * @param measuresWaits whether it is measured how long messages wait in members
   */
  public CounterGroup(int kinds, boolean measuresWaits) {
    this.departed = new long[kinds][Counter.COUNT];
    this.measuresWaits = measuresWaits;
  }

  /** Adds a member, which is in no group. */
  public void join(Counters member) {
    join(member, 0);
  }

  /**
   * Adds a member, which is in no group.
   *
   * @param kind its kind, from 0
   */
  public synchronized void join(Counters member, int kind) {
    if (measuresWaits && member.waits() == null) {
      member.measureWaits();
    }
    member.beginAt(PastCounts.NO_SAMPLE);
    member.kind = kind;
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
      long[] sums = departed[member.kind];
      member.addTo(sums);
      // What it has is with the others no more.
      sums[Counter.LEFT.cell] += Math.round(QueueLengths.all(member::get));
      sums[Counter.LEFT_UNACKED.cell] += Math.round(QueueLengths.unacked(member::get));
      if (measuresWaits) {
        Histogram.Reading waits = member.waits().read();
        departedWaits =
            departedWaits == null ? waits : Histogram.Reading.sum(List.of(departedWaits, waits));
      }
    }
  }

  /**
   * Returns how long messages waited in all members, with those that have left; empty if that is
   * not measured.
   */
  public Optional<Histogram.Reading> waits() {
    if (!measuresWaits) {
      return Optional.empty();
    }
    List<Histogram> present;
    Histogram.Reading left;
    synchronized (this) {
      present = members.stream().map(Counters::waits).toList();
      left = departedWaits;
    }
    List<Histogram.Reading> parts = new ArrayList<>(2);
    if (!present.isEmpty()) {
      parts.add(Histogram.sum(present));
    }
    if (left != null) {
      parts.add(left);
    }
    return parts.isEmpty() ? Optional.empty() : Optional.of(Histogram.Reading.sum(parts));
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
    return PastCounts.since(beginNanos, rates.at(nanos, Counter.COUNT), nanos);
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

  /** Returns the present sums of the members of each kind. */
  public List<ToLongFunction<Counter>> totals() {
    long[][] sums = new long[departed.length][];
    List<Counters> present;
    synchronized (this) {
      for (int kind = 0; kind < sums.length; kind++) {
        sums[kind] = departed[kind].clone();
      }
      present = List.copyOf(members);
    }
    for (Counters member : present) {
      member.addTo(sums[member.kind]);
    }
    return Arrays.stream(sums)
        .<ToLongFunction<Counter>>map(ofKind -> counter -> ofKind[counter.cell])
        .toList();
  }

  /** Takes a sample of every member and of the sums, for the rates. On one thread. */
  void sample(long nanos, long sincePreviousNanos) {
    if (beginNanos == PastCounts.NO_SAMPLE) {
      beginNanos = nanos;
    }
    long[] sums = new long[Counter.COUNT];
    List<Counters> present = begin(sums);
    int historyBytes = historyBytes(present.size());
    for (Counters member : present) {
      member.sample(nanos, sincePreviousNanos, historyBytes);
      member.addTo(sums);
    }
    rates.sample(nanos, sincePreviousNanos, sums, SampleHistory.USUAL_BYTES);
  }

  /** How many bytes the last two samples of a member take. */
  private static final long SAMPLES_BYTES = 2L * Counter.COUNT * Long.BYTES;

  /** How many bytes the history of each member may take, besides its last samples. */
  static int historyBytes(int members) {
    long share = MOST_HISTORY_BYTES / Math.max(1, members) - SAMPLES_BYTES;
    return (int) Math.max(LEAST_HISTORY_BYTES, Math.min(SampleHistory.USUAL_BYTES, share));
  }

  void forgetHistory() {
    beginNanos = PastCounts.NO_SAMPLE;
    begin(new long[Counter.COUNT]).forEach(Counters::forgetHistory);
    rates.forgetHistory();
  }

  private long[] sums() {
    long[] sums = new long[Counter.COUNT];
    begin(sums).forEach(member -> member.addTo(sums));
    return sums;
  }

  /**
   * Adds the sums of members that have left and returns the members of the same moment, which are
   * then added up without blocking joins and leaves.
   */
  private synchronized List<Counters> begin(long[] sums) {
    for (long[] ofKind : departed) {
      for (int cell = 0; cell < sums.length; cell++) {
        sums[cell] += ofKind[cell];
      }
    }
    return List.copyOf(members);
  }
}
