package io.mayflymq.core.queue;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.settings.QueueSettings;

/**
 * Takes back what consumers return: to its old place, or before all others in a quorum queue, at
 * once or after a wait. What has come back too often dies, and what is too old by now expires.
 *
 * <p>Source: RabbitMQ, "Quorum Queues", section "Poison Message Handling".
 */
final class Returns {
  private final MessageIndex<Message> index;
  private final QueueMessages messages;
  private final MessageDeadlines deadlines;
  private final Departures departures;
  private final Retries retries;
  private final WakeUp wakeUp;
  private boolean counted;
  private long limit;

  Returns(
      MessageIndex<Message> index,
      QueueMessages messages,
      MessageDeadlines deadlines,
      Departures departures,
      Retries retries,
      WakeUp wakeUp,
      QueueSettings settings) {
    this.index = index;
    this.messages = messages;
    this.deadlines = deadlines;
    this.departures = departures;
    this.retries = retries;
    this.wakeUp = wakeUp;
    change(settings);
  }

  /** Other settings count from now on, also for what was returned before. */
  void change(QueueSettings settings) {
    counted = settings.countsReturns();
    limit = settings.deliveries().limit();
  }

  /**
   * An unacknowledged message comes back.
   *
   * @param failed whether its consumer could not deal with it
   */
  void putBack(long sequence, boolean failed, long nowMillis) {
    int returns = 0;
    if (counted) {
      returns = Extra.countReturn(index, sequence);
      if (limit != QueueSettings.NONE && returns > limit) {
        departures.die(sequence, DeathReason.DELIVERY_LIMIT, nowMillis);
        return;
      }
    }
    long deadline = deadlines.of(sequence);
    if (deadline <= nowMillis) {
      departures.die(sequence, DeathReason.EXPIRED, nowMillis);
      return;
    }
    if (retries.delays(failed)) {
      wakeUp.noLaterThan(retries.hold(sequence, returns, nowMillis));
      return;
    }
    messages.putBack(sequence);
    deadlines.requeued(sequence);
    wakeUp.noLaterThan(deadlines.leavesAt(sequence, deadline));
  }
}
