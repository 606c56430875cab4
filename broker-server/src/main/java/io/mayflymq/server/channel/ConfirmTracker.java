package io.mayflymq.server.channel;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.runtime.EndOfBurstListener;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.command.PublishListener;
import java.util.Arrays;

/**
 * Publisher confirms of one channel. Each publish has a number; it is confirmed when all queues
 * that it went to have reported, with basic.nack if one of them refused it.
 *
 * <p>Confirms are coalesced: at the end of a burst everything up to the first unfinished publish
 * goes out as one ack with multiple=true (cut at nacks), and publishes finished beyond it as single
 * acks, so that no confirm waits for a slower queue.
 */
final class ConfirmTracker implements PublishListener, EndOfBurstListener {
  private static final int SMALLEST = 64;

  /** States of a finished publish; a positive number is how many queues have yet to report. */
  private static final int ACKED = 0;

  private static final int NACKED = -1;
  private static final int SENT = -2;

  private final int channel;
  private final ConnectionOutput output;
  private final Shard home;
  private final Counters counters;
  private final InjectedFaults faults;
  private int[] waitingFor = new int[SMALLEST];
  private boolean[] refused = new boolean[SMALLEST];
  private Publisher.Counted[] counted = new Publisher.Counted[SMALLEST];
  private long lowest = 1;
  private long next = 1;

  /** The first publish that is not counted yet. */
  private long uncounted = 1;

  /** How many publishes to an exchange were confirmed that are not counted yet. */
  private long confirmed;

  private Publisher.Counted confirmedOf;
  private int finishedBeyond;
  private int unconfirmed;
  private boolean reportWaits;
  private boolean closed;

  /** Whether a task waits that reports what is delayed. */
  private boolean delayed;

  /** Whether a confirm was dropped, so that none may be for several publishes any more. */
  private boolean dropped;

  ConfirmTracker(
      int channel, ConnectionOutput output, Shard home, Counters counters, InjectedFaults faults) {
    this.faults = faults;
    this.channel = channel;
    this.output = output;
    this.home = home;
    this.counters = counters;
  }

  /** Returns how many publishes have not been reported by all their queues. */
  int unconfirmed() {
    return unconfirmed;
  }

  /**
   * Numbers a publish. With no queue it is confirmed at once.
   *
   * @param queues how many queues it goes to
   * @param exchange where it is counted when it is confirmed
   */
  long published(int queues, Publisher.Counted exchange) {
    int slot = number(queues, exchange);
    if (queues == 0) {
      finished(slot);
    }
    return next++;
  }

  /** Returns whether publishes are to be refused, as a test wants it. */
  boolean refuses() {
    return faults.confirms() == InjectedFaults.Confirms.REFUSED;
  }

  /** Numbers a publish that is refused. */
  void refuse(Publisher.Counted exchange) {
    finished(number(NACKED, exchange));
    next++;
  }

  private int number(int state, Publisher.Counted exchange) {
    ensureRoom();
    int slot = slot(next);
    waitingFor[slot] = state;
    refused[slot] = false;
    counted[slot] = exchange;
    unconfirmed++;
    return slot;
  }

  @Override
  public void settled(long publishSequence, boolean accepted) {
    int slot = slot(publishSequence);
    if (!accepted) {
      refused[slot] = true;
    }
    if (--waitingFor[slot] == 0) {
      if (refused[slot]) {
        waitingFor[slot] = NACKED;
      }
      finished(slot);
    }
  }

  /** Forgets all publishes; called when the channel is closed. */
  void close() {
    closed = true;
    countPublished();
    countConfirmed();
  }

  /** Counts the publishes since the last call, which is cheaper than one at a time. */
  private void countPublished() {
    counters.add(Counter.PUBLISHED_CONFIRM, next - uncounted);
    uncounted = next;
  }

  /** Counts what was confirmed of one exchange, which is mostly that of the next one too. */
  private void countConfirmed() {
    if (confirmed > 0) {
      counters.add(Counter.CONFIRMED, confirmed);
      confirmedOf.add(Counter.CONFIRMED, confirmed);
      confirmed = 0;
    }
  }

  @SuppressWarnings("ReferenceEquality") // one object as long as the exchange is the same
  private void finished(int slot) {
    unconfirmed--;
    if (waitingFor[slot] == ACKED) {
      if (counted[slot] != confirmedOf) {
        countConfirmed();
        confirmedOf = counted[slot];
      }
      confirmed++;
    }
    finishedBeyond++;
    if (!reportWaits) {
      reportWaits = true;
      home.atEndOfBurst(this);
    }
  }

  @Override
  public void endOfBurst() {
    reportWaits = false;
    countConfirmed();
    if (closed) {
      return;
    }
    countPublished();
    report();
  }

  private void report() {
    InjectedFaults.Confirms fate = faults.confirms();
    if (fate == InjectedFaults.Confirms.DELAYED && isDelayed()) {
      return;
    }
    if (fate == InjectedFaults.Confirms.DROPPED) {
      drop();
    }
    reportPrefix();
    for (long sequence = lowest; finishedBeyond > 0 && sequence < next; sequence++) {
      reportSingle(sequence);
    }
    finishedBeyond = 0;
  }

  private boolean isDelayed() {
    delayed = delayed || faults.delayConfirms(home, this::reportDelayed);
    return delayed;
  }

  private void reportDelayed() {
    delayed = false;
    if (!closed) {
      report();
    }
  }

  /** Reports nothing of what is finished. */
  private void drop() {
    for (long sequence = lowest; finishedBeyond > 0 && sequence < next; sequence++) {
      int state = waitingFor[slot(sequence)];
      if (state == ACKED || state == NACKED) {
        waitingFor[slot(sequence)] = SENT;
        finishedBeyond--;
        dropped = true;
      }
    }
  }

  private void reportPrefix() {
    long run = 0;
    long last = 0;
    while (lowest < next && waitingFor[slot(lowest)] <= 0) {
      long sequence = lowest++;
      int state = waitingFor[slot(sequence)];
      if (state == ACKED) {
        run++;
        last = sequence;
        finishedBeyond--;
        if (dropped) {
          reportRun(run, last);
          run = 0;
        }
      } else if (state == NACKED) {
        reportRun(run, last);
        run = 0;
        output.nack(channel, sequence, false);
        finishedBeyond--;
      }
    }
    reportRun(run, last);
  }

  private void reportRun(long run, long last) {
    if (run > 0) {
      output.ack(channel, last, run > 1);
    }
  }

  private void reportSingle(long sequence) {
    int slot = slot(sequence);
    int state = waitingFor[slot];
    if (state == ACKED || state == NACKED) {
      if (state == ACKED) {
        output.ack(channel, sequence, false);
      } else {
        output.nack(channel, sequence, false);
      }
      waitingFor[slot] = SENT;
      finishedBeyond--;
    }
  }

  private void ensureRoom() {
    if (next - lowest < waitingFor.length) {
      return;
    }
    int capacity = waitingFor.length * 2;
    int[] moreWaiting = new int[capacity];
    boolean[] moreRefused = new boolean[capacity];
    Publisher.Counted[] moreCounted = new Publisher.Counted[capacity];
    for (long sequence = lowest; sequence < next; sequence++) {
      int to = (int) (sequence & (capacity - 1));
      moreWaiting[to] = waitingFor[slot(sequence)];
      moreRefused[to] = refused[slot(sequence)];
      moreCounted[to] = counted[slot(sequence)];
    }
    waitingFor = moreWaiting;
    refused = moreRefused;
    counted = moreCounted;
  }

  private int slot(long sequence) {
    return (int) (sequence & (waitingFor.length - 1));
  }

  @Override
  public String toString() {
    return "confirms " + lowest + ".." + (next - 1) + " " + Arrays.toString(waitingFor);
  }
}
