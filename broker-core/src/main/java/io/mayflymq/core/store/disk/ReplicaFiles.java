package io.mayflymq.core.store.disk;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.stream.StreamLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The files of a replica. Belongs to the shard's thread.
 *
 * <p>The files of the replica of partition 7:
 *
 * <pre>{@code
 * replica-7              its log, and in two copies the highest epoch that it knows:
 *                        replica.state, replica.state.copy; and how far the time of the
 *                        partition is ahead of the clock of this node: replica.time
 * replica-7.copying      a copy of all that the leader has, which is not complete
 * replica-7.copied       a complete one, which is about to replace the log
 * replica-7-stream-99    the stream with this id, as far as it is committed: it has the form
 *                        of a stream that has no replicas
 * paging-replica-7       contents of messages that do not fit into memory, while this node
 *                        leads
 * }</pre>
 *
 * <p>A copy replaces the log by names, each of which is changed atomically: it is called complete,
 * then the log is deleted, then the copy gets its name. What a crash leaves of that is completed
 * when the log is opened.
 *
 * <p>A state file has: magic "MAYFLYRS", epoch (8 bytes each, big-endian), CRC32C of these (4).
 * They are overwritten one after the other, each one forced before the next, so one of them is
 * always whole. The file with the time has the same form; if a crash has damaged it, the time is
 * the clock.
 */
public final class ReplicaFiles {
  private static final List<String> STATE = List.of("replica.state", "replica.state.copy");
  private static final String TIME = "replica.time";
  private static final long MAGIC = 0x4d41_5946_4c59_5253L; // "MAYFLYRS"
  private static final int STATE_BYTES = 2 * Long.BYTES;

  private final int partition;
  private final StoreFiles.Replicas files;
  private final StorageEnvironment host;
  private final String name;
  private final String copying;
  private final String copied;

  ReplicaFiles(int partition, StoreFiles.Replicas files) {
    this.partition = partition;
    this.files = files;
    this.host = files.host();
    this.name = "replica-" + partition;
    this.copying = name + ".copying";
    this.copied = name + ".copied";
  }

  /** What is done with files. */
  @FunctionalInterface
  private interface Work<T> {
    T run() throws IOException;
  }

  private <T> T with(String directory, Work<T> work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw files.unusable(directory, e);
    }
  }

  /** Waits until the threads that write have done something. */
  public void await(CompletableFuture<Void> done) {
    host.await(done);
  }

  /** Returns the number of the partition. */
  public int partition() {
    return partition;
  }

  /**
   * Opens the log; it has to be recovered before use.
   *
   * @throws StoreException if its directory cannot be used
   */
  public OpenLog open() {
    with(name, this::settle);
    return files.open(partition, name, name);
  }

  /** Completes or undoes what a crash has interrupted. */
  private Void settle() throws IOException {
    List<String> names = host.list();
    if (names.contains(copying)) {
      host.delete(copying);
    }
    if (names.contains(copied)) {
      files.delete(name);
      host.rename(copied, name);
    }
    return null;
  }

  /**
   * The log was recovered: it must exist from now on.
   *
   * @param logId its id
   */
  public void keep(long logId) {
    with(
        name,
        () -> {
          files.keep(name, logId);
          return null;
        });
  }

  /** Opens an empty log for a copy of all that the leader has. It is gone after a restart. */
  public OpenLog openCopy() {
    dropCopy();
    return files.open(partition, copying, name);
  }

  /** Deletes the copy, which is closed; does nothing if there is none. */
  public void dropCopy() {
    with(
        copying,
        () -> {
          host.delete(copying);
          return null;
        });
  }

  /** The copy replaces the log. Both are closed; what this throws leaves one of them. */
  public void useCopy() {
    with(
        copying,
        () -> {
          remember(host.open(copying), epoch());
          write(host.open(copying), TIME, aheadMillis());
          host.rename(copying, copied);
          return settle();
        });
  }

  /** Opens an empty log for contents that do not fit into memory. */
  public OpenLog openPaging(LogOwner owner) {
    return files.openPaging(partition, paging(), owner);
  }

  // Streams

  private String streams() {
    return name + "-stream-";
  }

  /** Returns the ids of the streams that have files. */
  public List<Long> streamIds() {
    return with(name, this::listStreams);
  }

  private List<Long> listStreams() throws IOException {
    Pattern pattern = Pattern.compile(streams() + "(\\d{1,18})");
    return host.list().stream()
        .map(pattern::matcher)
        .filter(Matcher::matches)
        .map(stream -> Long.parseLong(stream.group(1)))
        .sorted()
        .toList();
  }

  /**
   * Creates the streams; none is open yet.
   *
   * @param touched called in a burst when something is to be flushed at its end
   */
  public StreamLogs openStreams(Shard shard, Runnable touched) {
    return files.openStreams(partition, streams(), shard, touched);
  }

  private String paging() {
    return "paging-" + name;
  }

  /** Deletes all files. The log is closed. */
  public void delete() {
    with(
        name,
        () -> {
          host.delete(copying);
          host.delete(copied);
          host.delete(paging());
          for (long stream : listStreams()) {
            files.delete(streams() + stream);
          }
          files.delete(name);
          return null;
        });
  }

  // The highest epoch

  /**
   * Returns the epoch that was remembered last; 0 if none was.
   *
   * @throws StoreException if it cannot be read
   */
  public long epoch() {
    return with(name, () -> read(host.open(name)));
  }

  /**
   * Returns the highest epoch that a replica knows by its state files; 0 if it has none.
   *
   * @param directory that of the log
   * @throws IOException if they cannot be read; the message says so if both are damaged
   */
  public static long epochOf(Path directory) throws IOException {
    return read(new DiskDirectory(directory));
  }

  private static long read(LogDirectory directory) throws IOException {
    List<String> present = directory.list().stream().filter(STATE::contains).toList();
    long epoch = -1;
    for (String file : present) {
      epoch = Math.max(epoch, read(directory, file, -1));
    }
    if (epoch < 0 && present.size() == STATE.size()) {
      throw new IOException(String.join(" and ", STATE) + " are damaged");
    }
    return Math.max(epoch, 0);
  }

  private static long read(LogDirectory directory, String file, long ifDamaged) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(STATE_BYTES + Integer.BYTES);
    try (LogFile opened = directory.open(file, false)) {
      opened.read(bytes, 0);
    }
    boolean isWhole =
        !bytes.hasRemaining()
            && bytes.getLong(0) == MAGIC
            && bytes.getInt(STATE_BYTES) == crc(bytes);
    return isWhole ? bytes.getLong(Long.BYTES) : ifDamaged;
  }

  /**
   * Remembers an epoch, safely on return.
   *
   * @param epoch a higher one than before
   */
  public void remember(long epoch) {
    with(
        name,
        () -> {
          remember(host.open(name), epoch);
          return null;
        });
  }

  private static void remember(LogDirectory directory, long epoch) throws IOException {
    for (String file : STATE) {
      write(directory, file, epoch);
    }
  }

  private static void write(LogDirectory directory, String file, long value) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(STATE_BYTES + Integer.BYTES);
    bytes.putLong(MAGIC).putLong(value).putInt(crc(bytes)).flip();
    boolean isNew = !directory.list().contains(file);
    try (LogFile opened = isNew ? directory.create(file) : directory.open(file, true)) {
      opened.write(bytes, 0);
      opened.force();
    }
    if (isNew) {
      directory.force();
    }
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().clear().limit(STATE_BYTES));
    return (int) crc.getValue();
  }

  // The time

  /**
   * Returns how far the time of the partition is ahead of the clock of this node, in ms, as it was
   * kept last; 0 if it was not.
   */
  public long aheadMillis() {
    return with(
        name,
        () -> {
          LogDirectory directory = host.open(name);
          return directory.list().contains(TIME) ? read(directory, TIME, 0) : 0;
        });
  }

  /** Keeps that, safely on return. */
  public void keepAhead(long millis) {
    with(
        name,
        () -> {
          write(host.open(name), TIME, millis);
          return null;
        });
  }
}
