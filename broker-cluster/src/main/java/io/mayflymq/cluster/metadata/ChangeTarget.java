package io.mayflymq.cluster.metadata;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.Administrative;
import io.mayflymq.core.metadata.MetadataCommand.Assigning;
import io.mayflymq.core.metadata.MetadataCommand.Clustering;
import io.mayflymq.core.metadata.MetadataCommand.UserIs;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeleted;
import io.mayflymq.core.metadata.MetadataCommand.VhostIs;
import io.mayflymq.core.vhost.Broker;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What changes are made to: the broker, who may use it, the members of the cluster, and its
 * replicated partitions.
 *
 * @param broker the virtual hosts
 * @param administration virtual hosts as such, users, permissions, parameters
 * @param members the members of the cluster
 * @param partitions which of them keep replicated partitions
 */
public record ChangeTarget(
    Broker broker,
    Administration administration,
    ClusterMembers members,
    PartitionAssignments partitions) {
  /**
   * Carries out a change whose turn has come.
   *
   * @param commands a unit: of one virtual host, of administration, or of the cluster
   * @param origin what it comes from; null if it was requested on another node
   * @return done when it is in force; fails with {@link
   *     io.mayflymq.core.metadata.CommittedState.UndoneException} if it does not fit
   */
  CompletableFuture<Void> apply(List<MetadataCommand> commands, Object origin) {
    MetadataCommand first = commands.get(0);
    if (first instanceof Assigning) {
      return partitions.apply(commands);
    }
    if (first instanceof Clustering) {
      return members.apply(commands);
    }
    boolean isAdministrative =
        first instanceof Administrative || first instanceof UserIs || first instanceof VhostIs;
    return isAdministrative
        ? administration.apply(commands, origin)
        : broker.apply(commands, origin);
  }

  /** Returns whether a change begins or ends a virtual host. */
  static boolean changesVhosts(List<MetadataCommand> commands) {
    return commands.stream()
        .anyMatch(command -> command instanceof VhostDeclared || command instanceof VhostDeleted);
  }
}
