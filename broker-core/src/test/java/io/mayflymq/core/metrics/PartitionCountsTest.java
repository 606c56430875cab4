package io.mayflymq.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.metrics.PartitionCounts.Strategy;
import io.mayflymq.core.policy.QueueType;
import org.junit.jupiter.api.Test;

class PartitionCountsTest {
  private final PartitionCounts counts = new PartitionCounts();

  @Test
  void everyCombinationHasACountOfItsOwn() {
    int expected = 0;
    for (QueueType type : QueueType.values()) {
      for (Strategy strategy : Strategy.values()) {
        for (DeathReason reason : DeathReason.values()) {
          expected++;
          for (int i = 0; i < expected; i++) {
            counts.died(type, strategy, reason);
          }
        }
      }
    }
    for (QueueType type : QueueType.values()) {
      for (Strategy strategy : Strategy.values()) {
        for (DeathReason reason : DeathReason.values()) {
          assertThat(counts.deaths(type, strategy, reason)).isPositive();
        }
      }
    }
    assertThat(counts.deaths(QueueType.STREAM, Strategy.AT_LEAST_ONCE, lastReason()))
        .isEqualTo(expected);
  }

  private static DeathReason lastReason() {
    DeathReason[] all = DeathReason.values();
    return all[all.length - 1];
  }

  @Test
  void arrivalsAreCountedByTheTypeOfTheirSource() {
    counts.arrived(QueueType.QUORUM);
    assertThat(counts.arrivals(QueueType.QUORUM)).isEqualTo(1);
    assertThat(counts.arrivals(QueueType.CLASSIC)).isZero();
  }

  @Test
  void whatIsLetGoIsCountedByItsCause() {
    counts.letGo(PartitionCounts.LetGo.BYTES, 2, 300);
    counts.letGo(PartitionCounts.LetGo.DISK, 1, 100);
    counts.letGo(PartitionCounts.LetGo.BYTES, 3, 50);
    assertThat(counts.letGo(PartitionCounts.LetGo.BYTES)).isEqualTo(5);
    assertThat(counts.letGoBytes(PartitionCounts.LetGo.BYTES)).isEqualTo(350);
    assertThat(counts.letGo(PartitionCounts.LetGo.DISK)).isEqualTo(1);
    assertThat(counts.letGoBytes(PartitionCounts.LetGo.DISK)).isEqualTo(100);
  }

  @Test
  void endsOfLeasesAreCounted() {
    counts.leaseEnded();
    assertThat(counts.leasesEnded()).isEqualTo(1);
  }
}
