package io.mayflymq.server.cluster.replication;

import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.MetadataCommand.AssignmentChanged;
import io.mayflymq.core.runtime.Causes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes changes of assignments to the cluster, each once at a time: those who propose repeat it
 * until the assignment has changed. A change that does not apply any more is no error. Any thread
 * may call.
 */
final class AssignmentProposals {
  private static final Logger LOGGER = LoggerFactory.getLogger(AssignmentProposals.class);

  private final Function<List<AssignmentChanged>, List<CompletableFuture<Void>>> proposer;
  private final Set<AssignmentChanged> underWay = ConcurrentHashMap.newKeySet();

  /**
   * @param proposer proposes changes that fall together, and returns what becomes of each
   */
  AssignmentProposals(Function<List<AssignmentChanged>, List<CompletableFuture<Void>>> proposer) {
    this.proposer = proposer;
  }

  /** Proposes changes by the numbers of their partitions. */
  void propose(Map<Integer, ? extends AssignmentChange> changes) {
    List<AssignmentChanged> added = new ArrayList<>();
    changes.forEach(
        (partition, change) -> {
          AssignmentChanged proposal = new AssignmentChanged(partition, change);
          if (underWay.add(proposal)) {
            added.add(proposal);
          }
        });
    if (!added.isEmpty()) {
      List<CompletableFuture<Void>> decided = proposer.apply(added);
      for (int i = 0; i < decided.size(); i++) {
        AssignmentChanged proposal = added.get(i);
        decided.get(i).whenComplete((inForce, failure) -> decided(proposal, failure));
      }
    }
  }

  private void decided(AssignmentChanged proposal, Throwable failure) {
    underWay.remove(proposal);
    if (failure != null) {
      LOGGER.debug("{} was not made: {}", proposal, Causes.of(failure).getMessage());
    }
  }
}
