package io.mayflymq.core.vhost.queue;

/**
 * Messages of a queue that are locked while another partition stores them. They neither die nor go
 * with the queue before it is known whether they have arrived.
 */
@FunctionalInterface
public interface LockedMessages {
  /** Runs a task when none is locked, now or later. Within a burst of the queue's shard. */
  void whenNoneIsHeld(Runnable task);
}
