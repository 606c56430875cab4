package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.EventLoop;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.channel.ConnectionOutput;

/**
 * Heartbeats of one connection: one is sent every half interval, and the connection is closed if
 * the peer sends nothing for two intervals (AMQP 0-9-1 section 4.2.7). Used on the connection's
 * loop only.
 *
 * <p>They are sent even if other frames were sent, although the specification does not require it.
 * Otherwise the gap between a frame and the next heartbeat could be nearly one interval, which is
 * too long for a client that gives up after one interval.
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
   * Starts the heartbeats.
   *
   * @param seconds the negotiated interval, more than 0
   * @param onSilence called when the peer has sent nothing for two intervals
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

  /** Notes that something was read. */
  void heard() {
    silentHalves = 0;
  }

  /** Stops the check for silence while the socket is not read. Heartbeats are still sent. */
  void pauseListening() {
    listening = false;
  }

  /** Restarts the check for silence: the peer has two intervals from now. */
  void resumeListening() {
    listening = true;
    silentHalves = 0;
  }

  /** Stops the heartbeats. */
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
