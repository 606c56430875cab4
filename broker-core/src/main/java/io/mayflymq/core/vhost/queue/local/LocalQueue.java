package io.mayflymq.core.vhost.queue.local;

import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.HeaderTime;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.MessagePart;
import io.mayflymq.core.queue.MessageReader;
import io.mayflymq.core.queue.Pace;
import io.mayflymq.core.queue.PolicyImpact;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.stream.StreamMachine;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Following;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.PublisherLine;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueContents;
import io.mayflymq.core.vhost.queue.QueueIdentity;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.util.List;
import java.util.OptionalLong;

/**
 * A queue on this node: its machine, connected to its shard's clock and timers, its partition's
 * log, and the virtual host that routes its dead letters. When it is deleted, a {@link
 * DeletedQueue} takes its place.
 */
public final class LocalQueue implements ShardQueue {
  private final LocalQueueState state;
  private final QueueMachine machine;
  private final MachineEffects effects;
  private final QueueDeletion deletion;
  private final LocalMoves moves;

  /** Null unless there is a rate for publishers. */
  private Pace publishing;

  /** Null as long as no publisher has waited for room. */
  private PublisherLine line;

  /** The header with the time for which messages wait; null if there is none. */
  private String deliverAtHeader;

  /** Those of the machine, for other threads. */
  private volatile QueueSettings settings;

  private LocalQueue(Queue queue, LocalEnvironment environment, QueueSettings settings, long now) {
    this.effects = new MachineEffects(queue, environment, new Events());
    KeptMessages before = environment.deleted().get(queue.id());
    QueueMachineFactory machines = new QueueMachineFactory(queue, effects);
    this.machine =
        before == null
            ? machines.create(settings, now, this::exists)
            : machines.of(before, settings, now);
    this.state = new LocalQueueState(queue, machine, environment);
    this.moves = new LocalMoves(state, effects, before);
    this.deletion = new QueueDeletion(state, effects, moves::deleted);
    this.settings = settings;
    this.deliverAtHeader = settings.expiry().deliverAtHeader();
    this.publishing = Pace.of(settings.pace().publishing(), null, now);
  }

  /**
   * Creates a queue.
   *
   * @param partition where it is
   * @param nowMillis the time, in ms since the epoch
   */
  public static Queue create(
      QueueIdentity identity,
      Partition partition,
      QueueSettings settings,
      LocalEnvironment environment,
      long nowMillis) {
    return new Queue(
        identity,
        environment.vhost(),
        partition,
        queue ->
            Following.of(
                queue, new LocalQueue(queue, environment, settings, nowMillis).implementation()));
  }

  private boolean exists() {
    return !state.isDeleted();
  }

  private Queue.Implementation implementation() {
    return new Queue.Implementation(
        this,
        new LocalRequests(state, deletion, moves, () -> settings),
        new LocalLifecycle(state, deletion, moves),
        moves.target());
  }

  /** What the machine brings about in its queue. */
  private final class Events implements MachineEffects.Listener {
    @Override
    public void timerFired() {
      if (exists() && !moves.suspendsTimers()) {
        machine.onTimer(state.now());
      }
    }

    @Override
    public void leaseEnded() {
      deletion.leaseEnded();
    }
  }

  @Override
  public boolean publish(Message message, Move move) {
    if (waitsForTime(message)) {
      schedule(message, move, HeaderTime.of(message, deliverAtHeader));
      return true;
    }
    Counters counters = machine.counters();
    if (!enter(message, move)) {
      counters.add(Counter.REFUSED, 1);
      return false;
    }
    counters.accepted(message.exchange(), message.bodyLength());
    return true;
  }

  /** It does, unless its time is too far away. */
  @Override
  public boolean waitsForTime(Message message) {
    if (deliverAtHeader == null) {
      return false;
    }
    long delay = Delay.until(HeaderTime.of(message, deliverAtHeader), state.now());
    return delay > 0 && delay <= Delay.LONGEST_MILLIS;
  }

  @Override
  public boolean blocks(Message message) {
    return machine instanceof ClassicQueueMachine limited
        && limited.blocks(message, state.now())
        && !waitsForTime(message);
  }

  @Override
  public boolean admits(Message message) {
    return ((line == null || line.isEmpty()) && !blocks(message)) || waitsForTime(message);
  }

  @Override
  public PublisherLine line() {
    if (line == null) {
      line = new PublisherLine(state.queue());
    }
    return line;
  }

  @Override
  public void refusedToClient() {
    machine.counters().add(Counter.REFUSED, 1);
  }

  /** No move leads to a stream, which has a log of its own. */
  private boolean enter(Message message, Move move) {
    return machine instanceof ClassicQueueMachine target
        ? target.publish(message, move, state.now())
        : machine.publish(message, state.now());
  }

  @Override
  public void schedule(Message message, Move move, long dueMillis) {
    state.hidden().schedule(message, move, dueMillis);
  }

  @Override
  public boolean refuses(Message message) {
    return machine.refuses(message, state.now()) && !waitsForTime(message);
  }

  @Override
  public void acknowledge(Consumer consumer, long from, long to) {
    machine.acknowledge(consumer, from, to, state.now());
  }

  @Override
  public void reject(Consumer consumer, long from, long to, DropTrigger cause) {
    machine.reject(consumer, from, to, cause, state.now());
  }

  @Override
  public void requeue(Consumer consumer, long from, long to) {
    machine.requeue(consumer, from, to, state.now());
  }

  @Override
  public void fail(Consumer consumer, long from, long to) {
    machine.fail(consumer, from, to, state.now());
  }

  @Override
  public void release(Consumer consumer, long from, long to) {
    machine.release(consumer, from, to, state.now());
  }

  @Override
  public void resume(Consumer consumer) {
    machine.resume(consumer, state.now());
  }

  @Override
  public long deadline(long sequence) {
    return machine instanceof ClassicQueueMachine source
        ? source.deadline(sequence)
        : Deadlines.NEVER;
  }

  @Override
  public long beginOf(Consumer consumer) {
    return machine instanceof StreamMachine stream ? stream.beginOf(consumer, state.now()) : -1;
  }

  @Override
  public long waitOfPublisher() {
    return publishing == null ? 0 : publishing.passAt(state.now()) - state.now();
  }

  @Override
  public int pauseMillis() {
    return machine instanceof ClassicQueueMachine memory
        ? memory.pauseMillis(state.queue().partition().store().commitMillis(), state.now())
        : 0;
  }

  @Override
  public boolean isDeleted() {
    return false;
  }

  @Override
  public boolean isLeaving() {
    return state.isLeaving();
  }

  @Override
  public boolean hasLocked() {
    return true;
  }

  @Override
  public void applyPolicies() {
    Queue queue = state.queue();
    QueueSettings changed = queue.vhost().settingsOf(queue.definition());
    if (!moves.isWaiting() && !changed.equals(settings)) {
      // When time goes on, no consumer holds what was handed out while it stood still.
      boolean stops = changed.pace().stopsTtl() && !settings.pace().stopsTtl();
      if (machine instanceof ClassicQueueMachine
          && (stops || !changed.expiry().equals(settings.expiry()))) {
        machine.consumers().forEach(consumer -> consumer.outlet().deadlinesChange());
      }
      settings = changed;
      deliverAtHeader = changed.expiry().deliverAtHeader();
      publishing = Pace.of(changed.pace().publishing(), publishing, state.now());
      machine.reconfigure(changed, state.now());
    }
  }

  @Override
  public PolicyImpact policyImpact(QueueSettings changed) {
    return machine.policyImpact(changed, state.now());
  }

  @Override
  public void trimMemory() {
    if (machine instanceof ClassicQueueMachine memory) {
      memory.trimMemory();
    }
  }

  @Override
  public long recoverableBytes() {
    return machine instanceof ClassicQueueMachine source ? source.removedBytes() : 0;
  }

  @Override
  public void letRecoverableGo(long bytes) {
    if (machine instanceof ClassicQueueMachine source && exists()) {
      long left = source.letOldestGo(bytes);
      if (left > 0) {
        state.shard().executeLater(() -> letRecoverableGo(left));
      }
    }
  }

  @Override
  public QueueSizes sizes() {
    return new QueueSizes(
        machine.totals(),
        state.hidden().scheduled(),
        state.hidden().waiting(),
        removed(),
        machine.consumerCount(),
        machine instanceof StreamMachine stream ? stream.largestLag() : OptionalLong.empty(),
        machine instanceof ClassicQueueMachine source
            ? source.oldestAgeMillis(state.now())
            : OptionalLong.empty(),
        machine instanceof ClassicQueueMachine memory
            ? OptionalLong.of(memory.memoryBytes())
            : OptionalLong.empty());
  }

  @Override
  public QueueContents contents() {
    List<QueueContents.Member> members =
        machine.consumers().stream()
            .map(
                consumer ->
                    new QueueContents.Member(
                        consumer,
                        machine.isActive(consumer),
                        consumer.unacked(),
                        consumer.rates().shown(state.now())))
            .toList();
    if (machine instanceof ClassicQueueMachine queue) {
      return new QueueContents(
          queue.totals(),
          state.hidden().scheduled(),
          state.hidden().waiting(),
          removed(),
          members,
          queue.consumerCapacity(state.now()),
          OptionalLong.empty(),
          queue.peekHead(),
          queue.oldestAgeMillis(state.now()),
          state.queue().partition().time().toMachine(queue.leaseEndMillis()),
          OptionalLong.of(queue.memoryBytes()),
          queue.priorityCounts(),
          queue.fairShareCounts());
    }
    return new QueueContents(
        machine.totals(),
        state.hidden().scheduled(),
        state.hidden().waiting(),
        removed(),
        members,
        Double.NaN,
        machine instanceof StreamMachine stream ? stream.largestLag() : OptionalLong.empty(),
        null,
        OptionalLong.empty(),
        Deadlines.NEVER,
        OptionalLong.empty(),
        null,
        null);
  }

  private QueueTotals removed() {
    return machine instanceof ClassicQueueMachine source
        ? source.removedTotals()
        : QueueTotals.NONE;
  }

  @Override
  public boolean hasWaitingDeadLetters() {
    return state.hidden().waiting().messages() > 0;
  }

  @Override
  public void keepWaiting(Message deadLetter, Move move) {
    state.hidden().keepWaiting(deadLetter, move);
  }

  @Override
  public void openHidden(long storeId) {
    state.hidden().open(storeId);
  }

  @Override
  public MessageExtractor extractor(String method) {
    state.requireExists();
    moves.requireNone();
    return state.requireSource(method).messageExtractor();
  }

  @Override
  public MessageReader messageReader(MessagePart part) {
    if (!(machine instanceof ClassicQueueMachine source)) {
      return null;
    }
    return part == MessagePart.QUEUE ? source.messageReader() : state.hidden().messageReader(part);
  }

  @Override
  public void restore(Message message, long ownDeadlineMillis, long arrivedMillis, long returned) {
    state.requireExists();
    state.requireSource("restore").restore(message, ownDeadlineMillis, arrivedMillis, returned);
  }

  @Override
  public void restoreEnded() {
    if (machine instanceof ClassicQueueMachine queue) {
      queue.restoreEnded(state.now());
    }
  }

  @Override
  public void movedBy(LockedMessages move) {
    state.setMove(move);
  }
}
