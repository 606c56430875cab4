package io.mayflymq.server.channel;

/** A consumer that waits until it may be sent messages again. Any thread may call. */
interface WaitingConsumer {
  /** Lets the queue try to deliver again. */
  void resume();

  /**
   * Lets the queue try to deliver again, and runs an action after that.
   *
   * @param next run on the shard of the queue
   */
  void resumeThen(Runnable next);
}
