package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.memory.MemoryUse;
import org.junit.jupiter.api.Test;

class MemoryMonitorTest {
  /** What a collection would find alive, and what the last one found; collecting takes time. */
  private static final class FakeMemory implements MemoryUse {
    long alive;
    long lastFound;
    long collections;
    long now;
    long pause;
    boolean ofWholeHeap;

    @Override
    public long usedBytes() {
      return lastFound;
    }

    @Override
    public boolean isOfWholeHeap() {
      return ofWholeHeap;
    }

    @Override
    public void collect() {
      collections++;
      now += pause;
      lastFound = alive;
    }
  }

  private final FakeMemory memory = new FakeMemory();
  private final Alarms alarms = new Alarms();
  private final MemoryMonitor monitor = new MemoryMonitor(memory, () -> memory.now, alarms, 1_000);

  @Test
  void memoryAlarmIsRaisedOnlyAboveTheWatermark() {
    memory.alive = 1_000;
    memory.lastFound = 1_000;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
    assertThat(memory.collections).isZero();
    memory.alive = 1_001;
    memory.lastFound = 1_001;
    monitor.check();
    assertThat(alarms.raised()).containsExactly(Alarm.Resource.MEMORY);
  }

  @Test
  void garbageDoesNotRaiseTheMemoryAlarm() {
    memory.lastFound = 5_000;
    memory.alive = 10;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
    assertThat(memory.collections).isEqualTo(1);
  }

  @Test
  void memoryAlarmIsClearedWithoutOtherGarbageCollections() {
    memory.alive = 2_000;
    memory.lastFound = 2_000;
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    memory.alive = 500;
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
    assertThat(memory.collections).isEqualTo(2);
  }

  @Test
  void garbageCollectionsTakeAtMostATwentiethOfTheTime() {
    memory.alive = 2_000;
    memory.lastFound = 2_000;
    memory.pause = 100;
    monitor.check();
    assertThat(memory.now).isEqualTo(100);
    memory.now = 2_099;
    monitor.check();
    assertThat(memory.collections).isEqualTo(1);
    memory.now = 2_100;
    monitor.check();
    assertThat(memory.collections).isEqualTo(2);
  }

  @Test
  void readingThatMayBeGarbageChangesNothing() {
    memory.lastFound = 5_000;
    memory.pause = 100;
    monitor.check();
    assertThat(alarms.isRaised()).as("it was garbage").isFalse();
    memory.lastFound = 5_000;
    memory.alive = 2_000;
    monitor.check();
    assertThat(alarms.isRaised()).as("too early to know").isFalse();
    memory.now += 2_000;
    monitor.check();
    assertThat(alarms.isRaised()).as("now it is known").isTrue();
    memory.lastFound = 2_000;
    memory.alive = 10;
    monitor.check();
    assertThat(alarms.isRaised()).as("too early to know again").isTrue();
    memory.now += 2_000;
    monitor.check();
    assertThat(alarms.isRaised()).as("most was garbage").isFalse();
  }

  @Test
  void readingOfTheWholeHeapAppliesAtOnce() {
    memory.lastFound = 5_000;
    memory.pause = 100;
    monitor.check();
    assertThat(alarms.isRaised()).as("it was garbage").isFalse();
    memory.lastFound = 2_000;
    memory.ofWholeHeap = true;
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    assertThat(memory.collections).isEqualTo(1);
  }

  @Test
  void memoryWatermarkCanBeChangedAtRunTime() {
    memory.alive = 500;
    memory.lastFound = 500;
    monitor.setWatermark(0);
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    monitor.setWatermark(500);
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
  }

  @Test
  void manualChangeOfTheMemoryAlarmLastsUntilTheStateChanges() {
    alarms.raise(Alarm.Resource.MEMORY, "by hand");
    monitor.check();
    assertThat(alarms.isRaised()).isTrue();
    alarms.clear(Alarm.Resource.MEMORY, "by hand");
    memory.alive = 2_000;
    memory.lastFound = 2_000;
    monitor.check();
    alarms.clear(Alarm.Resource.MEMORY, "by hand");
    monitor.check();
    assertThat(alarms.isRaised()).isFalse();
  }
}
