package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.proof.ClaimFacts;
import io.mayflymq.core.proof.ClaimId;
import io.mayflymq.core.queue.QueueLog.Delivery;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What a proof says cannot happen to the order of messages does not happen in any run. */
class ClaimCampaignTest {
  private static final int MOST_STEPS = 80;

  /** A queue with consumers that do anything, at random. */
  private static final class Run {
    private final ManualQueue queue;
    private final Random random;
    private final List<Consumer> consumers = new ArrayList<>();
    private final Map<Consumer, List<Long>> held = new HashMap<>();
    private int seen;

    /** Of each message by its number. */
    private final List<Integer> tenants = new ArrayList<>();

    Run(QueueSettings settings, Random random) {
      this.queue = new ManualQueue(settings);
      this.random = random;
    }

    void go() {
      for (int steps = random.nextInt(MOST_STEPS); steps > 0; steps--) {
        step();
        learn();
      }
    }

    private void step() {
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> publish(random.nextInt(3) == 0 ? 20 : Message.NO_TTL);
        case 3 -> {
          boolean acknowledges = random.nextInt(4) > 0;
          Consumer consumer = queue.consumer(acknowledges, false, random.nextInt(4));
          ManualQueue.setRoom(consumer, random.nextInt(3) == 0 ? 2 : Integer.MAX_VALUE);
          consumers.add(consumer);
          held.put(consumer, new ArrayList<>());
          queue.machine.subscribe(consumer, queue.now);
        }
        case 4 -> {
          if (!consumers.isEmpty()) {
            Consumer consumer = consumers.remove(random.nextInt(consumers.size()));
            queue.machine.cancel(consumer, queue.now);
            // Its channel ends, too; what its client has not read yet counts as never sent.
            for (long sequence : held.remove(consumer)) {
              if (random.nextBoolean()) {
                queue.machine.fail(consumer, sequence, sequence, queue.now);
              } else {
                queue.machine.release(consumer, sequence, sequence, queue.now);
              }
            }
          }
        }
        case 5 -> {
          if (!consumers.isEmpty()) {
            Consumer consumer = consumers.get(random.nextInt(consumers.size()));
            ManualQueue.setRoom(consumer, random.nextInt(4));
            queue.machine.resume(consumer, queue.now);
          }
        }
        case 6 -> queue.advance(random.nextInt(15));
        default -> settle();
      }
    }

    private void publish(long ttl) {
      int tenant = random.nextInt(3);
      tenants.add(tenant);
      FieldTable headers = FieldTable.builder().put("tenant", new FieldValue.Int32(tenant)).build();
      queue.publish(10, ttl, true, headers);
    }

    private void settle() {
      List<Consumer> holders =
          consumers.stream().filter(consumer -> !held.get(consumer).isEmpty()).toList();
      if (holders.isEmpty()) {
        return;
      }
      Consumer holder = holders.get(random.nextInt(holders.size()));
      List<Long> sequences = held.get(holder);
      long sequence = sequences.remove(random.nextInt(sequences.size()));
      switch (random.nextInt(5)) {
        case 0 -> queue.machine.requeue(holder, sequence, sequence, queue.now);
        case 1 -> queue.machine.fail(holder, sequence, sequence, queue.now);
        case 2 -> queue.machine.reject(holder, sequence, sequence, DropTrigger.CONSUMER, queue.now);
        default -> queue.machine.acknowledge(holder, sequence, sequence, queue.now);
      }
    }

    /** Notes what consumers got since, and have to settle. */
    private void learn() {
      for (; seen < queue.deliveries.size(); seen++) {
        Delivery delivery = queue.deliveries.get(seen);
        if (delivery.settlement()) {
          consumers.stream()
              .filter(
                  consumer -> consumer.tag().value().equals(Integer.toString(delivery.consumer())))
              .forEach(
                  consumer -> held.get(consumer).add(queue.kept().sequenceOf(delivery.message())));
        }
      }
    }

    List<Integer> delivered() {
      return queue.delivered();
    }

    List<Integer> deliveredOf(int tenant) {
      return delivered().stream().filter(message -> tenants.get(message) == tenant).toList();
    }
  }

  private static QueueValues values(boolean quorum, Long maxUnacked) {
    QueueValues values = QueueValues.NONE.with(PolicyKey.MAX_UNACKED, maxUnacked);
    return quorum ? values.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, 3L) : values;
  }

  private static String sentence(QueueValues values) {
    return ClaimFacts.claims(values).stream()
        .filter(claim -> claim.id() == ClaimId.ORDER_KEPT)
        .findFirst()
        .orElseThrow()
        .sentence();
  }

  /** Each message comes until it is settled, and then the next. */
  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void oneAtATimeMessagesComeInTheirOrder(@ForAll boolean quorum, @ForAll long seed) {
    QueueValues values = values(quorum, 1L);
    assertThat(sentence(values)).contains("one at a time");
    Run run = new Run(values.settings(), new Random(seed));
    run.go();
    assertThat(run.delivered()).isSorted();
  }

  /** The first delivery of each is behind the first delivery of those before it. */
  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void messagesThatWereNotReturnedComeInTheirOrder(@ForAll boolean quorum, @ForAll long seed) {
    QueueValues values = values(quorum, null);
    assertThat(sentence(values)).contains("that were not returned");
    Run run = new Run(values.settings(), new Random(seed));
    run.go();
    Set<Integer> known = new HashSet<>();
    assertThat(run.delivered().stream().filter(known::add)).isSorted();
  }

  /** The same holds of each value, where values take turns. */
  @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
  void messagesOfOneValueComeInTheirOrder(
      @ForAll boolean quorum, @ForAll boolean oneAtATime, @ForAll long seed) {
    QueueValues values = values(quorum, oneAtATime ? 1L : null).with(PolicyKey.FAIR_BY, "tenant");
    assertThat(sentence(values)).contains("one value of the header tenant");
    Run run = new Run(values.settings(), new Random(seed));
    run.go();
    for (int tenant = 0; tenant < 3; tenant++) {
      List<Integer> delivered = run.deliveredOf(tenant);
      Set<Integer> known = new HashSet<>();
      assertThat(oneAtATime ? delivered.stream() : delivered.stream().filter(known::add))
          .isSorted();
    }
  }

  @Test
  void valuesOvertakeEachOther() {
    QueueValues values = QueueValues.NONE.with(PolicyKey.FAIR_BY, "tenant");
    assertThat(ClaimFacts.ids(values)).contains(ClaimId.SHARES_OVERTAKE);
    ManualQueue queue = new ManualQueue(values.settings());
    for (int tenant : new int[] {1, 1, 2}) {
      queue.publish(
          1,
          Message.NO_TTL,
          true,
          FieldTable.builder().put("tenant", new FieldValue.Int32(tenant)).build());
    }
    assertThat(List.of(queue.fetch(), queue.fetch(), queue.fetch())).containsExactly(0, 2, 1);
  }

  /** So the campaigns do try what would mix messages up. */
  @Test
  void withoutTheLimitMessagesComeInAnotherOrder() {
    assertThat(ClaimFacts.ids(values(false, null))).contains(ClaimId.RETURNED_OVERTAKEN);
    long mixed =
        LongStream.range(0, 200)
            .mapToObj(seed -> new Run(values(false, null).settings(), new Random(seed)))
            .peek(Run::go)
            .map(Run::delivered)
            .filter(delivered -> !delivered.equals(delivered.stream().sorted().toList()))
            .count();
    assertThat(mixed).isGreaterThan(20);
  }

  @Test
  void messagesOfAHigherPriorityComeFirst() {
    QueueValues values = QueueValues.NONE.withMaxPriority(5);
    assertThat(ClaimFacts.ids(values)).contains(ClaimId.PRIORITIES_OVERTAKE);
    ManualQueue queue = new ManualQueue(values.settings());
    queue.publish(1, Message.NO_TTL, true, 1);
    queue.publish(1, Message.NO_TTL, true, 5);
    assertThat(queue.fetch()).isEqualTo(1);
    assertThat(queue.fetch()).isEqualTo(0);
  }
}
