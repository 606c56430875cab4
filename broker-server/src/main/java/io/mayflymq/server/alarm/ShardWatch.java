package io.mayflymq.server.alarm;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Checks periodically whether each shard answers, and raises an alarm while one does not, as it is
 * stuck in some work. It takes no other action, as the shard may recover.
 */
public final class ShardWatch implements AutoCloseable {
  private static final long INTERVAL_MILLIS = 2_000;

  /** How long a shard may take for an answer. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<Watched> watched = new ArrayList<>();
  private final LongSupplier nanoTime;
  private final Alarms alarms;
  private PeriodicWork thread;

  /**
   * The state of one watched shard. The thread of the watch sends queries; the shard's thread
   * answers.
   */
  private static final class Watched {
    private final Shard shard;
    private final Alarm.Failure alarm;
    private volatile boolean answered = true;
    private volatile long askedAt;

    Watched(Shard shard) {
      this.shard = shard;
      this.alarm = new Alarm.Failure(shard + " does not answer");
    }
  }

  ShardWatch(Shards shards, Alarms alarms, LongSupplier nanoTime) {
    this.alarms = alarms;
    this.nanoTime = nanoTime;
    for (int i = 0; i < shards.count(); i++) {
      watched.add(new Watched(shards.get(i)));
    }
  }

  /**
   * Starts the watch.
   *
   * @param threads makes the one that asks
   */
  public static ShardWatch start(Shards shards, Alarms alarms, BrokerThreads threads) {
    ShardWatch watch = new ShardWatch(shards, alarms, System::nanoTime);
    watch.thread = threads.periodic("shard-watch");
    watch.thread.repeat("watching the shards", () -> INTERVAL_MILLIS, watch::look);
    return watch;
  }

  /** Checks which shards have answered, and queries them again. */
  void look() {
    watched.forEach(this::look);
  }

  private void look(Watched one) {
    long now = nanoTime.getAsLong();
    if (one.answered) {
      alarms.clear(one.alarm, "it answers again");
      one.askedAt = now;
      one.answered = false;
      one.shard.execute(() -> one.answered = true);
    } else if (now - one.askedAt >= PATIENCE_NANOS) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(now - one.askedAt);
      alarms.raise(one.alarm, "for " + seconds + " s so far");
    }
  }

  /** Returns whether no shard owes an answer for too long. Any thread may call. */
  public boolean allAnswer() {
    long now = nanoTime.getAsLong();
    return watched.stream().allMatch(one -> one.answered || now - one.askedAt < PATIENCE_NANOS);
  }

  /** Stops the watch. */
  @Override
  public void close() {
    thread.close();
  }
}
