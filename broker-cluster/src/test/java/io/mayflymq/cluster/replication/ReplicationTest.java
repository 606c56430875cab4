package io.mayflymq.cluster.replication;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever crashes, is delayed or is lost: what was committed stays, on each later leader, and no
 * two leaders commit different bursts.
 */
class ReplicationTest {
  private static final int STEPS = 3000;

  @Property(tries = 100)
  void whatIsCommittedStays(@ForAll long seed, @ForAll @IntRange(min = 1, max = 5) int count) {
    Random random = new Random(seed);
    SimulatedReplicas replicas = new SimulatedReplicas(count);
    replicas.run(random, STEPS);
    replicas.heal(random);
  }
}
