package io.mayflymq.core.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The consumers of a queue, and the round in which those that can take a message get one after the
 * other.
 */
final class ConsumerRound {
  private final List<Consumer> all = new ArrayList<>(2);
  private final ArrayDeque<Consumer> round = new ArrayDeque<>(2);

  void add(Consumer consumer) {
    all.add(consumer);
    join(consumer);
  }

  void remove(Consumer consumer) {
    consumer.cancelled = true;
    all.remove(consumer);
    leave(consumer);
  }

  /** The consumer whose turn it is, which stays where it is; null if none can take a message. */
  Consumer next() {
    return round.peekFirst();
  }

  /** A message went to the consumer whose turn it was. */
  void served(Consumer consumer) {
    if (!consumer.hasCredit()) {
      round.pollFirst();
      consumer.inRound = false;
    } else if (round.size() > 1) {
      round.addLast(round.pollFirst());
    }
  }

  /** The consumer whose turn it is has no room. */
  void block(Consumer consumer) {
    consumer.blocked = true;
    leave(consumer);
  }

  /** Puts a consumer at the end of the round if it can take messages again. */
  void join(Consumer consumer) {
    if (consumer.mayJoinRound()) {
      consumer.inRound = true;
      round.addLast(consumer);
    }
  }

  private void leave(Consumer consumer) {
    if (consumer.inRound) {
      consumer.inRound = false;
      round.remove(consumer);
    }
  }

  boolean isMember(Consumer consumer) {
    return all.contains(consumer);
  }

  int count() {
    return all.size();
  }

  boolean hasExclusive() {
    return !all.isEmpty() && all.get(0).exclusive();
  }

  List<Consumer> all() {
    return List.copyOf(all);
  }
}
