package io.mayflymq.server.channel;

import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayDeque;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Closes a channel whose oldest delivery has been unacknowledged for too long. For other timeout
 * actions see DeliveryTimeouts.
 *
 * <p>Deliveries have no timer and no timestamp. While there are unacknowledged ones, a tick once a
 * second notes the highest tag given out so far; as tags ascend, the first note above a tag says by
 * when it was delivered. So a channel times out up to two seconds late and never early, and one
 * that delivered a single message on time. A channel whose deliveries are all settled does not
 * tick.
 *
 * <p>Source: RabbitMQ, "Consumers", section "Delivery Acknowledgement Timeout"; as there, the
 * oldest delivery of the channel is the one that counts, with the timeout of its queue.
 */
final class ConsumerTimeout extends Timer {
  static final long TICK_MILLIS = 1000;

  /** Enough for an hour; after that the interval between notes grows. */
  private static final int MOST_NOTES = 4096;

  /** So many renewals of settled deliveries may be kept. */
  private static final int FEW = 64;

  /** All tags before this one had been given out at that time. */
  private record Note(long tag, long atMillis) {}

  private final int channel;
  private final UnackedDeliveries unacked;
  private final Shard home;
  private final long defaultMillis;
  private final Consumer<ChannelException> onTimeout;
  private ArrayDeque<Note> notes = new ArrayDeque<>(2);

  /** By when deliveries are to be acknowledged that were renewed, by their tags. */
  private final TreeMap<Long, Long> renewed = new TreeMap<>();

  /**
   * Creates the timeout of a channel.
   *
   * @param channel the number of the channel
   * @param defaultMillis the timeout for queues that have none of their own, 0 for none
   * @param onTimeout called once, on the connection's loop
   */
  ConsumerTimeout(
      int channel,
      UnackedDeliveries unacked,
      Shard home,
      long defaultMillis,
      Consumer<ChannelException> onTimeout) {
    this.channel = channel;
    this.unacked = unacked;
    this.home = home;
    this.defaultMillis = defaultMillis;
    this.onTimeout = onTimeout;
  }

  /** Notes a delivery that must be acknowledged. */
  void delivered() {
    if (!isScheduled()) {
      notes.clear();
      note(home.steadyNow());
      await(home.steadyNow());
    }
  }

  /**
   * Gives the client more time for a delivery that is unacknowledged; never less than it had.
   *
   * @param mostMillis no more than so many ms from now, nor more than a delivery of this moment has
   */
  void renew(DeliverySource source, long tag, long mostMillis) {
    long millis = orDefault(source.timeoutMillis(), defaultMillis);
    if (millis != QueueSettings.NONE) {
      if (renewed.size() > 2 * unacked.count() + FEW) {
        renewed.keySet().removeIf(each -> !unacked.contains(each));
      }
      renewed.merge(tag, end(home.steadyNow(), Math.min(millis, mostMillis)), Math::max);
    }
  }

  /** Stops; called when the channel ends. */
  void stop() {
    home.timers().cancel(this);
    notes.clear();
    renewed.clear();
  }

  @Override
  protected long effectMillis() {
    long effect = unacked.count() == 0 ? Long.MAX_VALUE : due();
    return effect == Long.MAX_VALUE ? effect : effect + home.skippedMillis();
  }

  @Override
  protected void fire(long atMillis) {
    long nowMillis = home.steadyNow();
    if (unacked.count() == 0) {
      renewed.clear();
      return;
    }
    long oldest = unacked.firstTag();
    renewed.headMap(oldest).clear();
    while (!notes.isEmpty() && notes.peekFirst().tag <= oldest) {
      notes.removeFirst();
    }
    if (notes.isEmpty() || notes.peekLast().tag <= unacked.lastTag()) {
      note(nowMillis);
    }
    long timeout = timeoutOfOldest();
    if (timeout == QueueSettings.NONE || nowMillis < due()) {
      await(nowMillis);
      return;
    }
    onTimeout.accept(error(channel, timeout));
  }

  /** Returns the error that the channel is closed with. */
  static ChannelException error(int channel, long timeoutMillis) {
    return new ChannelException(
        ReplyCode.PRECONDITION_FAILED,
        ("delivery acknowledgement on channel %d timed out. Timeout value used: %d ms. This"
                + " timeout value can be configured, see consumers doc guide to learn more")
            .formatted(channel, timeoutMillis));
  }

  private void note(long nowMillis) {
    if (notes.size() == MOST_NOTES) {
      thinOut();
    }
    notes.addLast(new Note(unacked.lastTag() + 1, nowMillis));
  }

  /** Removes every other note; tags then seem to be a little younger than they are. */
  private void thinOut() {
    ArrayDeque<Note> half = new ArrayDeque<>(MOST_NOTES);
    boolean keep = false;
    for (Note note : notes) {
      if (keep) {
        half.addLast(note);
      }
      keep = !keep;
    }
    notes = half;
  }

  private void await(long nowMillis) {
    long due = due();
    long next = nowMillis + TICK_MILLIS;
    home.scheduleSteady(this, due > nowMillis ? Math.min(due, next) : next);
  }

  /** Returns when the oldest delivery is to be acknowledged by, as far as that is noted. */
  private long due() {
    long timeout = timeoutOfOldest();
    return timeout == QueueSettings.NONE
        ? Long.MAX_VALUE
        : Math.max(
            end(notes.peekFirst().atMillis, timeout), renewed.getOrDefault(unacked.firstTag(), 0L));
  }

  private static long end(long sinceMillis, long millis) {
    return sinceMillis > Long.MAX_VALUE - millis ? Long.MAX_VALUE : sinceMillis + millis;
  }

  private long timeoutOfOldest() {
    DeliverySource source = unacked.source(unacked.firstTag());
    if (source.timeoutAction() != TimeoutAction.CLOSE_CHANNEL) {
      return QueueSettings.NONE;
    }
    return orDefault(source.timeoutMillis(), defaultMillis);
  }

  /** Returns a timeout, or the default if there is none; a default of 0 means none. */
  static long orDefault(long millis, long defaultMillis) {
    if (millis != QueueSettings.NONE) {
      return millis;
    }
    return defaultMillis == 0 ? QueueSettings.NONE : defaultMillis;
  }
}
