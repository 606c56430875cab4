package io.mayflymq.core.vhost;

import io.mayflymq.core.fault.Faults;
import io.mayflymq.core.journal.DeathJournal;
import io.mayflymq.core.journal.DeathRecord;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.index.PagePool;
import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.ShardStore;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * All shards of a broker, each with its store, its memory pool, its publisher of dead letters and
 * its journal of deaths.
 */
public final class Shards {
  private static final int SPARE_PAGES = 64;

  private final List<Shard> shards;
  private final List<ShardStore> stores;
  private final List<PagePool> pools;
  private final List<DeadLetterPublisher> deadLetters;
  private final List<DeathJournal> journals;
  private final AtomicInteger turn = new AtomicInteger();

  /** Creates a shard on each loop, with journals of the usual size; faults are logged. */
  public Shards(
      List<? extends EventLoop> loops, InstantSource clock, Function<Shard, ShardStore> storeOf) {
    this(loops, clock, storeOf, DeathJournal.DEFAULT_SIZE, Faults.logged());
  }

  /**
   * Creates a shard on each loop.
   *
   * @param loops the threads
   * @param clock the time
   * @param storeOf makes the store of each shard
   * @param journalSize how many deaths the journal of each shard keeps, 0 or more
   * @param faults where exceptions are reported that go no further
   */
  public Shards(
      List<? extends EventLoop> loops,
      InstantSource clock,
      Function<Shard, ShardStore> storeOf,
      int journalSize,
      Faults faults) {
    this.shards =
        IntStream.range(0, loops.size())
            .mapToObj(index -> new Shard(index, loops.get(index), clock, faults))
            .toList();
    this.stores = shards.stream().map(storeOf).toList();
    this.pools = shards.stream().map(shard -> new PagePool(SPARE_PAGES)).toList();
    this.journals = shards.stream().map(shard -> new DeathJournal(journalSize)).toList();
    this.deadLetters = shards.stream().map(shard -> new DeadLetterPublisher(shard, this)).toList();
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

  /** The shard for a queue that lived on the one of this number, when there may have been more. */
  Shard ofNumber(int number) {
    return shards.get(Math.floorMod(number, shards.size()));
  }

  ShardStore store(Shard shard) {
    return stores.get(shard.index());
  }

  PagePool pages(Shard shard) {
    return pools.get(shard.index());
  }

  /** The way of dead letters from the queues of a shard. */
  DeadLetterPublisher deadLetters(Shard shard) {
    return deadLetters.get(shard.index());
  }

  /** The last deaths in the queues of a shard. */
  DeathJournal journal(Shard shard) {
    return journals.get(shard.index());
  }

  /** The last deaths in the queues of all shards, the last one first. Any thread may call. */
  public CompletableFuture<List<DeathRecord>> deaths() {
    return ShardQuery.collect(shards, Function.identity(), shard -> journal(shard).records())
        .thenApply(
            all ->
                all.stream()
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(DeathRecord::timeMillis).reversed())
                    .toList());
  }

  /**
   * Runs a task in a burst of a shard when everything that this shard has handed over so far, to
   * itself or others, is as safe as their disks allow. A failed disk causes no delay.
   */
  void whenSafe(Shard home, Runnable task) {
    AtomicInteger left = new AtomicInteger(count());
    Commit commit =
        new Commit() {
          @Override
          public void safe() {
            if (left.decrementAndGet() == 0) {
              home.execute(task);
            }
          }

          @Override
          public void failed() {
            safe();
          }
        };
    shards.forEach(shard -> shard.execute(() -> store(shard).commit(commit)));
  }

  /** Does something on the thread of each shard, and waits until all have done it. */
  <T> List<T> onEach(Function<Shard, T> work) {
    List<CompletableFuture<T>> results =
        shards.stream()
            .map(
                shard -> {
                  CompletableFuture<T> result = new CompletableFuture<>();
                  shard.execute(() -> complete(result, () -> work.apply(shard)));
                  return result;
                })
            .toList();
    return results.stream().map(CompletableFuture::join).toList();
  }

  private static <T> void complete(CompletableFuture<T> result, Supplier<T> work) {
    try {
      result.complete(work.get());
    } catch (RuntimeException | Error e) {
      result.completeExceptionally(e);
    }
  }

  /** Writes everything to the disk and lets the files go. The last that is asked of the shards. */
  public void close() {
    onEach(shard -> store(shard).close()).forEach(CompletableFuture::join);
  }
}
