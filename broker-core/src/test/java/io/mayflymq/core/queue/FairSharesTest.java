package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.index.FairShareCounts;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Values of a header take turns, as an application sees it. */
class FairSharesTest {
  private static final int FLOOD = 1_000_000;
  private static final QueueValues FAIR = QueueValues.NONE.with(PolicyKey.FAIR_BY, "tenant");
  private static final FieldTable A = tenant(FieldValue.of("a"));
  private static final FieldTable B = tenant(FieldValue.of("b"));
  private static final FieldTable C = tenant(FieldValue.of("c"));

  private int published;

  private static FieldTable tenant(FieldValue value) {
    return FieldTable.builder().put("tenant", value).build();
  }

  private void publish(ManualQueue queue, FieldTable... tenants) {
    for (FieldTable tenant : tenants) {
      ShortString number = ShortString.of(Integer.toString(published++));
      Message message =
          ManualQueue.message(number, 1, Message.NO_TTL, true, Message.NO_PRIORITY, tenant);
      queue.machine.publish(message, queue.now);
    }
  }

  private static List<Integer> fetched(ManualQueue queue, int count) {
    List<Integer> fetched = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      fetched.add(queue.fetch());
    }
    return fetched;
  }

  @Test
  void eachValueHasItsTurnInTheOrderOfItsMessages() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    publish(queue, A, A, A, B, A, B, C);
    assertThat(fetched(queue, 8)).containsExactly(0, 3, 6, 1, 5, 2, 4, -1);
  }

  @Test
  void singleMessageIsTheSecondBehindFloodOfOneMillion() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    for (int i = 0; i < FLOOD; i++) {
      publish(queue, A);
    }
    fetched(queue, 10);
    publish(queue, B);
    assertThat(fetched(queue, 3)).containsExactly(10, FLOOD, 11);
    for (int i = 0; i < 1000; i++) {
      publish(queue, B, C);
      assertThat(fetched(queue, 3)).contains(FLOOD + 1 + 2 * i, FLOOD + 2 + 2 * i);
    }
  }

  @Test
  void policyThatIsSetWhileMessagesWaitSharesThemOutSliceBySlice() {
    ManualQueue queue = new ManualQueue(QueueSettings.DEFAULT);
    for (int i = 0; i < 100_000; i++) {
      publish(queue, A);
    }
    publish(queue, B);
    queue.machine.reconfigure(FAIR.settings(), queue.now);
    assertThat(queue.machine.fairShareCounts().unread()).isBetween(90_000L, 100_000L);
    publish(queue, C);
    assertThat(fetched(queue, 2)).as("what arrives overtakes nothing").containsExactly(0, 1);
    publish(queue, B);
    queue.advance(1);
    assertThat(queue.machine.fairShareCounts().unread()).isZero();
    assertThat(fetched(queue, 5)).containsExactly(2, 100_000, 100_001, 3, 100_002);
    FairShareCounts counts = queue.machine.fairShareCounts();
    assertThat(counts.shares()).isEqualTo(1);
    assertThat(counts.largest()).containsExactly(new FairShareCounts.Share("a", 99_996));
    queue.machine.reconfigure(QueueSettings.DEFAULT, queue.now);
    publish(queue, B);
    assertThat(queue.machine.fairShareCounts()).isNull();
    int next = queue.fetch();
    assertThat(fetched(queue, 3)).containsExactly(next + 1, next + 2, next + 3);
  }

  @Test
  void messagesKeepTheirSharesOverRestart() {
    for (QueueType type : List.of(QueueType.CLASSIC, QueueType.QUORUM)) {
      published = 0;
      ManualQueue queue = new ManualQueue(FAIR.of(type).settings());
      for (int i = 0; i < 5000; i++) {
        publish(queue, A);
      }
      publish(queue, B, C);
      assertThat(fetched(queue, 2)).containsExactly(0, 5000);
      ManualQueue after = queue.restarted(10, new Random(1));
      after.advance(1);
      assertThat(after.machine.fairShareCounts().unread()).isZero();
      assertThat(fetched(after, 6)).containsExactly(0, 5000, 5001, 1, 2, 3);
    }
  }

  @Test
  void returnedMessageIsAtItsPlaceInItsShare() {
    for (QueueType type : List.of(QueueType.CLASSIC, QueueType.QUORUM)) {
      published = 0;
      ManualQueue queue = new ManualQueue(FAIR.of(type).settings());
      publish(queue, A, A, A, B, B);
      assertThat(fetched(queue, 3)).containsExactly(0, 3, 1);
      queue.machine.requeue(queue.getter, 0, 1, queue.now);
      assertThat(fetched(queue, 4)).containsExactly(4, 0, 1, 2);
    }
  }

  @Test
  void messagesThatCameWithoutWaitingAreInTheirSharesWhenTheyAreReturned() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    Consumer consumer = queue.subscribe(0);
    publish(queue, A, A, A, B);
    assertThat(queue.delivered()).containsExactly(0, 1, 2, 3);
    queue.machine.cancel(consumer, queue.now);
    queue.machine.requeue(consumer, 0, 3, queue.now);
    assertThat(fetched(queue, 5)).containsExactly(0, 3, 1, 2, -1);
  }

  @Test
  void veryManyReturnedMessagesAreSharedOutSliceBySlice() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    queue.store.readsInPassing = false;
    Consumer consumer = queue.subscribe(0);
    for (int i = 0; i < 3000; i++) {
      publish(queue, A);
    }
    publish(queue, B);
    queue.machine.cancel(consumer, queue.now);
    queue.machine.requeue(consumer, 0, 3000, queue.now);
    assertThat(queue.machine.fairShareCounts().unread()).isBetween(1L, 3000L);
    queue.advance(1);
    assertThat(queue.machine.fairShareCounts().unread()).isZero();
    assertThat(fetched(queue, 4)).containsExactly(0, 3000, 1, 2);
    assertThat(fetched(queue, 2998)).endsWith(2999, -1).doesNotHaveDuplicates();
  }

  @Test
  void atTheLimitTheLargestShareLosesItsOldestMessages() {
    ManualQueue queue = new ManualQueue(FAIR.with(PolicyKey.MAX_LENGTH, 4L).settings());
    publish(queue, B, A, A, A, A, A);
    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(1, 2);
    publish(queue, C, C);
    assertThat(queue.dead(DeathReason.MAXLEN)).containsExactly(1, 2, 3, 4);
    assertThat(fetched(queue, 5)).containsExactly(0, 5, 6, 7, -1);
  }

  @Test
  void valuesAreToldApartByTheirText() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    FieldTable none = FieldTable.EMPTY;
    FieldTable table = tenant(new FieldValue.Table(A));
    FieldTable one = tenant(FieldValue.of("1"));
    FieldTable number = tenant(new FieldValue.Int32(1));
    String prefix = "x".repeat(256);
    FieldTable longer = tenant(FieldValue.of(prefix + "1"));
    FieldTable other = tenant(FieldValue.of(prefix + "2"));
    publish(queue, none, table, one, number, longer, other);
    assertThat(queue.machine.fairShareCounts().largest())
        .containsExactlyInAnyOrder(
            new FairShareCounts.Share(null, 2),
            new FairShareCounts.Share("1", 2),
            new FairShareCounts.Share(prefix, 2));
    assertThat(fetched(queue, 6)).containsExactly(0, 2, 4, 1, 3, 5);
  }

  @Test
  void valuesWithoutMessagesTakeNoMemory() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    long empty = queue.machine.memoryBytes();
    for (int i = 0; i < 10_000; i++) {
      publish(queue, tenant(new FieldValue.Int32(i)));
    }
    assertThat(queue.machine.fairShareCounts().shares()).isEqualTo(10_000);
    fetched(queue, 10_000);
    assertThat(queue.machine.fairShareCounts().shares()).isZero();
    queue.machine.acknowledge(queue.getter, 0, 10_000, queue.now);
    assertThat(queue.machine.memoryBytes()).isEqualTo(empty);
  }

  @Test
  void browsingShowsTheOrderOfDelivery() {
    ManualQueue queue = new ManualQueue(FAIR.settings());
    publish(queue, A, A, A, B, A, B, C);
    queue.fetch();
    List<Integer> browsed = new ArrayList<>();
    MessageBrowser browser = queue.machine.browse(1);
    while (browser.step(
        queue.now, message -> browsed.add(ManualQueue.number(message.message())))) {}
    assertThat(browsed).isEqualTo(fetched(queue, 6).subList(1, 6));
  }

  @Test
  void priorityComesFirstAndSharesTakeTurnsWithinIt() {
    ManualQueue queue = new ManualQueue(FAIR.withMaxPriority(5).settings());
    for (FieldTable tenant : List.of(A, A, B)) {
      for (int priority : List.of(0, 5)) {
        ShortString number = ShortString.of(Integer.toString(published++));
        queue.machine.publish(
            ManualQueue.message(number, 1, Message.NO_TTL, true, priority, tenant), queue.now);
      }
    }
    assertThat(fetched(queue, 7)).containsExactly(1, 5, 3, 0, 4, 2, -1);
  }
}
