package io.mayflymq.core.queue;

import io.mayflymq.core.policy.PaceSettings.Rate;
import java.util.Arrays;

/**
 * Says when the next message may pass, so that all keep to a rate: within any second of the queue's
 * clock no more than the rate, and no more than the burst at once.
 *
 * <p>The first is exact: what has passed in each of the last 1000 ms is counted. The second is a
 * credit that grows by the rate up to the burst, and that each message takes one of.
 */
public final class Pace {
  private static final int WINDOW_MILLIS = 1000;

  /** A message costs so much of the credit, which grows by the rate in each ms. */
  private static final long PRICE = 1000;

  private final Rate settings;
  private final long rate;
  private final long burst;

  /** How many have passed in each ms of the window. */
  private final int[] counts = new int[WINDOW_MILLIS];

  private long inWindow;
  private long credit;
  private long now;

  private Pace(Rate settings, long nowMillis) {
    this.settings = settings;
    this.rate = settings.perSecond();
    this.burst = settings.burst();
    this.credit = burst * PRICE;
    this.now = nowMillis;
  }

  /**
   * Returns what keeps to a rate: the pace before if it has the same, else one by which nothing has
   * passed; null if there is no rate.
   */
  public static Pace of(Rate settings, Pace before, long nowMillis) {
    if (settings == null) {
      return null;
    }
    return before != null && before.settings.equals(settings)
        ? before
        : new Pace(settings, nowMillis);
  }

  /** Returns whether a message may pass now. */
  boolean allows(long nowMillis) {
    if (nowMillis != now) {
      advance(nowMillis);
    }
    return inWindow < rate && credit >= PRICE;
  }

  /** Returns how many messages may pass now, 0 or more. */
  public long room(long nowMillis) {
    return allows(nowMillis) ? Math.min(rate - inWindow, credit / PRICE) : 0;
  }

  /** A message passes, at the time that was asked about last. */
  void passed() {
    passed(1);
  }

  /** So many messages pass, at the time that was asked about last, no more than may. */
  public void passed(long count) {
    counts[slot(now)] += (int) count;
    inWindow += count;
    credit -= count * PRICE;
  }

  /**
   * So many messages of those that passed did not pass after all.
   *
   * @param atMillis the time at which they passed
   */
  public void giveBack(long count, long atMillis) {
    if (now - atMillis < WINDOW_MILLIS) {
      counts[slot(atMillis)] -= (int) count;
      inWindow -= count;
    }
    credit = Math.min(burst * PRICE, credit + count * PRICE);
  }

  /**
   * Lets a message pass as soon as it may, behind all that passed or will pass, and returns when
   * that is.
   */
  public long passAt(long nowMillis) {
    long at = Math.max(nowMillis, now);
    if (!allows(at)) {
      at = next();
      allows(at);
    }
    passed();
    return at;
  }

  /** Returns when the next message may pass, if that is not now. */
  long next() {
    return next(1);
  }

  /**
   * Returns when so many messages may pass at once, if none passes before: not before the time that
   * was asked about last.
   *
   * @param count 1 or more
   * @return in ms since the epoch; {@link Long#MAX_VALUE} for never, as the burst is smaller
   */
  public long next(long count) {
    if (count > burst) {
      return Long.MAX_VALUE;
    }
    long lacking = count * PRICE - credit;
    long byCredit = lacking <= 0 ? now : now + (lacking + rate - 1) / rate;
    return Math.max(byCredit, nextByWindow(count));
  }

  private long nextByWindow(long count) {
    long left = inWindow;
    long oldest = now - WINDOW_MILLIS + 1;
    while (left > rate - count) {
      left -= counts[slot(oldest)];
      oldest++;
    }
    return left == inWindow ? now : oldest - 1 + WINDOW_MILLIS;
  }

  /** A clock that was set back begins a new window. */
  private void advance(long nowMillis) {
    long passed = nowMillis - now;
    if (passed < 0 || passed >= WINDOW_MILLIS) {
      Arrays.fill(counts, 0);
      inWindow = 0;
      credit = burst * PRICE;
    } else {
      for (long millis = now + 1; millis <= nowMillis; millis++) {
        int slot = slot(millis);
        inWindow -= counts[slot];
        counts[slot] = 0;
      }
      credit = Math.min(burst * PRICE, credit + passed * rate);
    }
    now = nowMillis;
  }

  private static int slot(long millis) {
    return (int) Math.floorMod(millis, (long) WINDOW_MILLIS);
  }
}
