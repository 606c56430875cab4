package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.LengthSettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Timer;
import java.util.ArrayDeque;

/**
 * The publishers that wait for room in a full queue, in the order in which they came. Whatever
 * makes room happens in a burst of the queue's shard, so the line looks at the end of each burst
 * whether its first message fits now; while nothing waits, it does not look. A message that has
 * waited for too long is refused. While the publishers of the queue are paused none enters. On the
 * queue's shard.
 */
public final class PublisherLine {
  /** Messages of one publisher, in order. */
  public interface Group {
    /** Returns the first that waits; null if there is none. */
    Message first();

    /** Returns when the first began to wait, in ms since the epoch. */
    long sinceMillis();

    /** The first enters the queue. */
    void enter();

    /** The first is refused. */
    void refuse();

    /** None waits here any more, as the queue may be at another place: they are offered again. */
    void giveBack();

    /** Tells the publisher of those that have entered or were refused since the last call. */
    void report();
  }

  private final Queue queue;
  private final ArrayDeque<Group> groups = new ArrayDeque<>();
  private final EndOfBurstListener watcher = this::look;
  private final Timer timer =
      new Timer() {
        @Override
        protected void fire(long nowMillis) {
          // The end of this burst looks.
        }
      };

  /** Creates the line of a queue, in which nothing waits. */
  public PublisherLine(Queue queue) {
    this.queue = queue;
  }

  /** Returns whether nothing waits. */
  public boolean isEmpty() {
    return groups.isEmpty();
  }

  /** Messages wait from now on. */
  public void join(Group group) {
    if (groups.isEmpty()) {
      queue.shard().watch(watcher);
    }
    groups.addLast(group);
  }

  private void look() {
    long now = queue.shard().now();
    while (!groups.isEmpty() && serve(groups.peekFirst(), now)) {
      groups.removeFirst();
    }
    if (groups.isEmpty()) {
      queue.shard().unwatch(watcher);
      queue.shard().timers().cancel(timer);
    } else {
      long refusedAt = Deadlines.after(groups.peekFirst().sinceMillis(), limit().blockMillis());
      queue.shard().timers().schedule(timer, Math.max(refusedAt, now + 1));
    }
  }

  /**
   * Returns whether nothing that waits enters a queue, as its publishers are paused. On the shard
   * of the queue.
   */
  public static boolean isHeld(Queue queue) {
    return queue.settings().pace().pausesPublishing() && !queue.onShard().isDeleted();
  }

  private LengthSettings limit() {
    return queue.settings().length();
  }

  /** Lets in what fits. Returns whether none of the group waits any more. */
  private boolean serve(Group group, long nowMillis) {
    try {
      if (queue.holdsCommands()) {
        group.giveBack();
      }
      while (group.first() != null) {
        if (!isHeld(queue) && !queue.onShard().blocks(group.first())) {
          group.enter();
        } else if (limit().neverFits(group.first().bodyLength())
            || Deadlines.after(group.sinceMillis(), limit().blockMillis()) <= nowMillis) {
          group.refuse();
        } else {
          return false;
        }
      }
      return true;
    } finally {
      group.report();
    }
  }
}
