package io.mayflymq.core.vhost;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.core.metadata.MetadataCommand;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The way of all changes of a virtual host. A request that was checked is carried out at once if
 * the broker is alone; in a cluster it is proposed, and carried out on each node when its turn has
 * come.
 */
final class VhostChanges {
  private final VhostState state;
  private final TopologyChanges changes;
  private final Supplier<Optional<Cluster>> cluster;

  /**
   * @param cluster gives none if the broker is alone
   */
  VhostChanges(VhostState state, TopologyChanges changes, Supplier<Optional<Cluster>> cluster) {
    this.state = state;
    this.changes = changes;
    this.cluster = cluster;
  }

  /**
   * Requests a change that has been checked against the proposed state. Within the lock.
   *
   * @return done when it is in force; fails as {@link VhostState#propose} or {@link
   *     Cluster#propose}
   */
  CompletableFuture<Void> request(List<? extends MetadataCommand> commands, ChangeOrigin origin) {
    return cluster
        .get()
        .map(joined -> joined.propose(commands, origin))
        .orElseGet(() -> applyNow(commands, origin));
  }

  CompletableFuture<Void> request(MetadataCommand command, ChangeOrigin origin) {
    return request(List.of(command), origin);
  }

  /**
   * Carries out commands whose turn has come. Any thread may call; the order of the calls is the
   * order of the changes.
   *
   * @return done when they are in force; fails with {@link UndoneException} if they do not fit
   */
  CompletableFuture<Void> apply(List<? extends MetadataCommand> commands, ChangeOrigin origin) {
    synchronized (state.lock()) {
      try {
        return applyNow(commands, origin);
      } catch (UndoneException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  private CompletableFuture<Void> applyNow(
      List<? extends MetadataCommand> commands, ChangeOrigin origin) {
    TopologyChange change = changes.of(state.proposed(), commands, origin);
    try {
      return state
          .propose(change.topology(), change.written(), change::inForce)
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  change.discard();
                }
              });
    } catch (RuntimeException e) {
      change.discard();
      throw e;
    }
  }

  /** Carries out what was kept before this process. Before the first client comes. */
  void replay(MetadataCommand command) {
    synchronized (state.lock()) {
      TopologyChange change = changes.of(state.current(), List.of(command), ChangeOrigin.RECOVERY);
      state.restore(change.topology());
      change.inForce();
    }
  }
}
