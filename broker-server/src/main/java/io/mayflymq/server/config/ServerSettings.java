package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * All settings of a broker, typed and complete. Immutable.
 *
 * @param listeners by name; empty if the broker is to listen nowhere
 * @param tlsListeners the same for TLS
 * @param tls what they need
 * @param definitions what is imported at the start
 * @param clusterName the name of the cluster, set at each start; empty if it stays as it is
 * @param nodeName the name of this node; empty if it follows from that of the host
 * @param cluster the node as a member of a cluster
 * @param dataDir absolute
 * @param dataDirOfAnyOwner whether that may belong to another user
 * @param shards the number of event loops, 1 to 1024
 * @param deathJournalSize how many deaths each shard remembers, 0 or more
 * @param eventVhost the virtual host whose event exchange tells what happens in the broker; empty
 *     if none does
 */
public record ServerSettings(
    List<ListenerSettings> listeners,
    List<ListenerSettings> tlsListeners,
    TlsSettings tls,
    TcpSettings tcp,
    ProtocolSettings protocol,
    AuthSettings auth,
    DefaultsSettings defaults,
    DefinitionsSettings definitions,
    ManagementSettings management,
    PrometheusSettings prometheus,
    LogSettings log,
    TracingSettings tracing,
    DurabilitySettings durability,
    MemorySettings memory,
    DiskSettings disk,
    Optional<String> clusterName,
    Optional<String> nodeName,
    ClusterSettings cluster,
    Path dataDir,
    boolean dataDirOfAnyOwner,
    int shards,
    int deathJournalSize,
    Optional<String> eventVhost) {}
