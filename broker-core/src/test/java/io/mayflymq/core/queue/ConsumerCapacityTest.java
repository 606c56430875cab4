package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ConsumerCapacityTest {
  private final ConsumerCapacity capacity = new ConsumerCapacity(0);

  @Test
  void queueThatNeverWaitedHasFullCapacity() {
    assertThat(capacity.value(0)).isEqualTo(1);
    assertThat(capacity.value(5_000)).isEqualTo(1);
  }

  @Test
  void capacityFallsWhileMessagesWait() {
    capacity.note(true, 500);
    assertThat(capacity.value(500)).isEqualTo(1);
    assertThat(capacity.value(1_000)).isEqualTo(0.5);
    assertThat(capacity.value(50_500)).isEqualTo(0.5 / 50.5, within(0.0001));
  }

  @Test
  void capacityRecoversWithinASecond() {
    capacity.note(true, 0);
    capacity.note(false, 1_000);
    assertThat(capacity.value(1_000)).isZero();
    assertThat(capacity.value(1_250)).isEqualTo(0.25);
    assertThat(capacity.value(2_000)).isEqualTo(1);
  }

  @Test
  void alternatingQueueHasTheShareOfItsActiveTime() {
    for (long at = 0; at < 20_000; at += 100) {
      capacity.note(true, at);
      capacity.note(false, at + 25);
    }
    assertThat(capacity.value(20_000)).isEqualTo(0.75, within(0.02));
  }

  @Test
  void aClockThatIsSetBackDoesNoHarm() {
    capacity.note(true, 1_000);
    capacity.note(false, 500);
    assertThat(capacity.value(400)).isBetween(0.0, 1.0);
  }
}
