package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Timer;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.server.rate.ConnectionRates;

/**
 * Keeps what a connection publishes to the rates of its user and its virtual host: it counts what
 * was published, and has the connection wait until that is due. On the connection's loop.
 */
final class PublishPace {
  /** One that waits looks so often whether there are other rates. */
  private static final long LOOK_MILLIS = 1_000;

  private final Shard home;
  private final ShardCommandSender commands;
  private final ConnectionRates rates;
  private final Runnable goOn;

  /** When the next may be published, in ms since the epoch. */
  private long keptAt;

  private boolean waits;

  private final Timer timer =
      new Timer() {
        @Override
        protected void fire(long nowMillis) {
          look(nowMillis);
        }
      };

  /**
   * Creates one that does not wait.
   *
   * @param home the connection's loop
   * @param commands tells how much is published, and is told how much may be at once
   * @param goOn called when the connection need not wait any more
   */
  PublishPace(Shard home, ShardCommandSender commands, ConnectionRates rates, Runnable goOn) {
    this.home = home;
    this.commands = commands;
    this.rates = rates;
    this.goOn = goOn;
  }

  /** Returns whether the connection has to wait. */
  boolean waits() {
    return waits;
  }

  /** Counts what was published since the last call. At the end of each read. */
  void keep() {
    long published = commands.takePublished();
    if (!rates.boundPublishing()) {
      commands.stopAfter(Long.MAX_VALUE);
      return;
    }
    long now = home.now();
    commands.stopAfter(rates.mostAtOnce());
    if (published > 0) {
      keptAt = Math.max(keptAt, rates.published(published, now));
      if (keptAt > now && !waits) {
        waits = true;
        lookLater(now);
      }
    }
  }

  private void lookLater(long nowMillis) {
    home.timers().schedule(timer, Math.min(keptAt, nowMillis + LOOK_MILLIS));
  }

  private void look(long nowMillis) {
    if (nowMillis < keptAt && rates.areAsPublished()) {
      lookLater(nowMillis);
    } else {
      keptAt = Math.min(keptAt, nowMillis);
      waits = false;
      goOn.run();
    }
  }

  /** The connection has ended. */
  void end() {
    home.timers().cancel(timer);
    rates.close();
  }
}
