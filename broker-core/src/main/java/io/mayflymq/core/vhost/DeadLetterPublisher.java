package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeadLetters;
import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.routing.route.Route;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.ShardStore;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.ArrayDeque;

/*
 * The way of dead letters from the queues of a shard. They leave when the command of their queue is over, at the end of its batch or of the burst at
 * the latest, so a queue may even dead-letter to itself.
 *
 * A dead letter whose queues are all on this shard goes there at once, and one record of the log takes it from its old queue to the new ones. One
 * that goes to other shards, or to a stream, whose log is another, is published there like any message, and its entry here is settled when all of them have it as safely as
 * their disks allow. A crash in between doubles it, and never loses it.
 */
final class DeadLetterPublisher implements EndOfBurstListener {
  private static final long MOST_UNDER_WAY = 4L << 20;

  private final Shard home;
  private final ShardStore store;
  private final ShardCommandSender commands;
  private final ArrayDeque<OutgoingDeadLetter> local = new ArrayDeque<>();
  private final ArrayDeque<Runnable> waitingForRoom = new ArrayDeque<>(1);
  private final DeadLetters deadLetters = new DeadLetters();
  private boolean waiting;

  /**
   * Makes the publisher of a shard.
   *
   * @param home the shard
   * @param shards where they lead
   */
  DeadLetterPublisher(Shard home, Shards shards) {
    this.home = home;
    this.store = shards.store(home);
    this.commands = new ShardCommandSender(home, shards, this::cameBack, false);
  }

  /** The dead letters of this shard, to be made by it. */
  DeadLetters deadLetters() {
    return deadLetters;
  }

  /** Whether so much is under way to other shards that who sends very much should wait. */
  boolean isFull() {
    return commands.bytesUnderWay() > MOST_UNDER_WAY;
  }

  /** Runs a task when {@link #isFull} is over. */
  void whenRoom(Runnable task) {
    waitingForRoom.addLast(task);
  }

  private void cameBack() {
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
  void send(UnsettledEntry entry, Message deadLetter, Route<Queue> targets) {
    send(new OutgoingDeadLetter(null, entry, deadLetter, targets, null));
  }

  /** Sends a dead letter. */
  void send(OutgoingDeadLetter deadLetter) {
    Route<Queue> targets = deadLetter.targets();
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).shard() != home || targets.get(i).isStream()) {
        sendFar(deadLetter);
        return;
      }
    }
    local.addLast(deadLetter);
    if (!waiting) {
      waiting = true;
      home.atEndOfBurst(this);
    }
  }

  private void sendFar(OutgoingDeadLetter deadLetter) {
    if (deadLetter.entry() != null) {
      store.await(deadLetter.entry());
    }
    commands.publish(deadLetter.targets(), deadLetter.message(), new Arrival(deadLetter), 0);
  }

  @Override
  public void endOfBurst() {
    flush();
  }

  /** Sends everything on its way. */
  void flush() {
    flush(null);
  }

  /**
   * The same.
   *
   * @param cause what the dead letters come of that were sent last, or null
   */
  void flush(Consequences cause) {
    waiting = false;
    deliver();
    commands.flush(cause);
  }

  /** Brings the dead letters to queues of this shard there. Not while a command of a queue runs. */
  void deliver() {
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
      home.faults().contained("dead-lettering on", home, e);
    }
  }

  /** If a queue fails the log keeps the message: after a restart it is back where it died. */
  private void move(OutgoingDeadLetter deadLetter) {
    Route<Queue> targets = deadLetter.targets();
    long delay = targets.delayOf(deadLetter.message());
    // One record has one content: who gets it now is told of the delay of the others.
    Message message = delay > 0 ? Delay.over(deadLetter.message(), delay) : deadLetter.message();
    if (deadLetter.entry() != null) {
      store.beginMove(deadLetter.entry(), message);
    }
    boolean taken = false;
    boolean failed = false;
    for (int i = 0; i < targets.size(); i++) {
      try {
        if (delay > 0 && i >= targets.undelayed()) {
          targets.get(i).schedule(message, Deadlines.after(home.now(), delay));
          taken = true;
        } else {
          taken |= targets.get(i).publish(message);
        }
      } catch (Throwable e) {
        failed = true;
        home.faults().contained("dead-lettering into", targets.get(i), e);
      }
    }
    if (!taken && !failed && deadLetter.source() != null && !deadLetter.isPassedOn()) {
      failed = !refused(deadLetter);
    }
    if (deadLetter.entry() != null) {
      store.endMove(home.now(), failed);
    }
  }

  /**
   * No queue took a dead letter.
   *
   * @return whether its own queue could deal with that
   */
  private boolean refused(OutgoingDeadLetter deadLetter) {
    try {
      deadLetter.source().vhost().deadLetters().refused(deadLetter);
      return true;
    } catch (Throwable e) {
      home.faults().contained("keeping a refused dead letter of", deadLetter.source(), e);
      return false;
    }
  }

  /**
   * Hears when a dead letter is safe, or that no queue took it; where a disk has failed it is never
   * safe, and the entry stays: after a restart the message is still where it died.
   */
  private final class Arrival implements PublishListener {
    private final OutgoingDeadLetter deadLetter;
    private int awaited;
    private boolean taken;

    Arrival(OutgoingDeadLetter deadLetter) {
      this.deadLetter = deadLetter;
      this.awaited = deadLetter.targets().size();
    }

    @Override
    public void settled(long publishSequence, boolean accepted) {
      taken |= accepted;
      if (--awaited == 0) {
        arrived();
      }
    }

    private void arrived() {
      UnsettledEntry entry = deadLetter.entry();
      if (taken || deadLetter.source() == null || deadLetter.isPassedOn()) {
        if (entry != null) {
          store.settle(entry);
        }
        return;
      }
      if (entry != null) {
        store.beginMove(entry, deadLetter.message());
      }
      boolean done = refused(deadLetter);
      if (entry != null) {
        store.endMove(home.now(), !done);
      }
    }

    @Override
    public void failed(long publishSequence) {
      // It is not settled any more.
    }
  }
}
