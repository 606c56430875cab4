package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.DeadLetters;
import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.partition.DeadLetterOutbox;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The way of dead letters from the queues of a partition. They leave when the command of their
 * queue is over, at the end of its batch or of the burst at the latest, so a queue may even
 * dead-letter to itself.
 *
 * <p>A dead letter whose queues are all in this partition goes there at once, and one record of the
 * log takes it from its old queue to the new ones. One that goes to other partitions, or to a
 * stream, whose log is another, is published there like any message, and its entry here is settled
 * when all of them have it as safely as their disks allow. A crash in between doubles it, and never
 * loses it.
 *
 * <p>What goes to other nodes is in memory until it has arrived, which takes as long as a node is
 * away, or a partition has no leader. So when that is much, further dead letters wait in the log
 * beside their queues (WaitingDeadLetters), as if they were refused. Not those of a queue that is
 * being deleted: they would go with it; nor those of a queue that drops its oldest messages, and
 * would drop them.
 *
 * <p>What leaves a replicated partition waits until the death is committed, or it could be
 * elsewhere while its message is not dead for the next leader.
 */
public final class DeadLetterPublisher implements EndOfBurstListener, DeadLetterOutbox {
  private static final long MOST_UNDER_WAY = 4L << 20;

  /** So many bytes of content may be on their way before what goes to other nodes waits. */
  private static final long MOST_AWAY = 64L << 20;

  private final Partition home;
  private final Shard shard;
  private final PartitionStore store;
  private final ShardCommandSender commands;
  private final ArrayDeque<OutgoingDeadLetter> local = new ArrayDeque<>();
  private final ArrayDeque<Runnable> waitingForRoom = new ArrayDeque<>(1);
  private final DeadLetters deadLetters = new DeadLetters();
  private final UnaryOperator<Queue> nearest = this::nearest;
  private final boolean replicated;

  /** What leaves the partition when it is committed; always empty if it is not replicated. */
  private List<OutgoingDeadLetter> leaving = new ArrayList<>(0);

  /** What tells of deaths when they are committed; always empty if it is not replicated. */
  private List<Runnable> tellings = new ArrayList<>(0);

  /** The bytes of content on their way to other partitions, for each target. */
  private long bytesAway;

  /** How many departures have been handed to the store, and how many are over, in their order. */
  private long departures;

  private long departed;
  private boolean waiting;
  private boolean ended;

  /**
   * Creates the publisher of a partition.
   *
   * @param home the partition
   * @param partitions where they lead
   * @param replicated whether it is a replicated partition that this node leads
   */
  DeadLetterPublisher(Partition home, Partitions partitions, boolean replicated) {
    this.replicated = replicated;
    this.home = home;
    this.shard = home.shard();
    this.store = home.store();
    this.commands = new ShardCommandSender(shard, partitions, this::returned, false);
  }

  /** Returns what makes the dead letters of this partition. */
  DeadLetters deadLetters() {
    return deadLetters;
  }

  /** Returns whether so much is under way to other partitions that bulk work should wait. */
  public boolean isFull() {
    return commands.bytesUnderWay() > MOST_UNDER_WAY;
  }

  /** Runs a task when {@link #isFull} is over. */
  public void whenRoom(Runnable task) {
    waitingForRoom.addLast(task);
  }

  private void returned() {
    while (!isFull() && !waitingForRoom.isEmpty()) {
      waitingForRoom.removeFirst().run();
    }
  }

  /**
   * Sends a dead letter that no queue keeps if it is refused.
   *
   * @param entry the entry of the message that it was made of, or null if the log has none
   * @param targets where it goes: one queue at least
   */
  public void send(UnsettledEntry entry, Message deadLetter, Route<Queue> targets) {
    send(new OutgoingDeadLetter(null, entry, deadLetter, targets, null, 0, null));
  }

  /**
   * Tells of a death what goes to no queue: at once, or in a replicated partition when the deaths
   * of this burst are committed. Not at all if that fails.
   *
   * @param telling runs in a burst of the shard
   */
  void whenDead(Runnable telling) {
    if (replicated) {
      tellings.add(telling);
      flushAtEnd();
    } else {
      telling.run();
    }
  }

  @Override
  public boolean isEmpty() {
    return bytesAway == 0;
  }

  /** When the broker stops, or this node leads the partition no more. */
  @Override
  public void end() {
    ended = true;
    local.clear();
    tellings.clear();
    waitingForRoom.clear();
  }

  /** Sends a dead letter. */
  void send(OutgoingDeadLetter deadLetter) {
    Route<Queue> targets = near(deadLetter.targets());
    for (int i = 0; i < targets.size(); i++) {
      Queue target = targets.get(i);
      if (target.partition() != home || target.isStream() || target.holdsCommands()) {
        sendFar(deadLetter);
        return;
      }
    }
    local.addLast(deadLetter.to(targets));
    flushAtEnd();
  }

  private void flushAtEnd() {
    if (!waiting) {
      waiting = true;
      shard.atEndOfBurst(this);
    }
  }

  /** Returns a route to what does the work of queues, as far as that is in this partition. */
  Route<Queue> near(Route<Queue> targets) {
    return replicated ? targets.map(nearest) : targets;
  }

  private Queue nearest(Queue target) {
    Queue found = target.nearest();
    return found.partition() == home ? found : target;
  }

  private void sendFar(OutgoingDeadLetter deadLetter) {
    if (bytesAway > MOST_AWAY
        && deadLetter.leavesThisNode()
        && DeadLetterRouter.mayWaitHere(deadLetter)) {
      deadLetter.source().counters().add(Counter.of(DropOutcome.WAITING), 1);
      local.addLast(deadLetter.to(Route.none()));
      flushAtEnd();
      return;
    }
    bytesAway += deadLetter.bytes() * deadLetter.targets().size();
    if (deadLetter.entry() != null) {
      store.await(deadLetter.entry());
    }
    if (replicated) {
      leaving.add(deadLetter);
      flushAtEnd();
    } else {
      publish(deadLetter);
    }
  }

  private void publish(OutgoingDeadLetter deadLetter) {
    commands.publish(deadLetter.targets(), deadLetter.message(), new Arrival(deadLetter), 0);
  }

  @Override
  public void endOfBurst() {
    flush();
  }

  /** Sends everything on its way. */
  public void flush() {
    flush(null);
  }

  /**
   * The same.
   *
   * @param cause what the dead letters come of that were sent last, or null
   */
  @Override
  public void flush(BatchArrival cause) {
    waiting = false;
    deliver();
    if (!leaving.isEmpty()) {
      departures++;
      store.commit(new Departure(leaving, cause));
      leaving = new ArrayList<>();
    }
    if (!tellings.isEmpty()) {
      store.commit(new Tellings(tellings));
      tellings = new ArrayList<>(0);
    }
    commands.flush(cause);
  }

  /** What tells of deaths when they are committed. */
  private final class Tellings implements Commit {
    private final List<Runnable> tellings;

    Tellings(List<Runnable> tellings) {
      this.tellings = tellings;
    }

    @Override
    public void safe() {
      if (!ended) {
        tellings.forEach(Runnable::run);
      }
    }

    @Override
    public void failed() {
      // The messages are not dead.
    }
  }

  /** Returns the number of the last departure of dead letters that has begun. */
  long departures() {
    return leaving.isEmpty() ? departures : departures + 1;
  }

  /** Returns whether the dead letters of a departure are handed over. */
  boolean isDeparted(long departure) {
    return departed >= departure;
  }

  /** Dead letters that leave the partition when their deaths are committed. */
  private final class Departure implements Commit {
    private final List<OutgoingDeadLetter> deadLetters;
    private final BatchArrival cause;

    Departure(List<OutgoingDeadLetter> leaving, BatchArrival cause) {
      this.deadLetters = leaving;
      this.cause = cause;
      if (cause != null) {
        cause.handedOn();
      }
    }

    @Override
    public void safe() {
      try {
        if (!ended) {
          deadLetters.forEach(DeadLetterPublisher.this::publish);
          commands.flush(cause);
        }
      } finally {
        over();
      }
    }

    @Override
    public void failed() {
      deadLetters.forEach(each -> bytesAway -= each.bytes() * each.targets().size());
      over();
    }

    private void over() {
      departed++;
      if (cause != null) {
        cause.applied();
      }
    }
  }

  /** Delivers the dead letters to queues of this partition. Not while a command of a queue runs. */
  @Override
  public void deliver() {
    for (OutgoingDeadLetter deadLetter = local.pollFirst();
        deadLetter != null;
        deadLetter = local.pollFirst()) {
      deliver(deadLetter);
    }
  }

  private void deliver(OutgoingDeadLetter deadLetter) {
    try {
      move(deadLetter);
    } catch (Throwable e) {
      shard.faults().report("dead-lettering on", home, e);
    }
  }

  /** If a queue fails the log keeps the message: after a restart it is back where it died. */
  private void move(OutgoingDeadLetter deadLetter) {
    Route<Queue> targets = deadLetter.targets();
    long delay = targets.delayOf(deadLetter.message(), home.now());
    // One record has one content: who gets it now is told of the delay of the others.
    Message message = delay > 0 ? Delay.over(deadLetter.message()) : deadLetter.message();
    Move move = moveOf(deadLetter, message);
    boolean taken = false;
    boolean failed = false;
    for (int i = 0; i < targets.size(); i++) {
      try {
        if (delay > 0 && i >= targets.undelayed()) {
          targets.get(i).onShard().schedule(message, move, Deadlines.after(home.now(), delay));
          taken = true;
        } else {
          taken |= targets.get(i).onShard().publish(message, move);
        }
      } catch (Throwable e) {
        failed = true;
        shard.faults().report("dead-lettering into", targets.get(i), e);
      }
    }
    if (taken) {
      measure(deadLetter);
    }
    if (!taken && !failed && deadLetter.source() != null && !deadLetter.isPassedOn()) {
      failed = !refused(deadLetter, move);
    }
    if (move != null) {
      move.write(home.now(), failed);
    }
  }

  /** Begins the move of a dead letter out of its entry; returns null if the log has none. */
  private Move moveOf(OutgoingDeadLetter deadLetter, Message message) {
    return deadLetter.entry() == null ? null : store.move(deadLetter.entry(), message);
  }

  /** A dead letter is in another queue. One without a source did not die now. */
  private void measure(OutgoingDeadLetter deadLetter) {
    if (deadLetter.source() != null) {
      shard.histograms().deadLetterDelays().record(home.now() - deadLetter.diedAtMillis());
      if (deadLetter.source().settings().deadLetters().atLeastOnce()) {
        home.counts().arrived(deadLetter.source().settings().type());
      }
    }
  }

  /**
   * No queue took a dead letter.
   *
   * @param move the move from its entry, or null
   * @return whether its own queue could deal with that
   */
  private boolean refused(OutgoingDeadLetter deadLetter, Move move) {
    try {
      deadLetter.refusals().refused(deadLetter, move);
      return true;
    } catch (Throwable e) {
      shard.faults().report("keeping a refused dead letter of", deadLetter.source(), e);
      return false;
    }
  }

  /**
   * Hears when a dead letter is safe, or that no queue took it; where a disk of this node has
   * failed it is never safe, and the entry stays: after a restart the message is still where it
   * died.
   */
  private final class Arrival implements PublishListener {
    private final OutgoingDeadLetter deadLetter;
    private int awaited;
    private boolean taken;
    private boolean lost;

    Arrival(OutgoingDeadLetter deadLetter) {
      this.deadLetter = deadLetter;
      this.awaited = deadLetter.targets().size();
    }

    @Override
    public void settled(long publishSequence, boolean accepted) {
      bytesAway -= deadLetter.bytes();
      taken |= accepted;
      if (--awaited == 0) {
        arrived();
      }
    }

    private void arrived() {
      if (ended) {
        return;
      }
      UnsettledEntry entry = deadLetter.entry();
      if (taken) {
        measure(deadLetter);
      }
      if (!taken && lost && deadLetter.source() == null) {
        return;
      }
      if (taken || deadLetter.source() == null || (deadLetter.isPassedOn() && !lost)) {
        if (entry != null) {
          store.settle(entry);
        }
        return;
      }
      Move move = moveOf(deadLetter, deadLetter.message());
      boolean done = refused(deadLetter, move);
      if (move != null) {
        move.write(home.now(), !done);
      }
    }

    @Override
    public void failed(long publishSequence) {
      if (deadLetter.leavesThisNode()) {
        // Its node may be well again, or the queue elsewhere, long before this process ends.
        lost(publishSequence);
      } else {
        // It is not settled any more.
        bytesAway -= deadLetter.bytes();
      }
    }

    /** As if the queue had refused it: one that may wait is sent again later. */
    @Override
    public void lost(long publishSequence) {
      lost = true;
      settled(publishSequence, false);
    }
  }
}
