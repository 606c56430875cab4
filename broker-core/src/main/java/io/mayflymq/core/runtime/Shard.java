package io.mayflymq.core.runtime;

import io.mayflymq.core.metrics.histogram.ShardHistograms;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A shard is a set of queues and the one thread that accesses them, an event loop. There are no
 * locks in the core: code that needs something from a queue submits a task to the queue's shard.
 *
 * <p>Work comes in bursts: the data of one socket read, one batch from another shard, the timers
 * that are due. The clock is read once at the start of a burst, and before each task from another
 * thread, which may have been submitted after that start. What a burst produces (deliveries,
 * confirms, dead letters) is collected and passed on once at its end, by the listeners that were
 * added while it ran. So neither a system call nor a hand-over between threads is made for a single
 * message.
 *
 * <p>Tasks from other threads wait in a mailbox, and run before anything that begins a burst; an
 * event loop that finds both a client's bytes and a task would read the bytes first. A client that
 * got a reply may send its next command on another event loop; that command must see everything
 * that was submitted to this shard before the reply was sent.
 *
 * <p>Each task, listener and timer is a boundary for exceptions: an exception is reported, and the
 * others run as usual. Only a task that a caller of run() runs itself throws to that caller.
 */
public final class Shard {
  private static final long NEVER = Long.MAX_VALUE;
  private static final int TIMERS_PER_BURST = 256;
  private static final int MOST_AT_ONCE = 1024;

  /**
   * The longest sleep in ms while timers wait. Deadlines are wall-clock times, but an event loop
   * measures its delays by another clock, which drifts from the wall clock and stands still while
   * the machine is suspended. With this bound a timer is late by no more than the two clocks can
   * differ within a second.
   */
  private static final long LONGEST_SLEEP_MILLIS = 1000;

  private final int index;
  private final EventLoop loop;
  private final SteadyClock clock;
  private final Faults faults;
  private final TimerWheel timers;
  private final ArrayDeque<EndOfBurstListener> members = new ArrayDeque<>();
  private final ArrayDeque<EndOfBurstListener> lastMembers = new ArrayDeque<>();

  /** Called at the end of each burst. */
  private final List<EndOfBurstListener> watchers = new ArrayList<>(0);

  private final Queue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean awaited = new AtomicBoolean();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final ShardHistograms histograms = new ShardHistograms();
  private final long madeAtNanos;

  /** Whether time passes by itself, so that timers can be waited for. */
  private final boolean passes;

  private int depth;
  private long beganAtNanos;
  private long now;
  private long held;
  private long skipped;
  private long wakeAt = NEVER;

  /**
   * Creates a shard without queues.
   *
   * @param index its number, from 0
   * @param loop its thread
   * @param clock the time, in ms since the epoch; only a {@link SteadyClock} knows when it is set
   * @param faults where uncaught exceptions are reported
   */
  public Shard(int index, EventLoop loop, InstantSource clock, Faults faults) {
    this.index = index;
    this.loop = loop;
    this.clock = SteadyClock.following(clock);
    this.faults = faults;
    this.madeAtNanos = loop.nanoTime();
    this.passes = !(this.clock.machine() instanceof SettableClock);
    readClock();
    this.timers = new TimerWheel(now, faults);
  }

  /** The shard's number, from 0. */
  public int index() {
    return index;
  }

  /** Its thread. */
  public EventLoop loop() {
    return loop;
  }

  /** Whether the caller is the shard's thread. */
  public boolean isCurrent() {
    return loop.inEventLoop();
  }

  /**
   * The time at which the current burst, or the current task of another thread within it, began, in
   * ms since the epoch. On the shard's thread only.
   */
  public long now() {
    return now;
  }

  /** Reads all that a burst needs of the clock, at one moment. */
  private void readClock() {
    Object steps;
    do {
      steps = clock.steps();
      now = clock.millis();
      held = clock.held();
      skipped = clock.skipped();
    } while (steps != clock.steps());
  }

  /**
   * Returns the time by the clock of the machine at a time of this shard, in ms since the epoch:
   * the two differ after that clock was set back. For what is shown and stored. On the shard's
   * thread only.
   */
  public long toMachine(long millis) {
    return millis == NEVER ? NEVER : millis - held;
  }

  /**
   * Returns by how much the clock was set ahead, or the machine was suspended, since the start, in
   * ms, as of the current burst. On the shard's thread only.
   */
  public long skippedMillis() {
    return skipped;
  }

  /** Returns {@link #steadyMillis} as of the current burst. On the shard's thread only. */
  public long steadyNow() {
    return now - skipped;
  }

  /** Returns {@link #skippedMillis} as of this moment. Any thread may call. */
  public long clockSkippedMillis() {
    return clock.skipped();
  }

  /**
   * Returns a time that nothing sets, in ms: what is measured by it does not notice that the clock
   * is set. Any thread may call.
   */
  public long steadyMillis() {
    return clock.unskipped();
  }

  /**
   * Has a timer fire when {@link #steadyMillis} is at least this, or before it: then it has to be
   * set again. On the shard's thread only.
   *
   * @param atMillis {@link Long#MAX_VALUE} for never
   */
  public void scheduleSteady(Timer timer, long atMillis) {
    timers.schedule(timer, atMillis > NEVER - skipped ? NEVER : atMillis + skipped);
  }

  /** Returns what time it is by the clock, in ms since the epoch. Any thread may call. */
  public long clockMillis() {
    return clock.millis();
  }

  /**
   * Returns how much time has passed since the shard was made, in ns, whatever the clock has been
   * set to. Any thread may call.
   */
  public long elapsedNanos() {
    return loop.nanoTime() - madeAtNanos;
  }

  /** The timers of the shard's queues. On the shard's thread only. */
  public TimerWheel timers() {
    return timers;
  }

  /**
   * Returns whether nothing waits to be done at the present time: no task, and no timer that is
   * due. On the shard's thread only, between bursts.
   */
  public boolean isIdle() {
    return mailbox.isEmpty()
        && later.isEmpty()
        && loop.backlog() == 0
        && timers.nextDeadlineMillis(now) > now;
  }

  /** Returns what it has measured. Any thread may read. */
  public ShardHistograms histograms() {
    return histograms;
  }

  /**
   * Returns about how many tasks wait for the thread. Any thread may call; takes a time in
   * proportion to their number.
   */
  public int backlog() {
    return mailbox.size() + loop.backlog();
  }

  /** Returns where uncaught exceptions are reported. Any thread may call. */
  public Faults faults() {
    return faults;
  }

  /**
   * Runs a task as a burst on the shard's thread, later; what it throws is reported. Any thread may
   * call.
   */
  public void execute(Runnable task) {
    if (loop.inEventLoop()) {
      loop.execute(() -> runContained(task));
      return;
    }
    mailbox.add(task);
    if (!awaited.get() && awaited.compareAndSet(false, true)) {
      loop.execute(this::openMailbox);
    }
  }

  /** Runs a task as a burst: now if the caller is on the shard's thread, else later. */
  public void runOrExecute(Runnable task) {
    if (isCurrent()) {
      run(task);
    } else {
      execute(task);
    }
  }

  /** Runs work as a burst on the shard's thread and returns its result. Any thread may call. */
  public <T> CompletableFuture<T> call(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    runOrExecute(
        () -> {
          try {
            result.complete(work.get());
          } catch (Throwable e) {
            if (Faults.isFatal(e)) {
              faults.report("a task of", this, e);
            }
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /**
   * Runs a task as a burst, after clients have had their turn: the next slice of a long operation.
   * Clients have their turn after each such task, however many operations there are. On the shard's
   * thread only.
   */
  public void executeLater(Runnable task) {
    later.addLast(task);
    if (later.size() == 1) {
      loop.executeLater(this::runNextLater);
    }
  }

  private void runNextLater() {
    try {
      runContained(later.peekFirst());
    } finally {
      // Only now, so that what the task has added does not start another run.
      later.removeFirst();
      if (!later.isEmpty()) {
        loop.executeLater(this::runNextLater);
      }
    }
  }

  private void openMailbox() {
    awaited.set(false);
    if (!mailbox.isEmpty()) {
      // A burst for the tasks in the mailbox.
      run(() -> {});
    }
  }

  /** Runs the tasks in the mailbox; if there are very many, the rest later. */
  private void emptyMailbox() {
    for (int i = 0; i < MOST_AT_ONCE; i++) {
      Runnable task = mailbox.poll();
      if (task == null) {
        return;
      }
      // It may have arrived after the burst began.
      readClock();
      try {
        task.run();
      } catch (Throwable e) {
        failed(e);
      }
    }
    loop.executeLater(this::openMailbox);
  }

  private void runContained(Runnable task) {
    try {
      run(task);
    } catch (Throwable e) {
      failed(e);
    }
  }

  private void failed(Throwable fault) {
    faults.report("a task of", this, fault);
  }

  /**
   * Runs a task now, as a burst or as part of the current one; an exception is thrown to the caller
   * when the burst has ended. On the shard's thread only.
   */
  public void run(Runnable task) {
    boolean begins = depth++ == 0;
    try {
      if (begins) {
        readClock();
        beganAtNanos = System.nanoTime();
        emptyMailbox();
      }
      task.run();
    } finally {
      if (--depth == 0) {
        endBurst();
      }
    }
  }

  /**
   * Has a listener called at the end of the current burst. It must not be added twice before that.
   */
  public void atEndOfBurst(EndOfBurstListener member) {
    members.addLast(member);
  }

  /** Has a listener called after all others: for work on which no result of the burst depends. */
  public void afterBurst(EndOfBurstListener member) {
    lastMembers.addLast(member);
  }

  /**
   * Has a listener called at the end of each burst from now on, when those that were added while it
   * ran have been called. For what waits for a change that any command may bring about.
   */
  public void watch(EndOfBurstListener watcher) {
    watchers.add(watcher);
  }

  /** Has a listener called no more that watches. */
  public void unwatch(EndOfBurstListener watcher) {
    watchers.remove(watcher);
  }

  private void endBurst() {
    depth++;
    try {
      callMembers();
      if (!watchers.isEmpty()) {
        callWatchers();
      }
    } finally {
      depth--;
      wakeForTimers();
      histograms.bursts().record(System.nanoTime() - beganAtNanos);
    }
  }

  /**
   * Calls all listeners, even if one fails, because it is unknown when the next burst comes.
   * Returns whether there was any.
   */
  private boolean callMembers() {
    EndOfBurstListener member = nextMember();
    boolean any = member != null;
    while (member != null) {
      try {
        member.endOfBurst();
      } catch (Throwable e) {
        faults.report("the end of a burst of", this, e);
      }
      member = nextMember();
    }
    return any;
  }

  /**
   * What they bring about is passed on, too. One may stop watching meanwhile. As one that has
   * looked already may be concerned, they look again soon.
   */
  private void callWatchers() {
    for (EndOfBurstListener watcher : List.copyOf(watchers)) {
      try {
        watcher.endOfBurst();
      } catch (Throwable e) {
        faults.report("the end of a burst of", this, e);
      }
    }
    if (callMembers() && !watchers.isEmpty()) {
      loop.executeLater(() -> run(() -> {}));
    }
  }

  private EndOfBurstListener nextMember() {
    EndOfBurstListener member = members.pollFirst();
    return member != null ? member : lastMembers.pollFirst();
  }

  private void wakeForTimers() {
    long next = timers.nextDeadlineMillis(now);
    if (next < wakeAt && (passes || next <= now)) {
      long at = Math.min(next, now + LONGEST_SLEEP_MILLIS);
      wakeAt = at;
      if (at <= now) {
        loop.executeLater(() -> onWake(at));
      } else {
        loop.schedule(() -> onWake(at), at - now);
      }
    }
  }

  /**
   * Handles a wake-up. One that was replaced by an earlier one is no longer expected: it must not
   * set another.
   */
  private void onWake(long deadline) {
    if (deadline != wakeAt) {
      return;
    }
    fireTimers();
  }

  /**
   * Fires timers that are due, as a burst; if there are very many, the rest soon. To be called when
   * a {@link SettableClock} was set; else it happens by itself. On the shard's thread only, between
   * bursts.
   */
  public void fireTimers() {
    runContained(
        () -> {
          wakeAt = NEVER;
          timers.advance(now, TIMERS_PER_BURST);
        });
  }

  @Override
  public String toString() {
    return "shard " + index;
  }
}
