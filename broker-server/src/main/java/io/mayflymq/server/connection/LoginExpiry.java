package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.auth.LoginState;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * Tells a connection when its login is over. For the thread of its shard. It looks every {@link
 * #LONGEST_PAUSE_MILLIS} at least, so a connection that has ended is held no longer than that.
 */
final class LoginExpiry {
  private static final long LONGEST_PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private final Shard home;
  private final InstantSource clock;
  private final Runnable onExpiry;
  private long expiresMillis = LoginState.NEVER;
  private boolean isScheduled;
  private boolean stopped;

  /**
   * @param clock the time by which logins are over
   * @param onExpiry called once, when it is
   */
  LoginExpiry(Shard home, InstantSource clock, Runnable onExpiry) {
    this.home = home;
    this.clock = clock;
    this.onExpiry = onExpiry;
  }

  /**
   * Sets the end of the login, also when there was another one before.
   *
   * @param millis since the epoch
   */
  void expireAt(long millis) {
    expiresMillis = millis;
    if (!isScheduled && millis != LoginState.NEVER) {
      scheduleNext();
    }
  }

  private void scheduleNext() {
    isScheduled = true;
    long left = Math.max(1, expiresMillis - clock.millis());
    home.loop().schedule(() -> home.run(this::look), Math.min(left, LONGEST_PAUSE_MILLIS));
  }

  private void look() {
    isScheduled = false;
    if (stopped || expiresMillis == LoginState.NEVER) {
      return;
    }
    if (clock.millis() >= expiresMillis) {
      stopped = true;
      onExpiry.run();
    } else {
      scheduleNext();
    }
  }

  /** Looks no more. */
  void stop() {
    stopped = true;
  }
}
