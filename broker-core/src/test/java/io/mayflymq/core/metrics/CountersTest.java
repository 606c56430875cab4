package io.mayflymq.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountersTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void countersAreIndependent() {
    Counters counters = new Counters();
    counters.add(Counter.ACKED, 3);
    counters.add(Counter.ACKED, 4);
    counters.got(true, 10, true);
    assertThat(counters.get(Counter.ACKED)).isEqualTo(7);
    assertThat(counters.get(Counter.DELIVERED_BYTES)).isEqualTo(10);
    assertThat(counters.get(Counter.REDELIVERED)).isEqualTo(1);
    assertThat(counters.get(Counter.PUBLISHED)).isZero();
  }

  @Test
  void ratesAreComputedBetweenTheLastTwoSamples() {
    Counters counters = new Counters();
    counters.sample(0, 5 * SECOND);
    assertThat(counters.rate(Counter.PUBLISHED)).as("nothing counted").isZero();
    counters.add(Counter.PUBLISHED, 10);
    counters.sample(5 * SECOND, 5 * SECOND);
    assertThat(counters.rate(Counter.PUBLISHED)).isEqualTo(2.0);
    counters.add(Counter.PUBLISHED, 30);
    assertThat(counters.rate(Counter.PUBLISHED)).as("not sampled yet").isEqualTo(2.0);
    counters.sample(15 * SECOND, 5 * SECOND);
    assertThat(counters.rate(Counter.PUBLISHED)).as("in 10 s").isEqualTo(3.0);
    counters.sample(20 * SECOND, 5 * SECOND);
    assertThat(counters.rate(Counter.PUBLISHED)).as("standing still").isZero();
  }

  @Test
  void idleTimeStartsAtTheLastSampleWithAChange() {
    Counters counters = new Counters();
    assertThat(counters.stillSinceNanos()).as("no sample yet").isEmpty();
    counters.sample(SECOND, SECOND);
    counters.sample(2 * SECOND, SECOND);
    assertThat(counters.stillSinceNanos()).hasValue(SECOND);
    counters.add(Counter.PUBLISHED, 1);
    assertThat(counters.stillSinceNanos()).as("not sampled yet").isEmpty();
    counters.sample(3 * SECOND, SECOND);
    assertThat(counters.stillSinceNanos()).as("no second sample yet").isEmpty();
    counters.sample(4 * SECOND, SECOND);
    counters.sample(5 * SECOND, SECOND);
    assertThat(counters.stillSinceNanos()).hasValue(4 * SECOND);
  }

  @Test
  void groupKeepsTheCountsOfMembersThatLeft() {
    CounterGroup group = new CounterGroup();
    Counters first = new Counters();
    Counters second = new Counters();
    group.join(first);
    group.join(second);
    first.add(Counter.PUBLISHED, 5);
    second.add(Counter.PUBLISHED, 2);
    group.leave(first);
    group.leave(first);
    second.add(Counter.PUBLISHED, 1);
    assertThat(group.get(Counter.PUBLISHED)).isEqualTo(8);
    assertThat(group.snapshot().get(Counter.PUBLISHED)).isEqualTo(8);
  }

  @Test
  void groupTotalsAreRightWhicheverOrderMembersLeaveIn() {
    CounterGroup group = new CounterGroup();
    List<Counters> members = new ArrayList<>();
    Random random = new Random(7);
    long counted = 0;
    for (int i = 0; i < 1000; i++) {
      if (members.isEmpty() || random.nextInt(3) > 0) {
        Counters member = new Counters();
        members.add(member);
        group.join(member);
      } else {
        group.leave(members.remove(random.nextInt(members.size())));
      }
      for (Counters member : members) {
        member.add(Counter.PUBLISHED, 1);
        counted++;
      }
      assertThat(group.get(Counter.PUBLISHED)).isEqualTo(counted);
    }
  }

  @Test
  void rateOfAGroupDoesNotFallWhenAMemberLeaves() {
    CounterGroup group = new CounterGroup();
    Counters member = new Counters();
    group.join(member);
    member.add(Counter.ACKED, 10);
    group.sample(SECOND, SECOND);
    group.leave(member);
    group.sample(2 * SECOND, SECOND);
    assertThat(group.rate(Counter.ACKED)).isZero();
    assertThat(group.get(Counter.ACKED)).isEqualTo(10);
  }

  @Test
  void countersOfAnExchangeAreTheSumOverAllShards() {
    ExchangeCounters exchanges = new ExchangeCounters(3);
    assertThat(exchanges.of("e")).isNull();
    exchanges.cell("e", 0).add(Counter.PUBLISHED, 1);
    exchanges.cell("e", 2).add(Counter.PUBLISHED, 2);
    exchanges.cell("other", 1).add(Counter.PUBLISHED, 4);
    assertThat(exchanges.of("e").get(Counter.PUBLISHED)).isEqualTo(3);
    exchanges.sample(SECOND, SECOND);
    assertThat(exchanges.of("e").rate(Counter.PUBLISHED)).isEqualTo(3.0);
    exchanges.forget("e");
    assertThat(exchanges.of("e")).isNull();
  }

  @Test
  void churnHasCountsAndRates() {
    Churn churn = new Churn();
    churn.happened(Churn.Event.QUEUE_CREATED);
    churn.happened(Churn.Event.QUEUE_CREATED);
    churn.sample(SECOND, SECOND);
    assertThat(churn.get(Churn.Event.QUEUE_CREATED)).isEqualTo(2);
    assertThat(churn.rate(Churn.Event.QUEUE_CREATED)).isEqualTo(2.0);
    assertThat(churn.get(Churn.Event.QUEUE_DELETED)).isZero();
    assertThat(Churn.Event.QUEUE_CREATED).hasToString("queue_created");
  }

  @Test
  void sumsOfAKindIncludeMembersThatHaveLeft() {
    CounterGroup group = new CounterGroup(2);
    Counters first = new Counters();
    Counters second = new Counters();
    Counters other = new Counters();
    group.join(first, 1);
    group.join(second, 1);
    group.join(other, 0);
    first.add(Counter.ACKED, 1);
    second.add(Counter.ACKED, 2);
    other.add(Counter.ACKED, 4);
    group.leave(first);
    group.leave(other);
    assertThat(group.totals().get(1).applyAsLong(Counter.ACKED)).isEqualTo(3);
    assertThat(group.totals().get(0).applyAsLong(Counter.ACKED)).isEqualTo(4);
    assertThat(group.get(Counter.ACKED)).isEqualTo(7);
  }

  @Test
  void forgottenHistoryLeavesCountsAndRates() {
    VhostMetrics metrics = new VhostMetrics(1, false);
    Counters queue = new Counters();
    metrics.queues().join(queue);
    metrics.sample(SECOND, SECOND);
    queue.add(Counter.PUBLISHED, 4);
    metrics.sample(2 * SECOND, SECOND);
    long[] moments = {0, 2 * SECOND};
    assertThat(queue.at(moments).get(Counter.PUBLISHED, 0)).isZero();
    assertThat(queue.at(moments).get(Counter.PUBLISHED, 1)).isEqualTo(4);
    assertThat(metrics.queues().at(moments).get(Counter.PUBLISHED, 1)).isEqualTo(4);
    metrics.forgetHistory();
    assertThat(queue.at(moments).get(Counter.PUBLISHED, 0)).isEqualTo(4);
    assertThat(queue.at(moments).get(Counter.PUBLISHED, 1)).isEqualTo(4);
    assertThat(queue.get(Counter.PUBLISHED)).isEqualTo(4);
    assertThat(queue.rate(Counter.PUBLISHED)).isEqualTo(4.0);
  }

  @Test
  void intakeIsCountedByExchange() {
    Counters queue = new Counters();
    assertThat(queue.intake()).isEmpty();
    for (String exchange : List.of("a", "b", "a", "a", "")) {
      queue.accepted(ShortString.of(exchange), 10);
    }
    assertThat(queue.intake()).containsExactly(entry("a", 3L), entry("b", 1L), entry("", 1L));
    assertThat(queue.get(Counter.PUBLISHED)).isEqualTo(5);
    assertThat(queue.get(Counter.PUBLISHED_BYTES)).isEqualTo(50);
    for (int i = 0; i < 200; i++) {
      queue.accepted(ShortString.of("x" + i), 1);
    }
    assertThat(queue.intake()).as("a bound on the memory").hasSize(100);
    queue.accepted(ShortString.of("b"), 1);
    assertThat(queue.intake()).containsEntry("b", 2L);
    assertThat(queue.get(Counter.PUBLISHED)).isEqualTo(206);
  }

  @Test
  void waitsOfMembersThatHaveLeftStayInTheSum() {
    assertThat(new CounterGroup().waits()).isEmpty();
    CounterGroup group = new CounterGroup(1, true);
    assertThat(group.waits()).isEmpty();
    Counters first = new Counters();
    Counters second = new Counters();
    group.join(first);
    group.join(second);
    first.waits().record(10);
    second.waits().record(2_000);
    group.leave(first);
    assertThat(group.waits()).get().extracting(Histogram.Reading::count).isEqualTo(2L);
    group.leave(second);
    assertThat(group.waits()).get().extracting(Histogram.Reading::sum).isEqualTo(2.01);
  }
}
