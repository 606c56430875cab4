package io.mayflymq.core.metadata;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Agrees with the other nodes of a cluster on the order of all changes of metadata. Any thread may
 * call.
 */
@FunctionalInterface
public interface ChangeOrdering {
  /**
   * Proposes commands as a unit. When their turn has come, each node carries them out, or none does
   * since a change that came first excludes them.
   *
   * @param commands at least one
   * @param origin given back when they are carried out here
   * @return done when they are in force here; fails with {@link CommittedState.UndoneException} if
   *     they were excluded, with a {@link io.mayflymq.protocol.types.ConnectionException} 541 if no
   *     majority of the nodes agrees in time, with a {@link
   *     io.mayflymq.protocol.types.ChannelException} 406 if a member does not know such commands
   */
  CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin);
}
