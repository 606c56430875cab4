package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
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
   * @param kept what the metadata log gave
   * @return how many of them there are
   */
  public int recover(List<MetadataCommand> kept) {
    List<MetadataCommand> topology =
        kept.stream()
            .filter(command -> !(command instanceof MetadataCommand.Administrative))
            .toList();
    topology.forEach(
        command -> createVirtualHost(VhostDefinition.of(command.vhost())).replay(command));
    return topology.size();
  }

  /** The shards that the queues live on. */
  public Shards shards() {
    return shards;
  }

  /** Makes sure that a virtual host exists; one that does stays as it is. */
  public VirtualHost createVirtualHost(VhostDefinition definition) {
    return vhosts.computeIfAbsent(
        definition.name(),
        absent -> new VirtualHost(definition, shards, metadata, clock, queueIds));
  }

  /**
   * Deletes a virtual host with all that is in it. It is gone at once.
   *
   * @return done when that is safe and its queues are deleted; null if there is no such virtual
   *     host
   */
  public CompletableFuture<Void> deleteVirtualHost(String name) {
    VirtualHost vhost = vhosts.remove(name);
    return vhost == null ? null : vhost.delete();
  }

  /** All virtual hosts of this moment. */
  public List<VirtualHost> virtualHosts() {
    return List.copyOf(vhosts.values());
  }

  /** The virtual host of this name, or null. */
  public VirtualHost virtualHost(String name) {
    return vhosts.get(name);
  }
}
