package io.mayflymq.core.store;

import io.mayflymq.core.message.Message;

/**
 * A log that keeps nothing: messages live in memory, and end with the process. Everything counts as
 * safe at once.
 */
public final class VolatileLog implements MessageLog {
  @Override
  public void stored(
      long queueId, long sequence, Message message, long deadlineMillis, long enqueuedAtMillis) {}

  @Override
  public void settled(long queueId, long sequence) {}

  @Override
  public void forgotten(long queueId) {}

  @Override
  public void commit(Runnable whenSafe) {
    whenSafe.run();
  }
}
