package io.mayflymq.core.metadata;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Metadata in a file: an H2 MVStore with a map each for policies, exchanges, queues, bindings, virtual hosts, users and so on. It holds the state, not
 * the history, so it is as large as what exists.
 *
 * One thread writes. It takes all commands that have gathered while it was busy, carries them out, commits and forces the file once, and then
 * says of all of them that they are safe: a burst of declarations from many connections costs one force.
 */
public final class StoredMetadataLog implements MetadataLog {
  private static final Logger LOGGER = LoggerFactory.getLogger(StoredMetadataLog.class);

  /**
   * How long the file keeps what a commit has replaced, in ms. The store's own 45 s are for disks
   * that write in any order; here each commit is forced before the next begins. Some is left for
   * the store's header, which is not written with every commit.
   */
  private static final int RETENTION_MILLIS = 1_000;

  private final Path file;
  private final Thread writer;
  private final Consumer<String> health;
  private final Object lock = new Object();
  private List<Pending> pending = new ArrayList<>();
  private boolean closed;
  private volatile String failure;

  /** Null after a write that failed, until the next one is tried. */
  private MVStore store;

  private MetadataMaps maps;

  /** What {@link #health} was given last. */
  private String unhealthy;

  private record Pending(List<Consumer<MetadataMaps>> commands, CompletableFuture<Void> safe) {}

  private StoredMetadataLog(Path file, BrokerThreads threads, Consumer<String> health) {
    this.file = file;
    this.health = health;
    this.writer = threads.essential("metadata", this::writeUntilClosed);
    open();
  }

  private void open() {
    store = new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().open();
    store.setRetentionTime(RETENTION_MILLIS);
    maps = new MetadataMaps(store);
  }

  /**
   * Opens the file, or creates it.
   *
   * @param threads makes the one that writes
   * @param health is given the reason when a change could not be written, and null when the next
   *     one could; called by the thread that writes
   * @throws MetadataException if it cannot be read or written
   */
  public static StoredMetadataLog open(Path file, BrokerThreads threads, Consumer<String> health) {
    try {
      StoredMetadataLog log = new StoredMetadataLog(file, threads, health);
      log.writer.start();
      return log;
    } catch (MVStoreException e) {
      throw new MetadataException("cannot open metadata in " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public List<MetadataCommand> recover() {
    try {
      return maps.recover();
    } catch (RuntimeException e) {
      throw new MetadataException("cannot read metadata: " + e.getMessage(), e);
    }
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    List<Consumer<MetadataMaps>> prepared = new ArrayList<>(commands.size());
    commands.forEach(command -> prepared.add(MetadataMaps.prepare(command)));
    Pending entry = new Pending(prepared, new CompletableFuture<>());
    synchronized (lock) {
      if (closed) {
        entry.safe.completeExceptionally(notKept("the broker is stopping"));
      } else if (failure != null) {
        entry.safe.completeExceptionally(notKept(failure));
      } else {
        pending.add(entry);
        lock.notifyAll();
      }
    }
    return entry.safe;
  }

  @Override
  public String failure() {
    return failure;
  }

  private void writeUntilClosed() {
    List<Pending> batch = take();
    while (!batch.isEmpty()) {
      write(batch);
      batch = take();
    }
  }

  /** Waits for commands; none are left once the log is closed. */
  private List<Pending> take() {
    synchronized (lock) {
      while (pending.isEmpty() && !closed) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          // Nobody interrupts this thread; it ends when the log is closed.
          LOGGER.debug("metadata writer interrupted", e);
        }
      }
      List<Pending> taken = pending;
      pending = new ArrayList<>();
      return taken;
    }
  }

  private void write(List<Pending> batch) {
    String why = failure == null ? tryToWrite(batch) : failure;
    tell(why);
    if (why == null) {
      batch.forEach(entry -> entry.safe.complete(null));
    } else {
      ConnectionException error = notKept(why);
      batch.forEach(entry -> entry.safe.completeExceptionally(error));
    }
  }

  private void tell(String why) {
    if (!Objects.equals(why, unhealthy)) {
      unhealthy = why;
      health.accept(why);
    }
  }

  /**
   * @return why it failed; null if it did not
   */
  private String tryToWrite(List<Pending> batch) {
    try {
      if (store == null) {
        open();
      }
      for (Pending entry : batch) {
        if (!entry.safe.isDone()) {
          entry.commands.forEach(command -> command.accept(maps));
        }
      }
      store.commit();
    } catch (MVStoreException e) {
      LOGGER.debug("metadata could not be written", e);
      abandon();
      return reason(e);
    }
    try {
      store.sync();
      return null;
    } catch (MVStoreException e) {
      LOGGER.debug("metadata could not be forced", e);
      failure = "a force failed, the broker has to be started again: " + reason(e);
      return failure;
    }
  }

  /**
   * A store that could not write refuses everything from then on, and has changes in memory that
   * nobody was promised: the next write opens it anew, as it was committed last.
   */
  private void abandon() {
    if (store != null) {
      store.closeImmediately();
      store = null;
    }
  }

  private static String reason(MVStoreException e) {
    return e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
  }

  private static ConnectionException notKept(String why) {
    return new ConnectionException(
        ReplyCode.INTERNAL_ERROR, "the change could not be made durable: " + why);
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      lock.notifyAll();
    }
    boolean interrupted = false;
    while (writer.isAlive()) {
      try {
        writer.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (store != null) {
      closeStore();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What was promised is forced already: a close that fails loses nothing. */
  private void closeStore() {
    try {
      store.close();
    } catch (MVStoreException e) {
      LOGGER.warn("metadata could not be closed in order", e);
      store.closeImmediately();
    }
  }
}
