package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.tracing.MessageTracer;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.deadletter.RedriveReport.Skipped;
import io.mayflymq.core.vhost.deadletter.RedriveReport.State;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.LockedMessages;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Moves messages of a queue to others, in the order in which they came there: it sends those of a
 * dead letter queue back, or those elsewhere that an operator has chosen.
 *
 * <p>What came after it began is not looked at, so no message is sent back twice in one run. It
 * works in slices on the queue's shard, and stands still while a disk is behind or an alarm is
 * raised.
 *
 * <p>No message is lost, whenever the process ends. One whose queues are all in this partition is
 * moved by one record of the log. One that goes to other partitions is held back in its queue, and
 * leaves it when all of them have it as safely as their disks allow; a crash in between doubles it.
 * Until it has left it is in the log of its queue as before. So there is nothing to remember over a
 * restart: what is still there can be sent again.
 *
 * <p>A queue that refuses a message gets none after it in this run: the order of what it has is
 * kept.
 */
public final class Redrive implements LockedMessages {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int SLICE_MESSAGES = 256;
  private static final int MOST_UNDER_WAY = 256;
  private static final long MOST_BYTES_UNDER_WAY = 1 << 20;
  private static final long PAUSE_MILLIS = 100;

  private static final String GONE = "the queue was deleted";

  /** So many queues are named in the report. */
  private static final int MOST_NAMED = 1000;

  private final Queue source;
  private final MessageExtractor messages;
  private final Passages passages;
  private final Partition partition;
  private final Shard shard;
  private final PartitionStore store;
  private final DeadLetterPublisher local;
  private final ShardCommandSender remote;
  private final Conditions conditions;
  private final Timer timer = new GoOn();
  private final RateLimiter budget;
  private final long startedAt;
  private final long last;
  private final Set<Queue> refusing = new HashSet<>();
  private final Map<String, Long> movedTo = new TreeMap<>();
  private final Map<Skipped, Long> skipped = new EnumMap<>(Skipped.class);
  private final CompletableFuture<RedriveReport> done = new CompletableFuture<>();
  private long after;
  private long moved;
  private int underWay;
  private boolean stopping;

  /** Why it ends before its time, when what is under way has arrived; null if it does not. */
  private String failure;

  private final Deque<Runnable> waiting = new ArrayDeque<>(0);
  private boolean slicing;
  private boolean ending;
  private volatile RedriveReport report;

  /**
   * Prepares it, within a burst of the queue's shard.
   *
   * @param passages where messages go
   * @param messages takes messages out of the queue
   * @param publisher that of the queue's partition
   */
  Redrive(
      Passages passages,
      MessageExtractor messages,
      DeadLetterPublisher publisher,
      Partitions partitions) {
    this.passages = passages;
    this.source = passages.source();
    this.messages = messages;
    this.conditions = passages.conditions();
    this.partition = source.partition();
    this.shard = partition.shard();
    this.store = partition.store();
    this.local = publisher;
    this.remote = new ShardCommandSender(shard, partitions, this::goOn, false);
    this.startedAt = shard.now();
    this.budget = new RateLimiter(passages.dryRun() ? 0 : passages.rate(), startedAt);
    this.after = passages.first() - 1;
    this.last = Math.min(messages.end() - 1, passages.last());
    report(State.RUNNING, null);
  }

  /** What has to hold for a message to be moved. */
  public interface Conditions {
    /** Whether an alarm makes publishers wait. Any thread may ask. */
    boolean publishersWait();

    /** Whether a message may be published to an exchange by a routing key. One thread asks. */
    boolean mayPublish(String exchange, String routingKey);
  }

  /** How far it has come. Any thread may ask. */
  public RedriveReport report() {
    return report;
  }

  /** Done when it has ended. */
  public CompletableFuture<RedriveReport> done() {
    return done;
  }

  /** Moves no further message. Any thread may call. */
  public void stop() {
    shard.execute(
        () -> {
          stopping = true;
          goOn();
        });
  }

  /** Begins or goes on, unless it has to wait. Within a burst of the shard. */
  void goOn() {
    if (slicing || ending || report.state().isEnd()) {
      return;
    }
    slicing = true;
    try {
      slice();
    } catch (Throwable e) {
      shard.faults().report("the redrive of", source, e);
      failure = "internal error: " + e;
      endWhenSettled();
    } finally {
      slicing = false;
    }
  }

  /** While a message is on its way to another partition, no consumer may have it. */
  @Override
  public void whenNoneIsHeld(Runnable task) {
    if (underWay == 0) {
      task.run();
    } else {
      waiting.addLast(task);
    }
  }

  private void slice() {
    shard.timers().cancel(timer);
    local.flush();
    long now = shard.now();
    long until = shard.elapsedNanos() + SLICE_NANOS;
    for (int looked = 0; ; looked++) {
      if (source.onShard().isDeleted()) {
        end(State.FAILED, GONE);
        return;
      }
      if (failure == null && source.onShard().isLeaving()) {
        failure = GONE;
      }
      if (failure != null || stopping || moved + underWay >= passages.limit()) {
        endWhenSettled();
        return;
      }
      if (mustWait(now)) {
        return;
      }
      long sequence = messages.nextReady(after);
      if (sequence < 0 || sequence > last) {
        endWhenSettled();
        return;
      }
      after = sequence;
      consider(sequence);
      if (looked >= SLICE_MESSAGES || shard.elapsedNanos() >= until) {
        report(State.RUNNING, null);
        shard.executeLater(this::goOn);
        return;
      }
    }
  }

  private boolean mustWait(long now) {
    if (passages.dryRun()) {
      return false;
    }
    String reason = conditions.publishersWait() ? "alarm" : store.isBehind() ? "disk" : null;
    if (reason != null) {
      report(State.PAUSED, reason);
      shard.timers().schedule(timer, now + PAUSE_MILLIS);
      return true;
    }
    if (underWay >= MOST_UNDER_WAY || remote.bytesUnderWay() >= MOST_BYTES_UNDER_WAY) {
      return true;
    }
    long at = budget.readyAt(now);
    if (at > now) {
      report(State.RUNNING, null);
      shard.timers().schedule(timer, at);
      return true;
    }
    return false;
  }

  private void consider(long sequence) {
    if (messages.isDue(sequence, partition.now())) {
      return;
    }
    Passages.Passage passage = passages.of(sequence, messages, partition.now());
    if (passage.skipped() != null) {
      skip(passage.skipped());
      return;
    }
    List<Queue> targets =
        passage.targets().stream().map(this::nearest).filter(target -> !isGone(target)).toList();
    if (targets.isEmpty()) {
      skip(Skipped.NO_QUEUE);
    } else if (mayNotGo(targets, refusing::contains)) {
      skip(Skipped.REFUSED);
    } else if (passages.dryRun()) {
      count(passage.message(), targets);
    } else if (targets.stream().allMatch(this::isNear)) {
      move(sequence, passage.message(), targets);
    } else {
      send(sequence, passage.message(), targets);
    }
  }

  /** Returns what does the work of a queue, if that is in the same log. */
  private Queue nearest(Queue target) {
    Queue found = target.nearest();
    return found.partition() == partition ? found : target;
  }

  /** Whether what goes there is in the same log. */
  private boolean isNear(Queue target) {
    return target.partition() == partition && !target.isStream() && !target.holdsCommands();
  }

  /** Whether a queue was deleted, and is still in the routing table: it would keep nothing. */
  private boolean isGone(Queue target) {
    return isNear(target) && target.onShard().isDeleted();
  }

  private boolean mayNotGo(List<Queue> targets, Predicate<Queue> refuses) {
    return passages.needsAll()
        ? targets.stream().anyMatch(refuses)
        : targets.stream().allMatch(refuses);
  }

  private void move(long sequence, Message message, List<Queue> targets) {
    Set<Queue> full =
        targets.stream()
            .filter(target -> target.onShard().refuses(message))
            .collect(Collectors.toSet());
    refusing.addAll(full);
    if (mayNotGo(targets, full::contains)) {
      skip(Skipped.REFUSED);
      return;
    }
    budget.take();
    local.send(messages.take(sequence), traced(message), Route.to(targets));
    local.flush();
    count(message, targets.stream().filter(target -> !full.contains(target)).toList());
  }

  private void send(long sequence, Message message, List<Queue> targets) {
    budget.take();
    messages.lock(sequence);
    underWay++;
    PublishListener arrival = new Arrival(sequence, message, targets);
    Message sent = traced(message);
    for (int i = 0; i < targets.size(); i++) {
      remote.publish(targets.get(i), sent, arrival, i);
    }
  }

  private Message traced(Message deadLetter) {
    MessageTracer tracer = source.vhost().tracer();
    return tracer == null ? deadLetter : tracer.redriven(source.storeName(), deadLetter);
  }

  private void skip(Skipped why) {
    skipped.merge(why, 1L, Long::sum);
  }

  private void count(Message message, List<Queue> targets) {
    moved++;
    if (!passages.dryRun()) {
      passages.left(message, targets);
    }
    for (Queue target : targets) {
      if (movedTo.size() < MOST_NAMED || movedTo.containsKey(target.name())) {
        movedTo.merge(target.name(), 1L, Long::sum);
      }
    }
  }

  // The end

  private void endWhenSettled() {
    if (underWay > 0) {
      return;
    }
    if (failure != null) {
      end(State.FAILED, failure);
      return;
    }
    State state = stopping ? State.STOPPED : State.DONE;
    ending = true;
    store.commit(
        new Commit() {
          @Override
          public void safe() {
            shard.execute(() -> end(state, null));
          }

          @Override
          public void failed() {
            shard.execute(() -> end(State.FAILED, "the disk has failed"));
          }
        });
  }

  private void end(State state, String reason) {
    if (!report.state().isEnd()) {
      shard.timers().cancel(timer);
      report(state, reason);
      done.complete(report);
    }
  }

  private void report(State state, String reason) {
    report =
        new RedriveReport(
            state,
            reason,
            startedAt,
            state.isEnd() ? shard.now() : 0,
            moved,
            Map.copyOf(movedTo),
            Map.copyOf(skipped));
  }

  /** Hears what became of a message that goes to other shards. */
  private final class Arrival implements PublishListener {
    private final long sequence;
    private final Message message;
    private final List<Queue> targets;
    private final List<Queue> taking = new ArrayList<>();
    private int awaited;
    private int deleted;
    private boolean unknown;

    Arrival(long sequence, Message message, List<Queue> targets) {
      this.sequence = sequence;
      this.message = message;
      this.targets = targets;
      this.awaited = targets.size();
    }

    @Override
    public void settled(long target, boolean taken) {
      (taken ? taking : refusing).add(targets.get((int) target));
      reported();
    }

    /** It is not there. */
    @Override
    public void gone(long target) {
      deleted++;
      reported();
    }

    /** It is unknown whether it is there; it stays here. */
    @Override
    public void failed(long target) {
      unknown = true;
      failure = "the disk has failed";
      reported();
    }

    /** The same. */
    @Override
    public void lost(long target) {
      unknown = true;
      failure = "the node of %s cannot be reached".formatted(targets.get((int) target));
      reported();
    }

    private void reported() {
      if (--awaited > 0) {
        return;
      }
      try {
        arrived();
      } finally {
        underWay--;
        while (underWay == 0 && !waiting.isEmpty()) {
          waiting.removeFirst().run();
        }
      }
    }

    private void arrived() {
      if (!source.onShard().hasLocked()) {
        return;
      }
      if (!unknown && !mayNotGo(targets, target -> !taking.contains(target))) {
        messages.remove(sequence);
        count(message, taking);
      } else if (source.onShard().isDeleted()) {
        messages.unlockDeleted(sequence);
      } else {
        messages.unlock(sequence, partition.now());
        if (failure == null) {
          skip(deleted == targets.size() ? Skipped.NO_QUEUE : Skipped.REFUSED);
        }
      }
    }
  }

  private final class GoOn extends Timer {
    @Override
    protected void fire(long nowMillis) {
      goOn();
    }
  }
}
