package io.mayflymq.core.queue;

import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.index.Deadlines;

/** A queue that may expire when it is unused. Belongs to the queue's shard. */
public interface LeasedQueue {
  /** Records a use of the queue, for its lease. Uses that the queue itself sees need no call. */
  void used(LeaseUse use, long nowMillis);

  /**
   * Tells by how much the clock was set ahead, in all: the lease does not take that for time that
   * has passed. To be called when the queue is created, and before all else in the first burst that
   * goes by the clock that was set.
   */
  void skipped(long totalMillis);

  /** Sets whether scheduled messages wait to be published to the queue. */
  void holdsScheduled(boolean any, long nowMillis);

  /**
   * Returns when the lease ends if the queue stays unused, in ms since the epoch; {@link
   * Deadlines#NEVER} without a lease, or while a lasting use counts.
   */
  long leaseEndMillis();

  /** Returns whether the lease has ended, so that the queue may be deleted. */
  boolean leaseHasEnded(long nowMillis);
}
