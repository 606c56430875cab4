package io.mayflymq.core.tracing;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.QueueName;

/**
 * Is told what happens to messages on their way through the broker. It decides for each message
 * whether it is traced. Any thread may call.
 */
public interface MessageTracer {
  /** Returns the time of its spans, in ns since the epoch. */
  long now();

  /**
   * A message was published, and its route is known.
   *
   * @param queues how many queues it goes to
   * @param startNanos when the broker began to look for its route, by {@link #now}
   */
  void routed(String vhost, Message message, int queues, long startNanos);

  /**
   * It was decided what becomes of a dead message.
   *
   * @param source where it died
   * @param exchange the dead letter exchange, or null if there is none
   */
  void deadLettered(
      QueueName source, Message message, DropTrigger trigger, DropOutcome outcome, String exchange);

  /**
   * A redrive sends a message back.
   *
   * @param source the dead letter queue
   * @return the message to send, whose trace goes on from here
   */
  Message redriven(QueueName source, Message message);

  /** Returns what is told of the messages of a queue. */
  QueueTracer queue(QueueName queue);
}
