package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.List;

/** Which messages leave a queue by a {@link Redrive}, and where each of them goes. */
interface Passages {
  /** Returns the queue that they leave. */
  Queue source();

  /** Returns what else must hold. */
  Redrive.Conditions conditions();

  /** Returns how many leave at most. */
  long limit();

  /** Returns how many leave per second at most; 0 for no limit. */
  long rate();

  /** Returns whether they are only counted. */
  boolean dryRun();

  /** Returns the number of the first message that is looked at. */
  long first();

  /** Returns the number of the last message that is looked at. */
  long last();

  /** Returns whether a message stays unless all queues that it goes to take it, or one will do. */
  boolean needsAll();

  /**
   * Says what becomes of a ready message.
   *
   * @param nowMillis the time of the partition
   */
  Passage of(long sequence, MessageExtractor messages, long nowMillis);

  /**
   * A message has left, or would.
   *
   * @param message as it went
   * @param targets the queues that have it
   */
  void left(Message message, List<Queue> targets);

  /**
   * What becomes of a message.
   *
   * @param skipped why it stays; null if it goes
   * @param message the message as it goes
   * @param targets the queues that it goes to
   */
  record Passage(Skipped skipped, Message message, List<Queue> targets) {
    static Passage none(Skipped why) {
      return new Passage(why, null, List.of());
    }

    /** Sends a message to queues, but not back to where it is. */
    static Passage to(Queue source, Message message, List<Queue> targets) {
      // What does the work of a replicated queue is another object than what stands for it.
      boolean returns = targets.stream().anyMatch(target -> target.name().equals(source.name()));
      return returns ? none(Skipped.TO_ITSELF) : new Passage(null, message, targets);
    }
  }
}
