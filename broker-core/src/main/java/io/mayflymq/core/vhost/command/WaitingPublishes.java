package io.mayflymq.core.vhost.command;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.vhost.queue.PublisherLine;
import io.mayflymq.core.vhost.queue.Queue;

/**
 * What a batch has offered to a queue that is full: it waits in the line of the queue. Those that
 * have an outcome go back to the sender as batches of their own, when they are safe, and at last
 * the batch of all. On the shard of the queue.
 */
final class WaitingPublishes implements PublisherLine.Group {
  private static final int USUAL_COUNT = 4;

  private final Queue queue;
  private final CommandBatch.Owner owner;
  private final CommandBatch all = new CommandBatch(USUAL_COUNT);

  /** Of all, the first that waits. */
  private int next;

  /** Those with an outcome of which the sender has not been told; null if there are none. */
  private CommandBatch decided;

  /** How many messages the partition had stored before those. */
  private long storedBefore;

  /** For how long their publisher waits, so that the queue keeps to its rate, in ms. */
  private long wait;

  /** Begins to collect offers for a queue. */
  WaitingPublishes(Queue queue, CommandBatch.Owner owner) {
    this.queue = queue;
    this.owner = owner;
    all.setPartition(queue.partition());
  }

  Queue queue() {
    return queue;
  }

  /** Adds a command of a batch, which has no publisher any more then. */
  void add(CommandBatch source, int i) {
    source.moveTo(all, i);
  }

  /** All have been added: they wait. */
  void begin() {
    owner.waits(all);
    queue.onShard().line().join(this);
  }

  @Override
  public Message first() {
    return next < all.size() ? (Message) all.subject(next) : null;
  }

  @Override
  public long sinceMillis() {
    return all.last(next);
  }

  @Override
  public void enter() {
    CommandBatch part = part();
    Message message = first();
    CommandBatch.Outcome outcome = CommandBatch.Outcome.FAILED;
    try {
      outcome =
          queue.onShard().publish(message)
              ? CommandBatch.Outcome.ENTERED
              : CommandBatch.Outcome.REFUSED;
      wait = Math.max(wait, queue.onShard().waitOfPublisher());
    } catch (RuntimeException e) {
      queue.shard().faults().report("letting a publisher into", queue, e);
    }
    decide(part, outcome);
  }

  @Override
  public void refuse() {
    queue.onShard().refusedToClient();
    decide(part(), CommandBatch.Outcome.REFUSED);
  }

  @Override
  public void giveBack() {
    while (next < all.size()) {
      decide(part(), CommandBatch.Outcome.FULL);
    }
  }

  private CommandBatch part() {
    if (decided == null) {
      decided = new CommandBatch(USUAL_COUNT);
      decided.setPartition(queue.partition());
      storedBefore = queue.partition().store().storedCount();
      wait = 0;
    }
    return decided;
  }

  private void decide(CommandBatch part, CommandBatch.Outcome outcome) {
    all.moveTo(part, next);
    part.decidedLast(outcome);
    next++;
  }

  @Override
  public void report() {
    CommandBatch part = decided;
    decided = null;
    if (part == null) {
      return;
    }
    boolean isLast = next == all.size();
    boolean wrote = queue.partition().store().storedCount() != storedBefore;
    if (wait > 0) {
      queue
          .shard()
          .timers()
          .schedule(
              new Timer() {
                @Override
                protected void fire(long nowMillis) {
                  tellWhenSafe(part, wrote, isLast);
                }
              },
              Deadlines.after(queue.shard().now(), wait));
    } else {
      tellWhenSafe(part, wrote, isLast);
    }
  }

  private void tellWhenSafe(CommandBatch part, boolean wrote, boolean isLast) {
    if (!part.isAwaited() || !wrote) {
      tell(part, true, isLast);
      return;
    }
    queue
        .partition()
        .store()
        .commitQueues(
            new Commit() {
              @Override
              public void safe() {
                tell(part, true, isLast);
              }

              @Override
              public void failed() {
                tell(part, false, isLast);
              }
            });
  }

  /** Any thread may call. */
  private void tell(CommandBatch part, boolean safe, boolean isLast) {
    owner.decided(part, safe);
    if (isLast) {
      owner.comeBack(all, true);
    }
  }
}
