package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.vhost.queue.DeclaredQueue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a queue adopts of a declaration, beside its lease and other changes of it. */
class AdoptionTest {
  private final TestBroker broker = TestBroker.of(1);

  @BeforeEach
  void adopt() {
    broker
        .vhost
        .policies()
        .set(Policy.of(PolicyKind.POLICY, "p", "", "queues", 0, Map.of("on-mismatch", "adopt")));
    broker.trimMemory();
  }

  private static FieldTable arguments(String name, int value) {
    return FieldTable.builder().put(name, value).build();
  }

  @Test
  void declarationIsUseBeforeTheLeaseThatItBringsEnds() {
    broker.declare("q");
    broker.publish("q", 1);
    broker.advance(60_000);

    broker.declare("q", arguments("x-expires", 1_000));

    assertThat(broker.ready("q")).isEqualTo(1);
    broker.advance(1_100);
    assertThat(broker.queue("q")).isNull();
  }

  @Test
  void laterDeclarationCountsWhileTheFirstIsBeingWritten() {
    broker.declare("q");
    CompletableFuture<DeclaredQueue> first =
        broker.declaring("q", true, arguments("x-max-length", 1));
    broker.runLoops();
    CompletableFuture<DeclaredQueue> second =
        broker.declaring("q", true, arguments("x-max-length", 2));
    broker.runLoops();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();

    broker.trimMemory();

    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(broker.queue("q").settings().length().maxLength()).isEqualTo(2);
    assertThat(broker.afterKill().queue("q").settings().length().maxLength()).isEqualTo(2);
  }

  @Test
  void deletedQueueIsBackWithWhatItWasAdoptingWhenItWasDeleted() {
    FieldTable before = arguments("x-recoverable", 3_600_000);
    broker.declare("q", before);
    CompletableFuture<DeclaredQueue> adopted =
        broker.declaring("q", true, before.toBuilder().put("x-max-length", 2).build());
    broker.runLoops();
    CompletableFuture<Long> deleted = broker.vhost.deleteQueue("q", broker, false, false);
    broker.runLoops();
    assertThat(adopted).isNotDone();
    assertThat(deleted).isNotDone();

    broker.trimMemory();
    // The declaration comes after the deletion, too: there is another queue of the name by now.
    broker.vhost.undeleteQueue(broker.vhost.deletedQueues().get(0), "back", broker);
    broker.trimMemory();

    assertThat(broker.queue("back").settings().length().maxLength()).isEqualTo(2);
    assertThat(broker.afterKill().queue("back").settings().length().maxLength()).isEqualTo(2);
  }

  @Test
  void queueThatIsDeletedMeanwhileIsDeclaredAnew() {
    broker.declare("q");
    broker.publish("q", 1);
    CompletableFuture<Long> deleted = broker.vhost.deleteQueue("q", broker, false, false);
    broker.runLoops();
    CompletableFuture<DeclaredQueue> declared =
        broker.declaring("q", true, arguments("x-max-length", 2));

    broker.trimMemory();

    assertThat(deleted).isCompletedWithValue(1L);
    assertThat(declared).isCompleted();
    assertThat(broker.ready("q")).isZero();
    assertThat(broker.queue("q").settings().length().maxLength()).isEqualTo(2);
  }
}
