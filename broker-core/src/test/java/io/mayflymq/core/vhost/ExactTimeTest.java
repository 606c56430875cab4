package io.mayflymq.core.vhost;

import static io.mayflymq.core.vhost.TestBroker.deadLetteringTo;
import static io.mayflymq.core.vhost.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The promise in the broker's name, to the millisecond: a message expires at its own deadline
 * wherever it stands in the queue, and a lease ends when it should. The deadline is the first tick
 * of the clock at which the whole time has passed (see Deadlines). The clock is moved by hand, so
 * how busy the machine is does not matter; {@code src/bench/lateness.py} measures the same on a
 * real one.
 */
class ExactTimeTest {
  private static final int HEAD = -1;
  private static final int MILLIS = 2_000;
  private static final int SHARDS = 2;

  private final TestBroker broker = TestBroker.of(SHARDS);
  private final Random random = new Random(20261122);

  /** How many messages or leases end in each millisecond from now. */
  private final int[] expected = new int[MILLIS + 2];

  @Test
  void messagesBehindALongTtlExpireExactlyAtTheirDeadlines() {
    Queue queue = fill(20_000);
    assertThat(broker.ready("dead")).isZero();
    long expired = 0;
    for (int millis = 1; millis <= MILLIS + 1; millis++) {
      broker.advance(1);
      expired += expected[millis];
      assertThat(queue.counters().get(Counter.EXPIRED))
          .as("after %d ms", millis)
          .isEqualTo(expired);
      assertThat(broker.queue("dead").counters().get(Counter.PUBLISHED)).isEqualTo(expired);
    }
    assertThat(broker.ready("dead")).isEqualTo(20_000);
    assertThat(broker.drain("mortal")).containsExactly(HEAD);
  }

  @Test
  void messagesOfAConsumerWithoutCreditExpireExactlyAtTheirDeadlines() {
    Queue queue = fill(5_000);
    TestBroker.Collector full = broker.consume("mortal", true, 1);
    assertThat(full.numbers()).containsExactly(HEAD);
    long expired = 0;
    for (int millis = 1; millis <= MILLIS + 1; millis++) {
      broker.advance(1);
      expired += expected[millis];
      assertThat(queue.counters().get(Counter.EXPIRED))
          .as("after %d ms", millis)
          .isEqualTo(expired);
    }
    assertThat(full.numbers()).containsExactly(HEAD);
  }

  @Test
  void messageIsDeliveredOnlyBeforeItsDeadline() {
    Queue queue = broker.declare("mortal");
    broker.publishing(queue, message(1, false, 10, 0), (sequence, accepted) -> {});
    broker.publishing(queue, message(2, false, 11, 0), (sequence, accepted) -> {});
    broker.advance(11);
    assertThat(broker.drain("mortal")).containsExactly(2);
  }

  @Test
  void leasesEndExactlyAtTheirTime() {
    for (int number = 0; number < 1_000; number++) {
      int lease = 1 + random.nextInt(MILLIS);
      expected[lease + 1]++;
      broker.declare("leased-" + number, FieldTable.builder().put("x-expires", lease).build());
    }
    int left = 1_000;
    for (int millis = 1; millis <= MILLIS + 1; millis++) {
      broker.advance(1);
      left -= expected[millis];
      assertThat(broker.vhost.routing().queueCount()).as("after %d ms", millis).isEqualTo(left);
    }
  }

  /** A queue whose first message lives long, and what is behind it at most {@link #MILLIS} ms. */
  private Queue fill(int count) {
    broker.declareOn(1, "dead");
    Queue queue = broker.declareOn(0, "mortal", deadLetteringTo("dead"));
    publish(queue, message(HEAD, false, Message.NO_TTL, 0));
    for (int number = 0; number < count; number++) {
      int ttl = 1 + random.nextInt(MILLIS);
      expected[ttl + 1]++;
      publish(queue, message(number, false, ttl, 0));
    }
    broker.trimMemory();
    return queue;
  }

  private void publish(Queue queue, Message message) {
    broker.publishing(queue, message, (sequence, accepted) -> {});
  }
}
