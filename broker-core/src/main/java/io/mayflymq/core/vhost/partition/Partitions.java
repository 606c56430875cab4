package io.mayflymq.core.vhost.partition;

import io.mayflymq.core.deathjournal.DeathJournal;
import io.mayflymq.core.deathjournal.MemoryDeathJournal;
import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The partitions of a broker. Any thread may call. */
public final class Partitions {
  /**
   * How often a broker that stops waits for the disks, as dead letters are on their way: a message
   * may die again where it arrives, and again.
   */
  private static final int MOST_ROUNDS = 20;

  private final Shards shards;
  private final List<Partition> all;
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicInteger nextIndex;

  /** The replicated ones that this node leads or has led, by their numbers. */
  private final Map<Integer, Partition> replicated = new ConcurrentSkipListMap<>();

  private final DeathJournal journal;

  /** Creates a partition on each shard, with a death journal in memory. */
  public Partitions(Shards shards, StoreFactory stores) {
    this(shards, shards.count(), stores, new MemoryDeathJournal(DeathJournal.DEFAULT_SIZE));
  }

  /**
   * Creates partitions; the shards take turns in getting them.
   *
   * @param count how many, 1 or more
   * @param stores creates the store of each
   * @param journal where deaths in their queues are kept; closed with them
   */
  public Partitions(Shards shards, int count, StoreFactory stores, DeathJournal journal) {
    this.shards = shards;
    this.all =
        IntStream.range(0, count)
            .mapToObj(
                index -> {
                  Shard shard = shards.get(index % shards.count());
                  PartitionStore store = stores.create(index, shard);
                  return new Partition(index, new PartitionTime(shard), store, journal);
                })
            .toList();
    this.nextIndex = new AtomicInteger(count);
    this.journal = journal;
  }

  /**
   * Adds what stands for a partition of another node. It has no store, and keeps no deaths, and is
   * none of {@link #all}; its index is higher than theirs.
   *
   * @param shard speaks to the node
   */
  public Partition addRemote(Shard shard) {
    return new Partition(
        nextIndex.getAndIncrement(), new PartitionTime(shard), null, new MemoryDeathJournal(0));
  }

  /** Returns a number for {@link #led}. */
  public int reserve() {
    return nextIndex.getAndIncrement();
  }

  /**
   * Returns a replicated partition that this node leads from now on. It is none of {@link #all}.
   *
   * @param index a reserved number
   * @param time that of the partition
   */
  public Partition led(int index, PartitionTime time, PartitionStore store) {
    return replicated.compute(
        index,
        (number, before) ->
            before == null
                ? new Partition(number, time, store, journal)
                : before.with(time, store));
  }

  /** This node leads a replicated partition no more. What was counted in it is known still. */
  public void ledNoMore(Partition partition) {
    replicated.computeIfPresent(partition.index(), (number, led) -> led.with(led.time(), null));
  }

  /** Returns the shards that do their work. */
  public Shards shards() {
    return shards;
  }

  /** Returns how many there are. */
  public int count() {
    return all.size();
  }

  /** Returns all, in the order of their numbers. */
  public List<Partition> all() {
    return all;
  }

  /** Returns all, and the replicated ones that this node leads or has led since it was started. */
  public List<Partition> everLed() {
    return Stream.concat(all.stream(), replicated.values().stream()).toList();
  }

  /** Returns all, and the replicated ones that this node leads now. */
  public List<Partition> withStores() {
    return everLed().stream().filter(partition -> partition.store() != null).toList();
  }

  /** Returns the partition of this number. */
  public Partition get(int index) {
    return all.get(index);
  }

  /** Returns the partition for a new queue: they take turns. */
  public Partition next() {
    return all.get(Math.floorMod(turn.getAndIncrement(), all.size()));
  }

  /** Returns the partition for a queue that was in the one of this number; there were more then. */
  public Partition ofNumber(int number) {
    return all.get(Math.floorMod(number, all.size()));
  }

  /** Returns a partition on a shard, so that what happens there needs no other thread. */
  public Partition on(Shard shard) {
    return shard.index() < all.size() ? all.get(shard.index()) : next();
  }

  /**
   * Returns the journal of deaths in the queues of partitions of this node, when it has those of
   * all bursts that have begun.
   */
  public CompletableFuture<DeathJournal> deaths() {
    return ShardQuery.collect(
            everLed(),
            Partition::shard,
            partition -> {
              partition.deaths().handOver();
              return partition;
            })
        .thenApply(all -> journal);
  }

  /**
   * Runs a task in a burst of a shard when everything that this shard has handed over so far, to
   * itself or others, is as safe as their disks allow. A failed disk causes no delay.
   */
  public void whenSafe(Shard home, Runnable task) {
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
    all.forEach(partition -> partition.shard().execute(() -> partition.store().commit(commit)));
  }

  /** Does something for each partition on its shard, and waits until that is done for all. */
  public <T> List<T> onEach(Function<Partition, T> work) {
    List<CompletableFuture<T>> results =
        all.stream()
            .map(
                partition -> {
                  CompletableFuture<T> result = new CompletableFuture<>();
                  partition.shard().execute(() -> complete(result, () -> work.apply(partition)));
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

  /**
   * Writes everything to the disk and closes the files. To be called last. Dead letters on their
   * way from one partition to another arrive first, or they would be in both after the next start.
   */
  public void close() {
    for (int round = 0; round < MOST_ROUNDS && !outboxesAreEmpty(); round++) {
      all.forEach(partition -> awaitSafe(partition.shard()));
    }
    onEach(
            partition -> {
              partition.outbox().end();
              partition.deaths().handOver();
              return partition.store().close();
            })
        .forEach(CompletableFuture::join);
    journal.close();
  }

  private boolean outboxesAreEmpty() {
    return onEach(partition -> partition.outbox().isEmpty()).stream().allMatch(empty -> empty);
  }

  private void awaitSafe(Shard home) {
    CompletableFuture<Void> safe = new CompletableFuture<>();
    whenSafe(home, () -> safe.complete(null));
    safe.join();
  }
}
