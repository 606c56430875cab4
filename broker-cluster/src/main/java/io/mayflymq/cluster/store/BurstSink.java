package io.mayflymq.cluster.store;

import java.nio.ByteBuffer;

/** Where the bursts of a leader go: to its replicas. */
@FunctionalInterface
public interface BurstSink {
  /**
   * Gives a burst its number, and has it appended to the log of this node by {@link
   * DiskReplica#append} before it returns. Called at the end of a burst of the shard.
   *
   * @param content what the burst has changed; not to be changed any more
   * @return its number
   */
  long append(ByteBuffer content);

  /** Returns whether so much waits for other replicas that publishers have to wait. */
  default boolean isBehind() {
    return false;
  }

  /** Returns how long a burst takes at present until it is committed, in ms. */
  default long commitMillis() {
    return 0;
  }
}
