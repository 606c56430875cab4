package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.ShardStore;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Makes the stores of the shards, and knows their directories. */
public final class DiskStores {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final Pattern LOG_DIRECTORY = Pattern.compile("shard-(\\d{1,9})");

  private final StoreOptions options;
  private final StoreAlarms alarms;

  /** Describes the stores; files are opened for each shard. */
  public DiskStores(StoreOptions options, StoreAlarms alarms) {
    this.options = options;
    this.alarms = alarms;
  }

  /**
   * The store of a shard.
   *
   * @throws StoreException if its directory cannot be made
   */
  public ShardStore create(Shard shard) {
    return new DiskStore(shard, options, this);
  }

  OpenLog openLog(int shard) {
    return open(options.log(shard), shard, options.sync(), "message log " + shard);
  }

  /** An empty log for contents that memory has no room for. */
  OpenLog openPaging(int shard, LogOwner owner) {
    Path path = options.paging(shard);
    try {
      deleteAll(path);
      OpenLog opened = open(path, shard, Sync.NEVER, "paging file " + shard);
      opened.log().recover(new Nothing(), owner);
      return opened;
    } catch (IOException e) {
      throw new StoreException("cannot use " + path + ": " + e, e);
    }
  }

  private OpenLog open(Path path, int shard, Sync sync, String name) {
    try {
      return OpenLog.open(
          path, new LogOptions(shard, options.segmentBytes(), BUFFER_BYTES, sync), alarms, name);
    } catch (IOException e) {
      throw new StoreException("cannot use " + path + ": " + e, e);
    }
  }

  /**
   * The shards that exist no more, of which this one takes over the messages: there were more
   * shards when they were written.
   */
  List<Integer> adopted(int shard) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    try (Stream<Path> entries = Files.list(options.directory())) {
      entries.forEach(
          entry -> {
            Matcher name = LOG_DIRECTORY.matcher(entry.getFileName().toString());
            if (name.matches()) {
              int number = Integer.parseInt(name.group(1));
              if (number >= options.shards() && number % options.shards() == shard) {
                numbers.add(number);
              }
            }
          });
    }
    return numbers;
  }

  void deleteLog(int shard) throws IOException {
    deleteAll(options.log(shard));
  }

  /** Deletes what an earlier process had no memory for. */
  void deletePaging(int shard) throws IOException {
    deleteAll(options.paging(shard));
  }

  private static void deleteAll(Path directory) throws IOException {
    if (Files.notExists(directory)) {
      return;
    }
    List<Path> files;
    try (Stream<Path> entries = Files.list(directory)) {
      files = entries.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(directory);
  }

  /** What is recovered of a log that was empty. */
  private static final class Nothing implements RecoveryVisitor {
    @Override
    public void enqueued(
        long queueId,
        long sequence,
        long deadlineMillis,
        int flags,
        long enqueuedAtMillis,
        int priority,
        int bodyLength,
        long location) {
      throw new IllegalStateException("a log that was deleted has messages");
    }

    @Override
    public void settled(long queueId, long from, long to, int segment) {}

    @Override
    public void delivered(long queueId, long upTo) {}
  }
}
