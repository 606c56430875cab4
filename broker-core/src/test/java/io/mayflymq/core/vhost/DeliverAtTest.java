package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Delay;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that have the time from which they are handed out in a header. */
class DeliverAtTest {
  private static final int PROGRAMS = 60;
  private static final int STEPS = 120;
  private static final long NEVER = Long.MAX_VALUE;
  private static final FieldTable ARGUMENTS =
      FieldTable.builder().put("x-deliver-at-header", "at").put("x-deadline-header", "end").build();

  private TestBroker broker = TestBroker.of(2);

  private static Message message(int number, FieldTable headers) {
    byte[] body = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    return Message.ofBroker(
        "",
        ShortString.of("key"),
        BasicProperties.builder().deliveryMode(2).headers(headers).build(),
        body);
  }

  private void publish(String queue, int number, FieldTable headers) {
    broker.publishing(broker.queue(queue), message(number, headers), (sequence, accepted) -> {});
    broker.trimMemory();
  }

  private static FieldTable at(FieldValue time) {
    return FieldTable.builder().put("at", time).build();
  }

  private long now() {
    return broker.clock().millis();
  }

  /** A message as the rules have it. */
  private record Naive(int number, long at, long end) {
    boolean diesAtOnce(long now) {
      return end <= Math.max(now, at);
    }
  }

  /**
   * Random programs of publishes, gets, kills and the passing of time, beside a model: a message
   * waits for its time, dies at once if its deadline lies before that, and at its deadline later.
   */
  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void messagesWaitAndDieAsInTheModel(String type) {
    for (int program = 0; program < PROGRAMS; program++) {
      Random random = new Random(4802 + program);
      broker = TestBroker.of(1 + random.nextInt(2));
      broker.declare("q", ARGUMENTS.toBuilder().put("x-queue-type", type).build());
      List<Naive> waiting = new ArrayList<>();
      List<Naive> ready = new ArrayList<>();
      long early = 0;
      for (int step = 0; step < STEPS; step++) {
        int kind = random.nextInt(10);
        if (kind < 5) {
          Naive one =
              new Naive(
                  step,
                  random.nextInt(3) == 0 ? 0 : now() + random.nextInt(60) - 10,
                  random.nextInt(2) == 0 ? NEVER : now() + random.nextInt(80) - 5);
          FieldTable.Builder headers = FieldTable.builder().put("at", one.at);
          if (one.end != NEVER) {
            headers.put("end", one.end);
          }
          publish("q", one.number, headers.build());
          if (one.diesAtOnce(now())) {
            early++;
          } else {
            (one.at > now() ? waiting : ready).add(one);
          }
        } else if (kind < 8) {
          early += pass(random.nextInt(15), waiting, ready);
        } else if (kind < 9) {
          assertThat(broker.drain("q"))
              .containsExactlyElementsOf(ready.stream().map(Naive::number).toList());
          ready.clear();
        } else if (random.nextInt(4) == 0) {
          broker = broker.afterKill();
          early = 0;
        }
        QueueSnapshot told = QueueSnapshot.of(broker.queue("q"));
        assertThat(told.scheduled().ready()).as("waiting in %s", program).isEqualTo(waiting.size());
        assertThat(broker.ready("q")).as("ready in %s", program).isEqualTo(ready.size());
        assertThat(broker.queue("q").counters().get(Counter.EXPIRED_BY_DEADLINE))
            .as("expired in %s", program)
            .isEqualTo(early);
      }
    }
  }

  /** Lets time pass, one millisecond at a time. Returns how many messages have died. */
  private long pass(int millis, List<Naive> waiting, List<Naive> ready) {
    long died = 0;
    for (int i = 0; i < millis; i++) {
      broker.advance(1);
      long now = now();
      waiting.stream()
          .filter(one -> one.at <= now)
          .sorted(Comparator.comparingLong(Naive::at))
          .forEach(ready::add);
      waiting.removeIf(one -> one.at <= now);
      int before = ready.size();
      ready.removeIf(one -> one.end <= now);
      died += before - ready.size();
    }
    return died;
  }

  @Test
  void timeThatIsNoneIsDeliveredAtOnce() {
    broker.declare("q", ARGUMENTS);
    publish("q", 1, at(FieldValue.of("tomorrow")));
    publish("q", 2, at(FieldValue.of("-5")));
    publish("q", 3, at(new FieldValue.Int64(-1)));
    publish("q", 4, at(new FieldValue.Float64(1e15)));
    publish("q", 5, at(new FieldValue.Int64(now() - 1)));
    assertThat(broker.drain("q")).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void timeThatIsTooFarAwayIsNone() {
    broker.declare("q", ARGUMENTS);
    publish("q", 1, at(new FieldValue.Int64(now() + Delay.LONGEST_MILLIS)));
    publish("q", 2, at(new FieldValue.Int64(now() + Delay.LONGEST_MILLIS + 1)));
    publish("q", 3, at(new FieldValue.Int64(Long.MAX_VALUE - 1)));
    assertThat(broker.drain("q")).containsExactly(2, 3);
    assertThat(QueueSnapshot.of(broker.queue("q")).scheduled().ready()).isEqualTo(1);
  }

  /** Publishers look into headers only where a queue may name one with a time. */
  @Test
  void headersAreLookedAtWhereAQueueMayNameOne() {
    broker.declare("other", TestBroker.deadLetteringTo("q"));
    assertThat(broker.vhost.schedulesByHeaders()).isFalse();
    broker.declare("q", ARGUMENTS);
    broker.declare("r", ARGUMENTS);
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    broker.delete("q");
    broker = broker.afterKill();
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    broker.delete("r");
    assertThat(broker.vhost.schedulesByHeaders()).isFalse();
    policy("deliver-at-header", "at");
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    broker = broker.afterKill();
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    broker.vhost.policies().clear(PolicyKind.POLICY, "p");
    broker.advance(1);
    assertThat(broker.vhost.schedulesByHeaders()).isFalse();
  }

  @Test
  void headerAndPauseOfTheConfigurationCount() {
    broker.declare("q");
    assertThat(broker.vhost.policies().table().pauses()).isFalse();
    broker
        .vhost
        .policies()
        .use(
            new Defaults(
                Dialect.DEFAULT,
                Map.of(PolicyKey.DELIVER_AT_HEADER, "at", PolicyKey.PAUSE, "publishing"),
                true,
                true,
                1,
                Defaults.Compared.DEFAULT,
                Set.of(),
                Set.of()));
    broker.advance(1);
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    assertThat(broker.vhost.policies().table().pauses()).isTrue();
    assertThat(broker.queue("q").settings().pace().pausesPublishing()).isTrue();
    publish("q", 1, at(new FieldValue.Int64(now() + 100)));
    assertThat(broker.drain("q")).isEmpty();
    broker.advance(100);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void headerThatADeclarationAddsIsLookedAt() {
    broker.declare("q");
    policy("on-mismatch", "adopt");
    assertThat(broker.vhost.schedulesByHeaders()).isFalse();
    broker.declare("q", ARGUMENTS);
    assertThat(broker.vhost.schedulesByHeaders()).isTrue();
    broker.declare("q");
    assertThat(broker.vhost.schedulesByHeaders()).isFalse();
  }

  private void policy(String key, String value) {
    broker
        .vhost
        .policies()
        .set(Policy.of(PolicyKind.POLICY, "p", "^q$", "queues", 0, Map.of(key, value)));
    broker.advance(1);
  }

  @Test
  void textsAndTimestampsAreTimes() {
    broker.declare("q", ARGUMENTS);
    broker.advance(1000 - now() % 1000);
    publish("q", 1, at(FieldValue.of(Long.toString(now() + 2000))));
    publish("q", 2, at(new FieldValue.Timestamp(now() / 1000 + 1)));
    broker.advance(999);
    assertThat(broker.drain("q")).isEmpty();
    broker.advance(1);
    assertThat(broker.drain("q")).containsExactly(2);
    broker.advance(999);
    assertThat(broker.drain("q")).isEmpty();
    broker.advance(1);
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void messageThatIsReleasedBeforeItsTimeWaitsOnce() {
    broker.declareOn(0, "q", ARGUMENTS);
    Queue queue = broker.queue("q");
    long start = now();
    for (int number = 1; number <= 3; number++) {
      Message message = message(number, at(new FieldValue.Int64(start + 100L * number)));
      int sequence = number;
      broker.on(0, () -> broker.commands(0).schedule(queue, message, start + 50, null, sequence));
    }
    broker.trimMemory();
    broker.advance(60);
    assertThat(broker.ready("q")).isZero();
    broker = broker.afterKill();
    assertThat(QueueSnapshot.of(broker.queue("q")).scheduled().ready()).isEqualTo(3);
    for (int number = 1; number <= 3; number++) {
      broker.advance(start + 100L * number - 1 - now());
      assertThat(broker.drain("q")).isEmpty();
      broker.advance(1);
      assertThat(broker.drain("q")).containsExactly(number);
    }
  }

  @Test
  void deadLetterWaitsInTheQueueThatItGoesTo() {
    broker.declareOn(0, "last", ARGUMENTS);
    broker.declareOn(1, "first", TestBroker.deadLetteringTo("last"));
    broker.declareOn(0, "near", TestBroker.deadLetteringTo("last"));
    publish("first", 1, at(new FieldValue.Int64(now() + 100)));
    publish("near", 2, at(new FieldValue.Int64(now() + 200)));
    for (String queue : List.of("first", "near")) {
      Queue source = broker.queue(queue);
      long sequence = broker.fetch(queue).sequence();
      broker.settling(
          TestBroker.Settlement.REJECT, source, TestBroker.getter(), sequence, sequence);
      broker.trimMemory();
    }
    assertThat(broker.ready("last")).isZero();
    broker = broker.afterKill();
    broker.advance(99);
    assertThat(broker.drain("last")).isEmpty();
    broker.advance(1);
    assertThat(broker.drain("last")).containsExactly(1);
    broker.advance(100);
    assertThat(broker.drain("last")).containsExactly(2);
  }
}
