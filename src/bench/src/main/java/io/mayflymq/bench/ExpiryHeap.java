package io.mayflymq.bench;

import io.mayflymq.core.queue.index.LongPairHeap;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The heap of deadlines that come out of order, of constant size; the operation is a pair. */
public class ExpiryHeap extends Measured {
  private static final int HOUR = 3_600_000;

  @Param({"1000", "1000000"})
  int entries;

  private final SplittableRandom random = new SplittableRandom(42);
  private LongPairHeap index;
  private long sequence;

  /** Fills it with random deadlines. */
  @Setup
  public void fill() {
    index = new LongPairHeap(number -> true);
    for (int i = 0; i < entries; i++) {
      index.add(random.nextInt(HOUR), sequence++);
    }
  }

  /** The first message expires, and another comes that is due within an hour from then. */
  @Benchmark
  public long pollAndAdd() {
    long now = index.peekDeadline();
    index.poll();
    index.add(now + random.nextInt(HOUR), sequence++);
    return now;
  }
}
