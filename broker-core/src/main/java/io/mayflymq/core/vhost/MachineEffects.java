package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeathCause;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.DeadEntry;

/** What the machine of a queue does to the world, and the timer that it asks for. */
final class MachineEffects extends Timer implements QueueEffects {
  private final Queue queue;

  MachineEffects(Queue queue) {
    this.queue = queue;
  }

  @Override
  public void died(
      Message message, DeadEntry entry, DeathCause cause, long deadlineMillis, long nowMillis) {
    queue.counters().add(Counter.of(cause.reason()), 1);
    queue.vhost().deadLetters().route(queue, message, entry, cause, deadlineMillis, nowMillis);
  }

  @Override
  public void wakeAt(long deadlineMillis) {
    queue.shard().timers().schedule(this, deadlineMillis);
  }

  @Override
  protected void fire(long nowMillis) {
    queue.onTimer(nowMillis);
  }

  @Override
  public void leaseEnded() {
    queue.leaseEnded();
  }
}
