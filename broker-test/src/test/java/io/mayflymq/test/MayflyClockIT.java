package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class MayflyClockIT {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static MayflyBroker start() {
    return MayflyBroker.builder().clockStart(START).start();
  }

  @Test
  void standsUntilItIsMoved() {
    try (MayflyBroker broker = start()) {
      MayflyClock clock = broker.clock();
      assertThat(clock.now()).isEqualTo(START);
      assertThat(clock.advance(Duration.ofMinutes(5))).isEqualTo(START.plusSeconds(300));
      assertThat(clock.advanceTo(START.plusSeconds(600))).isEqualTo(clock.now());
      assertThatThrownBy(() -> clock.advance(Duration.ofMillis(-1)))
          .hasMessageContaining("does not go back");
      assertThatThrownBy(() -> clock.advanceTo(START)).hasMessageContaining("does not go back");
      Clock java = clock.asClock().withZone(ZoneId.of("Europe/Berlin"));
      assertThat(java.instant()).isEqualTo(START.plusSeconds(600));
      assertThat(java.millis()).isEqualTo(clock.now().toEpochMilli());
      assertThat(java.getZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
    }
  }

  @Test
  void goesOnWhereItStoodWhenTheBrokerStartsAgain() {
    try (MayflyBroker broker = start()) {
      broker.clock().advance(Duration.ofDays(1));
      broker.restart();
      assertThat(broker.clock().now()).isEqualTo(START.plus(Duration.ofDays(1)));
      broker.kill();
      broker.restart();
      assertThat(broker.clock().now()).isEqualTo(START.plus(Duration.ofDays(1)));
    }
  }

  @Test
  void theTtlOfADeadLetterBeginsWhenTheMessageHasDied() throws Exception {
    try (MayflyBroker broker = start();
        Client client = Client.of(broker)) {
      client.queue(
          "first",
          Map.of(
              "x-message-ttl", 60_000,
              "x-dead-letter-exchange", "",
              "x-dead-letter-routing-key", "second"));
      client.queue(
          "second",
          Map.of(
              "x-message-ttl", 60_000,
              "x-dead-letter-exchange", "",
              "x-dead-letter-routing-key", "third"));
      client.queue("third", null);
      client.publish("first", "a");
      broker.clock().advance(Duration.ofHours(1));
      assertThat(client.take("third")).containsExactly("a");
      assertThat(broker.deaths())
          .extracting(Death::queue, Death::time)
          .containsExactly(
              tuple("first", START.plusSeconds(60)), tuple("second", START.plusSeconds(120)));
    }
  }

  @Test
  void goesFromOneDueTimeToTheNext() throws Exception {
    try (MayflyBroker broker = start();
        Client client = Client.of(broker)) {
      client.queue("q", null);
      client.publish("q", new BasicProperties.Builder().expiration("5000").build(), "a");
      client.publish("q", new BasicProperties.Builder().expiration("7000").build(), "b");
      while (broker.queue("q").ready() == 2) {
        assertThat(broker.clock().advanceToNext()).isPresent();
      }
      assertThat(broker.clock().now()).isEqualTo(START.plusSeconds(5));
      broker.clock().advanceUntil(() -> broker.queue("q").ready() == 0);
      assertThat(broker.clock().now()).isEqualTo(START.plusSeconds(7));
    }
  }

  @Test
  void aLeaseBeginsAnewWithEachUse() throws Exception {
    try (MayflyBroker broker = start();
        Client client = Client.of(broker)) {
      client.queue("leased", Map.of("x-expires", 30_000));
      broker.clock().advance(Duration.ofMillis(29_999));
      assertThat(client.channel.basicGet("leased", true)).isNull();
      broker.clock().advance(Duration.ofMillis(29_999));
      assertThat(broker.queues()).extracting(QueueState::name).containsExactly("leased");
      broker.clock().advance(Duration.ofMillis(1));
      assertThat(broker.queues()).isEqualTo(List.of());
    }
  }

  @Test
  void aConditionThatNeverHoldsIsReported() throws Exception {
    try (MayflyBroker broker = start();
        Client client = Client.of(broker)) {
      client.queue("q", Map.of("x-message-ttl", 60_000));
      client.publish("q", "a");
      assertThatThrownBy(() -> broker.clock().advanceUntil(() -> false, Duration.ofSeconds(10)))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("the condition is not true at 2026-01-01T00:00:")
          .hasMessageContaining("queue 'q': 1 ready");
      assertThat(broker.clock().now()).isBeforeOrEqualTo(START.plusSeconds(10));
    }
  }

  @Test
  void aRealClockCannotBeMoved() {
    try (MayflyBroker broker = MayflyBroker.builder().realClock().start()) {
      assertThat(broker.clock().now())
          .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
      assertThatThrownBy(() -> broker.clock().advance(Duration.ofHours(1)))
          .hasMessageContaining("is not moved");
      assertThat(broker.queues()).isEqualTo(List.of());
    }
  }

  @Test
  void isExactBesideABrokerOfRealTime() throws Exception {
    try (MayflyBroker broker = start();
        MayflyBroker other = MayflyBroker.builder().realClock().start();
        Client client = Client.of(broker)) {
      client.queue("q", Map.of("x-message-ttl", 60_000));
      client.publish("q", "a");
      broker.clock().advance(Duration.ofMinutes(1));
      assertThat(broker.queue("q").ready()).isZero();
      assertThat(other.queues()).isEmpty();
    }
  }
}
