package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.DiskSettings;
import io.mayflymq.server.config.MemorySettings;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourceMonitorsTest {
  private static final BrokerThreads THREADS = new BrokerThreads(Faults.logged());

  private static final MemorySettings ENOUGH_MEMORY = memory(1);
  private static final DiskSettings ENOUGH_DISK = new DiskSettings(0, OptionalDouble.empty());
  private static final DiskSettings NO_DISK = new DiskSettings(1L << 60, OptionalDouble.empty());

  @TempDir Path directory;

  private final Alarms alarms = new Alarms();
  private final CountDownLatch raised = new CountDownLatch(1);
  private final CountDownLatch cleared = new CountDownLatch(1);

  ResourceMonitorsTest() {
    alarms.addListener(
        new Alarms.Listener() {
          @Override
          public void firstRaised() {
            raised.countDown();
          }

          @Override
          public void lastCleared() {
            cleared.countDown();
          }
        });
  }

  private static MemorySettings memory(double watermark) {
    return new MemorySettings(watermark, OptionalLong.empty(), 0.5, 10);
  }

  @Test
  void lowMemoryAndDiskRaiseAlarmsAtTheStart() throws Exception {
    try (ResourceMonitors monitors =
        ResourceMonitors.start(memory(0), NO_DISK, directory, alarms, THREADS)) {
      assertThat(alarms.raised()).containsExactly(Alarm.Resource.DISK, Alarm.Resource.MEMORY);
      monitors.setDiskFreeLimit(ENOUGH_DISK);
      monitors.setVmMemoryHighWatermark(ENOUGH_MEMORY);
      assertThat(cleared.await(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void watermarkSetAtRunTimeAppliesSoon() throws Exception {
    try (ResourceMonitors monitors =
        ResourceMonitors.start(ENOUGH_MEMORY, ENOUGH_DISK, directory, alarms, THREADS)) {
      assertThat(alarms.isRaised()).isFalse();
      monitors.setVmMemoryHighWatermark(memory(0));
      assertThat(raised.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(alarms.reason()).isEqualTo("low on memory");
    }
  }

  @Test
  void diskLimitSetAtRunTimeAppliesSoon() throws Exception {
    try (ResourceMonitors monitors =
        ResourceMonitors.start(ENOUGH_MEMORY, ENOUGH_DISK, directory, alarms, THREADS)) {
      monitors.setDiskFreeLimit(NO_DISK);
      assertThat(raised.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(alarms.reason()).isEqualTo("low on disk");
    }
  }
}
