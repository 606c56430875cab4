package io.mayflymq.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Leases end on time: never early, and within 50 ms. */
@BlackBox
@Isolated("it measures time")
class LeaseTimingIT {
  private static final double PROMPT_MILLIS = 50;

  private record Lease(String queue, long before, long after, int millis) {}

  @Test
  void leasesEndOnTime(Amqp amqp) throws Exception {
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
      leases.add(new Lease(queue, before, System.nanoTime(), millis));
    }
    // When each queue was last seen: what is gone went after that.
    Map<String, Long> seen = new HashMap<>();
    long end = System.nanoTime() + 10_000_000_000L;
    while (gone.size() < leases.size()) {
      assertThat(System.nanoTime()).as("all are gone within 10 s").isLessThan(end);
      long asked = System.nanoTime();
      for (Lease lease : leases) {
        if (!gone.containsKey(lease.queue())) {
          probing.basicPublish("", lease.queue(), true, Amqp.PLAIN, new byte[0]);
        }
      }
      assertThat(probing.waitForConfirms(5_000)).isTrue();
      for (Lease lease : leases) {
        if (!gone.containsKey(lease.queue())) {
          seen.put(lease.queue(), asked);
        }
      }
    }
    for (Lease lease : leases) {
      assertThat(Time.millisBetween(lease.before(), gone.get(lease.queue())))
          .as("never early")
          .isGreaterThanOrEqualTo(lease.millis() - 1.0);
      assertThat(Time.millisBetween(lease.after(), seen.get(lease.queue())))
          .as("prompt")
          .isLessThanOrEqualTo(lease.millis() + PROMPT_MILLIS);
    }
  }

  @Test
  void thousandsMayEndTogether(Amqp amqp) throws Exception {
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
      assertThat(probing.waitForConfirms(5_000)).isTrue();
      assertThat(Time.millisBetween(declared, System.nanoTime())).isLessThan(5_000);
    }
    assertThat(amqp.exists(prefix)).isTrue();
  }
}
