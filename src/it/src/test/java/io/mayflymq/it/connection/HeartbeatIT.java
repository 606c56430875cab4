package io.mayflymq.it.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.io.EOFException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

/**
 * Tests heartbeats in both directions: they are sent when idle, and a client without heartbeats is
 * disconnected.
 */
@BlackBox
class HeartbeatIT {

  @Test
  void aSilentClientGetsHeartbeatsAndIsDropped(Target target, Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "held");
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 1);
      client.openVirtualHost("/");
      client.channelOpen(1);
      client.method(1, RawWriter.method(60, 70).uint16(0).shortString(queue).uint8(0));
      long start = System.nanoTime();
      int heartbeats = 0;
      try {
        for (RawFrame frame = client.read(); ; frame = client.read()) {
          heartbeats += frame.type() == RawFrame.HEARTBEAT ? 1 : 0;
        }
      } catch (EOFException | SocketException e) {
        assertThat(heartbeats).as("sent at least once per interval").isGreaterThanOrEqualTo(1);
        assertThat(Time.millisBetween(start, System.nanoTime()))
            .as("dropped after about two intervals")
            .isBetween(1_500.0, Patience.FORGOTTEN_MILLIS);
      }
    }
    amqp.awaitReady(queue, 1);
  }

  @Test
  void heartbeatsKeepAnIdleClient(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 1);
      client.openVirtualHost("/");
      for (int i = 0; i < 10; i++) {
        Time.pass(400);
        client.frame(RawFrame.HEARTBEAT, 0);
      }
      client.sendChannelOpen(1);
      RawFrame frame = client.read();
      int heartbeats = 0;
      while (frame.type() == RawFrame.HEARTBEAT) {
        heartbeats++;
        frame = client.read();
      }
      assertThat(frame.isMethod(20, 11)).isTrue();
      assertThat(heartbeats).as("in four seconds or more").isPositive();
    }
  }

  @Test
  void anyFrameCountsAsAHeartbeat(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 1);
      client.openVirtualHost("/");
      for (int i = 0; i < 10; i++) {
        Time.pass(400);
        client.assertAlive(1);
      }
    }
  }

  @Test
  void aHeartbeatIntervalOfZeroTurnsHeartbeatsOff(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 0);
      client.openVirtualHost("/");
      Time.pass(2_500);
      client.sendChannelOpen(1);
      assertThat(client.read().isMethod(20, 11)).as("no heartbeat in between").isTrue();
    }
  }
}
