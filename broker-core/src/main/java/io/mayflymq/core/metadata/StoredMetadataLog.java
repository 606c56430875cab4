package io.mayflymq.core.metadata;

import io.mayflymq.core.fault.BrokerThreads;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.h2.mvstore.MVMap;
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

  private final MVStore store;
  private final MVMap<String, byte[]> policies;
  private final MVMap<String, byte[]> exchanges;
  private final MVMap<String, byte[]> queues;
  private final MVMap<String, byte[]> bindings;
  private final AdministrativeMaps administration;
  private final Thread writer;
  private final Object lock = new Object();
  private List<Pending> pending = new ArrayList<>();
  private boolean closed;

  private record Pending(List<? extends MetadataCommand> commands, CompletableFuture<Void> safe) {}

  private StoredMetadataLog(MVStore store, BrokerThreads threads) {
    this.store = store;
    store.setRetentionTime(RETENTION_MILLIS);
    this.policies = store.openMap("policies");
    this.exchanges = store.openMap("exchanges");
    this.queues = store.openMap("queues");
    this.bindings = store.openMap("bindings");
    this.administration = new AdministrativeMaps(store);
    this.writer = threads.essential("metadata", this::writeUntilClosed);
  }

  /**
   * Opens the file, or creates it.
   *
   * @param threads makes the one that writes
   * @throws MetadataException if it cannot be read or written
   */
  public static StoredMetadataLog open(Path file, BrokerThreads threads) {
    try {
      StoredMetadataLog log =
          new StoredMetadataLog(
              new MVStore.Builder().fileName(file.toString()).autoCommitDisabled().open(), threads);
      log.writer.start();
      return log;
    } catch (MVStoreException e) {
      throw new MetadataException("cannot open metadata in " + file + ": " + e.getMessage(), e);
    }
  }

  @Override
  public List<MetadataCommand> recover() {
    List<MetadataCommand> commands = new ArrayList<>();
    try {
      commands.addAll(administration.recover());
      policies.values().forEach(value -> commands.add(PolicyEntry.decode(value)));
      exchanges.values().forEach(value -> commands.add(MetadataEntry.decodeExchange(value)));
      queues.values().forEach(value -> commands.add(MetadataEntry.decodeQueue(value)));
      bindings.values().forEach(value -> commands.add(MetadataEntry.decodeBinding(value)));
    } catch (RuntimeException e) {
      throw new MetadataException("cannot read metadata: " + e.getMessage(), e);
    }
    return commands;
  }

  @Override
  public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
    Pending entry = new Pending(commands, new CompletableFuture<>());
    synchronized (lock) {
      if (closed) {
        entry.safe.completeExceptionally(notKept("the broker is stopping"));
      } else {
        pending.add(entry);
        lock.notifyAll();
      }
    }
    return entry.safe;
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
    try {
      for (Pending entry : batch) {
        if (!entry.safe.isDone()) {
          entry.commands.forEach(this::apply);
        }
      }
      store.commit();
      store.sync();
    } catch (MVStoreException e) {
      LOGGER.error("metadata could not be written", e);
      ConnectionException failure = notKept(e.getMessage());
      batch.forEach(entry -> entry.safe.completeExceptionally(failure));
      return;
    }
    batch.forEach(entry -> entry.safe.complete(null));
  }

  @Override
  public String failure() {
    return null;
  }

  private void apply(MetadataCommand command) {
    String vhost = command.vhost();
    if (command instanceof MetadataCommand.ExchangeDeclared declared) {
      exchanges.put(
          MetadataEntry.key(vhost, declared.exchange().name()), MetadataEntry.encode(declared));
    } else if (command instanceof MetadataCommand.ExchangeDeleted deleted) {
      exchanges.remove(MetadataEntry.key(vhost, deleted.exchange()));
    } else if (command instanceof MetadataCommand.QueueDeclared declared) {
      queues.put(MetadataEntry.key(vhost, declared.queue().name()), MetadataEntry.encode(declared));
    } else if (command instanceof MetadataCommand.QueueDeleted deleted) {
      queues.remove(MetadataEntry.key(vhost, deleted.queue()));
    } else if (command instanceof MetadataCommand.Bound bound) {
      bindings.put(MetadataEntry.key(vhost, bound.binding()), MetadataEntry.encode(bound));
    } else if (command instanceof MetadataCommand.Unbound unbound) {
      bindings.remove(MetadataEntry.key(vhost, unbound.binding()));
    } else if (command instanceof MetadataCommand.PolicySet set) {
      Policy policy = set.policy();
      policies.put(PolicyEntry.key(vhost, policy.kind(), policy.name()), PolicyEntry.encode(set));
    } else if (command instanceof MetadataCommand.PolicyCleared cleared) {
      policies.remove(PolicyEntry.key(vhost, cleared.kind(), cleared.name()));
    } else if (command instanceof MetadataCommand.Administrative administrative) {
      administration.apply(administrative);
      if (command instanceof MetadataCommand.VhostDeleted) {
        AdministrativeMaps.removeOf(vhost, policies);
        AdministrativeMaps.removeOf(vhost, exchanges);
        AdministrativeMaps.removeOf(vhost, queues);
        AdministrativeMaps.removeOf(vhost, bindings);
      }
    }
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
    store.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
