package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What others see of a change that is being written, and of one that could not be. */
class UncommittedTopologyTest {
  private static final String FULL = "No space left on device";
  private static final Binding BINDING = Binding.toQueue("amq.fanout", "q", "");
  private static final ExchangeDefinition EXCHANGE =
      new ExchangeDefinition("x", ExchangeType.DIRECT, true, false, false, FieldTable.EMPTY);

  private TestBroker broker = TestBroker.of(2);

  private CompletableFuture<DeclaredQueue> declaring(String name) {
    return broker.declaring(name, true, FieldTable.EMPTY);
  }

  private CompletableFuture<Long> deleting(String name) {
    CompletableFuture<Long> deletion = broker.vhost.deleteQueue(name, this, false, false);
    broker.runLoops();
    return deletion;
  }

  private static Throwable failure(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    Throwable failure = future.handle((value, error) -> error).join();
    return failure.getCause() == null ? failure : failure.getCause();
  }

  private void assertNotKept(CompletableFuture<?> change) {
    assertThat(failure(change))
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("the change could not be made durable: " + FULL);
  }

  @Test
  void secondDeclarationOfAQueueWaitsForTheFirstWrite() {
    declaring("q");
    CompletableFuture<DeclaredQueue> second = declaring("q");
    CompletableFuture<DeclaredQueue> passive = broker.vhost.declareOk("q", this, true);
    broker.runLoops();

    assertThat(second).isNotDone();
    assertThat(passive).isNotDone();
    assertThat(broker.queue("q")).isNull();
    assertThat(broker.afterKill().queue("q")).isNull();

    broker.trimMemory();
    assertThat(second).isCompleted();
    assertThat(passive).isCompleted();
    assertThat(broker.afterKill().queue("q")).isNotNull();
  }

  @Test
  void secondDeclarationOfAnExchangeAndSecondBindWaitForTheFirstWrite() {
    broker.declare("q");
    broker.vhost.declareExchange(EXCHANGE, this);
    broker.vhost.bind(BINDING, this);
    CompletableFuture<Void> exchange = broker.vhost.declareExchange(EXCHANGE, this);
    CompletableFuture<Void> passive = broker.vhost.exchangeStatus("x");
    CompletableFuture<Void> binding = broker.vhost.bind(BINDING, this);
    CompletableFuture<Void> unbinding = broker.vhost.unbind(BINDING, this);
    broker.runLoops();
    assertThat(exchange).isNotDone();
    assertThat(passive).isNotDone();
    assertThat(binding).isNotDone();
    assertThat(unbinding).isNotDone();

    broker.trimMemory();
    assertThat(CompletableFuture.allOf(exchange, passive, binding, unbinding)).isCompleted();
    assertThat(broker.vhost.routing().exchange("x")).isNotNull();
  }

  @Test
  void bindingToAQueueBeingDeclaredSharesItsWrite() {
    CompletableFuture<DeclaredQueue> declared = declaring("q");
    CompletableFuture<Void> bound = broker.vhost.bind(BINDING, this);
    broker.metadata.write();

    assertThat(declared).isCompleted();
    assertThat(bound).isCompleted();
  }

  @Test
  void failedDeclarationLeavesNothingAndTheNextOneIsTried() {
    CompletableFuture<DeclaredQueue> first = declaring("q");
    CompletableFuture<DeclaredQueue> second = declaring("q");
    CompletableFuture<Void> bound = broker.vhost.bind(BINDING, this);
    broker.metadata.fail(FULL);
    broker.runLoops();

    assertNotKept(first);
    assertNotKept(bound);
    assertThat(broker.queue("q")).isNull();
    assertThat(second).as("tries itself").isNotDone();

    broker.trimMemory();
    assertThat(second).isCompleted();
    broker.publish("q", 1);
    broker = broker.afterKill();
    assertThat(broker.drain("q")).containsExactly(1);
    assertThat(broker.vhost.routing().contains(BINDING)).isFalse();
  }

  @Test
  void transientQueueIsDeclaredDespiteAnEarlierFailedWrite() {
    declaring("q");
    CompletableFuture<DeclaredQueue> behind = broker.declaring("t", false, FieldTable.EMPTY);
    assertThat(behind).isNotDone();
    broker.metadata.fail(FULL);
    broker.runLoops();

    assertThat(behind).isCompleted();
    assertThat(broker.queue("t")).isNotNull();
  }

  @Test
  void errorCausedByAPendingChangeWaitsForItsWrite() {
    broker.declare("q");
    deleting("q");
    CompletableFuture<Void> bound = broker.vhost.bind(BINDING, this);
    assertThat(bound).isNotDone();
    broker.metadata.fail(FULL);
    broker.trimMemory();
    assertThat(bound).as("the queue has stayed").isCompleted();

    deleting("q");
    Binding other = Binding.toQueue("amq.direct", "q", "k");
    CompletableFuture<Void> refused = broker.vhost.bind(other, this);
    broker.trimMemory();
    assertThat(failure(refused))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining("no queue 'q' in vhost '/'");
  }

  @Test
  void queueWhoseDeletionCannotBeWrittenStaysInUse() {
    broker.declare("q");
    broker.publish("q", 1);
    TestBroker.Collector consumer = broker.consume("q", true, 1);
    CompletableFuture<Long> deletion = deleting("q");
    broker.publishing(broker.queue("q"), TestBroker.message(2), (sequence, accepted) -> {});
    broker.metadata.fail(FULL);
    broker.trimMemory();

    assertNotKept(deletion);
    assertThat(consumer.cancelled).isFalse();
    assertThat(consumer.numbers()).containsExactly(1);
    assertThat(broker.drain("q")).containsExactly(2);
    assertThat(broker.delete("q")).isZero();
    assertThat(consumer.cancelled).isTrue();
  }

  @Test
  void consumerThatIsCancelledDuringADeletionThatFailsGetsNothingMore() {
    broker.declare("q");
    TestBroker.Collector consumer = broker.consume("q", true, 0);
    CompletableFuture<Long> deletion = deleting("q");
    CompletableFuture<Void> left = broker.queue("q").requests().cancel(consumer.consumer);
    broker.metadata.fail(FULL);
    broker.trimMemory();
    assertNotKept(deletion);
    assertThat(left).isCompleted();

    broker.publish("q", 1);
    assertThat(consumer.numbers()).isEmpty();
    assertThat(broker.drain("q")).containsExactly(1);
  }

  @Test
  void leaseThatEndsOnAFullDiskDeletesTheQueueWhenThereIsSpace() {
    broker.declare("q", FieldTable.builder().put("x-expires", 100).build());
    broker.loops.advance(101);
    assertThat(broker.metadata.fail(FULL)).as("its removal was tried").isTrue();
    broker.runLoops();
    assertThat(broker.queue("q")).isNotNull();

    broker.advance(1_100);
    assertThat(broker.queue("q")).isNull();
  }

  @Test
  void autoDeleteQueueThatCouldNotBeDeletedIsDeletedLater() {
    broker.vhost.declareQueue(
        new QueueDeclaration(
            "q", true, false, true, FieldTable.EMPTY, this, broker.shards.get(0), false, true));
    broker.trimMemory();
    TestBroker.Collector consumer = broker.consume("q", true, 1);
    broker.queue("q").requests().cancel(consumer.consumer);
    broker.runLoops();
    broker.metadata.fail(FULL);
    broker.runLoops();
    assertThat(broker.queue("q")).isNotNull();

    broker.advance(1_100);
    assertThat(broker.queue("q")).isNull();
  }

  @Test
  void declarationDuringADeletionDeclaresANewQueue() {
    broker.declare("q");
    long id = broker.queue("q").id();
    CompletableFuture<Long> deletion = broker.vhost.deleteQueue("q", this, false, false);
    CompletableFuture<DeclaredQueue> declared = declaring("q");
    broker.trimMemory();

    assertThat(deletion).isCompleted();
    assertThat(declared.join().messages()).isZero();
    assertThat(broker.queue("q").id()).isNotEqualTo(id);
    assertThat(broker.afterKill().queue("q")).isNotNull();
  }

  @Test
  void declarationWaitsForTheDeadLetteringOfTheDeletedQueue() {
    FieldTable arguments =
        TestBroker.deadLetteringTo("dead").toBuilder()
            .put("x-dead-letter-on", "queue_deleted")
            .build();
    broker.declare("dead");
    broker.declare("q", arguments);
    broker.publish("q", 1, 2, 3);
    broker.vhost.deleteQueue("q", this, false, false);
    CompletableFuture<DeclaredQueue> declared = broker.declaring("q", true, arguments);
    broker.trimMemory();

    assertThat(declared.join().messages()).isZero();
    assertThat(broker.ready("q")).isZero();
    assertThat(broker.drain("dead")).containsExactly(1, 2, 3);
  }

  @Test
  void messagePublishedDuringAQueueDeletionIsDeadLettered() {
    FieldTable arguments =
        TestBroker.deadLetteringTo("dead").toBuilder()
            .put("x-dead-letter-on", "queue_deleted")
            .build();
    broker.declare("dead");
    Queue queue = broker.declare("q", arguments);
    broker.publish("q", 1);
    broker.vhost.deleteQueue("q", this, false, false);
    do {
      broker.runLoops();
    } while (broker.host.flush());
    broker.publishing(queue, TestBroker.message(2), (sequence, accepted) -> {});
    broker.trimMemory();

    assertThat(broker.queue("q")).isNull();
    assertThat(broker.drain("dead")).containsExactly(1, 2);
  }

  @Test
  void policyThatCannotBeWrittenDoesNotApply() {
    broker.declare("q");
    Policy policy = Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, Map.of("max-length", 1));
    CompletableFuture<Void> set = broker.vhost.policies().set(policy);
    declaring("r");
    broker.metadata.fail(FULL);
    broker.trimMemory();

    assertNotKept(set);
    assertThat(broker.vhost.policies().table().isEmpty()).isTrue();
    assertThat(broker.queue("q").settings().length().isLimited()).isFalse();
  }

  @Test
  void queueDeclaredAfterAPendingPolicyHasItFromTheStart() {
    Policy policy = Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, Map.of("max-length", 1));
    broker.vhost.policies().set(policy);
    declaring("q");
    broker.trimMemory();

    assertThat(broker.queue("q").settings().length().maxLength()).isEqualTo(1);
  }

  @Test
  void queueAndItsAutomaticDeadLetterQueueAreOneChange() {
    FieldTable arguments = FieldTable.builder().put("x-dead-letter-queue", "auto").build();
    broker.declare("q", arguments);
    assertThat(broker.queue("q.$dlq")).isNotNull();
    deleting("q");
    assertThat(broker.afterKill().queue("q.$dlq")).isNotNull();
    broker.trimMemory();

    assertThat(broker.queue("q.$dlq")).isNull();
    assertThat(broker.afterKill().queue("q.$dlq")).isNull();
  }

  @Test
  void vhostDeletionDeletesItsQueuesOnlyWhenItIsWritten() {
    broker.declare("q");
    broker.declare("r");
    CompletableFuture<Void> deletion = broker.vhost.delete();
    broker.metadata.fail(FULL);
    broker.trimMemory();
    assertNotKept(deletion);
    broker.publish("q", 1);

    broker.vhost.delete();
    broker.trimMemory();
    assertThat(broker.vhost.queuesEnded()).isCompleted();
    assertThat(broker.vhost.routing().queueCount()).isZero();
    assertThat(broker.broker.churn().get(Churn.Event.QUEUE_DELETED)).isEqualTo(2);
  }
}
