package io.mayflymq.core.vhost.command;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;

/**
 * The commands of a batch for a queue whose place changes. They are applied when the queue serves,
 * or sent on as a batch of their own when it has moved; then their outcome goes back the same way.
 * On the shard of the queue's old place.
 */
final class HeldCommands implements QueueGate.Held<Queue>, PublishListener {
  private final CommandBatch source;
  private final CommandBatch held = new CommandBatch();
  private final Queue queue;
  private final CommandBatch.Completion whole;
  private final Shard shard;

  /**
   * Begins to hold commands.
   *
   * @param source the batch that they are of
   * @param whole brings it back when they are done, too
   */
  HeldCommands(CommandBatch source, Queue queue, CommandBatch.Completion whole) {
    this.source = source;
    this.queue = queue;
    this.whole = whole;
    this.shard = queue.shard();
    held.setPartition(queue.partition());
    if (source.hasConsequences()) {
      held.comesOf(source.consequences());
    }
  }

  Queue queue() {
    return queue;
  }

  void add(int i) {
    // It is always asked whether an offer has entered.
    boolean awaited = source.isAwaited(i) || source.kind(i) == CommandBatch.OFFER;
    held.add(source, i, awaited ? this : null);
  }

  @Override
  public void proceed() {
    held.submit(shard, this::comeBack);
  }

  @Override
  public void follow(Queue successor) {
    held.redirect(successor);
    if (held.size() > 0) {
      held.submit(shard, this::comeBack);
    } else {
      if (held.hasConsequences()) {
        held.consequences().applied();
      }
      whole.partDone();
    }
  }

  private void comeBack(CommandBatch batch, boolean safe) {
    shard.runOrExecute(
        () -> {
          batch.notifyPublishers(safe, shard.faults());
          whole.partDone();
        });
  }

  @Override
  public void settled(long i, boolean accepted) {
    if (!accepted) {
      source.refused((int) i);
    }
  }

  @Override
  public void failed(long i) {
    source.failed((int) i);
  }

  @Override
  public void gone(long i) {
    source.gone((int) i);
  }

  @Override
  public void lost(long i) {
    source.lost((int) i);
  }
}
