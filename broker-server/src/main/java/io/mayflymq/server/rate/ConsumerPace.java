package io.mayflymq.server.rate;

import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import java.util.function.Consumer;

/**
 * Keeps the deliveries to one consumer to the rates of its connection. On the shard of its queue.
 */
public final class ConsumerPace implements EndOfBurstListener {
  private final DeliveryTurns turns;
  private final Turn turn;
  private final Shard shard;

  /** How many more messages it may deliver in this burst. */
  private int granted;

  private long grantedAt;
  private boolean listens;

  /**
   * Creates what keeps to the rates.
   *
   * @param shard that of the queue
   * @param resumeThen has the queue deliver to the consumer, if there is something, and runs an
   *     action after that, on the shard; it does neither before it has returned
   */
  public ConsumerPace(ConnectionRates rates, Shard shard, Consumer<Runnable> resumeThen) {
    this.turns = rates.turns();
    this.turn = new Turn(rates.user(), rates.vhost(), shard, resumeThen);
    this.shard = shard;
  }

  /**
   * Takes one message that is delivered now. If none may be, the consumer is resumed when it is its
   * turn. Within a burst.
   */
  public boolean take() {
    if (granted > 0 && grantedAt != shard.now()) {
      giveBack();
    }
    if (granted == 0) {
      granted = turns.take(turn);
      if (granted == DeliveryTurns.UNBOUND) {
        granted = 0;
        return true;
      }
      if (granted == 0) {
        return false;
      }
      grantedAt = shard.now();
    }
    granted--;
    if (granted > 0 && !listens) {
      listens = true;
      shard.atEndOfBurst(this);
    }
    return true;
  }

  /** Returns whether the consumer waits for its turn. */
  public boolean awaitsTurn() {
    return turns.waits(turn);
  }

  private void giveBack() {
    int left = granted;
    granted = 0;
    if (left > 0) {
      turns.giveBack(turn, left);
    }
  }

  @Override
  public void endOfBurst() {
    listens = false;
    giveBack();
  }
}
