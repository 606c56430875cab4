package io.mayflymq.core.runtime;

/**
 * All the timers of one shard: a hierarchical timing wheel with millisecond ticks and no clock.
 *
 * <h2>How it works</h2>
 *
 * <p>Eleven levels of 64 slots cover every non-negative long. A timer's level is the position of
 * the highest bit, in groups of six, in which its deadline differs from the wheel's own time; its
 * slot is the deadline's six bits at that level. So a slot of level 0 holds one millisecond, one of
 * level 1 holds 64 ms, and so on; within a level, slots never wrap around; and every timer of a
 * lower level is due before every timer of a higher one. The earliest timer is therefore in the
 * first occupied slot of the lowest occupied level, which two bitmaps give in two instructions.
 * When time reaches the start of a slot above level 0, its timers cascade: each is placed again, at
 * a lower level (Varghese and Lauck 1987; the kernel's timers before Linux 4.8).
 *
 * <p>Differences from other timing wheels: Linux now rounds far deadlines instead of cascading, and
 * Caffeine's wheel ticks once a second; both give up exactness, which is the purpose of this
 * broker. Here, neither cascading nor empty slots need a tick: each slot knows the earliest
 * deadline that was put in it, so the owner sleeps until that deadline and not until the slot
 * starts. Ten thousand timers an hour away cost nothing for an hour. A wake-up that fires nothing
 * can only come from a timer that was the earliest of its slot and was then moved or cancelled, and
 * it happens at most once for each such timer.
 *
 * <h2>The clock may jump</h2>
 *
 * <p>Deadlines are wall-clock times, because a message's expiry has to survive a restart, and a
 * wall clock can be set. Forward: empty slots are skipped by bitmap, whatever the distance. Back: a
 * slot depends on the wheel's time only through the level, and moving back by d can only change the
 * level of timers in levels finer than the highest bit that changed; those few are placed again. A
 * timer that was due but had not fired yet then waits for its deadline a second time.
 *
 * <h2>Bounded work</h2>
 *
 * <p>One call of {@link #advance} fires at most {@code budget} timers and relinks at most a small
 * multiple of that, so a hundred thousand leases that cascade together do not stall the event loop.
 * The remaining timers are kept in three lists: "due" (will fire in this or a later call),
 * "arrived" (scheduled in the past: fires at the next call) and "cascading" (a slot that is being
 * split).
 *
 * <p>Not thread-safe: only the thread of the shard calls this class or its timers.
 */
public final class TimerWheel {
  private static final int BITS = 6;
  private static final int SLOTS = 1 << BITS;
  private static final int LEVELS = (Long.SIZE - 1 + BITS - 1) / BITS;
  private static final long RELINKS_PER_BUDGET = 8;

  /** How long after an exception a timer fires again, in ms. */
  static final long RETRY_MILLIS = 1000;

  private final Faults faults;
  private final TimerList[] slots = new TimerList[LEVELS * SLOTS];
  private final long[] occupiedSlots = new long[LEVELS];
  private int occupiedLevels;

  private final TimerList cascading = new TimerList();
  private final TimerList arrived = new TimerList();
  private final TimerList due = new TimerList();

  /**
   * The time that levels are relative to, and up to which timers are due: that of the last advance,
   * or an earlier one while relinks are outstanding.
   */
  private long wheelTime;

  private int size;
  private boolean advancing;

  /**
   * Makes an empty wheel.
   *
   * @param nowMillis the time in milliseconds since the epoch; negative counts as 0
   * @param faults where the exceptions of timers are reported
   */
  public TimerWheel(long nowMillis, Faults faults) {
    this.faults = faults;
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new TimerList();
    }
    wheelTime = Math.max(0, nowMillis);
  }

  /**
   * Schedules a timer, or moves it if it is scheduled already. O(1), allocates nothing.
   *
   * @param timer a timer that is not scheduled on another wheel
   * @param deadlineMillis when to fire, in milliseconds since the epoch: any value; one that is not
   *     later than the last advance fires at the next one, and {@link Long#MAX_VALUE} means never
   */
  public void schedule(Timer timer, long deadlineMillis) {
    if (timer.isScheduled()) {
      detach(timer);
    } else {
      size++;
    }
    timer.deadline = deadlineMillis;
    place(timer);
  }

  /** Cancels a timer; does nothing if it is not scheduled. O(1). */
  public void cancel(Timer timer) {
    if (timer.isScheduled()) {
      detach(timer);
      size--;
    }
  }

  /** How many timers are scheduled. */
  public int size() {
    return size;
  }

  /**
   * Advances the time and fires timers that are due: none before its deadline, each once. A timer
   * that a callback schedules at or before {@code nowMillis} fires at the next call, not in this
   * one.
   *
   * <p>The work is bounded by the budget, so timers may remain due. {@link #nextDeadlineMillis}
   * then returns {@code nowMillis}, and the caller should call again as soon as its event loop has
   * had a turn. Due timers fire in the order of their deadlines, except those that were scheduled
   * in the past and those that became due before the clock was set back.
   *
   * @param nowMillis the time in milliseconds since the epoch; may be earlier than at the last call
   * @param budget the largest number of timers to fire, at least 1
   * @return how many fired: 0 to {@code budget}
   * @throws IllegalArgumentException if the budget is less than 1
   * @throws IllegalStateException if called from a timer's callback
   */
  public int advance(long nowMillis, int budget) {
    if (budget < 1) {
      throw new IllegalArgumentException("budget " + budget + " is less than 1");
    }
    if (advancing) {
      throw new IllegalStateException("advance called from a timer");
    }
    long now = Math.max(0, nowMillis);
    if (now < wheelTime) {
      moveBack(now);
    }
    collect(now, budget * RELINKS_PER_BUDGET);
    due.appendAll(arrived);
    advancing = true;
    int fired = 0;
    try {
      while (fired < budget && !due.isEmpty()) {
        Timer timer = due.removeFirst();
        timer.slot = Timer.NO_SLOT;
        size--;
        fired++;
        fire(timer, nowMillis);
      }
    } finally {
      advancing = false;
    }
    return fired;
  }

  private void fire(Timer timer, long nowMillis) {
    try {
      timer.fire(nowMillis);
    } catch (Throwable e) {
      faults.report("the timer of", timer, e);
      if (!timer.isScheduled()) {
        schedule(timer, nowMillis + RETRY_MILLIS);
      }
    }
  }

  /**
   * Returns when {@link #advance} must next be called: at or before the earliest deadline, and
   * never before {@code nowMillis}, so that the difference is a delay to sleep. Exact as long as no
   * timer has been moved or cancelled. O(1).
   *
   * @param nowMillis the time in milliseconds since the epoch
   * @return {@code nowMillis} if something is or may be due, {@link Long#MAX_VALUE} if no timer is
   *     scheduled, else a time in milliseconds since the epoch
   */
  public long nextDeadlineMillis(long nowMillis) {
    long earliest = Math.min(Math.min(due.earliest(), arrived.earliest()), cascading.earliest());
    if (occupiedLevels != 0) {
      int level = Long.numberOfTrailingZeros(occupiedLevels);
      int index = Long.numberOfTrailingZeros(occupiedSlots[level]);
      earliest = Math.min(earliest, slots[level * SLOTS + index].earliest());
    }
    return Math.max(nowMillis, earliest);
  }

  /**
   * Returns when the first timer will do something, see {@link Timer#effectMillis}; {@link
   * Long#MAX_VALUE} if none is scheduled. Looks at all timers.
   */
  public long firstEffectMillis() {
    long first =
        Math.min(Math.min(due.firstEffect(), arrived.firstEffect()), cascading.firstEffect());
    for (TimerList slot : slots) {
      first = Math.min(first, slot.firstEffect());
    }
    return first;
  }

  /** Links a timer where its deadline belongs. */
  private void place(Timer timer) {
    long deadline = timer.deadline;
    if (deadline <= wheelTime) {
      timer.slot = Timer.NO_SLOT;
      arrived.append(timer);
      return;
    }
    int level = levelOf(deadline ^ wheelTime);
    int index = (int) (deadline >>> (level * BITS)) & (SLOTS - 1);
    timer.slot = level * SLOTS + index;
    slots[timer.slot].append(timer);
    occupiedSlots[level] |= 1L << index;
    occupiedLevels |= 1 << level;
  }

  /**
   * Unlinks a timer. Its slot number may be stale, since lists are moved as a whole; marking a slot
   * as unoccupied is correct in any case if it is found empty.
   */
  private void detach(Timer timer) {
    TimerList.unlink(timer);
    int slot = timer.slot;
    timer.slot = Timer.NO_SLOT;
    if (slot != Timer.NO_SLOT && slots[slot].isEmpty()) {
      vacate(slot / SLOTS, slot % SLOTS);
    }
  }

  private void vacate(int level, int index) {
    occupiedSlots[level] &= ~(1L << index);
    if (occupiedSlots[level] == 0) {
      occupiedLevels &= ~(1 << level);
    }
  }

  /** Advances the wheel to the given time; timers that are due end up in the list "arrived". */
  private void collect(long now, long relinks) {
    for (long left = relinks; left > 0; left--) {
      if (!cascading.isEmpty()) {
        place(cascading.removeFirst());
        continue;
      }
      if (occupiedLevels == 0) {
        wheelTime = now;
        return;
      }
      int level = Long.numberOfTrailingZeros(occupiedLevels);
      int index = Long.numberOfTrailingZeros(occupiedSlots[level]);
      long start = startOf(level, index);
      if (start > now) {
        wheelTime = now;
        return;
      }
      wheelTime = start;
      vacate(level, index);
      (level == 0 ? arrived : cascading).appendAll(slots[level * SLOTS + index]);
    }
  }

  private void moveBack(long now) {
    TimerList displaced = new TimerList();
    displaced.appendAll(due);
    displaced.appendAll(arrived);
    int unchanged = levelOf(now ^ wheelTime);
    for (int level = 0; level < unchanged; level++) {
      while (occupiedSlots[level] != 0) {
        int index = Long.numberOfTrailingZeros(occupiedSlots[level]);
        vacate(level, index);
        displaced.appendAll(slots[level * SLOTS + index]);
      }
    }
    wheelTime = now;
    while (!displaced.isEmpty()) {
      place(displaced.removeFirst());
    }
  }

  private long startOf(int level, int index) {
    int shift = level * BITS;
    return (wheelTime >>> shift >>> BITS << BITS | index) << shift;
  }

  private static int levelOf(long difference) {
    return (Long.SIZE - 1 - Long.numberOfLeadingZeros(difference)) / BITS;
  }
}
