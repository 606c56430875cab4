package io.mayflymq.it.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests when the broker closes a connection by itself. No client may be closed early. Only the
 * quickest of a few must be closed in time, because a short standstill of the machine delays some
 * of them, but a wrong rule all of them.
 */
@BlackBox
@Isolated("it measures time")
class ClosingTimesIT {
  private static final int CLIENTS = 4;

  @Test
  void aSilentClientIsDroppedAfterTwoHeartbeatIntervals(Target target) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    List<Long> spoke = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawClient client = new RawClient(target.port());
      client.tune(2047, 131_072, 1);
      client.sendOpen("/");
      spoke.add(System.nanoTime());
      clients.add(client);
    }
    double quickest = Double.MAX_VALUE;
    for (int i = 0; i < CLIENTS; i++) {
      clients.get(i).readToEnd();
      double millis = Time.millisBetween(spoke.get(i), System.nanoTime());
      assertThat(millis).as("two intervals of silence are allowed").isGreaterThan(1_900);
      quickest = Math.min(quickest, millis);
      clients.get(i).close();
    }
    assertThat(quickest).isLessThan(Patience.FORGOTTEN_MILLIS);
  }

  @Test
  void aRefusedLoginIsDisconnectedAfterASecondWithoutAMethod(Target target) throws Exception {
    double quickest = Double.MAX_VALUE;
    for (int i = 0; i < 2; i++) {
      try (RawClient client = new RawClient(target.port())) {
        client.start();
        long asked = System.nanoTime();
        client.startOk("PLAIN", "\0guest\0wrong", new RawWriter());
        client.expectEnd();
        double millis = Time.millisBetween(asked, System.nanoTime());
        assertThat(millis).as("guessing passwords takes time").isGreaterThan(500);
        quickest = Math.min(quickest, millis);
      }
    }
    assertThat(quickest)
        .as("a client learns of a mistake soon")
        .isLessThan(Patience.FORGOTTEN_MILLIS);
  }
}
