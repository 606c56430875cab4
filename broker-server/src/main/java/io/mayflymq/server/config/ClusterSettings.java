package io.mayflymq.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The node as a member of a cluster.
 *
 * @param listener where other nodes reach it ({@code cluster.listener}); empty if it is alone
 * @param secret what all nodes know; empty if it is in the file
 * @param secretFile whose first line is the secret; empty if the secret is given
 * @param requiresStrongSecret whether a secret of less than 32 random bytes is refused
 * @param tls how nodes talk; without a certificate it is not encrypted
 * @param formation how it finds its cluster
 * @param initialGroupSize how many replicas a quorum queue begins with, if its declaration does not
 *     say it; 1 or more
 * @param reconciliation how quorum queues get further replicas by themselves
 * @param tags what operators say of the cluster and of the node
 */
public record ClusterSettings(
    Optional<ListenerSettings> listener,
    Optional<String> secret,
    Optional<Path> secretFile,
    boolean requiresStrongSecret,
    TlsSettings tls,
    FormationSettings formation,
    int initialGroupSize,
    ReconciliationSettings reconciliation,
    Tags tags) {
  @Override
  public String toString() {
    return "ClusterSettings[listener=%s, tls=%s, formation=%s, initialGroupSize=%d, %s]"
        .formatted(listener, tls, formation, initialGroupSize, reconciliation);
  }
}
