package io.mayflymq.server.memory;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The memory of this Java virtual machine.
 *
 * <p>The current heap usage consists mostly of garbage, so it is not useful. The usage after the
 * last collection is an upper bound for the live data at that time: a collection of the young
 * generation leaves the garbage of the old one in place. (The pools' own getCollectionUsage is of
 * no use for this, as G1 sets that of its old generation after some collections only.)
 */
public final class JvmMemory implements MemoryUse {
  /**
   * The collectors of the whole heap at once: of G1, of the serial and of the parallel collector.
   */
  private static final Set<String> WHOLE_HEAP =
      Set.of("G1 Old Generation", "MarkSweepCompact", "PS MarkSweep");

  private static final List<GarbageCollectorMXBean> COLLECTORS =
      ManagementFactory.getGarbageCollectorMXBeans().stream()
          .filter(GarbageCollectorMXBean.class::isInstance)
          .map(GarbageCollectorMXBean.class::cast)
          .toList();
  private static final Set<String> HEAP_POOLS =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toUnmodifiableSet());

  /** Returns the most that the heap may take, in bytes. */
  public static long maxHeapBytes() {
    return Runtime.getRuntime().maxMemory();
  }

  @Override
  public long usedBytes() {
    return heapBytes() + DirectMemory.usedBytes();
  }

  /** Returns the heap's part of it. */
  long heapBytes() {
    return last()
        .map(JvmMemory::heapBytesAfter)
        .orElseGet(() -> ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
  }

  /** A collection that has ended. */
  private record Collection(String collector, GcInfo info) {}

  private static Optional<Collection> last() {
    return COLLECTORS.stream()
        .filter(collector -> collector.getLastGcInfo() != null)
        .map(collector -> new Collection(collector.getName(), collector.getLastGcInfo()))
        .max(Comparator.comparingLong(collection -> collection.info().getEndTime()));
  }

  private static long heapBytesAfter(Collection collection) {
    return collection.info().getMemoryUsageAfterGc().entrySet().stream()
        .filter(pool -> HEAP_POOLS.contains(pool.getKey()))
        .mapToLong(pool -> pool.getValue().getUsed())
        .sum();
  }

  @Override
  public boolean isOfWholeHeap() {
    return last().filter(collection -> WHOLE_HEAP.contains(collection.collector())).isPresent();
  }

  @Override
  public void collect() {
    System.gc();
  }
}
