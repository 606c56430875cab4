package io.mayflymq.cluster.remote;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What has arrived for a consumer and its channel has no room for, in order. On the shard of the
 * queue.
 *
 * <p>A message has so much time left when it arrives. That is measured from then on, and not by the
 * clock on the wall, as the clocks of nodes differ and may be set. The timer is of the wheel of the
 * shard, which knows the wall only, so it may fire too early, and is set again then; if that clock
 * is set back, it fires too late, but no message is given out after its time.
 *
 * <p>Messages may end in any order. There is one timer for all, and what is over is looked for
 * among all, which are at most as many as one window has.
 */
final class HeldMessages {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * A message that waits.
   *
   * @param endNanos when its time is over, in elapsed time of the shard
   */
  record Held(long sequence, Message message, boolean redelivered, long endNanos) {}

  private final Shard shard;
  private final Timer timer;
  private final ArrayDeque<Held> held = new ArrayDeque<>(0);

  /** No message ends before. */
  private long firstEndNanos = Deadlines.NEVER;

  /**
   * Creates it, empty.
   *
   * @param isOver called in a burst of the shard when the time of a message may be over
   */
  HeldMessages(Shard shard, Runnable isOver) {
    this.shard = shard;
    this.timer =
        new Timer() {
          @Override
          protected void fire(long nowMillis) {
            isOver.run();
          }
        };
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  /**
   * Adds a message that has arrived now.
   *
   * @param millisLeft how long it may wait; {@link Deadlines#NEVER} for ever
   */
  void add(long sequence, Message message, boolean redelivered, long millisLeft) {
    long end =
        millisLeft >= Long.MAX_VALUE / NANOS_PER_MILLI / 2
            ? Deadlines.NEVER
            : shard.elapsedNanos() + millisLeft * NANOS_PER_MILLI;
    held.add(new Held(sequence, message, redelivered, end));
    if (end < firstEndNanos) {
      firstEndNanos = end;
      setTimer();
    }
  }

  private void setTimer() {
    if (firstEndNanos == Deadlines.NEVER) {
      shard.timers().cancel(timer);
    } else {
      long left = Math.max(0, firstEndNanos - shard.elapsedNanos());
      shard.timers().schedule(timer, shard.now() + (left + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI);
    }
  }

  /** Removes the first one and returns it; null if there is none. */
  Held poll() {
    Held first = held.poll();
    if (held.isEmpty() && firstEndNanos != Deadlines.NEVER) {
      firstEndNanos = Deadlines.NEVER;
      setTimer();
    }
    return first;
  }

  /** Removes those whose time is over, and returns them in order. */
  List<Held> takeOver() {
    if (firstEndNanos == Deadlines.NEVER) {
      return List.of();
    }
    long now = shard.elapsedNanos();
    List<Held> over = new ArrayList<>();
    if (firstEndNanos <= now) {
      firstEndNanos = Deadlines.NEVER;
      for (int left = held.size(); left > 0; left--) {
        Held each = held.poll();
        if (each.endNanos() <= now) {
          over.add(each);
        } else {
          held.add(each);
          firstEndNanos = Math.min(firstEndNanos, each.endNanos());
        }
      }
      setTimer();
    } else if (!timer.isScheduled()) {
      setTimer(); // It has fired too early.
    }
    return over;
  }
}
