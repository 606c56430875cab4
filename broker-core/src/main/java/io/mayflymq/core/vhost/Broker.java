package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metrics.Churn;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The virtual hosts of a broker, on the shards that they share. All methods may be called by any
 * thread.
 */
public final class Broker {
  private final Shards shards;
  private final MetadataLog metadata;
  private final InstantSource clock;
  private final AtomicLong queueIds = new AtomicLong();
  private final Churn churn = new Churn();
  private final Map<String, VirtualHost> vhosts = new ConcurrentHashMap<>();

  /** Creates a broker without virtual hosts. */
  public Broker(Shards shards, MetadataLog metadata, InstantSource clock) {
    this.shards = shards;
    this.metadata = metadata;
    this.clock = clock;
  }

  /**
   * Brings back the exchanges, queues and bindings that were kept; leases start anew. Called before
   * the first client comes.
   *
   * @return how many of them there are
   */
  public int recover() {
    List<MetadataCommand> kept = metadata.recover();
    kept.forEach(command -> createVirtualHost(command.vhost()).replay(command));
    return kept.size();
  }

  /** The shards that the queues live on. */
  public Shards shards() {
    return shards;
  }

  /** Makes sure that a virtual host exists. */
  public VirtualHost createVirtualHost(String name) {
    return vhosts.computeIfAbsent(
        name, absent -> new VirtualHost(absent, shards, metadata, clock, queueIds, churn));
  }

  /** All virtual hosts, in no particular order. */
  public Collection<VirtualHost> virtualHosts() {
    return List.copyOf(vhosts.values());
  }

  /** How many connections, channels and queues came and went. */
  public Churn churn() {
    return churn;
  }

  /** The virtual host of this name, or null. */
  public VirtualHost virtualHost(String name) {
    return vhosts.get(name);
  }
}
