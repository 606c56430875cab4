package io.mayflymq.core.vhost.command;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Commands that another node sends for queues of this one: they take the way of those of a
 * connection. All methods are called within bursts of the link's shard.
 */
public final class IncomingCommands {
  private static final int SPARE_BATCHES = 8;

  /** How queues and consumers are named on the link. */
  public interface Names {
    /** Returns the queue of a number; null if it is not here: what is published to it fails. */
    Queue queue(long number);

    /**
     * Notes that deliveries are settled, and returns the consumer that they went to; null if it is
     * not known.
     */
    Consumer settled(Queue queue, long consumer, long from, long to);

    /** Deliveries that were noted as settled are not, and go back to their queue. */
    void unsettled(Queue queue, Consumer consumer, long from, long to);
  }

  /** What becomes of a batch. Called within bursts of the link's shard. */
  public interface Outcome {
    /**
     * The batch was applied, and is safe if that is awaited.
     *
     * @param result to be read by {@link OutgoingCommands#returned}
     */
    void returned(ByteWriter result);

    /** What it has led to has arrived; only if that was asked for. */
    void arrived();
  }

  /**
   * Why a batch cannot be read.
   *
   * @param commands how many it has
   * @param queue of the command that cannot be read; null if that is not known
   */
  public record Unreadable(int commands, Queue queue, RuntimeException why) {}

  /** A batch that is applied as a whole in one burst, or not at all. */
  public interface Whole {
    /** Returns why it cannot be read, and must not be applied; null if it was read. */
    Unreadable unreadable();

    /**
     * Applies it, unless one of its queues holds commands at present.
     *
     * @return what has become of its commands, as far as it is known in this burst, as {@link
     *     Outcome#returned} would give it; nothing if all have succeeded, and null if it was not
     *     applied
     */
    byte[] apply();

    /** It is not applied: the connection was lost. */
    void drop();
  }

  private final Shard shard;
  private final MessageCodec messages = new MessageCodec();
  private final ByteWriter result = new ByteWriter();
  private final ArrayDeque<CommandBatch> spare = new ArrayDeque<>(SPARE_BATCHES);

  /**
   * Creates it for one link.
   *
   * @param shard the link's
   */
  public IncomingCommands(Shard shard) {
    this.shard = shard;
  }

  /**
   * Applies a batch.
   *
   * @param hasConsequences whether it is asked when what it leads to has arrived
   * @throws ByteFormatException if it cannot be read; then none of it is applied
   */
  public void apply(ByteReader in, boolean hasConsequences, Names names, Outcome outcome) {
    read(in, in.count(2), new Arrival(names, hasConsequences, outcome, false)).submit();
  }

  /**
   * Reads a batch whose queues are in one partition, of the link's shard. Parameters as in {@link
   * #apply}; the outcome is told as soon as it is known, whether it is safe or not.
   *
   * @throws ByteFormatException if it cannot be read how many commands it has
   */
  public Whole readWhole(ByteReader in, boolean hasConsequences, Names names, Outcome outcome) {
    Arrival arrival = new Arrival(names, hasConsequences, outcome, true);
    int count = in.count(2);
    try {
      read(in, count, arrival);
    } catch (RuntimeException e) {
      arrival.drop();
      arrival.unreadable = new Unreadable(count, arrival.reading, e);
    }
    return arrival;
  }

  private Arrival read(ByteReader in, int count, Arrival arrival) {
    messages.begin();
    for (int i = 0; i < count; i++) {
      arrival.reading = null;
      readCommand(in, i, arrival);
    }
    return arrival;
  }

  private void readCommand(ByteReader in, int i, Arrival arrival) {
    int octet = in.octet();
    byte kind = (byte) (octet & ~OutgoingCommands.AWAITED);
    PublishListener listener = (octet & OutgoingCommands.AWAITED) == 0 ? null : arrival;
    Queue queue = arrival.names.queue(in.number());
    arrival.reading = queue;
    switch (kind) {
      case CommandBatch.PUBLISH -> {
        Message message = messages.read(in);
        if (queue != null) {
          pacedBatchFor(queue, arrival).publish(queue, message, listener, i);
        } else {
          arrival.failed(i);
        }
      }
      case CommandBatch.OFFER -> {
        // None waits here: the other node offers it again.
        long since = in.octet() == 0 ? shard.now() : CommandBatch.AT_ONCE;
        Message message = messages.read(in);
        if (queue != null) {
          pacedBatchFor(queue, arrival).offer(queue, message, listener, i, since);
        } else {
          arrival.failed(i);
        }
      }
      case CommandBatch.SCHEDULE -> {
        long delay = in.number();
        Message message = messages.read(in);
        if (queue != null) {
          long due = queue.partition().time().ofClock(shard.now()) + delay;
          pacedBatchFor(queue, arrival).schedule(queue, message, due, listener, i);
        } else {
          arrival.failed(i);
        }
      }
      case CommandBatch.ACKNOWLEDGE,
          CommandBatch.REJECT,
          CommandBatch.REQUEUE,
          CommandBatch.FAIL,
          CommandBatch.TIME_OUT,
          CommandBatch.RELEASE -> {
        long consumer = in.number();
        long from = in.number();
        long length = in.number();
        if (queue != null && length > 0) {
          long to = from + length - 1;
          Consumer settled = arrival.names.settled(queue, consumer, from, to);
          if (settled != null) {
            arrival.batchFor(queue).settle(kind, queue, settled, from, to);
          }
        }
      }
      default -> throw new ByteFormatException("unknown kind of command: " + kind);
    }
  }

  private static CommandBatch pacedBatchFor(Queue queue, Arrival arrival) {
    CommandBatch batch = arrival.batchFor(queue);
    if (queue.settings().pace().publishing() != null) {
      batch.setPaced();
    }
    return batch;
  }

  /** The numbers of the commands that were refused, have failed, or whose queue was deleted. */
  private static final class Failures {
    final List<Integer> refused = new ArrayList<>(0);
    final List<Integer> failed = new ArrayList<>(0);
    final List<Integer> gone = new ArrayList<>(0);

    ByteWriter write(ByteWriter out) {
      out.number(refused.size());
      refused.forEach(out::number);
      out.number(failed.size());
      failed.forEach(out::number);
      if (!gone.isEmpty()) {
        out.number(gone.size());
        gone.forEach(out::number);
      }
      return out;
    }
  }

  /** The batches that a frame becomes: one, unless its queues are in several partitions. */
  private final class Arrival implements PublishListener, CommandBatch.Owner, Whole {
    private final Names names;
    private final Outcome outcome;
    private final boolean hasConsequences;
    private final boolean isWhole;
    private final List<CommandBatch> batches = new ArrayList<>(1);
    private final Failures failures = new Failures();
    private int underWay;

    /** The queue of the command that is being read; null if it is not known. */
    private Queue reading;

    /** Null if it was read. */
    private Unreadable unreadable;

    /** Those of this burst; null if there are none. */
    private Failures failuresHere;

    Arrival(Names names, boolean hasConsequences, Outcome outcome, boolean isWhole) {
      this.names = names;
      this.outcome = outcome;
      this.hasConsequences = hasConsequences;
      this.isWhole = isWhole;
    }

    CommandBatch batchFor(Queue queue) {
      for (CommandBatch batch : batches) {
        if (batch.partition() == queue.partition()) {
          return batch;
        }
      }
      CommandBatch batch = spare.isEmpty() ? new CommandBatch() : spare.pollLast();
      batch.setPartition(queue.partition());
      batches.add(batch);
      return batch;
    }

    @Override
    public Unreadable unreadable() {
      return unreadable;
    }

    @Override
    public byte[] apply() {
      for (CommandBatch batch : batches) {
        if (batch.isHeld()) {
          return null;
        }
      }
      List<Integer> missing = List.copyOf(failures.failed);
      submit();
      if (missing.isEmpty() && failuresHere == null) {
        return LinkBatches.SUCCESS;
      }
      Failures all = failuresHere == null ? new Failures() : failuresHere;
      all.failed.addAll(missing);
      ByteWriter written = all.write(new ByteWriter());
      return Arrays.copyOf(written.bytes(), written.size());
    }

    @Override
    public void drop() {
      batches.forEach(batch -> batch.forEachSettlement(names::unsettled));
    }

    @Override
    public boolean awaitsSafety() {
      return !isWhole;
    }

    @Override
    public void applied(CommandBatch batch) {
      if (batch.hasFailures()) {
        Failures found = new Failures();
        batch.forEachFailure((i, refused) -> (refused ? found.refused : found.failed).add((int) i));
        batch.forEachGone(found.gone::add);
        failuresHere = found;
      }
    }

    void submit() {
      BatchArrival consequences = hasConsequences ? new BatchArrival() : null;
      underWay = batches.size();
      for (CommandBatch batch : batches) {
        batch.comesOf(consequences);
      }
      if (consequences != null) {
        consequences.arrived().thenRun(() -> shard.execute(outcome::arrived));
        consequences.applied();
      }
      for (CommandBatch batch : batches) {
        batch.submit(shard, this);
      }
      if (batches.isEmpty()) {
        finish();
      }
    }

    @Override
    public void comeBack(CommandBatch batch, boolean safe) {
      if (shard.isCurrent()) {
        shard.run(() -> returned(batch, safe));
      } else {
        shard.execute(() -> returned(batch, safe));
      }
    }

    private void returned(CommandBatch batch, boolean safe) {
      batch.notifyPublishers(safe, shard.faults());
      if (spare.size() < SPARE_BATCHES && batch.recycle()) {
        spare.addLast(batch);
      }
      underWay--;
      if (underWay == 0) {
        finish();
      }
    }

    private void finish() {
      outcome.returned(failures.write(result.clear()));
    }

    @Override
    public void settled(long index, boolean accepted) {
      if (!accepted) {
        failures.refused.add((int) index);
      }
    }

    @Override
    public void gone(long index) {
      failures.gone.add((int) index);
    }

    @Override
    public void failed(long index) {
      failures.failed.add((int) index);
    }
  }
}
