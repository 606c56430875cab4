package io.mayflymq.it.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/**
 * Leases never end early, also when many end together. How promptly they end is tested to the
 * millisecond with a manual clock ({@code ExactTimeTest}).
 */
@BlackBox
class LeaseTimingIT {
  private record Lease(String queue, long before, int millis) {}

  @Test
  void leasesNeverEndEarly(Amqp amqp) throws Exception {
    Random random = new Random(7);
    Channel declaring = amqp.channel();
    Channel probing = amqp.confirming();
    Map<String, Long> gone = new ConcurrentHashMap<>();
    probing.addReturnListener(
        message -> gone.putIfAbsent(message.getRoutingKey(), System.nanoTime()));
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String queue = amqp.name();
      int millis = 200 + random.nextInt(1_000);
      long before = System.nanoTime();
      declaring.queueDeclare(queue, false, false, false, Map.of("x-expires", millis));
      leases.add(new Lease(queue, before, millis));
    }
    long end = System.nanoTime() + Patience.TIME.toNanos();
    while (gone.size() < leases.size()) {
      assertThat(System.nanoTime()).as("all are gone").isLessThan(end);
      for (Lease lease : leases) {
        if (!gone.containsKey(lease.queue())) {
          probing.basicPublish("", lease.queue(), true, Amqp.PLAIN, new byte[0]);
        }
      }
      assertThat(probing.waitForConfirms(Patience.MILLIS)).isTrue();
    }
    for (Lease lease : leases) {
      assertThat(Time.millisBetween(lease.before(), gone.get(lease.queue())))
          .as("never early")
          .isGreaterThanOrEqualTo(lease.millis() - 1.0);
    }
  }

  @Test
  void thousandsOfLeasesCanEndTogether(Amqp amqp) throws Exception {
    int count = 3_000;
    Channel channel = amqp.channel();
    String prefix = amqp.name();
    Map<String, Object> lease = Map.of("x-expires", 800);
    for (int i = 0; i < count; i++) {
      channel.queueDeclareNoWait(prefix + "-" + i, false, false, false, lease);
    }
    channel.queueDeclare(prefix, false, false, false, Map.of());
    long declared = System.nanoTime();
    Time.pass(800);
    Channel probing = amqp.confirming();
    Map<String, Boolean> gone = new ConcurrentHashMap<>();
    probing.addReturnListener(message -> gone.put(message.getRoutingKey(), true));
    while (gone.size() < count) {
      for (int i = 0; i < count; i++) {
        probing.basicPublish("", prefix + "-" + i, true, Amqp.PLAIN, new byte[0]);
      }
      assertThat(probing.waitForConfirms(Patience.MILLIS)).isTrue();
      assertThat(Time.millisBetween(declared, System.nanoTime()))
          .isLessThan(Patience.FORGOTTEN_MILLIS);
    }
    assertThat(amqp.exists(prefix)).isTrue();
  }
}
