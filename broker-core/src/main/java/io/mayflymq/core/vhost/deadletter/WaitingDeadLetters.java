package io.mayflymq.core.vhost.deadletter;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.ClassicQueueMachine;
import io.mayflymq.core.queue.MessageExtractor;
import io.mayflymq.core.queue.Purge;
import io.mayflymq.core.queue.QueueEffects;
import io.mayflymq.core.queue.QueueMachine;
import io.mayflymq.core.queue.index.QueueTotals;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.StoreIds;
import io.mayflymq.core.store.UnsettledEntry;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead letters of a queue that no queue has taken yet: as the one that they go to is full and
 * refuses, or, where the queue dead-letters at least once, as there is none.
 *
 * <p>They stand beside their queue in a hidden one, with an id of its own in the log (StoreIds). A
 * dead letter comes there by one record that takes its message out of the queue, and leaves by one
 * record, or when another partition has it safely. So after a crash it is at one place at least,
 * still dead, with its history and in its order.
 *
 * <p>They are tried again in rounds, the oldest first, with a pause between two rounds. A queue
 * that has refused a dead letter gets none behind it in the same round, and what dies meanwhile
 * waits behind what waits already, so the dead letters for a queue keep their order. To other
 * partitions goes one batch at a time. A round ends when many dead letters could not go: then it is
 * better to look again at the first ones.
 *
 * <p>Belongs to the queue's shard.
 */
public final class WaitingDeadLetters extends Timer {
  private static final Logger LOGGER = LoggerFactory.getLogger(WaitingDeadLetters.class);
  private static final int SLICE = 256;
  private static final long SLICE_BYTES = 1 << 20;
  private static final int MOST_UNDER_WAY = 32;
  private static final int MOST_IN_VAIN = 1024;
  private static final long SHORTEST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final Queue source;
  private final QueueMachine machine;
  private final Partition partition;
  private final Shard shard;
  private final PartitionStore store;
  private final DeadLetterPublisher local;
  private final ShardCommandSender remote;
  private final DeadLetterRouter router;
  private final ClassicQueueMachine deadLetters;
  private final MessageExtractor messageExtractor;
  private final Set<Queue> refusing = new HashSet<>();

  /** The departure of dead letters that the first one waits behind: those before it go first. */
  private long behind;

  private long after = -1;
  private int inVain;
  private int underWay;
  private long pause = SHORTEST_PAUSE_MILLIS;
  private boolean timerIsSet;
  private boolean goesOnSoon;
  private boolean suspended;
  private boolean disposed;

  /**
   * Creates the hidden queue.
   *
   * @param source the queue whose dead letters wait
   * @param machine that of the queue, which is told how many wait
   */
  public WaitingDeadLetters(
      Queue source,
      QueueMachine machine,
      DeadLetterRouter router,
      DeadLetterPublishers publishers,
      Partitions partitions) {
    this(
        source,
        machine,
        router,
        publishers,
        partitions,
        new ClassicQueueMachine(
            QueueSettings.DEFAULT,
            source.partition().pages(),
            source
                .partition()
                .store()
                .open(
                    StoreIds.ofWaitingDeadLetters(source.id()), source.storeName(), source.kept()),
            new NoEffects(),
            source.partition().now()));
  }

  /**
   * Takes over the hidden queue of a deleted queue that was brought back.
   *
   * @param deadLetters what waits
   */
  public WaitingDeadLetters(
      Queue source,
      QueueMachine machine,
      DeadLetterRouter router,
      DeadLetterPublishers publishers,
      Partitions partitions,
      ClassicQueueMachine deadLetters) {
    this.source = source;
    this.machine = machine;
    this.partition = source.partition();
    this.shard = partition.shard();
    this.store = partition.store();
    this.local = publishers.of(partition);
    this.remote = new ShardCommandSender(shard, partitions, () -> {}, false);
    this.router = router;
    this.deadLetters = deadLetters;
    this.messageExtractor = deadLetters.messageExtractor();
  }

  /** Starts with what the store has recovered. */
  public void start() {
    deadLetters.start(partition.now());
    changed();
    goOnSoon();
  }

  /**
   * A dead letter has to wait.
   *
   * @param move the move from its message's entry; null if the log has none
   */
  public void add(Message deadLetter, Move move) {
    if (isEmpty()) {
      behind = local.departures();
    }
    deadLetters.publish(deadLetter, move, partition.now());
    dropBeyondLimit();
    changed();
    goOnSoon();
  }

  /** Returns how many wait, and their body sizes. */
  public QueueTotals totals() {
    return deadLetters.totals();
  }

  /** Returns whether none waits. */
  public boolean isEmpty() {
    return deadLetters.totals().messages() == 0;
  }

  /** Returns an operation that removes all but those that are on their way. */
  public Purge purge() {
    return deadLetters.purge();
  }

  /** Returns the number behind that of the newest one. */
  public long end() {
    return messageExtractor.end();
  }

  /**
   * Removes some of those that are not on their way, so that they can be brought back as messages
   * of the queue; the oldest first.
   *
   * @param queue the machine of the queue, which keeps what is purged
   * @param end those before this number
   * @return how many were removed; 0 if none is left
   */
  public int purgeInto(ClassicQueueMachine queue, long end) {
    int removed = 0;
    long bytes = 0;
    long sequence = messageExtractor.nextReady(-1);
    while (removed < SLICE && bytes < SLICE_BYTES && sequence >= 0 && sequence < end) {
      Message deadLetter = messageExtractor.message(sequence);
      UnsettledEntry entry = messageExtractor.take(sequence);
      if (deadLetter != null) {
        bytes += deadLetter.bodyLength();
        queue.purgeFromBeside(deadLetter, entry, store::move, partition.now());
      } else if (entry != null) {
        store.settle(entry);
      }
      removed++;
      sequence = messageExtractor.nextReady(-1);
    }
    return removed;
  }

  /** Called when some were removed. */
  public void purged() {
    changed();
  }

  /** Discards all that waits, since the queue is deleted. */
  public void dispose() {
    long lost = totals().messages();
    if (lost > 0) {
      LOGGER.warn("{} was deleted with {} dead letters that no queue took", source, lost);
    }
    leave();
  }

  // Moving

  /** Returns those that wait. */
  public ClassicQueueMachine messages() {
    return deadLetters;
  }

  /** None is sent from now on. */
  public void suspend() {
    suspended = true;
  }

  /** Returns whether none is on its way. */
  public boolean isAtRest() {
    return underWay == 0 && !deadLetters.hasUnsettled();
  }

  /** They are sent again. */
  public void resume() {
    suspended = false;
    goOnSoon();
  }

  /** Discards all that waits, since the queue is at another place now. */
  public void leave() {
    shard.timers().cancel(this);
    disposed = true;
    deadLetters.dispose();
  }

  /** A queue that drops its oldest messages for new ones does so with its dead letters too. */
  private void dropBeyondLimit() {
    LengthSettings limit = source.settings().length();
    if (limit.overflow() != Overflow.DROP_HEAD) {
      return;
    }
    while (limit.isExceededBy(deadLetters.totals().ready(), deadLetters.totals().readyBytes())) {
      long oldest = messageExtractor.nextReady(-1);
      Message deadLetter = messageExtractor.message(oldest);
      router.dropped(source, deadLetter, DropTrigger.MAX_LENGTH, Route.none());
      UnsettledEntry entry = messageExtractor.take(oldest);
      if (entry != null) {
        store.settle(entry);
      }
    }
  }

  private void changed() {
    QueueTotals totals = deadLetters.totals();
    if (machine instanceof ClassicQueueMachine limited) {
      limited.deadLettersWait(totals.messages(), totals.bytes());
    }
    if (totals.messages() > 0 && !timerIsSet) {
      timerIsSet = true;
      shard.timers().schedule(this, shard.now() + pause);
    }
  }

  // Trying again

  /** The next round begins. */
  @Override
  protected void fire(long nowMillis) {
    timerIsSet = false;
    if (source.onShard().isDeleted()) {
      return;
    }
    after = -1;
    inVain = 0;
    refusing.clear();
    pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    goOn();
  }

  /** Goes on with the round, behind the work that runs. */
  private void goOnSoon() {
    if (!goesOnSoon) {
      goesOnSoon = true;
      shard.executeLater(
          () -> {
            goesOnSoon = false;
            goOn();
          });
    }
  }

  private void goOn() {
    if (source.onShard().isDeleted() || suspended || underWay > 0) {
      return;
    }
    for (int looked = 0; underWay < MOST_UNDER_WAY && inVain < MOST_IN_VAIN; looked++) {
      long sequence = messageExtractor.nextReady(after);
      if (sequence < 0) {
        break;
      }
      if (looked == SLICE) {
        goOnSoon();
        break;
      }
      after = sequence;
      if (!isSent(sequence)) {
        inVain++;
      }
    }
    remote.flush();
    changed();
  }

  private boolean isSent(long sequence) {
    Message waiting = messageExtractor.message(sequence);
    if (waiting == null) {
      return false;
    }
    Message deadLetter = router.readdressed(source, waiting);
    Route<Queue> targets = local.near(router.targets(source, deadLetter));
    boolean refused = true;
    boolean near = true;
    for (int i = 0; i < targets.size(); i++) {
      Queue target = targets.get(i);
      refused &= refusing.contains(target);
      near &= target.partition() == partition && !target.isStream() && !target.holdsCommands();
    }
    if (refused || (near ? isRefused(deadLetter, targets) : !local.isDeparted(behind))) {
      return false;
    }
    if (near) {
      long diedAt = messageExtractor.enqueuedAt(sequence);
      UnsettledEntry entry = messageExtractor.take(sequence);
      local.send(new OutgoingDeadLetter(source, entry, deadLetter, targets, null, diedAt, router));
      local.deliver();
      pause = SHORTEST_PAUSE_MILLIS;
    } else {
      messageExtractor.lock(sequence);
      underWay++;
      remote.publish(targets, deadLetter, new Arrival(sequence, targets), 0);
    }
    return true;
  }

  /** Whether all targets refuse, which are of this shard. */
  private boolean isRefused(Message deadLetter, Route<Queue> targets) {
    for (int i = 0; i < targets.size(); i++) {
      if (!targets.get(i).onShard().refuses(deadLetter)
          || targets.get(i).settings().deadLettersWhatItRefuses()) {
        return false;
      }
    }
    refusing.addAll(targets.toList());
    return true;
  }

  /** Hears what became of a dead letter that goes to other shards. */
  private final class Arrival implements PublishListener {
    private final long sequence;
    private final Route<Queue> targets;
    private int awaited;
    private boolean taken;
    private boolean lost;

    Arrival(long sequence, Route<Queue> targets) {
      this.sequence = sequence;
      this.targets = targets;
      this.awaited = targets.size();
    }

    @Override
    public void settled(long publishSequence, boolean accepted) {
      taken |= accepted;
      if (--awaited == 0) {
        arrived();
      }
    }

    /** Whether it is there is unknown: it stays here, and may come to be there twice. */
    @Override
    public void failed(long publishSequence) {
      settled(publishSequence, false);
    }

    @Override
    public void lost(long publishSequence) {
      lost = true;
      settled(publishSequence, false);
    }

    private void arrived() {
      taken |=
          !lost
              && targets.toList().stream()
                  .anyMatch(queue -> queue.settings().deadLettersWhatItRefuses());
      underWay--;
      if (disposed) {
        return;
      }
      if (source.onShard().isDeleted()) {
        if (taken) {
          messageExtractor.remove(sequence);
        } else {
          messageExtractor.unlock(sequence, partition.now());
        }
        return;
      }
      if (taken) {
        long diedAt = messageExtractor.enqueuedAt(sequence);
        shard.histograms().deadLetterDelays().record(partition.now() - diedAt);
        if (source.settings().deadLetters().atLeastOnce()) {
          partition.counts().arrived(source.settings().type());
        }
        messageExtractor.remove(sequence);
        pause = SHORTEST_PAUSE_MILLIS;
      } else {
        messageExtractor.unlock(sequence, partition.now());
        refusing.addAll(targets.toList());
        inVain++;
      }
      changed();
      goOnSoon();
    }
  }

  /** Nothing expires here, and nothing is dropped. */
  private static final class NoEffects implements QueueEffects {
    @Override
    public void died(
        Message message,
        UnsettledEntry entry,
        DropTrigger cause,
        long deadlineMillis,
        long nowMillis) {
      throw new IllegalStateException("a dead letter cannot die while it waits");
    }

    @Override
    public void unreadable(long sequence, String reason, boolean kept) {
      LOGGER.warn("waiting dead letter {} cannot be read: {}", sequence, reason);
    }

    @Override
    public void wakeAt(long deadlineMillis) {}

    @Override
    public void leaseEnded() {}
  }
}
