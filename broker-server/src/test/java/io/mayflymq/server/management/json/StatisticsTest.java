package io.mayflymq.server.management.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.Counts;
import io.mayflymq.core.metrics.VhostMetrics;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is shown of the past: what was, and nothing where that is not known. */
class StatisticsTest {
  private static final long SECOND = 1_000_000_000L;

  private final VhostMetrics metrics = new VhostMetrics(1, false);
  private final long start = System.nanoTime();

  private Counters joined(Counter counter, long count) {
    Counters queue = new Counters();
    metrics.queues().join(queue);
    queue.add(counter, count);
    return queue;
  }

  private void sampleAt(int second) {
    metrics.sample(start + second * SECOND, SECOND);
  }

  /** Returns the lengths at these seconds after the start, with the latest first. */
  private List<?> past(Counts counts, long now, long... seconds) {
    History history =
        new History(
            null,
            new History.Moments(
                LongStream.of(seconds).map(second -> start + second * SECOND).toArray(), seconds),
            null);
    Map<String, Object> object = new LinkedHashMap<>();
    QueueSizes.Sum sizes = new QueueSizes.Sum();
    sizes.add(
        new QueueSizes(
            new QueueTotals(now, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            QueueTotals.NONE,
            QueueTotals.NONE,
            QueueTotals.NONE,
            0,
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty()));
    Statistics.putMessages(object, sizes.sizes(), counts, history);
    Map<?, ?> details = (Map<?, ?>) object.get("messages_details");
    return ((List<?>) details.get("samples"))
        .stream().map(sample -> ((Map<?, ?>) sample).get("sample")).toList();
  }

  @Test
  void nothingIsSaidOfTheTimeBeforeAQueueWasHere() {
    Counters queue = joined(Counter.ARRIVED, 7);
    sampleAt(10);
    queue.add(Counter.PUBLISHED, 2);
    sampleAt(15);
    assertThat(past(queue, 9, -60, -30, 10, 15)).isEqualTo(List.of(9L, 7L));
    assertThat(past(metrics.queues(), 9, -60, -30, 10, 15)).isEqualTo(List.of(9L, 7L));
  }

  /** As clients expect of RabbitMQ, which has a sample of each moment. */
  @Test
  void theLatestMomentHasASampleEvenIfNothingIsKnownOfIt() {
    Counters queue = joined(Counter.PUBLISHED, 7);
    assertThat(past(queue, 7, -60, -30)).isEqualTo(List.of(7L));
    sampleAt(10);
    assertThat(past(queue, 7, -60, -30)).isEqualTo(List.of(7L));
  }

  @Test
  void aQueueThatLeavesDoesNotChangeThePast() {
    joined(Counter.PUBLISHED, 4);
    Counters leaving = joined(Counter.PUBLISHED, 5);
    sampleAt(10);
    metrics.queues().leave(leaving);
    sampleAt(15);
    assertThat(past(metrics.queues(), 4, 10, 15)).isEqualTo(List.of(4L, 9L));
  }

  @Test
  void aQueueThatComesWithMessagesDoesNotChangeThePast() {
    joined(Counter.PUBLISHED, 4);
    sampleAt(10);
    joined(Counter.ARRIVED, 100);
    sampleAt(15);
    assertThat(past(metrics.queues(), 104, 10, 15)).isEqualTo(List.of(104L, 4L));
  }

  @Test
  void unacknowledgedMessagesOfAQueueThatLeavesAreGone() {
    Counters leaving = joined(Counter.PUBLISHED, 5);
    leaving.add(Counter.DELIVERED, 3);
    leaving.add(Counter.ACKED, 1);
    metrics.queues().leave(leaving);
    assertThat(metrics.queues().get(Counter.LEFT)).isEqualTo(4);
    assertThat(metrics.queues().get(Counter.LEFT_UNACKED)).isEqualTo(2);
  }
}
