package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ReportIT {
  @Test
  void saysWhatThereIs() throws Exception {
    try (MayflyBroker broker =
            MayflyBroker.builder().clockStart(Instant.parse("2026-01-01T00:00:00Z")).start();
        Client client = Client.of(broker)) {
      client.queue("orders", null);
      client.queue(
          "short",
          Map.of(
              "x-message-ttl", 1000,
              "x-dead-letter-exchange", "",
              "x-dead-letter-routing-key", "orders"));
      client.channel.queueBind("orders", "amq.topic", "order.*");
      client.publish("short", "a");
      broker.clock().advance(Duration.ofSeconds(1));
      client.publish("orders", "b");
      client.channel.basicQos(1);
      client.channel.basicConsume("orders", false, "keeper", (tag, message) -> {}, tag -> {});
      long begin = System.nanoTime();
      while (broker.queue("orders").unacked() < 1
          && System.nanoTime() - begin < Duration.ofSeconds(60).toNanos()) {
        Thread.onSpinWait();
      }
      assertThat(broker.report())
          .contains(
              "The broker at 2026-01-01T00:00:01Z",
              "queues:\n  queue 'orders': 1 ready, 1 unacknowledged, 0 delayed, 1 consumers",
              "bindings:\n  exchange 'amq.topic' to queue 'orders' by 'order.*'",
              "not acknowledged:\n  1 by channel 127.0.0.1:",
              "user guest, consumers: keeper of queue 'orders'",
              "deaths:\n  2026-01-01T00:00:01Z queue 'short': expired by message-ttl,"
                  + " dead_lettered to orders");
    }
  }
}
