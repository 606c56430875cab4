package io.mayflymq.server.alarm;

import com.sun.management.OperatingSystemMXBean;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.runtime.SteadyClock;
import io.mayflymq.server.config.DiskSettings;
import io.mayflymq.server.config.MemorySettings;
import io.mayflymq.server.memory.JvmMemory;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The monitors of memory and disk, and the thread that runs their checks periodically. Any thread
 * may set the limits at run time.
 */
public final class ResourceMonitors implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ResourceMonitors.class);

  private static final long CLOCK_MILLIS = 1_000;
  private static final String MEMORY_CHECK = "checking how much memory is used";
  private static final String DISK_CHECK = "checking how much of the disk is free";

  private final MemoryMonitor memory;
  private final DiskMonitor disk;
  private final PeriodicWork thread;
  private final String limits;

  private ResourceMonitors(
      MemoryMonitor memory, DiskMonitor disk, PeriodicWork thread, String limits) {
    this.thread = thread;
    this.memory = memory;
    this.disk = disk;
    this.limits = limits;
  }

  /**
   * Checks both at once, so that the alarms are correct before the first client connects, and then
   * continues to check.
   *
   * @param dataDir an existing directory, whose disk is the one that counts
   * @param alarms where they are raised and cleared
   * @param threads makes the one that checks
   */
  public static ResourceMonitors start(
      MemorySettings memorySettings,
      DiskSettings diskSettings,
      Path dataDir,
      Alarms alarms,
      BrokerThreads threads) {
    long watermark = watermark(memorySettings);
    long limit = limit(diskSettings);
    ResourceMonitors monitors =
        new ResourceMonitors(
            new MemoryMonitor(new JvmMemory(), System::nanoTime, alarms, watermark),
            new DiskMonitor(freeSpace(dataDir), System::nanoTime, alarms, limit),
            threads.periodic("resource-monitors"),
            "memory high watermark %d bytes, disk free limit %d bytes".formatted(watermark, limit));
    monitors.memory.check();
    monitors.thread.repeat(
        MEMORY_CHECK, memorySettings::monitorIntervalMillis, monitors.memory::check);
    monitors.disk.check();
    monitors.thread.repeat(DISK_CHECK, monitors.disk::delayMillis, monitors.disk::check);
    return monitors;
  }

  /**
   * Returns what reads the free space. It looks up the file store each time, as a directory may
   * have been mounted or unmounted.
   */
  private static FreeSpace freeSpace(Path dataDir) {
    return () -> {
      FileStore store = Files.getFileStore(dataDir);
      return store.getUsableSpace();
    };
  }

  /**
   * Has a clock read once a second, so that it notices soon when it is set.
   *
   * @param clock any thread may read it
   */
  public void watch(SteadyClock clock) {
    thread.every("reading the clock", CLOCK_MILLIS, clock::look);
  }

  /**
   * Sets what is to free memory before publishers are blocked.
   *
   * @param first returns whether it frees some; by the thread of the monitors
   */
  public void setRelief(BooleanSupplier first) {
    memory.setRelief(first);
  }

  /**
   * Sets what is to make space on the disk before publishers are blocked.
   *
   * @param first is told how many bytes are wanted; by the thread of the monitors
   */
  public void setDiskRelief(LongConsumer first) {
    disk.setRelief(first);
  }

  /** Logs the limits. */
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

  /** Returns how many bytes of memory may be in use before the alarm. Any thread may call. */
  public long memoryHighWatermark() {
    return memory.watermark();
  }

  /** Returns how many bytes of disk must be free, or there is an alarm. Any thread may call. */
  public long diskFreeLimit() {
    return disk.limit();
  }

  /**
   * Sets {@code vm_memory_high_watermark} and checks against it, soon; the interval stays what it
   * was at the start.
   */
  public void setVmMemoryHighWatermark(MemorySettings settings) {
    long bytes = watermark(settings);
    thread.soon(
        MEMORY_CHECK,
        () -> {
          LOGGER.info("memory high watermark set to {} bytes", bytes);
          memory.setWatermark(bytes);
          memory.check();
        });
  }

  /** Sets both limits to the current configuration, if it has changed. */
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
    thread.soon(
        DISK_CHECK,
        () -> {
          LOGGER.info("disk free limit set to {} bytes", bytes);
          disk.setLimit(bytes);
          disk.check();
        });
  }

  /** Stops the checks; alarms stay as they are. */
  @Override
  public void close() {
    thread.close();
  }
}
