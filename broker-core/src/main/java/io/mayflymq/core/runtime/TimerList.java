package io.mayflymq.core.runtime;

/**
 * A circular list of timers, of which this object is the sentinel. Its own {@code deadline} field
 * is a lower bound of the deadlines in the list: exact until the earliest timer is unlinked.
 */
final class TimerList extends Timer {

  TimerList() {
    previous = this;
    next = this;
  }

  boolean isEmpty() {
    return next == this;
  }

  /** A time at or before the earliest deadline in this list, MAX_VALUE if it is empty. */
  long earliest() {
    return isEmpty() ? Long.MAX_VALUE : deadline;
  }

  /** When the first of these timers will do something, MAX_VALUE if there is none. */
  long firstEffect() {
    long first = Long.MAX_VALUE;
    for (Timer timer = next; timer != this; timer = timer.next) {
      first = Math.min(first, timer.effectMillis());
    }
    return first;
  }

  void append(Timer timer) {
    deadline = Math.min(earliest(), timer.deadline);
    timer.previous = previous;
    timer.next = this;
    previous.next = timer;
    previous = timer;
  }

  /** Moves all timers of the other list to the end of this one, in O(1). */
  void appendAll(TimerList other) {
    if (other.isEmpty()) {
      return;
    }
    deadline = Math.min(earliest(), other.deadline);
    other.next.previous = previous;
    previous.next = other.next;
    other.previous.next = this;
    previous = other.previous;
    other.next = other;
    other.previous = other;
  }

  /** Unlinks the first timer; the list must not be empty. */
  Timer removeFirst() {
    Timer first = next;
    unlink(first);
    return first;
  }

  /** Removes a timer from the list it is in. */
  static void unlink(Timer timer) {
    timer.previous.next = timer.next;
    timer.next.previous = timer.previous;
    timer.previous = null;
    timer.next = null;
  }

  @Override
  protected void fire(long nowMillis) {
    throw new AssertionError("the sentinel of a list of timers never fires");
  }
}
