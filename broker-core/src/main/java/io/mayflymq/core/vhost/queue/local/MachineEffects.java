package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.PartitionCounts;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.tracing.QueueTracer;
import io.mayflymq.core.vhost.deadletter.DeadLetterRouter;
import io.mayflymq.core.vhost.deadletter.DeadlineNotices;
import io.mayflymq.core.vhost.queue.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a queue's machine does to the world, and the timer that it asks for. Belongs to the queue's
 * shard.
 */
final class MachineEffects extends Timer implements QueueEffects {
  private static final Logger LOGGER = LoggerFactory.getLogger(MachineEffects.class);

  /** So many unreadable messages of a queue have a line each; then each power of two has one. */
  private static final int LINES = 16;

  private final Queue queue;
  private final DeadLetterRouter router;
  private final DeadlineNotices notices;
  private final Listener listener;
  private final QueueTracer tracer;

  /** Null unless the queue has replicas. */
  private NotedLease lease;

  private long unreadable;

  MachineEffects(Queue queue, LocalEnvironment environment, Listener listener) {
    this.queue = queue;
    this.router = environment.router();
    this.notices = environment.notices();
    this.listener = listener;
    MessageTracer messageTracer = queue.vhost().tracer();
    this.tracer = messageTracer == null ? null : messageTracer.queue(queue.storeName());
  }

  /** The queue has ended: no timer fires any more. */
  void stop() {
    queue.shard().timers().cancel(this);
    if (lease != null) {
      queue.shard().timers().cancel(lease);
    }
  }

  /** Sets what is to know of the lease. */
  void setLease(NotedLease noted) {
    lease = noted;
  }

  /** The queue of the machine. */
  interface Listener {
    /** Called at the time that the machine asked for. */
    void timerFired();

    /** Called when the machine's lease has ended. */
    void leaseEnded();
  }

  /**
   * If the dead letter cannot be made or sent, the log keeps the message, and it is back in the
   * queue after a restart.
   */
  @Override
  public void died(
      Message message,
      UnsettledEntry entry,
      DropTrigger cause,
      long deadlineMillis,
      long nowMillis) {
    queue.counters().add(Counter.of(cause.reason()), 1);
    if (cause.reason() == DeathReason.EXPIRED) {
      queue.shard().histograms().expiryLateness().record(nowMillis - deadlineMillis);
    }
    try {
      router.route(queue, message, entry, cause, deadlineMillis, nowMillis);
    } catch (Throwable e) {
      queue.shard().faults().report("dead-lettering from", queue, e);
      if (entry != null) {
        queue.partition().store().await(entry);
      }
    }
  }

  @Override
  public boolean isTaken(Message message, DropTrigger cause, long nowMillis) {
    return router.isTaken(queue, message, cause, nowMillis);
  }

  /** A notice that cannot be sent keeps nothing from dying. */
  @Override
  public void deadlineOver(
      Message message, long deadlineMillis, long arrivedMillis, long nowMillis) {
    try {
      notices.died(queue, message, deadlineMillis, arrivedMillis, nowMillis);
    } catch (Throwable e) {
      queue.shard().faults().report("a notice of a deadline of", queue, e);
    }
  }

  @Override
  public void letGo(PartitionCounts.LetGo cause, long messages, long bytes) {
    queue.partition().counts().letGo(cause, messages, bytes);
  }

  @Override
  public void unreadable(long sequence, String reason, boolean kept) {
    unreadable++;
    if (unreadable <= LINES || Long.bitCount(unreadable) == 1) {
      LOGGER.warn(
          "message {} of {} cannot be read and {} ({} so far): {}",
          sequence,
          queue,
          kept ? "is set aside" : "leaves with its queue",
          unreadable,
          reason);
    }
  }

  @Override
  public void wakeAt(long deadlineMillis) {
    queue.partition().time().schedule(this, deadlineMillis);
  }

  @Override
  protected void fire(long nowMillis) {
    listener.timerFired();
  }

  @Override
  public void leaseEnded() {
    listener.leaseEnded();
  }

  @Override
  public void leaseMoved(long lastUseMillis, long periodMillis) {
    if (lease != null) {
      lease.moved(lastUseMillis, periodMillis);
    }
  }

  @Override
  public QueueTracer tracer() {
    return tracer;
  }

  @Override
  public String toString() {
    return queue.toString();
  }
}
