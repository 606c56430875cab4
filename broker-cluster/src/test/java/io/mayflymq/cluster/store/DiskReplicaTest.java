package io.mayflymq.cluster.store;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Replicas on disks: whatever crashes, is cut, or changes its role, each one has what the queues of
 * the leader had at the end of a burst.
 */
class DiskReplicaTest {
  private static final int STEPS = 300;

  @Property(tries = 10)
  void replicaHasWhatTheLeaderHadAtTheEndOfABurst(@ForAll long seed) {
    ReplicasOnDisk replicas = new ReplicasOnDisk(new Random(seed));
    for (int step = 0; step < STEPS; step++) {
      replicas.step();
    }
    replicas.end();
  }
}
