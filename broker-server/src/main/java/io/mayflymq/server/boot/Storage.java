package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataException;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.StoredMetadataLog;
import io.mayflymq.core.store.StoreException;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.StoreAlarms;
import io.mayflymq.core.store.disk.StoreOptions;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.Shards;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker with what it keeps in its data directory: metadata, and the messages of all shards.
 */
final class Storage implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Storage.class);
  private static final String METADATA_FILE = "metadata.mv";
  private static final String MESSAGES_DIRECTORY = "messages";
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final MetadataLog metadata;
  private final Shards shards;
  private final Broker broker;
  private final Broker.Recovered recovered;
  private final long recoveryMillis;

  private Storage(
      MetadataLog metadata,
      Shards shards,
      Broker broker,
      Broker.Recovered recovered,
      long recoveryMillis) {
    this.metadata = metadata;
    this.shards = shards;
    this.broker = broker;
    this.recovered = recovered;
    this.recoveryMillis = recoveryMillis;
  }

  /**
   * Opens what there is, or begins anew, and brings queues and messages back.
   *
   * @param alarms raised while messages cannot be written
   * @throws StartException if any of it cannot be read or written; then nothing is held
   */
  static Storage open(ServerSettings settings, EventLoops loops, Alarms alarms)
      throws StartException {
    MetadataLog metadata = null;
    try {
      metadata = StoredMetadataLog.open(settings.dataDir().resolve(METADATA_FILE));
      long started = System.nanoTime();
      InstantSource clock = InstantSource.system();
      DiskStores stores = new DiskStores(options(settings), new Raising(alarms));
      Shards shards = new Shards(loops.all(), clock, stores::create);
      Broker broker = new Broker(shards, metadata, clock);
      broker.createVirtualHost(settings.defaults().vhost());
      Broker.Recovered recovered = broker.recover();
      long millis = (System.nanoTime() - started) / NANOS_PER_MILLI;
      return new Storage(metadata, shards, broker, recovered, millis);
    } catch (MetadataException | StoreException e) {
      throw abandon(metadata, e);
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException cause) {
        throw abandon(metadata, cause);
      }
      throw e;
    }
  }

  private static StartException abandon(MetadataLog metadata, Exception cause) {
    if (metadata != null) {
      metadata.close();
    }
    return new StartException(cause.getMessage(), cause);
  }

  private static StoreOptions options(ServerSettings settings) {
    return new StoreOptions(
        settings.dataDir().resolve(MESSAGES_DIRECTORY),
        settings.shards(),
        settings.memory().pagingBytes(Runtime.getRuntime().maxMemory()),
        settings.durability().segmentBytes(),
        settings.durability().sync());
  }

  Broker broker() {
    return broker;
  }

  /** Says in the log what was brought back. */
  void announce() {
    LOGGER.info(
        "recovered {} durable exchanges, queues and bindings, and {} messages in {} ms",
        recovered.definitions(),
        recovered.messages(),
        recoveryMillis);
  }

  /** Writes everything and lets the files go. The event loops are still needed for that. */
  @Override
  public void close() {
    shards.close();
    metadata.close();
  }

  private record Raising(Alarms alarms) implements StoreAlarms {
    @Override
    public void raised(String what, String detail) {
      alarms.raise(new Alarm.Fault(what + " cannot be written"), detail);
    }

    @Override
    public void cleared(String what, String detail) {
      alarms.clear(new Alarm.Fault(what + " cannot be written"), detail);
    }
  }
}
