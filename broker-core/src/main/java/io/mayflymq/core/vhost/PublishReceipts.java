package io.mayflymq.core.vhost;

/**
 * Learns what became of published messages. Called on the loop of the connection that published
 * them.
 */
@FunctionalInterface
public interface PublishReceipts {
  /**
   * One of the shards that a message went to has it, as safely as the message asked for, or one of
   * its queues has refused it.
   *
   * @param publishSequence the number that the publisher gave the message
   * @param accepted whether every queue of that shard took it
   */
  void settled(long publishSequence, boolean accepted);
}
