package io.mayflymq.server.alarm;

import com.sun.management.OperatingSystemMXBean;
import io.mayflymq.server.config.DiskSettings;
import io.mayflymq.server.config.MemorySettings;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The monitors of memory and disk, and the thread that has them check again and again. Limits can
 * be set while it runs, by any thread.
 */
public final class ResourceMonitors implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ResourceMonitors.class);

  private final MemoryMonitor memory;
  private final DiskMonitor disk;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "resource-monitors");
            created.setDaemon(true);
            return created;
          });

  private final String limits;

  private ResourceMonitors(MemoryMonitor memory, DiskMonitor disk, String limits) {
    this.memory = memory;
    this.disk = disk;
    this.limits = limits;
  }

  /**
   * Checks both at once, so that the alarms are as they should be before anybody connects, and then
   * goes on checking.
   *
   * @param dataDir an existing directory, whose disk is the one that counts
   * @param alarms where they are raised and cleared
   */
  public static ResourceMonitors start(
      MemorySettings memorySettings, DiskSettings diskSettings, Path dataDir, Alarms alarms) {
    long watermark = watermark(memorySettings);
    long limit = limit(diskSettings);
    ResourceMonitors monitors =
        new ResourceMonitors(
            new MemoryMonitor(new JvmMemory(), System::nanoTime, alarms, watermark),
            new DiskMonitor(freeSpace(dataDir), alarms, limit),
            "memory high watermark %d bytes, disk free limit %d bytes".formatted(watermark, limit));
    monitors.repeat(monitors.memory::check, memorySettings::monitorIntervalMillis);
    monitors.repeat(monitors.disk::check, monitors.disk::delayMillis);
    return monitors;
  }

  /** The file store is asked for anew each time: a mount may have come or gone. */
  private static FreeSpace freeSpace(Path dataDir) {
    return () -> {
      FileStore store = Files.getFileStore(dataDir);
      return store.getUsableSpace();
    };
  }

  /** Says in the log what the limits are. */
  public void announce() {
    LOGGER.info(limits);
  }

  private static long watermark(MemorySettings settings) {
    return settings.watermarkBytes(JvmMemory.maxHeapBytes());
  }

  private static long limit(DiskSettings settings) {
    return settings.limitBytes(
        () ->
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize());
  }

  /** Runs a check now, and then on the thread of the monitors after each delay. */
  private void repeat(Runnable check, LongSupplier delayMillis) {
    run(check);
    try {
      thread.schedule(
          () -> repeat(check, delayMillis), delayMillis.getAsLong(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOGGER.debug("stopped while checking", e);
    }
  }

  private static void run(Runnable check) {
    try {
      check.run();
    } catch (RuntimeException e) {
      // The next check may do better; without it an alarm would stay as it is for ever.
      LOGGER.error("a check of memory or disk failed", e);
    }
  }

  /** How many bytes of memory may be in use before the alarm. Any thread may ask. */
  public long memoryHighWatermark() {
    return memory.watermark();
  }

  /** How many bytes of disk must be free, or there is an alarm. Any thread may ask. */
  public long diskFreeLimit() {
    return disk.limit();
  }

  /**
   * Sets {@code vm_memory_high_watermark} and checks against it, soon; the interval stays what it
   * was at the start.
   */
  public void setVmMemoryHighWatermark(MemorySettings settings) {
    long bytes = watermark(settings);
    thread.execute(
        () -> {
          LOGGER.info("memory high watermark set to {} bytes", bytes);
          memory.setWatermark(bytes);
          run(memory::check);
        });
  }

  /** Sets both limits to what the configuration says now, if that is another than it was. */
  public void apply(MemorySettings memorySettings, DiskSettings diskSettings) {
    if (watermark(memorySettings) != memory.watermark()) {
      setVmMemoryHighWatermark(memorySettings);
    }
    if (limit(diskSettings) != disk.limit()) {
      setDiskFreeLimit(diskSettings);
    }
  }

  /** Sets {@code disk_free_limit} and checks against it, soon. */
  public void setDiskFreeLimit(DiskSettings settings) {
    long bytes = limit(settings);
    thread.execute(
        () -> {
          LOGGER.info("disk free limit set to {} bytes", bytes);
          disk.setLimit(bytes);
          run(disk::check);
        });
  }

  /** Checks no more; alarms stay as they are. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
