package io.mayflymq.core.vhost;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.runtime.BurstMember;
import io.mayflymq.core.runtime.Shard;

/**
 * Carries the dead letters of a shard's queues to where they go next, at the end of the burst in
 * which they died: a queue's command is over by then, so a queue may even dead-letter to itself.
 * Belongs to the shard's thread.
 */
final class DeadLetterLanes implements BurstMember {
  private final Shard shard;
  private final CommandLanes lanes;
  private boolean waiting;

  DeadLetterLanes(Shard shard, Shards shards) {
    this.shard = shard;
    this.lanes = new CommandLanes(shard.loop(), shards, () -> {});
  }

  void send(Queue target, Message letter) {
    lanes.publish(target, letter, null, 0);
    if (!waiting) {
      waiting = true;
      shard.atEndOfBurst(this);
    }
  }

  @Override
  public void endOfBurst() {
    waiting = false;
    lanes.flush();
  }
}
