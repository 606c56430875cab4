package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogIdentity;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.stream.StreamDirectories;
import io.mayflymq.core.store.stream.StreamDisk;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of all partitions: opens logs and streams, and knows their directories. Safe for use by
 * several threads once it has begun.
 */
final class StoreFiles {
  private static final int BUFFER_BYTES = 256 << 10;
  private static final String STREAM = "stream-";
  private static final Pattern STREAM_DIRECTORY = Pattern.compile(STREAM + "(\\d{1,18})");
  private static final Pattern LOG_DIRECTORY = Pattern.compile("shard-(\\d{1,9})");

  private final StoreOptions options;
  private final StorageEnvironment host;
  private final StoreAlarms alarms;

  private LongSupplier metadataSequence = () -> 0;
  private UUID broker = UUID.randomUUID();
  private DirectoryList directories;

  /** The ids of the streams that have been opened. */
  private final Set<Long> streams = ConcurrentHashMap.newKeySet();

  StoreFiles(StoreOptions options, StorageEnvironment host, StoreAlarms alarms) {
    this.options = options;
    this.host = host;
    this.alarms = alarms;
  }

  /** See {@link DiskStores#belongTo}. */
  void belongTo(UUID directory, LongSupplier sequence) {
    broker = directory;
    metadataSequence = sequence;
  }

  /** Returns the sequence number of the last change of metadata that is durable. */
  long metadataSequence() {
    return metadataSequence.getAsLong();
  }

  /**
   * Checks that the files are complete. To be called before any of them is opened.
   *
   * @throws StoreException if they are not, and that is not accepted
   */
  void begin() {
    try {
      host.sweep();
      StoreCheck check = StoreCheck.of(host);
      if (check.refuses() && !options.acceptsLoss()) {
        throw new StoreException(
            "files of messages are missing: " + check.faults(), new IOException("not complete"));
      }
      if (check.broker() != null) {
        broker = check.broker();
      }
      DirectoryList.Found found =
          host.list().isEmpty() ? DirectoryList.Found.NONE : DirectoryList.read(host.root());
      directories = DirectoryList.settle(host.root(), found, broker, check.listed());
    } catch (IOException e) {
      throw unusable("", e);
    }
  }

  /** Opens the message log of a shard; it has to be recovered before use. */
  OpenLog openLog(int shard) {
    return open(log(shard), shard, options.sync(), "message log " + shard, true);
  }

  /** Called when the log of a shard was opened, which must exist from now on. */
  void keepLog(int shard, long logId) throws IOException {
    directories.add(log(shard), logId);
  }

  /** Opens an empty log for contents that do not fit into memory. */
  OpenLog openPaging(int shard, LogOwner owner) {
    return openEmpty(paging(shard), shard, "paging file " + shard, owner);
  }

  private OpenLog openEmpty(String directory, int shard, String name, LogOwner owner) {
    try {
      host.delete(directory);
      OpenLog opened = open(directory, shard, Sync.NEVER, name, false);
      opened.log().recover(new Nothing(), owner);
      return opened;
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  private OpenLog open(String directory, int shard, Sync sync, String name, boolean kept) {
    LogIdentity identity = kept ? new LogIdentity(broker, directory) : null;
    return open(directory, options(shard, sync, identity), name);
  }

  private LogOptions options(int shard, Sync sync, LogIdentity identity) {
    int bufferBytes = Math.min(BUFFER_BYTES, options.segmentBytes());
    return new LogOptions(
        shard, options.segmentBytes(), bufferBytes, sync, identity, options.acceptsLoss(), false);
  }

  private OpenLog open(String directory, LogOptions ofLog, String name) {
    try {
      return OpenLog.open(host, directory, ofLog, alarms, name);
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  // Replicas

  /** Returns the files of the replica of a partition. */
  ReplicaFiles replica(int partition) {
    return new ReplicaFiles(partition, new Replicas());
  }

  /** The directories of replicas. */
  final class Replicas {
    private Replicas() {}

    /** Returns the directories, however they are listed. */
    StorageEnvironment host() {
      return host;
    }

    /**
     * Opens the log of a replica; it has to be recovered before use.
     *
     * @param directory where it is
     * @param name the name of the directory where it is kept for good
     */
    OpenLog open(int partition, String directory, String name) {
      LogOptions ofLog = options(partition, options.sync(), new LogIdentity(broker, name));
      return StoreFiles.this.open(directory, ofLog.ofReplica(), "log of partition " + partition);
    }

    /** Opens an empty log for contents that do not fit into memory. */
    OpenLog openPaging(int partition, String directory, LogOwner owner) {
      return openEmpty(directory, partition, "paging file of partition " + partition, owner);
    }

    /** Lists a directory that must exist from now on. */
    void keep(String directory, long logId) throws IOException {
      directories.add(directory, logId);
    }

    /**
     * Creates the streams of a replica, which has none open yet.
     *
     * @param prefix the beginning of the names of their directories
     * @param touched called in a burst when something is to be flushed at its end
     */
    StreamLogs openStreams(int partition, String prefix, Shard shard, Runnable touched) {
      return StoreFiles.this.openStreams(
          "streams of partition " + partition, new Streams(prefix), shard, touched);
    }

    /** Deletes a directory. */
    void delete(String directory) throws IOException {
      directories.remove(directory);
      host.delete(directory);
    }

    StoreException unusable(String directory, IOException cause) {
      return StoreFiles.this.unusable(directory, cause);
    }
  }

  /**
   * Creates the streams of a shard, which has none yet.
   *
   * @param touched called in a burst when something is to be flushed at its end
   */
  StreamLogs openStreams(int partition, Shard shard, Runnable touched) {
    return openStreams("streams " + partition, new Streams(STREAM), shard, touched);
  }

  private StreamLogs openStreams(String name, Streams streams, Shard shard, Runnable touched) {
    StreamDisk disk =
        new StreamDisk(
            streams,
            host.flusher(name, StreamDisk.THREADS),
            new AlarmingLogListener(name, alarms),
            options.sync());
    return new StreamLogs(disk, shard::execute, touched);
  }

  /** Records that there is a stream of this id. */
  void hasStream(long id) {
    streams.add(id);
  }

  /**
   * Deletes the remaining files of deleted streams, when all existing streams have been opened:
   * those that metadata have lost have been adopted before ({@link OrphanSearch}).
   *
   * @param shard the shard whose share of the work to do
   */
  void deleteOrphanedStreams(int shard) {
    try {
      for (String directory : host.list()) {
        Matcher name = STREAM_DIRECTORY.matcher(directory);
        if (name.matches()) {
          long id = Long.parseLong(name.group(1));
          if (id % options.shards() == shard && !streams.contains(id)) {
            deleteStream(directory);
          }
        }
      }
    } catch (IOException e) {
      throw new StoreException("cannot delete a stream that is gone: " + e, e);
    }
  }

  private void deleteStream(String directory) throws IOException {
    directories.remove(directory);
    host.delete(directory);
  }

  private final class Streams implements StreamDirectories {
    private final String prefix;

    /**
     * Creates them.
     *
     * @param prefix the beginning of their names
     */
    Streams(String prefix) {
      this.prefix = prefix;
    }

    /** Returns the name of the directory of a stream. */
    private String stream(long id) {
      return prefix + id;
    }

    @Override
    public LogDirectory open(long streamId) throws IOException {
      return host.open(stream(streamId));
    }

    @Override
    public LogIdentity identity(long streamId) {
      return new LogIdentity(broker, stream(streamId));
    }

    @Override
    public void keep(long streamId, long logId) throws IOException {
      directories.add(stream(streamId), logId);
    }

    @Override
    public long metadataSequence() {
      return StoreFiles.this.metadataSequence();
    }

    @Override
    public void delete(long streamId) throws IOException {
      deleteStream(stream(streamId));
    }
  }

  private StoreException unusable(String directory, IOException cause) {
    return new StoreException(
        "cannot use %s: %s".formatted(options.directory().resolve(directory), cause), cause);
  }

  /**
   * Returns the shards that do not exist any more and whose messages this shard takes over: there
   * were more shards when they were written.
   */
  List<Integer> adopted(int shard) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    for (String directory : host.list()) {
      Matcher name = LOG_DIRECTORY.matcher(directory);
      if (name.matches()) {
        int number = Integer.parseInt(name.group(1));
        if (number >= options.shards() && number % options.shards() == shard) {
          numbers.add(number);
        }
      }
    }
    return numbers;
  }

  /** Deletes the log of a shard that does not exist any more. */
  void deleteLog(int shard) throws IOException {
    directories.remove(log(shard));
    host.delete(log(shard));
  }

  /**
   * Renames the log of a shard that does not exist any more, so that no broker reads it.
   *
   * @return the new name
   */
  String keepAside(int shard) throws IOException {
    List<String> names = host.list();
    String aside = log(shard) + ".damaged";
    for (int i = 2; names.contains(aside); i++) {
      aside = log(shard) + ".damaged-" + i;
    }
    directories.remove(log(shard));
    host.rename(log(shard), aside);
    return aside;
  }

  /** Deletes the paged contents of an earlier process. */
  void deletePaging(int shard) throws IOException {
    host.delete(paging(shard));
  }

  /** Returns the name of the directory of a shard's log. */
  private static String log(int shard) {
    return "shard-" + shard;
  }

  /** Returns the name of the directory of a shard's paged contents. */
  private static String paging(int shard) {
    return "paging-" + shard;
  }

  /** The visitor for the recovery of a log that was empty. */
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
    public void replaced(long queueId, long sequence) {}

    @Override
    public void removed(long queueId, long from, long to, int segment, long stamp) {}

    @Override
    public void delivered(long queueId, long upTo) {}

    @Override
    public void returned(long queueId, byte[] notes, boolean all) {}

    @Override
    public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {}
  }
}
