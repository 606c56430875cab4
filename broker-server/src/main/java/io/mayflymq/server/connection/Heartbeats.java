package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.delivery.ConnectionOutput;

/**
 * Heartbeats of one connection: one is sent every half interval, and a peer that sends nothing for
 * two intervals is given up (AMQP 0-9-1 section 4.2.7). Belongs to the connection's loop.
 *
 * <p>They are sent even if something else was, though they need not be: a client that gives up
 * after one interval would else be left with a gap of nearly that between a frame and the next
 * heartbeat.
 */
final class Heartbeats {
  private final EventLoop loop;
  private final Runnable inBurst;
  private final ConnectionOutput output;
  private final Runnable onSilence;
  private final int halfIntervalMillis;
  private int silentHalves;
  private boolean listening = true;
  private boolean stopped;

  /**
   * Starts them.
   *
   * @param seconds the negotiated interval, more than 0
   * @param onSilence what to do about a peer that is gone
   */
  static Heartbeats start(int seconds, Shard home, ConnectionOutput output, Runnable onSilence) {
    Heartbeats heartbeats = new Heartbeats(seconds, home, output, onSilence);
    heartbeats.scheduleNext();
    return heartbeats;
  }

  private Heartbeats(int seconds, Shard home, ConnectionOutput output, Runnable onSilence) {
    this.loop = home.loop();
    this.inBurst = () -> home.run(this::tick);
    this.output = output;
    this.onSilence = onSilence;
    this.halfIntervalMillis = seconds * 500;
  }

  /** Something was read. */
  void heard() {
    silentHalves = 0;
  }

  /** Nothing is read for now, so silence means nothing. Heartbeats are still sent. */
  void pauseListening() {
    listening = false;
  }

  /** What comes is read again: the peer has two intervals from now. */
  void resumeListening() {
    listening = true;
    silentHalves = 0;
  }

  /** The connection is closed. */
  void stop() {
    stopped = true;
  }

  private void scheduleNext() {
    loop.schedule(inBurst, halfIntervalMillis);
  }

  private void tick() {
    if (stopped) {
      return;
    }
    if (listening && ++silentHalves > 4) {
      onSilence.run();
      return;
    }
    output.heartbeat();
    scheduleNext();
  }
}
