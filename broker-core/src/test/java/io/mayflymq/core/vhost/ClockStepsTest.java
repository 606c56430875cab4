package io.mayflymq.core.vhost;

import static io.mayflymq.core.vhost.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to times in a broker when the clock of its machine is set. */
class ClockStepsTest {
  private static final long HOUR = 3_600_000;
  private static final int SECOND = 1_000;
  private static final int MINUTE = 60 * SECOND;

  private final TestBroker broker = TestBroker.of(2);

  private static FieldTable leased() {
    return FieldTable.builder().put("x-expires", SECOND).build();
  }

  private boolean isThere(String queue) {
    return broker.vhost.routing().queue(queue) != null;
  }

  private void publish(Queue queue, int number, long ttl) {
    broker.publishing(queue, message(number, true, ttl, 0), (sequence, accepted) -> {});
  }

  @ParameterizedTest
  @ValueSource(longs = {HOUR, -HOUR, 600, -600})
  void leaseOfAQueueEndsAfterItsTime(long step) {
    broker.declare("q", leased());
    broker.advance(400);
    broker.clock().jump(step);
    broker.advance(600);
    assertThat(isThere("q")).isTrue();
    broker.advance(2);
    assertThat(isThere("q")).isFalse();
  }

  @Test
  void leaseIsRenewedByAUseAfterTheStep() {
    broker.declare("q", leased());
    broker.advance(400);
    broker.clock().jump(HOUR);
    broker.fetch("q");
    broker.advance(900);
    broker.clock().jump(HOUR);
    broker.fetch("q");
    broker.advance(SECOND);
    assertThat(isThere("q")).isTrue();
    broker.advance(2);
    assertThat(isThere("q")).isFalse();
  }

  @Test
  void queueDeclaredAfterTheStepHasItsWholeLease() {
    broker.clock().jump(HOUR);
    broker.declare("q", leased());
    broker.advance(SECOND);
    assertThat(isThere("q")).isTrue();
    broker.advance(2);
    assertThat(isThere("q")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {HOUR, -HOUR})
  void leaseOfAnExchangeEndsAfterItsTime(long step) {
    broker.vhost.declareExchange(
        new ExchangeDefinition("e", ExchangeType.FANOUT, false, false, false, leased()), this);
    broker.advance(400);
    broker.clock().jump(step);
    broker.advance(600);
    assertThat(broker.vhost.routing().exchange("e")).isNotNull();
    broker.advance(4);
    assertThat(broker.vhost.routing().exchange("e")).isNull();
  }

  @Test
  void messageExpiresInTimeAfterAStepBack() {
    Queue queue = broker.declare("q");
    publish(queue, 1, 10 * SECOND);
    broker.clock().jump(-HOUR);
    publish(queue, 2, 10 * SECOND);
    broker.advance(10 * SECOND);
    assertThat(broker.ready("q")).isEqualTo(2);
    // One millisecond in two seconds.
    broker.advance(7);
    assertThat(broker.ready("q")).isZero();
  }

  @Test
  void messageExpiresIfItsTimeIsSkipped() {
    Queue queue = broker.declare("q");
    publish(queue, 1, HOUR / 2);
    publish(queue, 2, 2 * HOUR);
    broker.clock().jump(HOUR);
    broker.advance(1);
    assertThat(broker.drain("q")).containsExactly(2);
  }

  @Test
  void afterARestartDeadlinesGoByTheClockOfTheMachine() {
    Queue queue = broker.declare("q");
    publish(queue, 1, MINUTE);
    broker.clock().jump(-MINUTE);
    publish(queue, 2, MINUTE);
    broker.advance(SECOND);
    TestBroker again = broker.afterKill();
    again.advance(MINUTE - 2 * SECOND);
    assertThat(again.ready("q")).isEqualTo(2);
    again.advance(2 * SECOND);
    assertThat(again.ready("q")).as("the one from before is late by the step").isEqualTo(1);
    again.advance(MINUTE);
    assertThat(again.ready("q")).isZero();
  }
}
