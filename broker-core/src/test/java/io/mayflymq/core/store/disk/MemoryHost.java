package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.ManualExecutor;
import io.mayflymq.core.store.segment.MemoryDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * A machine in memory: its directories, which outlive a crash as far as they must, and the threads
 * that flush, which run when they are told to.
 */
public final class MemoryHost implements StorageEnvironment {
  private static final int SEGMENT_BYTES = 4096;
  private static final int SLAB_BYTES = 4096;

  private final int segmentBytes;
  private final TreeMap<String, MemoryDirectory> directories = new TreeMap<>();
  private final List<ManualExecutor> flushers = new ArrayList<>();
  private final List<String> alarms = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private Runnable beforeChange = () -> {};
  private boolean atOnce;
  private boolean acceptsLoss;
  private LongSupplier metadataSequence = () -> 0;
  private MemoryDirectory root = new MemoryDirectory();
  private long room = Long.MAX_VALUE;
  private BooleanSupplier readFails = () -> false;

  /** Creates a machine whose logs have small segments. */
  public MemoryHost() {
    this(SEGMENT_BYTES);
  }

  /**
   * Creates a machine.
   *
   * @param segmentBytes the size of the segments of its logs
   */
  public MemoryHost(int segmentBytes) {
    this.segmentBytes = segmentBytes;
  }

  /**
   * What makes the stores of a broker on this machine.
   *
   * @param memoryBytes how much memory messages may take, in all
   */
  public BiFunction<Integer, Shard, PartitionStore> stores(int shards, long memoryBytes) {
    return diskStores(shards, memoryBytes)::create;
  }

  /** The same, with which replicas can be made, too. */
  public DiskStores diskStores(int shards, long memoryBytes) {
    StoreOptions options =
        new StoreOptions(
            Path.of("memory"),
            shards,
            memoryBytes,
            new CountedMemory(SLAB_BYTES),
            segmentBytes,
            Sync.ALWAYS,
            acceptsLoss);
    DiskStores stores = new DiskStores(options, this, new Alarms());
    stores.belongTo(UUID.randomUUID(), metadataSequence);
    return stores;
  }

  /** The sequence number of metadata for the stores. */
  public void metadataSequence(LongSupplier sequence) {
    metadataSequence = sequence;
  }

  /** The highest sequence number of metadata that any log has seen. */
  public long metadataSeen() {
    try {
      return StoreCheck.of(this).metadataSeen();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The queues that have messages, and that metadata have lost. */
  public List<OrphanedQueue> orphans(long metadata, Set<Long> known) {
    try {
      return OrphanSearch.of(this, metadata, known);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Crashes

  /** The process dies: everything that was written is there. */
  public MemoryHost afterKill() {
    return after(MemoryDirectory::afterKill);
  }

  /**
   * The machine dies: what was forced is there, and some of the rest.
   *
   * @param share how much of it, 0.0 to 1.0
   */
  public MemoryHost afterPowerLoss(Random random, double share) {
    return after(directory -> directory.afterPowerLoss(random, share));
  }

  private MemoryHost after(UnaryOperator<MemoryDirectory> crash) {
    MemoryHost after = new MemoryHost(segmentBytes);
    after.root = crash.apply(root);
    directories.forEach((name, directory) -> after.directories.put(name, crash.apply(directory)));
    return after;
  }

  // Threads

  /** Whether the threads that flush run as soon as there is something to do. */
  public void runAtOnce(boolean now) {
    atOnce = now;
  }

  /** How many threads there are that flush. */
  public int flusherCount() {
    return flushers.size();
  }

  /** Lets one of them run. @return whether it had anything to do */
  public boolean flush(int flusher) {
    return flushers.get(flusher).runAll();
  }

  /** Lets all of them run. @return whether there was anything to do */
  public boolean flush() {
    boolean ran = false;
    for (ManualExecutor flusher : List.copyOf(flushers)) {
      ran |= flusher.runAll();
    }
    return ran;
  }

  // Looking and breaking

  /** A directory that exists; null if it does not. */
  public MemoryDirectory directory(String name) {
    return directories.get(name);
  }

  /** The names of the alarms that were raised and not cleared. */
  public List<String> alarms() {
    return alarms;
  }

  /** The files beside the directories. */
  public MemoryDirectory files() {
    return root;
  }

  /** Whether brokers start here although messages are missing. */
  public void acceptLoss(boolean accepted) {
    acceptsLoss = accepted;
  }

  /** Whether that has been said. */
  public boolean acceptsLoss() {
    return acceptsLoss;
  }

  /** The names of what has failed for good. */
  public List<String> failures() {
    return failures;
  }

  /** Has this called before anything on a disk changes. */
  public void beforeChange(Runnable watcher) {
    beforeChange = watcher;
  }

  /** Lets this many bytes more be written to each directory. */
  public void fill(long bytes) {
    room = bytes;
    directories.values().forEach(directory -> directory.fill(bytes));
  }

  /** Has the next force of each directory fail. */
  public void failForces() {
    directories.values().forEach(MemoryDirectory::loseNextForce);
  }

  /** Has reads of files fail that the supplier says so of. */
  public void failReads(BooleanSupplier fails) {
    readFails = fails;
  }

  // The host

  @Override
  public List<String> list() {
    return List.copyOf(directories.keySet());
  }

  @Override
  public LogDirectory root() {
    root.beforeChange(() -> beforeChange.run());
    return root;
  }

  @Override
  public LogDirectory open(String name) {
    beforeChange.run();
    MemoryDirectory directory = directories.computeIfAbsent(name, absent -> new MemoryDirectory());
    directory.beforeChange(() -> beforeChange.run());
    directory.failReads(() -> readFails.getAsBoolean());
    directory.fill(room);
    return directory;
  }

  @Override
  public void rename(String from, String to) {
    beforeChange.run();
    directories.put(to, directories.remove(from));
  }

  @Override
  public void delete(String name) {
    beforeChange.run();
    directories.remove(name);
  }

  /** Whatever is deleted here is gone at once. */
  @Override
  public void sweep() {}

  @Override
  public ExecutorService flusher(String name, int threads) {
    flushers.removeIf(ManualExecutor::isTerminated);
    ManualExecutor flusher = new ManualExecutor(() -> atOnce);
    flushers.add(flusher);
    return flusher;
  }

  /** The threads run meanwhile. */
  @Override
  public void await(CompletableFuture<Void> done) {
    while (!done.isDone() && flush()) {
      // A task may have brought others.
    }
    if (!done.isDone()) {
      throw new AssertionError("no thread does what is waited for");
    }
    done.join();
  }

  private final class Alarms implements StoreAlarms {
    @Override
    public void raised(String what, String detail) {
      alarms.add(what);
    }

    @Override
    public void cleared(String what, String detail) {
      alarms.remove(what);
    }

    @Override
    public void failed(String what, String detail) {
      failures.add(what);
    }
  }
}
