package io.mayflymq.core.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.PriorityCounts;
import java.util.OptionalLong;

/** A queue from which messages are removed, singly or all at once. Belongs to the queue's shard. */
public interface MessageSource {
  /**
   * Takes the first message for {@code basic.get}.
   *
   * @param acknowledges whether it stays unacknowledged until settled
   * @return null if no message is ready
   */
  GetResult fetch(boolean acknowledges, long nowMillis);

  /**
   * Returns when a message expires that was delivered and is not settled, in ms since the epoch;
   * {@link io.mayflymq.core.queue.index.Deadlines#NEVER} if it does not.
   */
  long deadline(long sequence);

  /** Returns an operation that removes all ready messages. */
  Purge purge();

  /** Returns what takes single messages out of the queue. */
  MessageExtractor messageExtractor();

  /**
   * Returns the first ready message; null if there is none or if reading it would cost too much.
   */
  Message peekHead();

  /**
   * Returns for how long the oldest message has been in the queue, in ms; empty if there is none. A
   * message that was returned is as old as before.
   */
  OptionalLong oldestAgeMillis(long nowMillis);

  /** Returns how many messages are ready of each priority; null if it tells none apart. */
  PriorityCounts priorityCounts();

  /**
   * Returns which part of the time the queue could deliver at once what it had: from 0, also
   * without consumers, to 1.
   */
  double consumerCapacity(long nowMillis);

  /**
   * Starts to count the ready messages by deadline and age.
   *
   * @param mostMessages how many are counted at most
   * @param mostNext how many of those that expire first are reported
   */
  DeadlineSurvey survey(long nowMillis, long mostMessages, int mostNext);
}
