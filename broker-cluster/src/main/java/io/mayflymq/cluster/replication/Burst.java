package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BurstId;
import java.nio.ByteBuffer;

/**
 * What a burst of the leader's shard has changed in a partition, with the number that the leader
 * gave it.
 *
 * @param content the records, encoded, from the start to the limit; not to be changed any more.
 *     Empty for the first burst of an epoch
 */
public record Burst(BurstId id, ByteBuffer content) {
  private static final int OVERHEAD = 64;

  /** Returns about how many bytes of memory it takes. */
  int bytes() {
    return content.limit() + OVERHEAD;
  }
}
