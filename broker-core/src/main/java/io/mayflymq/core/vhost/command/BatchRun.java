package io.mayflymq.core.vhost.command;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.vhost.partition.Partition;
import io.mayflymq.core.vhost.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Applies a batch on the shard of its partition, or has it applied by the node of its queues, and
 * brings it back: when what it wrote is safe or cannot be, once, whatever is told.
 */
final class BatchRun implements Commit {
  /** Takes batches back. */
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

    /** A batch was applied. Any thread may call. */
    void comeBack(CommandBatch batch, boolean safe);
  }

  private final AtomicBoolean told = new AtomicBoolean();

  /** Its own commands, and those that are held for each queue that is being moved. */
  private final AtomicInteger parts = new AtomicInteger(1);

  private volatile boolean isSafe;
  private final CommandBatch batch;
  private final Owner owner;

  private BatchRun(CommandBatch batch, Owner owner) {
    this.batch = batch;
    this.owner = owner;
  }

  /**
   * Hands a batch over.
   *
   * @param from the shard of the caller, which is within a burst
   */
  static void submit(CommandBatch batch, Shard from, Owner owner) {
    Shard shard = batch.partition().shard();
    Runnable apply = () -> apply(batch, owner);
    if (shard == from) {
      shard.run(apply);
    } else {
      shard.execute(apply);
    }
  }

  /** Whatever happens the batch comes back: its connection would wait for it for ever. */
  private static void apply(CommandBatch batch, Owner owner) {
    Partition partition = batch.partition();
    Shard shard = partition.shard();
    BatchRun run = new BatchRun(batch, owner);
    try {
      if (batch.home() != null) {
        batch.home().send(new OutgoingCommands(batch, run));
        return;
      }
      PartitionStore store = partition.store();
      long storedBefore = store.storedCount();
      long streamedBefore = store.streamedCount();
      run.applyHere(partition, shard);
      owner.applied(batch);
      boolean wrote = store.storedCount() != storedBefore;
      if ((wrote && batch.isAwaited() && owner.awaitsSafety()) || store.isBehind()) {
        if (store.streamedCount() == streamedBefore) {
          store.commitQueues(run);
        } else {
          store.commit(run);
        }
      } else {
        comeBackAfter(batch.pauseMillis(), run, shard);
      }
    } catch (Throwable e) {
      shard.faults().report("a batch of commands for", partition, e);
      run.failedToApply();
    }
  }

  private void failedToApply() {
    if (!told.get() && batch.home() == null) {
      batch.failed();
      owner.applied(batch);
    }
    failed();
  }

  private void applyHere(Partition partition, Shard shard) {
    List<HeldCommands> held = new ArrayList<>(0);
    batch.applyWith(partition.outbox(), shard.faults(), i -> heldFor(batch.queue(i), held).add(i));
    parts.addAndGet(held.size());
    held.forEach(commands -> commands.queue().gate().hold(commands));
  }

  private HeldCommands heldFor(Queue queue, List<HeldCommands> held) {
    for (HeldCommands known : held) {
      if (known.queue() == queue) {
        return known;
      }
    }
    HeldCommands added = new HeldCommands(batch, queue, this);
    held.add(added);
    return added;
  }

  private static void comeBackAfter(int pauseMillis, BatchRun run, Shard shard) {
    if (pauseMillis == 0) {
      run.safe();
    } else {
      shard.loop().schedule(run::safe, pauseMillis);
    }
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
    if (told.compareAndSet(false, true)) {
      isSafe = safe;
      done();
    }
  }

  /** A part of the batch is done; what became of its commands is noted. Any thread may call. */
  void done() {
    if (parts.decrementAndGet() == 0) {
      owner.comeBack(batch, isSafe);
    }
  }
}
