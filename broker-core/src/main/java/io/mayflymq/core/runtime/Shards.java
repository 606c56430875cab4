package io.mayflymq.core.runtime;

import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

/** The shards of a broker, one for each of its threads. Any thread may call. */
public final class Shards {
  private final List<Shard> all;
  private final SteadyClock clock;

  /**
   * Creates a shard on each loop.
   *
   * @param loops the threads
   * @param clock the time
   * @param faults where uncaught exceptions are reported
   */
  public Shards(List<? extends EventLoop> loops, InstantSource clock, Faults faults) {
    this.clock = SteadyClock.following(clock);
    this.all =
        IntStream.range(0, loops.size())
            .mapToObj(index -> new Shard(index, loops.get(index), this.clock, faults))
            .toList();
  }

  /** Returns a time that nothing sets, in ms, as {@link Shard#steadyMillis}. */
  public long steadyMillis() {
    return clock.unskipped();
  }

  /** Returns how many there are. */
  public int count() {
    return all.size();
  }

  /** Returns the shard of this number. */
  public Shard get(int index) {
    return all.get(index);
  }

  /** Returns the shard on this loop. */
  public Shard on(EventLoop loop) {
    for (Shard shard : all) {
      if (shard.loop() == loop) {
        return shard;
      }
    }
    throw new IllegalArgumentException("no shard on " + loop);
  }
}
