package io.mayflymq.core.vhost.command;

/**
 * Learns what became of published messages. Called on the loop of the connection that published
 * them.
 */
@FunctionalInterface
public interface PublishListener {
  /**
   * One of the shards that a message went to has it, as safely as the message asked for, or one of
   * its queues has refused it.
   *
   * @param publishSequence the number that the publisher gave the message
   * @param accepted whether every queue of that shard took it
   */
  void settled(long publishSequence, boolean accepted);

  /**
   * One of the shards that a message went to could not make it safe, as its disk has failed, or one
   * of its queues has failed over it: it may be there or not.
   *
   * @param publishSequence the number that the publisher gave the message
   */
  default void failed(long publishSequence) {
    settled(publishSequence, false);
  }

  /**
   * One of the queues that a message went to was deleted before: the message is not there. For a
   * publisher that is as if it had been there.
   *
   * @param publishSequence the number that the publisher gave the message
   */
  default void gone(long publishSequence) {
    settled(publishSequence, true);
  }

  /**
   * The node of one of the queues that a message went to cannot be reached: it may be there or not.
   *
   * @param publishSequence the number that the publisher gave the message
   */
  default void lost(long publishSequence) {
    failed(publishSequence);
  }
}
