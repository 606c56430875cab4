package io.mayflymq.shovel.transfer;

import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * The messages that were published and are not confirmed yet, in order. The first one published on
 * a channel has the number 1. For one thread.
 *
 * @param <T> what is kept of a message
 */
final class ConfirmWindow<T> {
  private static final int INITIAL = 1_024;

  /** What becomes of a message. */
  private enum Fate {
    OPEN,
    CONFIRMED,
    REFUSED
  }

  private long[] tags = new long[INITIAL];
  private Object[] messages = new Object[INITIAL];
  private Fate[] fates = new Fate[INITIAL];
  private boolean[] unroutable = new boolean[INITIAL];

  /** The number of the first message that is open; those before it are settled. */
  private long first = 1;

  /** The number of the next message. */
  private long next = 1;

  /** The messages that have been published and are neither confirmed nor refused. */
  private int open;

  private long settledTag;

  /** Adds a message that is published next. */
  void published(long tag, T message) {
    if (next - first == tags.length) {
      grow();
    }
    int at = at(next++);
    tags[at] = tag;
    messages[at] = message;
    fates[at] = Fate.OPEN;
    unroutable[at] = false;
    open++;
  }

  private int at(long number) {
    return (int) (number & (tags.length - 1));
  }

  private void grow() {
    ConfirmWindow<T> larger = new ConfirmWindow<>();
    int length = tags.length * 2;
    larger.tags = new long[length];
    larger.messages = new Object[length];
    larger.fates = new Fate[length];
    larger.unroutable = new boolean[length];
    for (long number = first; number < next; number++) {
      int to = larger.at(number);
      larger.tags[to] = tags[at(number)];
      larger.messages[to] = messages[at(number)];
      larger.fates[to] = fates[at(number)];
      larger.unroutable[to] = unroutable[at(number)];
    }
    tags = larger.tags;
    messages = larger.messages;
    fates = larger.fates;
    unroutable = larger.unroutable;
  }

  /**
   * Notes that the destination took no copy of some messages, which it will confirm nevertheless.
   *
   * @return how many there are
   */
  @SuppressWarnings("unchecked") // only published() puts messages there
  int returned(Predicate<T> messagesLike) {
    int count = 0;
    for (long number = first; number < next; number++) {
      int at = at(number);
      if (fates[at] == Fate.OPEN && messagesLike.test((T) messages[at])) {
        unroutable[at] = true;
        count++;
      }
    }
    return count;
  }

  /**
   * Notes what the destination says of messages.
   *
   * @param number that of a message
   * @param multiple whether it is said of all before it too
   * @param taken whether it has taken them
   * @param refused is given the tags of those that it has not taken
   * @return how many it has taken
   */
  int settled(long number, boolean multiple, boolean taken, LongConsumer refused) {
    int count = 0;
    for (long each = multiple ? first : Math.max(first, number);
        each <= number && each < next;
        each++) {
      int at = at(each);
      if (fates[at] != Fate.OPEN) {
        continue;
      }
      open--;
      messages[at] = null;
      if (taken && !unroutable[at]) {
        fates[at] = Fate.CONFIRMED;
        count++;
      } else {
        fates[at] = Fate.REFUSED;
        refused.accept(tags[at]);
      }
    }
    while (first < next && fates[at(first)] != Fate.OPEN) {
      if (fates[at(first)] == Fate.CONFIRMED) {
        settledTag = tags[at(first)];
      }
      first++;
    }
    return count;
  }

  /**
   * Returns up to which tag all messages can be acknowledged, since the last call; 0 if there is
   * none.
   */
  long takeSettledTag() {
    long tag = settledTag;
    settledTag = 0;
    return tag;
  }

  /** Returns how many messages are not confirmed. */
  int open() {
    return open;
  }
}
