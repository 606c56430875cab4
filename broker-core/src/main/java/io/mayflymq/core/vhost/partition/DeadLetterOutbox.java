package io.mayflymq.core.vhost.partition;

/**
 * The dead letters that commands of a partition's queues have made and that have not left yet.
 * Within a burst of the partition's shard.
 */
public interface DeadLetterOutbox {
  /** Delivers the dead letters to queues of this partition. Not while a command of a queue runs. */
  void deliver();

  /**
   * Delivers those, and hands those for other partitions over.
   *
   * @param cause what the dead letters follow from, or null
   */
  void flush(BatchArrival cause);

  /** Whether none is on its way to another partition. */
  boolean isEmpty();

  /** Ends it: what is still on its way changes nothing in this partition any more. */
  void end();
}
