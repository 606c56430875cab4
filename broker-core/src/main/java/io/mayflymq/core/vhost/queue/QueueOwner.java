package io.mayflymq.core.vhost.queue;

/** A connection of this process that exclusive queues may belong to. */
public interface QueueOwner {
  /** Returns whether it is there still. Any thread may call. */
  boolean isOpen();
}
