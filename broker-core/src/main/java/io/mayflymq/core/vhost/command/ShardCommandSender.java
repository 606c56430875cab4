package io.mayflymq.core.vhost.command;

import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The way from a connection (or a partition that dead-letters) to the partitions: one batch for
 * each, filled while a burst runs and handed over at its end. Commands for the same partition keep
 * their order, and what is called on a queue after flush() comes after them.
 *
 * <p>Batches come back when they were applied and what they wrote is safe, if a publisher waits for
 * that; else at once, unless the disk is too far behind to take more, or the batch is part of a
 * flood that consumers cannot keep up with: then they come back after a pause. What is under way is
 * counted in bytes, so a connection can stop reading while a shard, or consumers, are behind.
 */
public final class ShardCommandSender implements EndOfBurstListener {
  private static final int SPARE_BATCHES = 8;

  // How many bytes may be under way. The smaller number is for messages of which no publisher waits
  // to hear: more of them would only wait elsewhere, as objects that the collector copies. The
  // others are on their way to the disk, and the more of them are forced together, the better.
  private static final long MOST_UNDER_WAY = 4 << 20;
  private static final long MOST_NOT_AWAITED = 1 << 20;

  /** Of what a rate lets pass in a second, so large a part is published at once. */
  private static final int BATCHES_PER_SECOND = 20;

  /** Below this part of them there is room again. */
  private static final int ROOM_SHARE = 4;

  private final Shard home;
  private final Runnable onReturn;
  private CommandBatch[] open;
  private final ArrayDeque<CommandBatch> spare = new ArrayDeque<>(SPARE_BATCHES);
  private final DeadLettersUnderWay caused = new DeadLettersUnderWay();
  private final PlaceChanges places = new PlaceChanges(this::submitNow);
  private final CommandBatch.Owner owner = new Returns();
  private final RepeatedOffers repeated;
  private final boolean remembersCauses;
  private boolean empty = true;

  /** Whether queues of open batches were at other places before. */
  private boolean openHasMoved;

  /** How many messages for queues with a rate open batches have. */
  private long openPaced;

  /** How many batches with such messages are under way. */
  private int pacedUnderWay;

  private boolean paced;

  /** Whether what is offered to a full queue waits, if the queue lets it. */
  private boolean waits = true;

  /** How many batches wait at full queues, each for one. */
  private int waitingBatches;

  /** One of those queues, as long as there are any. */
  private Queue fullQueue;

  /** How many messages were published since that was asked last. */
  private long published;

  private long mostPublished = Long.MAX_VALUE;
  private long bytesUnderWay;
  private long bytesNotAwaited;
  private int batchesUnderWay;

  /**
   * Creates the sender of one connection.
   *
   * @param home the shard on the loop that they belong to; all methods are called in its bursts
   * @param partitions where they lead
   * @param onReturn called in a burst of the home shard when a batch has come back
   */
  public ShardCommandSender(Shard home, Partitions partitions, Runnable onReturn) {
    this(home, partitions, onReturn, true);
  }

  /**
   * Creates the sender of a connection, or of a shard.
   *
   * @param remembersCauses whether it is asked what has arrived
   */
  public ShardCommandSender(
      Shard home, Partitions partitions, Runnable onReturn, boolean remembersCauses) {
    this.remembersCauses = remembersCauses;
    this.home = home;
    this.repeated = new RepeatedOffers(home, this::offerAgain, onReturn);
    this.onReturn = onReturn;
    this.open = new CommandBatch[partitions.count()];
  }

  /**
   * Publishes a message to all queues of its route; to those behind a delayed exchange later, if it
   * asks for that.
   *
   * @param listener who learns of the outcome, once for each queue, or null
   * @param publishSequence the number that it is told of the message
   */
  public void publish(
      Route<Queue> route, Message message, PublishListener listener, long publishSequence) {
    published++;
    long delay = route.isDelayed() ? route.delayOf(message, home.now()) : 0;
    int now = delay > 0 ? route.undelayed() : route.size();
    for (int i = 0; i < now; i++) {
      publish(route.get(i), message, listener, publishSequence);
    }
    if (now < route.size()) {
      Message delayed = Delay.over(message);
      long due = Deadlines.after(home.now(), delay);
      for (int i = now; i < route.size(); i++) {
        schedule(route.get(i), delayed, due, listener, publishSequence);
      }
    }
  }

  /**
   * Publishes a message to a queue.
   *
   * @param listener who learns of the outcome, or null
   * @param publishSequence the number that it is told of the message
   */
  public void publish(
      Queue queue, Message message, PublishListener listener, long publishSequence) {
    if (!remembersCauses) {
      batchFor(queue).publish(queue, message, listener, publishSequence);
      return;
    }
    QueueSettings settings = queue.settings();
    if (settings.length().blocks() || repeated.hold(queue)) {
      offer(queue, settings, message, listener, publishSequence);
      return;
    }
    CommandBatch batch = batchFor(queue);
    batch.publish(queue, message, listener, publishSequence);
    published(queue, settings, message, batch);
  }

  private void published(Queue queue, QueueSettings settings, Message message, CommandBatch batch) {
    if (settings.deadLettersOnArrivalOf(message)) {
      caused.add(queue, batch.consequences());
    }
    keepPace(settings, batch);
  }

  // Queues that let publishers wait at their limit

  /** What is offered to a full queue is refused from now on, and does not wait. */
  public void refuseAtOnce() {
    waits = false;
  }

  /**
   * Offers a message. It waits in the line of its queue if that is local. Another queue does not
   * keep what it has no room for: then it waits here, and is offered again. So that the order is
   * kept, there is one batch under way for such queues, and behind one that waits here all others
   * for its queue wait, too.
   */
  private void offer(
      Queue queue,
      QueueSettings settings,
      Message message,
      PublishListener listener,
      long publishSequence) {
    if (repeated.hold(queue)) {
      repeated.add(queue, message, listener, publishSequence, home.now());
      return;
    }
    CommandBatch batch = batchFor(queue);
    batch.offer(
        queue, message, listener, publishSequence, waits ? home.now() : CommandBatch.AT_ONCE);
    if (!queue.isLocal()) {
      batch.setPaced();
    }
    published(queue, settings, message, batch);
  }

  private void offerAgain(Queue queue, Message message, PublishListener listener, long since) {
    batchFor(queue).offer(queue, message, listener, 0, since);
  }

  /** Returns a queue that is full, so that messages wait for room in it; null if none waits. */
  public Queue fullQueue() {
    return waitingBatches > 0 ? fullQueue : repeated.queue();
  }

  /** Returns how many messages were published, to whatever queues, since the last call. */
  public long takePublished() {
    long count = published;
    published = 0;
    return count;
  }

  /** Sets after how many of them the connection should stop reading; 1 or more. */
  public void stopAfter(long messages) {
    mostPublished = messages;
  }

  /** Whether so many were published. */
  public boolean hasPublishedMost() {
    return published >= mostPublished;
  }

  /** A batch has as much for a queue with a rate as is due within a part of a second. */
  private void keepPace(QueueSettings settings, CommandBatch batch) {
    Rate rate = settings.pace().publishing();
    if (rate != null) {
      batch.setPaced();
      openPaced++;
      paced |= openPaced >= rate.perSecond() / BATCHES_PER_SECOND;
    }
  }

  /**
   * Whether queues with a rate for publishers have not let all of their messages pass yet, so that
   * the connection should stop reading.
   */
  public boolean isPaced() {
    return paced;
  }

  /**
   * Publishes a message to a queue, at a later time.
   *
   * @param dueMillis when, in ms since the epoch
   * @param listener who learns that it is there to wait, or null
   */
  public void schedule(
      Queue queue, Message message, long dueMillis, PublishListener listener, long sequence) {
    CommandBatch batch = batchFor(queue);
    batch.schedule(queue, message, dueMillis, listener, sequence);
    if (remembersCauses) {
      keepPace(queue.settings(), batch);
    }
  }

  /**
   * Acknowledges the messages of a consumer with sequence numbers from one to the other, both
   * included.
   */
  public void acknowledge(Queue queue, Consumer consumer, long from, long to) {
    batchFor(queue).settle(CommandBatch.ACKNOWLEDGE, queue, consumer, from, to);
  }

  /** Rejects them: they die. */
  public void reject(Queue queue, Consumer consumer, long from, long to) {
    putBack(CommandBatch.REJECT, queue, consumer, from, to);
  }

  /** The consumer has had them for too long: they die. */
  public void timeOut(Queue queue, Consumer consumer, long from, long to) {
    putBack(CommandBatch.TIME_OUT, queue, consumer, from, to);
  }

  /** Puts them back. */
  public void requeue(Queue queue, Consumer consumer, long from, long to) {
    putBack(CommandBatch.REQUEUE, queue, consumer, from, to);
  }

  /** Puts them back, as the consumer could not deal with them. */
  public void fail(Queue queue, Consumer consumer, long from, long to) {
    putBack(CommandBatch.FAIL, queue, consumer, from, to);
  }

  /** Puts those back that never reached the client: they are as they were before. */
  public void release(Queue queue, Consumer consumer, long from, long to) {
    putBack(CommandBatch.RELEASE, queue, consumer, from, to);
  }

  private void putBack(byte kind, Queue queue, Consumer consumer, long from, long to) {
    CommandBatch batch = batchFor(queue);
    batch.settle(kind, queue, consumer, from, to);
    if (remembersCauses && queue.settings().deadLetters().areWanted()) {
      caused.add(queue, batch.consequences());
    }
  }

  // The order that the connection sees

  /** Whether dead letters may be under way that commands of this connection have caused. */
  public boolean hasCaused() {
    return !caused.isEmpty();
  }

  /**
   * What has to be waited for before the next command for a queue, so that it comes behind the dead
   * letters that earlier commands of this connection send there, over other queues too.
   *
   * @return null if nothing has; else done, by any thread, when they have arrived
   */
  public CompletableFuture<Void> arrivalAt(Queue queue) {
    return handedOver(both(caused.arrivalAt(queue), arrivalAtNewPlace(queue)));
  }

  private static CompletableFuture<Void> both(
      CompletableFuture<Void> first, CompletableFuture<Void> second) {
    return second == null ? first : DeadLettersUnderWay.both(first, second);
  }

  /** Of a queue that has moved, what was sent to its old place has to arrive first. */
  private CompletableFuture<Void> arrivalAtNewPlace(Queue queue) {
    if (queue.before() == null && !openHasMoved && places.isIdle()) {
      return null;
    }
    flush();
    return places.arrivalAt(queue);
  }

  /** The same for all queues of a route. */
  public CompletableFuture<Void> arrivalAt(Route<Queue> route) {
    CompletableFuture<Void> arrival = null;
    for (int i = 0; i < route.size(); i++) {
      CompletableFuture<Void> one = caused.arrivalAt(route.get(i));
      if (one != null) {
        arrival = DeadLettersUnderWay.both(arrival, one);
      }
    }
    return handedOver(arrival);
  }

  /** The same for whatever queue. */
  public CompletableFuture<Void> arrivalEverywhere() {
    return handedOver(caused.arrivalEverywhere());
  }

  /** What is still to be handed over would not arrive. */
  private CompletableFuture<Void> handedOver(CompletableFuture<Void> arrival) {
    if (arrival != null) {
      flush();
    }
    return arrival == null || arrival.isDone() ? null : arrival;
  }

  /** The bytes of content that were handed over and have not come back. */
  public long bytesUnderWay() {
    return bytesUnderWay + repeated.bytes();
  }

  /** Whether so much is under way that the connection should stop reading. */
  public boolean isFull() {
    return bytesUnderWay() > MOST_UNDER_WAY
        || bytesNotAwaited + repeated.bytesNotAwaited() > MOST_NOT_AWAITED;
  }

  /** Whether so little is under way that a connection that has stopped reading should go on. */
  public boolean hasRoom() {
    return bytesUnderWay() < MOST_UNDER_WAY / ROOM_SHARE
        && bytesNotAwaited + repeated.bytesNotAwaited() < MOST_NOT_AWAITED / ROOM_SHARE;
  }

  /** Whether every batch that was handed over has come back. */
  public boolean isSettled() {
    return batchesUnderWay == 0 && repeated.queue() == null;
  }

  @Override
  public void endOfBurst() {
    flush();
  }

  /**
   * Hands all batches over; done at the end of each burst, and before whatever must come behind
   * them.
   */
  public void flush() {
    flush(null);
  }

  /** The same for batches that come of another one, unless that is null. */
  public void flush(BatchArrival cause) {
    if (empty) {
      return;
    }
    empty = true;
    submitOpen(cause, false);
    if (openHasMoved) {
      openHasMoved = false;
      submitOpen(cause, true);
    }
  }

  /**
   * Submits open batches. What goes to the old place of a queue goes first.
   *
   * @param moved whether those with queues that have moved are submitted, too
   */
  private void submitOpen(BatchArrival cause, boolean moved) {
    for (int i = 0; i < open.length; i++) {
      CommandBatch batch = open[i];
      if (batch != null && (moved || !PlaceChanges.hasMoved(batch))) {
        open[i] = null;
        batch.comesOf(cause);
        submit(batch);
      }
    }
  }

  private void submit(CommandBatch batch) {
    countUnderWay(batch, 1);
    places.submit(batch);
  }

  private void countUnderWay(CommandBatch batch, int sign) {
    batchesUnderWay += sign;
    if (batch.isPaced()) {
      pacedUnderWay += sign;
      openPaced = sign > 0 ? 0 : openPaced;
      paced = pacedUnderWay > 0;
    }
    bytesUnderWay += sign * batch.bytes();
    if (!batch.isAwaited()) {
      bytesNotAwaited += sign * batch.bytes();
    }
  }

  private void submitNow(CommandBatch batch) {
    batch.submit(home, owner);
  }

  /** What becomes of batches, on their shards. */
  private final class Returns implements CommandBatch.Owner {
    @Override
    public boolean letsWait() {
      return true;
    }

    @Override
    public void comeBack(CommandBatch batch, boolean safe) {
      home.runOrExecute(() -> returned(batch, safe));
    }

    @Override
    public void waits(CommandBatch waiting) {
      home.runOrExecute(() -> beganToWait(waiting));
    }

    @Override
    public void decided(CommandBatch part, boolean safe) {
      home.runOrExecute(() -> told(part, safe));
    }
  }

  private void beganToWait(CommandBatch waiting) {
    waiting.setWaiting();
    countUnderWay(waiting, 1);
    waitingBatches++;
    fullQueue = waiting.queue(0);
    onReturn.run();
  }

  /** Some that have waited have an outcome; the batch of all comes back later. */
  private void told(CommandBatch part, boolean safe) {
    tellPublishers(part, safe);
    onReturn.run();
  }

  private void tellPublishers(CommandBatch batch, boolean safe) {
    if (batch.hasFull()) {
      repeated.take(batch);
    }
    batch.notifyPublishers(safe, home.faults());
  }

  private void returned(CommandBatch batch, boolean safe) {
    countUnderWay(batch, -1);
    if (batch.isWaiting()) {
      waitingBatches--;
      onReturn.run();
      return;
    }
    places.returned(batch);
    tellPublishers(batch, safe);
    if (spare.size() < SPARE_BATCHES && batch.recycle()) {
      spare.addLast(batch);
    }
    onReturn.run();
  }

  private CommandBatch batchFor(Queue queue) {
    int index = queue.partition().index();
    if (index >= open.length) {
      // Of another node, which joined later.
      open = Arrays.copyOf(open, index + 1);
    }
    CommandBatch batch = open[index];
    if (batch == null) {
      batch = spare.isEmpty() ? new CommandBatch() : spare.pollLast();
      batch.setPartition(queue.partition());
      open[index] = batch;
      if (empty) {
        empty = false;
        home.atEndOfBurst(this);
      }
    }
    if (queue.before() != null && places.concerns(queue)) {
      batch.notePlaceChanges().moved(queue);
      openHasMoved = true;
    }
    return batch;
  }
}
