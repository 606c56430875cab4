package io.mayflymq.core.vhost;

import io.mayflymq.core.event.Actor;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.Leased;
import io.mayflymq.core.queue.MemoryBound;
import io.mayflymq.core.queue.MessageSource;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.settings.LeaseUse;
import io.mayflymq.core.settings.QueueSettings;
import io.mayflymq.core.settings.QueueType;
import io.mayflymq.protocol.types.ConnectionException;
import java.util.concurrent.CompletableFuture;

/*
 * A queue in action: the machine, tied to its shard's clock, timers and log, and to the virtual host that routes its dead letters.
 *
 * Its identity may be read by any thread. What returns a future may be called by any thread too: the work is done on the shard, at once if
 * the caller is there. The rest belongs to the shard's bursts. Once the queue is deleted everything that still arrives, as routes and
 * batches may be a moment old, finds it so and does nothing.
 */
public final class Queue {
  private final long id;
  private final QueueDefinition definition;
  private final Object owner;
  private final VirtualHost vhost;
  private final Shards shards;
  private final Shard shard;
  private final QueueMachine machine;

  /** Null until it is about to go. */
  private QueueDeletion queueDeletion;

  private final MachineEffects effects;

  /** Null until a message was scheduled for the first time. */
  QueueSchedule schedule;

  /** Null until a dead letter had to wait for the first time. */
  private WaitingDeadLetters waitingDeadLetters;

  private boolean deleted;

  private volatile Redrive lastRedrive;

  /** Those of the machine, for other threads. */
  private volatile QueueSettings settings;

  Queue(
      long id,
      QueueDefinition definition,
      Object owner,
      VirtualHost vhost,
      Shards shards,
      Shard shard,
      QueueSettings settings,
      long nowMillis) {
    this.id = id;
    this.definition = definition;
    this.owner = owner;
    this.vhost = vhost;
    this.shards = shards;
    this.shard = shard;
    this.effects = new MachineEffects(this, shards);
    this.machine = QueueMachineFactory.of(this, settings, shards, effects, nowMillis);
    this.settings = settings;
  }

  /** The queue's name. */
  public String name() {
    return definition.name();
  }

  /** What was declared. */
  public QueueDefinition definition() {
    return definition;
  }

  /** The number that its messages are kept under, never given to another queue. */
  public long id() {
    return id;
  }

  /** The virtual host that it is in. */
  public VirtualHost vhost() {
    return vhost;
  }

  /** What happened to its messages so far; any thread may read. */
  public Counters counters() {
    return machine.counters();
  }

  /** The shard whose thread it belongs to. */
  public Shard shard() {
    return shard;
  }

  /** The connection that it is exclusive to, or null. */
  public Object owner() {
    return owner;
  }

  // Within a burst of the shard

  boolean publish(Message message) {
    if (deleted) {
      // A queue that has gone took the message with it: that is no refusal.
      return true;
    }
    Counters counters = machine.counters();
    if (!machine.publish(message, shard.now())) {
      counters.add(Counter.REFUSED, 1);
      return false;
    }
    counters.add(Counter.PUBLISHED, 1);
    counters.add(Counter.PUBLISHED_BYTES, message.bodyLength());
    return true;
  }

  /** Takes a message that is to be published later. */
  void schedule(Message message, long dueMillis) {
    if (!deleted) {
      openSchedule().add(message, dueMillis);
    }
  }

  /** What is scheduled, to be added to. */
  QueueSchedule openSchedule() {
    if (schedule == null) {
      schedule = new QueueSchedule(this, shards);
    }
    return schedule;
  }

  /** The dead letters that wait, to be added to. */
  WaitingDeadLetters openWaitingDeadLetters() {
    if (waitingDeadLetters == null) {
      waitingDeadLetters = new WaitingDeadLetters(this, machine, shards);
    }
    return waitingDeadLetters;
  }

  boolean hasWaitingDeadLetters() {
    return waitingDeadLetters != null && !waitingDeadLetters.isEmpty();
  }

  /** Whether {@link #publish} would refuse a message now. */
  boolean refuses(Message message) {
    return !deleted && machine.refuses(message, shard.now());
  }

  void acknowledge(Consumer consumer, long from, long to) {
    if (!deleted) {
      machine.acknowledge(consumer, from, to, shard.now());
    }
  }

  void reject(Consumer consumer, long from, long to, DropTrigger cause) {
    if (!deleted) {
      machine.reject(consumer, from, to, cause, shard.now());
    }
  }

  void requeue(Consumer consumer, long from, long to) {
    if (!deleted) {
      machine.requeue(consumer, from, to, shard.now());
    }
  }

  void fail(Consumer consumer, long from, long to) {
    if (!deleted) {
      machine.fail(consumer, from, to, shard.now());
    }
  }

  /** A consumer whose outlet had no room can take messages again. Within a burst of the shard. */
  public void resume(Consumer consumer) {
    if (!deleted) {
      machine.resume(consumer, shard.now());
    }
  }

  /** Its settings of this moment; any thread may ask. */
  public QueueSettings settings() {
    return settings;
  }

  /** Lives by the policies of this moment. Within a burst of the shard. */
  void applyPolicies() {
    QueueSettings changed = vhost.policies().settingsOf(definition);
    if (!deleted && !changed.equals(settings)) {
      settings = changed;
      machine.reconfigure(changed, shard.now());
    }
  }

  /** Tells what other settings would do now. Within a burst of the shard. */
  void forecast(QueueSettings changed, PolicyDryRun.Builder result) {
    if (!deleted) {
      result.add(definition, machine, changed, shard.now());
    }
  }

  /** See {@link MemoryBound#trimMemory}. Within a burst of the shard. */
  void trimMemory() {
    if (!deleted && machine instanceof MemoryBound memory) {
      memory.trimMemory();
    }
  }

  /** How it is at this moment; null if it is gone. Within a burst of the shard. */
  public QueueSnapshot view() {
    return deleted ? null : QueueSnapshot.of(this, machine, schedule, waitingDeadLetters);
  }

  // From any thread

  /**
   * Adds a consumer.
   *
   * @param admitted runs on the shard's thread before the first message is handed to the outlet
   * @return done when the consumer was added; fails with 404 if the queue has gone, 403 if it is in
   *     exclusive use
   */
  public CompletableFuture<Void> subscribe(Consumer consumer, Runnable admitted) {
    return shard.call(
        () -> {
          requireExists();
          if (!machine.admits(consumer.exclusive())) {
            throw Preconditions.inExclusiveUse(this);
          }
          admitted.run();
          machine.subscribe(consumer, shard.now());
          return null;
        });
  }

  /**
   * Removes a consumer; an auto-delete queue goes with the last one. Done when both happened, and
   * the queue's messages are where they are dead-lettered to, if they are.
   */
  public CompletableFuture<Void> cancel(Consumer consumer) {
    return shard
        .call(
            () ->
                isThere() && machine.cancel(consumer, shard.now()) && definition.autoDelete()
                    ? queueDeletion().leaveUnused()
                    : VirtualHost.done())
        .thenCompose(gone -> gone);
  }

  /** It was used in a way that it does not see by itself; counts if its lease says so. */
  public void used(LeaseUse use) {
    if (settings.lease().counts(use)) {
      shard.runOrExecute(
          () -> {
            if (!deleted) {
              renewLease(use);
            }
          });
    }
  }

  private void renewLease(LeaseUse use) {
    if (machine instanceof Leased leased) {
      leased.used(use, shard.now());
    }
  }

  /** See {@link MemoryBound#pauseMillis}. On the shard's thread. */
  int pauseMillis() {
    return machine instanceof MemoryBound memory ? memory.pauseMillis() : 0;
  }

  /**
   * Takes a message for {@code basic.get}; null if none is ready. Fails with 404 if the queue has
   * gone, 540 or 405 if its type does not know that.
   */
  public CompletableFuture<GetResult> fetch(boolean acknowledges) {
    return fetch(acknowledges, LeaseUse.GET);
  }

  /** The same, as another use of the queue. */
  public CompletableFuture<GetResult> fetch(boolean acknowledges, LeaseUse use) {
    return shard.call(
        () -> {
          requireExists();
          MessageSource messages = Preconditions.requireGet(this, machine);
          renewLease(use);
          return messages.fetch(acknowledges, shard.now());
        });
  }

  /** See {@link QueuePurge}. Fails with 404 if the queue has gone, 540 if it is a stream. */
  public CompletableFuture<Long> purge() {
    return shard
        .call(
            () -> {
              requireExists();
              MessageSource messages = Preconditions.requireSource(this, machine, "queue.purge");
              return QueuePurge.of(this, messages, waitingDeadLetters);
            })
        .thenCompose(removed -> removed);
  }

  /**
   * Looks at ready messages and changes nothing but the lease, if that counts as use. Fails with
   * 404 if the queue has gone.
   *
   * @param position the position of the first one; 0 is the one that would be served next
   * @param count no more than so many
   * @param bytes with so many bytes of content the page ends early
   */
  public CompletableFuture<QueuePage> browse(long position, int count, long bytes) {
    QueueBrowse browse = new QueueBrowse(this, machine, position, count, bytes);
    shard.runOrExecute(browse);
    return browse.done();
  }

  /**
   * Begins to send dead messages back. Fails with 404 if the queue has gone, 406 if they are being
   * sent already, 540 if it is a stream.
   *
   * @param conditions what else has to hold
   */
  public CompletableFuture<Redrive> redrive(RedriveRequest request, Redrive.Conditions conditions) {
    return shard.call(
        () -> {
          requireExists();
          MessageSource messages = Preconditions.requireSource(this, machine, "redrive");
          Redrive redrive =
              new Redrive(this, messages.messageExtractor(), request, shards, conditions);
          if (!request.dryRun()) {
            Preconditions.requireNoRedrive(this);
            lastRedrive = redrive;
          }
          redrive.goOn();
          return redrive;
        });
  }

  /** The redrive that goes on, or the last one; null if there was none. Any thread may ask. */
  public Redrive lastRedrive() {
    return lastRedrive;
  }

  /**
   * What a redeclaration tells; null if the queue was about to go, and has gone or stays now.
   *
   * @param renewsLease whether asking is use of the queue
   */
  CompletableFuture<DeclaredQueue> status(boolean renewsLease) {
    return shard
        .call(
            () -> {
              if (!isThere()) {
                return queueDeletion().over().<DeclaredQueue>thenApply(done -> null);
              }
              if (renewsLease) {
                renewLease(LeaseUse.DECLARE);
              }
              return CompletableFuture.completedFuture(
                  new DeclaredQueue(name(), machine.readyCount(), machine.consumerCount()));
            })
        .thenCompose(status -> status);
  }

  /**
   * Deletes the queue, and tells how many ready messages went with it when that is safe. If it
   * cannot be made safe, the queue stays.
   *
   * @param ifUnused fails with 406 if there are consumers
   * @param ifEmpty fails with 406 if messages are ready
   * @param actor who wants it
   */
  CompletableFuture<Long> delete(boolean ifUnused, boolean ifEmpty, Actor actor) {
    return shard
        .call(
            () ->
                isThere()
                    ? queueDeletion().leave(ifUnused, ifEmpty, actor)
                    : queueDeletion().over().thenApply(done -> 0L))
        .thenCompose(deletion -> deletion);
  }

  /** Deletes the queue with its virtual host: whatever it has goes with it. */
  CompletableFuture<Void> deleteWithVhost() {
    return onShard(this::end);
  }

  /** The queue is a dead letter queue whose queue has gone. */
  void endWithParent() {
    shard.runOrExecute(this::end);
  }

  /** It never came into force, as its declaration could not be made safe. */
  void discard() {
    shard.runOrExecute(machine::dispose);
  }

  /** Sets the timers of a new queue, or of one that has been recovered. */
  void start() {
    if (definition.durable() || machine.settings().lease().expiresMillis() > 0) {
      shard.runOrExecute(
          () -> {
            machine.start(shard.now());
            QueueSchedule.start(schedule);
            WaitingDeadLetters.start(waitingDeadLetters);
          });
    }
  }

  /** Removes it. It is in service until that is safe, and has its messages until then. */
  private CompletableFuture<Void> remove(Actor actor) {
    return vhost.remove(this, actor).thenCompose(safe -> onShard(this::end));
  }

  private CompletableFuture<Void> onShard(Runnable work) {
    return shard.call(
        () -> {
          work.run();
          return null;
        });
  }

  /** It is in no table any more, and that is safe. */
  private void end() {
    if (!deleted) {
      deleted = true;
      shard.timers().cancel(effects);
      machine.consumers().forEach(consumer -> consumer.outlet().cancelled(consumer));
      queueDeletion().end(this::dispose);
    }
  }

  private QueueDeletion queueDeletion() {
    if (queueDeletion == null) {
      queueDeletion = new QueueDeletion(this, machine, shards, this::remove);
    }
    return queueDeletion;
  }

  private void dispose() {
    machine.dispose();
    QueueSchedule.dispose(schedule);
    WaitingDeadLetters.dispose(waitingDeadLetters);
  }

  /** Whether it is neither gone nor about to go for good. */
  private boolean isThere() {
    return !deleted && (queueDeletion == null || !queueDeletion.isDecided());
  }

  /** The time has come that the machine asked for. Within a burst of the shard. */
  void onTimer(long nowMillis) {
    if (!deleted) {
      machine.onTimer(nowMillis);
    }
  }

  /** The machine's lease has ended. Within a burst of the shard. */
  void leaseEnded() {
    queueDeletion().leaseEnded();
  }

  /** Whether messages wait to be published to it later. Within a burst of the shard. */
  void holdsScheduled(boolean any) {
    if (!deleted && machine instanceof Leased leased) {
      leased.holdsScheduled(any, shard.now());
    }
  }

  boolean isDeleted() {
    return deleted;
  }

  /** Whether it is about to go, or has gone. */
  boolean isLeaving() {
    return deleted
        || (queueDeletion != null && (queueDeletion.hasBegun() || queueDeletion.isDecided()));
  }

  void requireExists() {
    if (!isThere()) {
      throw new Preconditions(vhost.name()).noQueue(name());
    }
  }

  /** Whether it is a stream, from which nothing is taken. Any thread may ask. */
  public boolean isStream() {
    return definition.settings().type() == QueueType.STREAM;
  }

  /** The error for a method that streams do not support: 540. Any thread may ask. */
  public ConnectionException streamsLack(String what) {
    return Preconditions.streamsLack(what, this);
  }

  @Override
  public String toString() {
    return "queue '%s' in vhost '%s'".formatted(name(), vhost.name());
  }
}
