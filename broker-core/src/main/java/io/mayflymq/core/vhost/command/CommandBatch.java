package io.mayflymq.core.vhost.command;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.partition.DeadLetterOutbox;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.PublisherLine;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.ShardQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * The commands of a burst for the queues of one partition.
 *
 * <p>What one burst of a connection wants of the queues of one shard: publishes and settlements, in
 * the order they came. It is the unit that is handed from loop to loop: filled on the connection's
 * loop, applied on the shard's, and given back to the connection's with the outcome.
 *
 * <p>Its life, from top to bottom below: it is filled (publish, settle), handed over (submit), and
 * applied. Then it waits for the disk, or the nodes of its queues, if a publisher waits for that
 * (awaitSafety), and comes back when what it wrote is safe or cannot be, once, whatever is reported
 * (Completion). Its publishers are told then (notifyPublishers): that is when their confirms leave.
 *
 * <p>Columns instead of objects: a batch of a thousand messages is seven arrays, which are used
 * again for the next burst.
 */
final class CommandBatch {
  static final byte PUBLISH = 0;
  static final byte ACKNOWLEDGE = 1;
  static final byte REJECT = 2;
  static final byte REQUEUE = 3;
  static final byte FAIL = 4;
  static final byte SCHEDULE = 5;
  static final byte TIME_OUT = 6;
  static final byte RELEASE = 7;

  /** Of a client, whose message waits if the queue is full and lets its publishers wait. */
  static final byte OFFER = 8;

  /** For an offer that does not wait, in the place of the time at which it began to. */
  static final long AT_ONCE = -1;

  // What becomes of a command, in its place. Those above are on links, these are not.

  private static final byte REFUSED = 100;

  /** It threw: its outcome is unknown. */
  private static final byte FAILED = 101;

  /** The node of its queue was lost: its outcome is unknown. */
  private static final byte LOST = 102;

  /** The queue is full, and the message was not kept there: it is to be offered again. */
  private static final byte FULL = 103;

  /** It waits at its queue, and comes back with others that have waited. */
  private static final byte WAITS = 104;

  /** The queue was deleted before. */
  private static final byte GONE = 105;

  private static final int INITIAL_CAPACITY = 64;
  private static final int FLOOD_BYTES = 32 << 10;

  /** About what a command takes, besides the content of its message. */
  private static final int BYTES_PER_COMMAND = 512;

  /** Larger batches are not used again, so that a burst does not hold memory for ever. */
  private static final int LARGEST_REUSED = 8192;

  private byte[] kinds;
  private Queue[] queues;
  private Object[] subjects;
  private PublishListener[] listeners;
  private long[] firsts;
  private long[] lasts;
  private int size;
  private Partition partition;
  private long contentBytes;
  private boolean awaited;

  /** Whether a command was refused or has failed when it was applied here. */
  private boolean partly;

  /** Whether there may be a rate for what it publishes. */
  private boolean paced;

  /** Whether it has offers for which a queue had no room. */
  private boolean full;

  /** Whether it is of offers that wait at a full queue. */
  private boolean waiting;

  /** Null if no change of places concerns it. Belongs to its owner's loop. */
  private PlaceChanges.Concerns placeChanges;

  /** Its place among those that are under way. */
  private int slot;

  /** Null as long as no command is known to have any. */
  private BatchArrival consequences;

  /** Hands a batch over, and takes it back. */
  @FunctionalInterface
  interface Owner {
    /**
     * The commands of a batch are applied here, or have failed; those that are held are not. Called
     * on the shard of its partition, in the burst in which that has happened; the last call counts.
     */
    default void applied(CommandBatch batch) {}

    /**
     * Whether the batch comes back only when what it wrote is safe, if a publisher waits for it.
     */
    default boolean awaitsSafety() {
      return true;
    }

    /** Whether what is offered may wait at its queue; else it comes back. */
    default boolean letsWait() {
      return false;
    }

    /**
     * Some of what was offered waits; the batch of it comes back when nothing of it waits any more.
     * Any thread may call.
     */
    default void waits(CommandBatch waiting) {}

    /**
     * Some of what has waited has an outcome: a batch of its own, which does not come back. Any
     * thread may call.
     */
    default void decided(CommandBatch part, boolean safe) {}

    /** A batch was applied. Any thread may call. */
    void comeBack(CommandBatch batch, boolean safe);
  }

  /** Creates an empty batch. */
  CommandBatch() {
    this(INITIAL_CAPACITY);
  }

  /**
   * Creates an empty batch for about so many commands.
   *
   * @param capacity 1 or more
   */
  CommandBatch(int capacity) {
    kinds = new byte[capacity];
    queues = new Queue[capacity];
    subjects = new Object[capacity];
    listeners = new PublishListener[capacity];
    firsts = new long[capacity];
    lasts = new long[capacity];
  }

  /** What comes of the batch; see {@link BatchArrival}. */
  BatchArrival consequences() {
    if (consequences == null) {
      consequences = new BatchArrival();
    }
    return consequences;
  }

  /** Returns whether it is asked what comes of the batch. */
  boolean hasConsequences() {
    return consequences != null;
  }

  /** Sets where the batch leads. */
  void setPartition(Partition target) {
    partition = target;
  }

  /** Where the batch leads. */
  Partition partition() {
    return partition;
  }

  /** Whether its queues are local: they are all at one place. */
  private boolean isLocal() {
    return queues[0].isLocal();
  }

  int size() {
    return size;
  }

  byte kind(int i) {
    return kinds[i];
  }

  Queue queue(int i) {
    return queues[i];
  }

  Object subject(int i) {
    return subjects[i];
  }

  boolean isAwaited(int i) {
    return listeners[i] != null;
  }

  long first(int i) {
    return firsts[i];
  }

  long last(int i) {
    return lasts[i];
  }

  /** Notes what became of a command on another node, or at another place of its queue. */
  void refused(int i) {
    if (kinds[i] == OFFER && lasts[i] != AT_ONCE) {
      full(i);
    } else {
      kinds[i] = REFUSED;
    }
  }

  /** The same. */
  void gone(int i) {
    kinds[i] = GONE;
  }

  private void full(int i) {
    kinds[i] = FULL;
    full = true;
    partly = true;
  }

  private static boolean isPublish(byte kind) {
    return kind == PUBLISH || kind == SCHEDULE || kind == OFFER;
  }

  /** The same. */
  void failed(int i) {
    kinds[i] = FAILED;
  }

  /** What becomes of the batch is not known: no command of it has succeeded for its publisher. */
  void failed() {
    Arrays.fill(kinds, 0, size, FAILED);
    partly = true;
  }

  /** The same. */
  void lost(int i) {
    kinds[i] = LOST;
  }

  /** The node of the queues was lost: nothing is known of any command. */
  void lost() {
    Arrays.fill(kinds, 0, size, LOST);
  }

  /** Returns what changes of places mean for the batch; null if nothing. */
  PlaceChanges.Concerns placeChanges() {
    return placeChanges;
  }

  /** Returns the same, to be noted in. */
  PlaceChanges.Concerns notePlaceChanges() {
    if (placeChanges == null) {
      placeChanges = new PlaceChanges.Concerns();
    }
    return placeChanges;
  }

  int slot() {
    return slot;
  }

  void setSlot(int changed) {
    slot = changed;
  }

  /** Adds a command of another batch. */
  void add(CommandBatch other, int i, PublishListener listener) {
    add(other.kinds[i], other.queues[i], other.subjects[i], i, other.lasts[i]);
    if (isPublish(other.kinds[i])) {
      listeners[size - 1] = listener;
      awaited |= listener != null;
      paced |= other.paced;
      contentBytes += ((Message) other.subjects[i]).content().length;
    } else {
      firsts[size - 1] = other.firsts[i];
    }
  }

  /**
   * Leads the batch, which is for one queue, to the place that the queue has moved to. Settlements
   * are dropped, as they are of deliveries that the queue has taken back by moving.
   */
  void redirect(Queue to) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (isPublish(kinds[i])) {
        kinds[kept] = kinds[i];
        subjects[kept] = subjects[i];
        listeners[kept] = listeners[i];
        firsts[kept] = firsts[i];
        lasts[kept] = lasts[i];
        queues[kept] = to;
        kept++;
      }
    }
    size = kept;
    partition = to.partition();
  }

  /** The batch comes of another one, and is handed on: or of none, which is null. */
  void comesOf(BatchArrival cause) {
    if (cause != null) {
      cause.handedOn();
      consequences = cause;
    }
  }

  void publish(Queue queue, Message message, PublishListener listener, long publishSequence) {
    add(PUBLISH, queue, message, publishSequence, 0);
    listeners[size - 1] = listener;
    awaited |= listener != null;
    contentBytes += message.content().length;
  }

  /**
   * Publishes a message of a client, which waits if the queue is full and lets its publishers wait.
   *
   * @param sinceMillis when it began to wait, in ms since the epoch; {@link #AT_ONCE} if it is
   *     refused instead
   */
  void offer(
      Queue queue,
      Message message,
      PublishListener listener,
      long publishSequence,
      long sinceMillis) {
    publish(queue, message, listener, publishSequence);
    kinds[size - 1] = OFFER;
    lasts[size - 1] = sinceMillis;
  }

  /** Notes that there is a rate for what it publishes. */
  void setPaced() {
    paced = true;
  }

  /** Whether there may be a rate for what it publishes. */
  boolean isPaced() {
    return paced;
  }

  void schedule(
      Queue queue,
      Message message,
      long dueMillis,
      PublishListener listener,
      long publishSequence) {
    publish(queue, message, listener, publishSequence);
    kinds[size - 1] = SCHEDULE;
    lasts[size - 1] = dueMillis;
  }

  void settle(byte kind, Queue queue, Consumer consumer, long from, long to) {
    add(kind, queue, consumer, from, to);
  }

  private void add(byte kind, Queue queue, Object subject, long first, long last) {
    if (size == kinds.length) {
      grow();
    }
    kinds[size] = kind;
    queues[size] = queue;
    subjects[size] = subject;
    firsts[size] = first;
    lasts[size] = last;
    size++;
  }

  private void grow() {
    int capacity = size * 2;
    kinds = Arrays.copyOf(kinds, capacity);
    queues = Arrays.copyOf(queues, capacity);
    subjects = Arrays.copyOf(subjects, capacity);
    listeners = Arrays.copyOf(listeners, capacity);
    firsts = Arrays.copyOf(firsts, capacity);
    lasts = Arrays.copyOf(lasts, capacity);
  }

  /** How much memory the batch takes with the messages that it carries, in bytes, about. */
  long bytes() {
    return contentBytes + (long) size * BYTES_PER_COMMAND;
  }

  /** Whether a publisher waits for a message of the batch to be safe. */
  boolean isAwaited() {
    return awaited;
  }

  /**
   * How long the sender should pause, in ms; 0 if there is no need. A flood mostly goes to one
   * queue, so the last one is asked; few messages never have to pause.
   *
   * @see ShardQueue#pauseMillis
   */
  int pauseMillis() {
    return bytes() < FLOOD_BYTES || (kinds[size - 1] != PUBLISH && kinds[size - 1] != OFFER)
        ? 0
        : queues[size - 1].onShard().pauseMillis();
  }

  /** Returns for how long the publishers of the batch wait, so that queues keep to their rates. */
  private long waitOfPublishers() {
    long longest = 0;
    for (int i = 0; i < size; i++) {
      if (isPublish(kinds[i]) && !queues[i].holdsCommands()) {
        longest = Math.max(longest, queues[i].onShard().waitOfPublisher());
      }
    }
    return longest;
  }

  // Being applied and coming back

  /**
   * Hands the batch to the shard of its partition.
   *
   * @param from the shard of the caller, which is within a burst
   * @param owner gets it back, whatever happens: else its connection would wait for ever
   */
  void submit(Shard from, Owner owner) {
    Shard shard = partition.shard();
    Runnable apply = () -> new Completion(owner).applyBatch();
    if (shard == from) {
      shard.run(apply);
    } else {
      shard.execute(apply);
    }
  }

  /**
   * Applies the batch on the shard of its partition, or has it applied by the node of its queues,
   * and brings it back: when what it wrote is safe or cannot be, once, whatever is reported. The
   * batch itself is used again from then on.
   */
  final class Completion implements Commit {
    private final AtomicBoolean reported = new AtomicBoolean();

    /** Its own commands, and those that are held for each queue that is being moved. */
    private final AtomicInteger parts = new AtomicInteger(1);

    private final Owner owner;
    private volatile boolean isSafe;

    /** The commands for queues that are being moved, by queue; null if there are none. */
    private List<HeldCommands> held;

    /** What was offered to queues that are full, by queue; null if there is none. */
    private List<WaitingPublishes> waiting;

    /** The same, if it does not wait there. */
    private List<Queue> fullQueues;

    private Completion(Owner owner) {
      this.owner = owner;
    }

    private void applyBatch() {
      Partition target = partition;
      Shard shard = target.shard();
      try {
        if (!isLocal()) {
          queues[0].home().send(new OutgoingCommands(CommandBatch.this, this));
          return;
        }
        PartitionStore store = target.store();
        long storedBefore = store.storedCount();
        long streamedBefore = store.streamedCount();
        apply(target.outbox(), shard.faults(), this);
        handOverHeld();
        if (waiting != null) {
          waiting.forEach(WaitingPublishes::begin);
        }
        if (paced) {
          keepPace(shard);
        }
        owner.applied(CommandBatch.this);
        boolean wrote = store.storedCount() != storedBefore;
        if ((wrote && awaited && owner.awaitsSafety()) || store.isBehind()) {
          awaitSafety(store, store.streamedCount() != streamedBefore);
        } else {
          comeBackAfter(pauseMillis(), shard);
        }
      } catch (Throwable e) {
        shard.faults().report("a batch of commands for", target, e);
        failedToApply();
      }
    }

    /** Has the store report when what was written until now is on disk, or on enough nodes. */
    private void awaitSafety(PartitionStore store, boolean wroteToStreams) {
      if (wroteToStreams) {
        store.commit(this);
      } else {
        store.commitQueues(this);
      }
    }

    /** The wait of its publishers is a part of the batch. */
    private void keepPace(Shard shard) {
      long millis = waitOfPublishers();
      if (millis > 0) {
        parts.incrementAndGet();
        shard
            .timers()
            .schedule(
                new Timer() {
                  @Override
                  protected void fire(long nowMillis) {
                    partDone();
                  }
                },
                Deadlines.after(shard.now(), millis));
      }
    }

    private void comeBackAfter(int pauseMillis, Shard shard) {
      if (pauseMillis == 0) {
        safe();
      } else {
        shard.loop().schedule(this::safe, pauseMillis);
      }
    }

    /** Holds a command until it is decided where its queue is. */
    private void hold(int i) {
      heldFor(queues[i]).add(i);
    }

    private HeldCommands heldFor(Queue queue) {
      if (held == null) {
        held = new ArrayList<>(1);
      }
      for (HeldCommands known : held) {
        if (known.queue() == queue) {
          return known;
        }
      }
      HeldCommands added = new HeldCommands(CommandBatch.this, queue, this);
      held.add(added);
      return added;
    }

    private void handOverHeld() {
      if (held != null) {
        parts.addAndGet(held.size());
        held.forEach(commands -> commands.queue().gate().hold(commands));
      }
    }

    /**
     * Returns whether what a client offers enters its queue now. Behind a message that waits, those
     * of the same batch for that queue wait, too, so that they keep their order; but none that
     * waits for its time.
     */
    private boolean enters(int i) {
      Queue queue = queues[i];
      Message message = (Message) subjects[i];
      WaitingPublishes before = waitingFor(queue);
      boolean isBehind = before != null || (fullQueues != null && fullQueues.contains(queue));
      ShardQueue target = queue.onShard();
      boolean isLast = lasts[i] == AT_ONCE;
      boolean mustWait = isBehind || (isLast && PublisherLine.isHeld(queue));
      if (mustWait ? target.waitsForTime(message) : target.admits(message)) {
        return true;
      }
      if (isLast || queue.settings().length().neverFits(message.bodyLength())) {
        queue.onShard().refusedToClient();
        kinds[i] = REFUSED;
        partly = true;
      } else if (owner.letsWait()) {
        WaitingPublishes line = before != null ? before : beginToWait(queue);
        line.add(CommandBatch.this, i);
        kinds[i] = WAITS;
        listeners[i] = null;
      } else {
        if (!isBehind) {
          fullQueues = fullQueues == null ? new ArrayList<>(1) : fullQueues;
          fullQueues.add(queue);
        }
        full(i);
      }
      return false;
    }

    private WaitingPublishes waitingFor(Queue queue) {
      if (waiting != null) {
        for (WaitingPublishes known : waiting) {
          if (known.queue() == queue) {
            return known;
          }
        }
      }
      return null;
    }

    private WaitingPublishes beginToWait(Queue queue) {
      waiting = waiting == null ? new ArrayList<>(1) : waiting;
      WaitingPublishes begun = new WaitingPublishes(queue, owner);
      waiting.add(begun);
      return begun;
    }

    private void failedToApply() {
      if (!reported.get() && isLocal()) {
        CommandBatch.this.failed();
        owner.applied(CommandBatch.this);
      }
      failed();
    }

    @Override
    public void safe() {
      report(true);
    }

    @Override
    public void failed() {
      report(false);
    }

    private void report(boolean safe) {
      if (reported.compareAndSet(false, true)) {
        isSafe = safe;
        partDone();
      }
    }

    /** A part of the batch is done; what became of its commands is noted. Any thread may call. */
    void partDone() {
      if (parts.decrementAndGet() == 0) {
        owner.comeBack(CommandBatch.this, isSafe);
      }
    }
  }

  /**
   * Applies the commands in order, within a burst of the shard, and has the dead letters that come
   * of them leave. One that throws is reported, its publisher is told that it failed, and the
   * others are applied all the same. Those for queues that are just being moved are held.
   */
  private void apply(DeadLetterOutbox deadLetters, Faults faults, Completion completion) {
    try {
      applyAll(deadLetters, faults, completion);
      // Before the batch is reported, so that its dead letters are there then.
      deadLetters.flush(consequences);
    } finally {
      if (consequences != null) {
        consequences.applied();
      }
    }
  }

  private void applyAll(DeadLetterOutbox deadLetters, Faults faults, Completion completion) {
    for (int i = 0; i < size; i++) {
      if (queues[i].holdsCommands()) {
        completion.hold(i);
        continue;
      }
      try {
        if (kinds[i] == OFFER && !completion.enters(i)) {
          continue;
        }
        apply(i);
      } catch (Throwable e) {
        faults.report("a command of", queues[i], e);
        kinds[i] = FAILED;
        partly = true;
      }
      // The next command may be for a queue that they go to.
      deadLetters.deliver();
    }
  }

  private void apply(int i) {
    ShardQueue queue = queues[i].onShard();
    switch (kinds[i]) {
      case PUBLISH, OFFER -> {
        if (!queue.publish((Message) subjects[i])) {
          kinds[i] = REFUSED;
          partly = true;
        } else if (queue.isDeleted()) {
          kinds[i] = GONE;
          partly = true;
        }
      }
      case SCHEDULE -> queue.schedule((Message) subjects[i], lasts[i]);
      case ACKNOWLEDGE -> queue.acknowledge((Consumer) subjects[i], firsts[i], lasts[i]);
      case REJECT -> reject(i, DropTrigger.CONSUMER);
      case TIME_OUT -> reject(i, DropTrigger.CONSUMER_TIMEOUT);
      case REQUEUE -> queue.requeue((Consumer) subjects[i], firsts[i], lasts[i]);
      case RELEASE -> queue.release((Consumer) subjects[i], firsts[i], lasts[i]);
      default -> queue.fail((Consumer) subjects[i], firsts[i], lasts[i]);
    }
  }

  private void reject(int i, DropTrigger cause) {
    queues[i].onShard().reject((Consumer) subjects[i], firsts[i], lasts[i], cause);
  }

  /** Returns whether a queue of the batch holds commands at present. */
  boolean isHeld() {
    for (int i = 0; i < size; i++) {
      if (queues[i].holdsCommands()) {
        return true;
      }
    }
    return false;
  }

  /** Visits the commands that settle deliveries. */
  void forEachSettlement(SettlementSink sink) {
    for (int i = 0; i < size; i++) {
      if (subjects[i] instanceof Consumer consumer) {
        sink.accept(queues[i], consumer, firsts[i], lasts[i]);
      }
    }
  }

  /** Receives commands that settle deliveries. */
  @FunctionalInterface
  interface SettlementSink {
    /** Receives one: the deliveries to a consumer, from one number to another. */
    void accept(Queue queue, Consumer consumer, long from, long to);
  }

  /** Returns whether commands were refused, or have failed, when they were applied here. */
  boolean hasFailures() {
    return partly;
  }

  /**
   * Visits the commands with a publisher that were refused, or have failed, when they were applied
   * here.
   */
  void forEachFailure(FailureSink sink) {
    for (int i = 0; i < size; i++) {
      if (listeners[i] != null && (kinds[i] == REFUSED || kinds[i] == FULL || kinds[i] == FAILED)) {
        sink.accept(firsts[i], kinds[i] != FAILED);
      }
    }
  }

  /** Visits those whose queue was deleted before, in the same way. */
  void forEachGone(IntConsumer sink) {
    for (int i = 0; i < size; i++) {
      if (listeners[i] != null && kinds[i] == GONE) {
        sink.accept((int) firsts[i]);
      }
    }
  }

  /** Receives commands that have not succeeded. */
  @FunctionalInterface
  interface FailureSink {
    /**
     * Receives one.
     *
     * @param publishSequence what its publisher calls it
     * @param refused whether it was refused; else it has failed
     */
    void accept(long publishSequence, boolean refused);
  }

  // Offers for which there was no room

  /** Notes that it is of offers that wait at a full queue. */
  void setWaiting() {
    waiting = true;
  }

  /** Whether it is of offers that wait at a full queue. */
  boolean isWaiting() {
    return waiting;
  }

  /** Moves a command that waits to another batch, whose publishers are told of it instead. */
  void moveTo(CommandBatch other, int i) {
    other.add(kinds[i], queues[i], subjects[i], firsts[i], lasts[i]);
    other.listeners[other.size - 1] = listeners[i];
    other.awaited |= listeners[i] != null;
    other.contentBytes += ((Message) subjects[i]).content().length;
    listeners[i] = null;
  }

  /** The last command, which was moved here, has this outcome. */
  void decidedLast(Outcome outcome) {
    switch (outcome) {
      case REFUSED -> kinds[size - 1] = REFUSED;
      case FAILED -> kinds[size - 1] = FAILED;
      case FULL -> full(size - 1);
      case ENTERED -> {}
    }
  }

  /** What becomes of an offer that has waited. */
  enum Outcome {
    ENTERED,
    REFUSED,
    FAILED,
    FULL
  }

  /** Returns whether it has offers that are to be made again. */
  boolean hasFull() {
    return full;
  }

  /** Takes out the offers that are to be made again, in order. */
  void takeFull(OfferSink sink) {
    for (int i = 0; i < size; i++) {
      if (kinds[i] == FULL) {
        sink.accept(queues[i], (Message) subjects[i], listeners[i], firsts[i], lasts[i]);
        listeners[i] = null;
      }
    }
  }

  /** Receives offers that are to be made again. */
  @FunctionalInterface
  interface OfferSink {
    /** Receives one; parameters as in {@link CommandBatch#offer}. */
    void accept(
        Queue queue,
        Message message,
        PublishListener listener,
        long publishSequence,
        long sinceMillis);
  }

  /**
   * Tells the publishers what became of their messages, on their connection's loop.
   *
   * @param safe whether the messages are as safe as they asked for
   */
  void notifyPublishers(boolean safe, Faults faults) {
    if (!awaited) {
      return;
    }
    for (int i = 0; i < size; i++) {
      PublishListener listener = listeners[i];
      if (listener != null) {
        try {
          notifyPublisher(listener, i, safe);
        } catch (Throwable e) {
          faults.report("telling a publisher to", queues[i], e);
        }
      }
    }
  }

  private void notifyPublisher(PublishListener listener, int i, boolean safe) {
    if (kinds[i] == LOST) {
      listener.lost(firsts[i]);
    } else if (safe && kinds[i] == GONE) {
      listener.gone(firsts[i]);
    } else if (safe && kinds[i] != FAILED) {
      listener.settled(firsts[i], kinds[i] != REFUSED && kinds[i] != FULL);
    } else {
      listener.failed(firsts[i]);
    }
  }

  /** Empties the batch for another burst. @return false if it has grown too large to be kept */
  boolean recycle() {
    if (kinds.length > LARGEST_REUSED) {
      return false;
    }
    Arrays.fill(queues, 0, size, null);
    Arrays.fill(subjects, 0, size, null);
    Arrays.fill(listeners, 0, size, null);
    size = 0;
    contentBytes = 0;
    awaited = false;
    paced = false;
    full = false;
    partly = false;
    partition = null;
    consequences = null;
    placeChanges = null;
    return true;
  }
}
