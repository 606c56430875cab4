package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.protocol.types.FieldTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What concerns many queues or bindings at once is done for some at a time, so that other work of
 * the shards and of the metadata log comes in between.
 */
class ManyAtOnceTest {
  private static final int MANY = 300;
  private static final FieldTable LEASE = FieldTable.builder().put("x-expires", 1_000).build();

  private final TestBroker broker = TestBroker.of(1);
  private final AtomicInteger written = new AtomicInteger();

  @BeforeEach
  void countChanges() {
    broker.metadata.beforeChange(written::incrementAndGet);
  }

  /** Returns how many changes were waiting to be written, after all else is done. */
  private int write() {
    broker.runLoops();
    written.set(0);
    broker.metadata.write();
    return written.get();
  }

  private int queues() {
    return broker.vhost.routing().queueCount();
  }

  @Test
  void leasesThatEndTogetherEndSomeAtATime() {
    for (int i = 0; i < MANY; i++) {
      broker.declare("q" + i, LEASE);
    }
    broker.advance(900);
    broker.metadata.writeAtOnce(false);
    broker.loops.advance(200);
    assertThat(write()).isEqualTo(64);
    assertThat(queues()).isEqualTo(MANY - 64);

    // A queue that is used while it waits to be deleted stays, and does not delay the others.
    List<String> used =
        broker.vhost.routing().queues().stream().map(queue -> queue.name()).limit(100).toList();
    CompletableFuture<?> renewed =
        CompletableFuture.allOf(
            used.stream()
                .map(name -> broker.vhost.declareOk(name, broker, true))
                .toArray(CompletableFuture<?>[]::new));
    for (int i = 0; i < 20; i++) {
      assertThat(write()).isLessThanOrEqualTo(64);
    }
    assertThat(renewed).isCompleted();
    assertThat(queues()).isBetween(100 - 64, 100);
    broker.loops.advance(1_100);
    for (int i = 0; i < 20; i++) {
      assertThat(write()).isLessThanOrEqualTo(64);
    }
    assertThat(queues()).isZero();
  }

  @Test
  void leasesThatCannotEndForADefectLetOthersEndAndAreTriedAgain() {
    for (int i = 0; i < MANY; i++) {
      broker.declare("q" + i, LEASE);
    }
    AtomicInteger failures = new AtomicInteger(100);
    broker.metadata.beforeAppend(
        () -> {
          if (failures.getAndDecrement() > 0) {
            throw new IllegalStateException("a defect");
          }
        });
    broker.advance(1_100);
    broker.trimMemory();
    assertThat(queues()).as("those that failed stay").isEqualTo(100);
    broker.advance(1_100);
    broker.trimMemory();
    assertThat(queues()).as("and are tried again").isZero();
  }

  @Test
  void bindingsThatEndTogetherEndSomeAtATime() {
    broker.vhost.declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), broker);
    broker.declare("q");
    for (int i = 0; i < MANY; i++) {
      broker.vhost.bind(new Binding("x", DestinationKind.QUEUE, "q", "k" + i, LEASE), broker);
    }
    broker.trimMemory();
    broker.metadata.writeAtOnce(false);
    broker.loops.advance(1_100);
    assertThat(write()).isEqualTo(100);
    assertThat(broker.vhost.routing().bindingCount()).isEqualTo(MANY - 100);
    assertThat(write()).isEqualTo(100);
    assertThat(write()).isEqualTo(100);
    assertThat(broker.vhost.routing().bindingCount()).isZero();
  }

  @Test
  void policyMakesDeadLetterQueuesSomeAtATime() {
    for (int i = 0; i < MANY; i++) {
      broker.declare("q" + i);
    }
    AtomicInteger most = new AtomicInteger();
    broker.metadata.beforeChange(
        () -> most.accumulateAndGet(broker.metadata.waiting() + 1, Math::max));
    CompletableFuture<Void> set =
        broker.vhost.policies().set(policy(Map.of("dead-letter-queue", "auto")));
    assertThat(set).isNotDone();
    broker.trimMemory();
    assertThat(set).isCompleted();
    assertThat(queues()).isEqualTo(2 * MANY);
    assertThat(most).hasValue(VhostState.AT_ONCE);
  }

  @Test
  void whatIsDeclaredWhileAPolicyTakesHoldHasIt() {
    for (int i = 0; i < MANY; i++) {
      broker.declare("q" + i);
    }
    broker.metadata.writeAtOnce(true);
    CompletableFuture<Void> set = broker.vhost.policies().set(policy(Map.of("max-length", 5)));
    assertThat(set).isNotDone();
    broker.vhost.declareQueue(
        new QueueDeclaration(
            "new",
            true,
            false,
            false,
            FieldTable.EMPTY,
            broker,
            broker.shards.get(0),
            false,
            true));
    assertThat(broker.queue("new").settings().length().maxLength()).isEqualTo(5);
    broker.runLoops();
    assertThat(set).isCompleted();
    assertThat(broker.vhost.routing().queues())
        .allSatisfy(queue -> assertThat(queue.settings().length().maxLength()).isEqualTo(5));
  }

  private static Policy policy(Map<String, Object> definition) {
    return Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, definition);
  }
}
