package io.mayflymq.core.runtime;

import java.util.concurrent.TimeUnit;

/**
 * How long one connection has the thread of a shard before others have it: a few milliseconds. What
 * is left is done in the next turn. Belongs to the shard's thread.
 *
 * <p>What a client sends in one go may take a microsecond or a second: a hundred messages that are
 * routed by thousands of bindings, each of them for thousands of queues. So the turn of a
 * connection is bounded by time, not by the number of its commands. The clock is read after
 * commands that are known to take long, and after many others; so a small message costs an
 * addition.
 *
 * <p>What a turn hands to other shards takes them longer than it has taken here, so there is a
 * bound for the steps, too.
 */
public final class Turn {
  /** How long a turn is, in ns. */
  static final long NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** How many steps a turn has at most. */
  static final int MOST_STEPS = 8_192;

  /** After so many steps the clock is read. */
  static final int STEPS_PER_LOOK = 256;

  private final Shard shard;
  private long end;
  private int steps;
  private int nextLook;
  private boolean over;

  /** Creates one that has begun. */
  public Turn(Shard shard) {
    this.shard = shard;
    begin();
  }

  /** Begins the next one. */
  public void begin() {
    end = shard.elapsedNanos() + NANOS;
    steps = 0;
    nextLook = STEPS_PER_LOOK;
    over = false;
  }

  /** Notes what takes about as long as so many small messages. */
  public void spend(int count) {
    steps += count;
    if (steps >= nextLook) {
      spendMuch();
    }
  }

  /** Notes something that may have taken long. */
  public void spendMuch() {
    over = over || steps >= MOST_STEPS || shard.elapsedNanos() >= end;
    nextLook = steps + STEPS_PER_LOOK;
  }

  /** Returns whether others have their turn now. */
  public boolean isOver() {
    return over;
  }
}
