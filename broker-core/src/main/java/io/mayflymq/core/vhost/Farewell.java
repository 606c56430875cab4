package io.mayflymq.core.vhost;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.queue.QueueBehavior;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.ShardStore;
import java.util.concurrent.CompletableFuture;

/*
 * The end of a queue whose messages are dead-lettered before it goes.
 *
 * They die slice by slice, with other work of the shard in between, and no faster than the disk and the shards that they go to can follow. The queue
 * is there until the last one has died: after a crash in the middle it is back with what is left. One whose lease had ended stays if somebody
 * uses it meanwhile, without the messages that have died.
 *
 * Belongs to the queue's shard.
 */
final class Farewell {
  private final QueueBehavior machine;
  private final DeathReason reason;
  private final Shard shard;
  private final ShardStore store;
  private final DeadLetterLanes letters;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private boolean overtaken;

  Farewell(QueueBehavior machine, DeathReason reason, Shard shard, Shards shards) {
    this.machine = machine;
    this.reason = reason;
    this.shard = shard;
    this.store = shards.store(shard);
    this.letters = shards.deadLetters(shard);
  }

  DeathReason reason() {
    return reason;
  }

  /**
   * Begins, within a burst of the shard.
   *
   * @param first what comes before the first message dies
   * @return whether the queue may go now: not if somebody used it, or it has gone another way
   */
  CompletableFuture<Boolean> begin(Runnable first) {
    shard.executeLater(
        () -> {
          if (!overtaken) {
            first.run();
          }
          slice();
        });
    return end;
  }

  /** The queue goes another way. */
  void overtake() {
    overtaken = true;
  }

  private void slice() {
    if (overtaken || isUsedAgain()) {
      end.complete(false);
    } else if (machine.evacuate(reason, shard.now())) {
      end.complete(true);
    } else {
      letters.flush();
      next();
    }
  }

  private boolean isUsedAgain() {
    return reason == DeathReason.QUEUE_EXPIRED && !machine.leaseHasEnded(shard.now());
  }

  private void next() {
    if (letters.isFull()) {
      letters.whenRoom(this::next);
    } else if (store.isBehind()) {
      store.commit(new CaughtUp());
    } else {
      shard.executeLater(this::slice);
    }
  }

  /** A disk that has failed delays nobody any more: what it had is back at the next start. */
  private final class CaughtUp implements Commit {
    @Override
    public void safe() {
      shard.execute(Farewell.this::slice);
    }

    @Override
    public void failed() {
      shard.execute(Farewell.this::slice);
    }
  }
}
