package io.mayflymq.core.vhost.command;

import io.mayflymq.core.link.LinkFormatException;
import io.mayflymq.core.link.LinkReader;
import io.mayflymq.core.link.LinkWriter;
import io.mayflymq.core.link.MessageCodec;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.consumer.Consumer;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.partition.CausedCommands;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayDeque;
import java.util.ArrayList;
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
  }

  /** What becomes of a batch. Called within bursts of the link's shard. */
  public interface Outcome {
    /**
     * The batch was applied, and is safe if that is awaited.
     *
     * @param result to be read by {@link OutgoingCommands#returned}
     */
    void returned(LinkWriter result);

    /** What it has led to has arrived; only if that was asked for. */
    void arrived();
  }

  private final Shard shard;
  private final MessageCodec messages = new MessageCodec();
  private final LinkWriter result = new LinkWriter();
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
   * @throws LinkFormatException if it cannot be read; then none of it is applied
   */
  public void apply(LinkReader in, boolean hasConsequences, Names names, Outcome outcome) {
    Arrival arrival = new Arrival(outcome);
    messages.begin();
    int count = in.count(2);
    for (int i = 0; i < count; i++) {
      read(in, i, names, arrival);
    }
    arrival.submit(hasConsequences ? new CausedCommands() : null);
  }

  private void read(LinkReader in, int i, Names names, Arrival arrival) {
    int octet = in.octet();
    byte kind = (byte) (octet & ~OutgoingCommands.AWAITED);
    PublishListener listener = (octet & OutgoingCommands.AWAITED) == 0 ? null : arrival;
    Queue queue = names.queue(in.number());
    switch (kind) {
      case CommandBatch.PUBLISH -> {
        Message message = messages.read(in);
        if (queue != null) {
          arrival.batchFor(queue).publish(queue, message, listener, i);
        } else {
          arrival.failed(i);
        }
      }
      case CommandBatch.SCHEDULE -> {
        long due = shard.now() + in.number();
        Message message = messages.read(in);
        if (queue != null) {
          arrival.batchFor(queue).schedule(queue, message, due, listener, i);
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
          Consumer settled = names.settled(queue, consumer, from, to);
          if (settled != null) {
            arrival.batchFor(queue).settle(kind, queue, settled, from, to);
          }
        }
      }
      default -> throw new LinkFormatException("unknown kind of command: " + kind);
    }
  }

  /** The batches that a frame becomes: one, unless its queues are in several partitions. */
  private final class Arrival implements PublishListener {
    private final Outcome outcome;
    private final List<CommandBatch> batches = new ArrayList<>(1);
    private final List<Integer> refused = new ArrayList<>(0);
    private final List<Integer> failed = new ArrayList<>(0);
    private int underWay;

    Arrival(Outcome outcome) {
      this.outcome = outcome;
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

    void submit(CausedCommands consequences) {
      underWay = batches.size();
      for (CommandBatch batch : batches) {
        batch.comesOf(consequences);
      }
      if (consequences != null) {
        consequences.arrived().thenRun(() -> shard.execute(outcome::arrived));
        consequences.applied();
      }
      for (CommandBatch batch : batches) {
        BatchRun.submit(batch, shard, this::comeBack);
      }
      if (batches.isEmpty()) {
        finish();
      }
    }

    private void comeBack(CommandBatch batch, boolean safe) {
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
      result.clear();
      result.number(refused.size());
      refused.forEach(result::number);
      result.number(failed.size());
      failed.forEach(result::number);
      outcome.returned(result);
    }

    @Override
    public void settled(long index, boolean accepted) {
      if (!accepted) {
        refused.add((int) index);
      }
    }

    @Override
    public void failed(long index) {
      failed.add((int) index);
    }
  }
}
