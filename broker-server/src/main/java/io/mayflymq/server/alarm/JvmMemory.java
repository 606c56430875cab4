package io.mayflymq.server.alarm;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/*
 * The memory of this Java virtual machine.
 *
 * The current heap usage consists mostly of garbage, so it is not useful. The usage after the last
 * collection is an upper bound for the live data at that time: a collection of the young generation
 * leaves the garbage of the old one in place. (The pools' own
 * getCollectionUsage is of no use for this, as G1 sets that of its old generation after some collections only.)
 *
 * Buffers outside of the heap are Netty's, which take a part of the machine's memory limit that the JDK counts or not, depending on how
 * Netty allocates; whichever of the two counts is larger has them all.
 */
final class JvmMemory implements MemoryUse {
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans().stream()
          .filter(GarbageCollectorMXBean.class::isInstance)
          .map(GarbageCollectorMXBean.class::cast)
          .toList();
  private final List<BufferPoolMXBean> directBuffers =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .toList();
  private final Set<String> heapPools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());

  /** The most that the heap may take, in bytes. */
  static long maxHeapBytes() {
    return Runtime.getRuntime().maxMemory();
  }

  @Override
  public long usedBytes() {
    return heapBytes() + outsideBytes();
  }

  /** The heap's part of it. */
  long heapBytes() {
    GcInfo last = null;
    for (GarbageCollectorMXBean collector : collectors) {
      GcInfo info = collector.getLastGcInfo();
      if (info != null && (last == null || info.getEndTime() > last.getEndTime())) {
        last = info;
      }
    }
    if (last == null) {
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
    long used = 0;
    for (Map.Entry<String, MemoryUsage> pool : last.getMemoryUsageAfterGc().entrySet()) {
      used += heapPools.contains(pool.getKey()) ? pool.getValue().getUsed() : 0;
    }
    return used;
  }

  private long outsideBytes() {
    long counted = directBuffers.stream().mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    return Math.max(counted, PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory());
  }

  @Override
  public void collect() {
    System.gc();
  }
}
