package io.mayflymq.server.cluster.transport;

import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.TlsSettings;
import java.util.Optional;
import java.util.UUID;

/**
 * How a node talks to the other nodes of its cluster.
 *
 * @param nodeName such as {@code a@host} ({@code node_name})
 * @param dataDirectory which data directory it has; made once with the directory
 * @param listener where it listens ({@code cluster.listener})
 * @param secret what all nodes know ({@code cluster.secret})
 * @param tls empty for none ({@code cluster.ssl.*}); with it, both ends verify certificates
 * @param times how long it waits
 */
public record TransportSettings(
    String nodeName,
    UUID dataDirectory,
    ListenerSettings listener,
    ClusterSecret secret,
    Optional<TlsSettings> tls,
    TransportTimes times) {}
