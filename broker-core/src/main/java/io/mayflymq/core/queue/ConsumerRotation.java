package io.mayflymq.core.queue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The consumers of a queue, and the rotation (round robin) of those that can take a message.
 * Consumers of a higher priority come first: others get messages only while none of them can take
 * any. With a single active consumer only that one is in the rotation; when it is removed, the next
 * one is that with the highest priority, among equals the one that was added first. Where the
 * priority decides, one with a higher priority takes over: the active one gets no more messages,
 * and is replaced when it has none left to settle.
 *
 * <p>Source: RabbitMQ, "Consumer Priorities" and "Single Active Consumer".
 */
final class ConsumerRotation {
  /** Shared by queues without consumers; never changed. */
  private static final Set<Consumer> NO_CONSUMERS = Set.of();

  private static final ArrayList<Level> NO_LEVELS = new ArrayList<>(0);

  private final boolean singleActive;

  /** In the order in which they were added. */
  private Set<Consumer> all = NO_CONSUMERS;

  /** One rotation for each priority, the highest first; nearly always only one. */
  private ArrayList<Level> levels = NO_LEVELS;

  private Consumer active;

  /** Whether a consumer of a higher priority takes over from the single active one. */
  private boolean priorityDecides;

  /** Who takes over from the active one when that has settled its messages; null if none does. */
  private Consumer successor;

  /** Whether none gets any message at present. */
  private boolean suspended;

  /** How many messages each may have unacknowledged, whatever its own limit is; 0 for no bound. */
  private int prefetchMax;

  /**
   * Those of one priority that can take a message, linked in the order of their turns: hundreds of
   * thousands can leave one by one.
   */
  private static final class Level {
    final long priority;
    Consumer first;
    Consumer last;

    Level(long priority) {
      this.priority = priority;
    }

    void append(Consumer consumer) {
      consumer.inRound = true;
      consumer.before = last;
      if (last == null) {
        first = consumer;
      } else {
        last.after = consumer;
      }
      last = consumer;
    }

    void remove(Consumer consumer) {
      consumer.inRound = false;
      if (consumer.before == null) {
        first = consumer.after;
      } else {
        consumer.before.after = consumer.after;
      }
      if (consumer.after == null) {
        last = consumer.before;
      } else {
        consumer.after.before = consumer.before;
      }
      consumer.before = null;
      consumer.after = null;
    }
  }

  public ConsumerRotation(boolean singleActive) {
    this.singleActive = singleActive;
  }

  public void add(Consumer consumer) {
    if (all.isEmpty()) {
      all = new LinkedHashSet<>(2);
      levels = new ArrayList<>(1);
    }
    all.add(consumer);
    consumer.bound(prefetchMax);
    consumer.active = !singleActive;
    if (singleActive && active == null) {
      activate(consumer);
    } else {
      join(consumer);
      chooseSuccessor();
    }
  }

  /**
   * Sets whether a consumer of a higher priority takes over from the single active one. Returns
   * whether that is new.
   */
  public boolean letPriorityDecide(boolean decides) {
    boolean changed = singleActive && priorityDecides != decides;
    if (changed) {
      priorityDecides = decides;
      chooseSuccessor();
    }
    return changed;
  }

  /**
   * Bounds how many messages each consumer may have unacknowledged; 0 for no bound. Those that have
   * more get none until they have fewer. Returns whether that is new.
   */
  public boolean boundPrefetch(int most) {
    if (most == prefetchMax) {
      return false;
    }
    prefetchMax = most;
    for (Consumer consumer : all) {
      consumer.bound(most);
      if (consumer.inRound && !consumer.hasCredit()) {
        leave(consumer);
      } else {
        join(consumer);
      }
    }
    return true;
  }

  private void chooseSuccessor() {
    Consumer best = priorityDecides && active != null ? highest() : null;
    boolean higher = best != null && best.priority() > active.priority();
    Consumer before = successor;
    successor = higher ? best : null;
    if (higher) {
      leave(active);
      handOver();
    } else if (before != null) {
      join(active);
    }
  }

  /**
   * Called when messages of a consumer were settled. Returns whether another consumer has taken
   * over from it.
   */
  public boolean settled(Consumer consumer) {
    return consumer == active && successor != null && handOver();
  }

  private boolean handOver() {
    if (active.unacked() > 0) {
      return false;
    }
    active.active = false;
    Consumer next = successor;
    successor = null;
    activate(next);
    return true;
  }

  /** A consumer gets no more messages; if it is the single active one, it stays that. */
  public void stop(Consumer consumer) {
    consumer.cancelled = true;
    leave(consumer);
  }

  public void remove(Consumer consumer) {
    consumer.cancelled = true;
    all.remove(consumer);
    leave(consumer);
    levels.removeIf(level -> level.priority == consumer.priority() && level.first == null);
    if (consumer == active) {
      active = null;
      successor = null;
      Consumer next = highest();
      if (next != null) {
        activate(next);
      }
    } else if (consumer == successor) {
      chooseSuccessor();
    }
    if (all.isEmpty()) {
      all = NO_CONSUMERS;
      levels = NO_LEVELS;
    }
  }

  private void activate(Consumer consumer) {
    active = consumer;
    consumer.active = true;
    join(consumer);
    consumer.outlet().activated(consumer);
  }

  private Consumer highest() {
    Consumer best = null;
    for (Consumer consumer : all) {
      if (best == null || consumer.priority() > best.priority()) {
        best = consumer;
      }
    }
    return best;
  }

  /** Returns the consumer whose turn it is, without advancing; null if none can take a message. */
  public Consumer next() {
    if (suspended) {
      return null;
    }
    for (int i = 0; i < levels.size(); i++) {
      Consumer first = levels.get(i).first;
      if (first != null) {
        return first;
      }
    }
    return null;
  }

  /**
   * Returns the next consumer whose channel has room, and reserves that room; consumers without
   * room leave the rotation.
   */
  public Consumer nextWithRoom() {
    Consumer consumer = next();
    while (consumer != null && !consumer.outlet().reserve(consumer)) {
      block(consumer);
      consumer = next();
    }
    return consumer;
  }

  /** Advances after a message was delivered to the consumer whose turn it was. */
  public void served(Consumer consumer) {
    Level level = level(consumer.priority());
    if (!consumer.hasCredit()) {
      level.remove(consumer);
    } else if (level.last != consumer) {
      level.remove(consumer);
      level.append(consumer);
    }
  }

  /** Takes the consumer whose turn it is out of the rotation, as it has no room. */
  public void block(Consumer consumer) {
    consumer.blocked = true;
    leave(consumer);
  }

  /** From now on no consumer has its turn. */
  public void suspend() {
    suspended = true;
  }

  /** Consumers have their turns again. */
  public void resume() {
    suspended = false;
  }

  /** Whether a consumer would get more messages if its connection were faster. */
  public boolean isHeldUp() {
    for (Consumer consumer : all) {
      if (consumer.blocked && !consumer.outlet().isPaced()) {
        return true;
      }
    }
    return false;
  }

  /** Puts a consumer at the end of its rotation if it can take messages again. */
  public void join(Consumer consumer) {
    if (consumer.mayJoinRound() && consumer.active && successor == null) {
      level(consumer.priority()).append(consumer);
    }
  }

  private void leave(Consumer consumer) {
    if (consumer.inRound) {
      level(consumer.priority()).remove(consumer);
    }
  }

  private Level level(long priority) {
    int at = 0;
    while (at < levels.size() && levels.get(at).priority >= priority) {
      if (levels.get(at).priority == priority) {
        return levels.get(at);
      }
      at++;
    }
    Level level = new Level(priority);
    levels.add(at, level);
    return level;
  }

  public boolean isMember(Consumer consumer) {
    return all.contains(consumer);
  }

  public int count() {
    return all.size();
  }

  public boolean hasExclusive() {
    return !all.isEmpty() && all.iterator().next().exclusive();
  }

  public List<Consumer> all() {
    return List.copyOf(all);
  }
}
