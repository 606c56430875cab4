package io.mayflymq.core.vhost;

import io.mayflymq.core.queue.PagePool;
import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.MessageLog;
import io.mayflymq.core.store.VolatileLog;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** All shards of a broker, each with its log, its memory pool and its lanes for dead letters. */
public final class Shards {
  private static final int SPARE_PAGES = 64;

  private final List<Shard> shards;
  private final List<MessageLog> logs;
  private final List<PagePool> pools;
  private final List<CommandLanes> deadLetters;
  private final AtomicInteger turn = new AtomicInteger();

  /**
   * Creates a shard on each loop.
   *
   * @param loops the threads
   * @param clock the time
   */
  public Shards(List<? extends EventLoop> loops, InstantSource clock) {
    this.shards =
        IntStream.range(0, loops.size())
            .mapToObj(index -> new Shard(index, loops.get(index), clock))
            .toList();
    this.logs = shards.stream().<MessageLog>map(shard -> new VolatileLog()).toList();
    this.pools = shards.stream().map(shard -> new PagePool(SPARE_PAGES)).toList();
    this.deadLetters =
        shards.stream().map(shard -> new CommandLanes(shard, this, () -> {})).toList();
  }

  /** How many there are. */
  public int count() {
    return shards.size();
  }

  /** The shard of this number. */
  public Shard get(int index) {
    return shards.get(index);
  }

  /** The shard on this loop. */
  public Shard on(EventLoop loop) {
    for (Shard shard : shards) {
      if (shard.loop() == loop) {
        return shard;
      }
    }
    throw new IllegalArgumentException("no shard on " + loop);
  }

  /** The shard for a new queue: they take turns. */
  Shard next() {
    return shards.get(Math.floorMod(turn.getAndIncrement(), shards.size()));
  }

  MessageLog log(Shard shard) {
    return logs.get(shard.index());
  }

  PagePool pages(Shard shard) {
    return pools.get(shard.index());
  }

  /**
   * The way of dead letters from the queues of a shard. They leave at the end of the burst in which
   * they died: the command of their queue is over by then, so a queue may even dead-letter to
   * itself.
   */
  CommandLanes deadLetters(Shard shard) {
    return deadLetters.get(shard.index());
  }
}
