package io.mayflymq.server.cluster.transport;

import java.util.UUID;

/**
 * What a node says of itself in a handshake.
 *
 * @param name such as {@code a@host}
 * @param dataDirectory which data directory it has
 * @param secret what it proves to know
 * @param versions of the protocol that it knows
 * @param admission which nodes it talks to
 */
record LocalNode(
    String name,
    UUID dataDirectory,
    ClusterSecret secret,
    VersionRange versions,
    Admission admission) {
  NodeIdentity identity() {
    return new NodeIdentity(name, dataDirectory, admission.clusterId());
  }
}
