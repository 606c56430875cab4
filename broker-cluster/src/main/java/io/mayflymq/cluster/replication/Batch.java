package io.mayflymq.cluster.replication;

import io.mayflymq.core.store.BatchId;
import java.nio.ByteBuffer;

/**
 * What a burst has changed in a partition, as its leader numbered it.
 *
 * @param content the records, encoded, from the start to the limit; not to be changed any more.
 *     Empty for the first batch of an epoch
 */
public record Batch(BatchId id, ByteBuffer content) {
  private static final int OVERHEAD = 64;

  /** Returns about how many bytes of memory it takes. */
  int bytes() {
    return content.limit() + OVERHEAD;
  }
}
