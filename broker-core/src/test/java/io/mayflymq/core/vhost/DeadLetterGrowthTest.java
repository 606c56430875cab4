package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropOutcome;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dead letters of dead letters, to several queues each time. */
class DeadLetterGrowthTest {
  private final TestBroker broker = TestBroker.of(1);
  private final List<Queue> queues = new ArrayList<>();

  private void fanout(String name) {
    broker.vhost.declareExchange(ExchangeDefinition.durable(name, ExchangeType.FANOUT), this);
    broker.trimMemory();
  }

  private void bind(String exchange, String queue) {
    broker.vhost.bind(Binding.toQueue(exchange, queue, ""), broker);
    broker.trimMemory();
  }

  private void dying(String name, int ttl, String exchange) {
    queues.add(
        broker.declare(
            name,
            FieldTable.builder()
                .put("x-message-ttl", ttl)
                .put("x-dead-letter-exchange", exchange)
                .build()));
  }

  private long count(DropOutcome outcome) {
    return queues.stream().mapToLong(queue -> queue.counters().get(Counter.of(outcome))).sum();
  }

  @Test
  void messageThatExpiresFromQueueToQueueBecomesABoundedNumberOfDeadLetters() {
    fanout("dlx");
    for (int i = 0; i < 9; i++) {
      dying("q" + i, 100, "dlx");
      bind("dlx", "q" + i);
    }
    broker.publish("q0", 1, 2, 3);
    broker.advance(2_000);
    // To 8 queues, from each to 7 others, from each to 6 others; 9 * 9 * 9 ways to 5 are too many.
    assertThat(count(DropOutcome.DEAD_LETTERED)).isEqualTo(3 * (1 + 8 + 8 * 7));
    assertThat(count(DropOutcome.CYCLE)).isEqualTo(3 * 8 * 7 * 6);
    assertThat(queues).allSatisfy(queue -> assertThat(broker.ready(queue.name())).isZero());
  }

  @Test
  void copiesThatEndAreNoGrowth() {
    for (int i = 0; i < 20; i++) {
      fanout("dlx" + i);
      dying("q" + i, 100, "dlx" + i);
    }
    broker.declare("q20");
    for (int i = 0; i < 20; i++) {
      broker.declare("audit" + i);
      bind("dlx" + i, "audit" + i);
      bind("dlx" + i, "q" + (i + 1));
    }
    broker.publish("q0", 1);
    broker.advance(4_000);
    for (int i = 0; i < 20; i++) {
      assertThat(broker.drain("audit" + i)).containsExactly(1);
    }
    assertThat(broker.drain("q20")).containsExactly(1);
  }

  @Test
  void oneBroadFanOutIsNoGrowth() {
    fanout("dlx");
    fanout("last");
    dying("first", 100, "dlx");
    dying("second", 100, "last");
    bind("dlx", "second");
    for (int i = 0; i < 1_101; i++) {
      broker.declare("end" + i);
      bind("last", "end" + i);
    }
    broker.publish("first", 1);
    broker.advance(1_000);
    assertThat(broker.drain("end0")).containsExactly(1);
    assertThat(broker.drain("end1100")).containsExactly(1);
  }

  @Test
  void rejectionLetsAMessageGoOn() {
    fanout("dlx");
    for (int i = 0; i < 4; i++) {
      dying("q" + i, 3_600_000, "dlx");
      bind("dlx", "q" + i);
    }
    broker.publish("q0", 1);
    for (int round = 0; round < 12; round++) {
      GetResult result = broker.fetch("q" + round % 4);
      assertThat(result).as("round %s", round).isNotNull();
      broker.settling(
          TestBroker.Settlement.REJECT,
          broker.queue("q" + round % 4),
          TestBroker.getter(),
          result.sequence(),
          result.sequence());
      broker.trimMemory();
    }
    assertThat(count(DropOutcome.CYCLE)).isZero();
    assertThat(count(DropOutcome.DEAD_LETTERED)).isEqualTo(12);
  }
}
