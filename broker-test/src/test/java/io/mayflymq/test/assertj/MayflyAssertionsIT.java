package io.mayflymq.test.assertj;

import static io.mayflymq.test.assertj.MayflyAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.test.MayflyBroker;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class MayflyAssertionsIT {
  private static void declare(MayflyBroker broker, String name, Map<String, ?> arguments) {
    broker.api("PUT", "queues/%2F/" + name, Map.of("durable", true, "arguments", arguments));
  }

  private static void publish(MayflyBroker broker, String queue, String body) {
    broker.api(
        "POST",
        "exchanges/%2F/amq.default/publish",
        Map.of(
            "properties",
            Map.of("message_id", "m-" + body),
            "routing_key",
            queue,
            "payload",
            body,
            "payload_encoding",
            "string"));
  }

  @Test
  void holdWhenTheyAreTrue() {
    try (MayflyBroker broker = MayflyBroker.start()) {
      declare(broker, "failed", Map.of());
      declare(
          broker,
          "orders",
          Map.of(
              "x-message-ttl", 60_000,
              "x-dead-letter-exchange", "",
              "x-dead-letter-routing-key", "failed"));
      declare(broker, "lost", Map.of("x-message-ttl", 1000));
      publish(broker, "orders", "a");
      publish(broker, "orders", "b");
      publish(broker, "lost", "c");
      broker.clock().advance(Duration.ofSeconds(20));
      assertThat(broker)
          .queue("orders")
          .hasReady(2)
          .hasUnacked(0)
          .hasDelayed(0)
          .hasConsumers(0)
          .oldest()
          .hasBody("a")
          .hasMessageId("m-a")
          .expiresIn(Duration.ofSeconds(40));
      assertThat(broker).queue("lost").isEmpty().dropped("expired");
      broker.clock().advance(Duration.ofSeconds(40));
      assertThat(broker).queue("orders").isEmpty().deadLettered("expired", "failed");
      assertThat(broker).queue("failed").hasReady(2).oldest().neverExpires();
      assertThat(broker).hasNoQueue("other").deaths().hasSize(3);
    }
  }

  @Test
  void sayWhatThereWasInstead() {
    try (MayflyBroker broker = MayflyBroker.start()) {
      declare(broker, "orders", Map.of("x-message-ttl", 60_000));
      publish(broker, "orders", "a");
      assertThatThrownBy(() -> assertThat(broker).queue("orders").hasReady(3))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("expected 3 ready messages in queue 'orders', there were 1")
          .hasMessageContaining("queues:");
      assertThatThrownBy(() -> assertThat(broker).queue("other"))
          .hasMessageContaining("expected queue 'other' in vhost '/', there were [orders]");
      assertThatThrownBy(
              () -> assertThat(broker).queue("orders").oldest().expiresIn(Duration.ofHours(1)))
          .hasMessageContaining("to expire in PT1H, but it expires in PT1M");
      assertThatThrownBy(() -> assertThat(broker).queue("orders").oldest().neverExpires())
          .hasMessageContaining("message m-a 'a'");
      assertThatThrownBy(() -> assertThat(broker).queue("orders").oldest().hasBody("b"))
          .hasMessageContaining("expected body 'b', it was 'a'");
      assertThatThrownBy(() -> assertThat(broker).queue("orders").oldest().hasMessageId("b"))
          .hasMessageContaining("it was 'm-a'");
      broker.clock().advance(Duration.ofMinutes(1));
      assertThatThrownBy(() -> assertThat(broker).queue("orders").deadLettered("expired", "failed"))
          .hasMessageContaining("a message dead-lettered to 'failed', reason 'expired'")
          .hasMessageContaining("no_exchange");
      assertThatThrownBy(() -> assertThat(broker).queue("orders").oldest())
          .hasMessageContaining("expected a ready message in queue 'orders', there was none");
    }
  }
}
