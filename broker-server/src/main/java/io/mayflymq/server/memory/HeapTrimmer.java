package io.mayflymq.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Makes Java return memory to the system after a peak: by default a heap that has grown keeps its
 * size until it is full once more, which on a large machine may never be. An idle broker keeps
 * little of the heap free. G1 collects garbage periodically then, in the background. Other
 * collectors stop the broker to do so; it is done once, at the beginning of a rest, and only if the
 * heap has grown since the last one. Options set on the command line are not changed; an option
 * that this Java does not have is ignored.
 *
 * <p>Under load, Java's defaults for the share of free heap stay: a smaller share cost a third more
 * processor time with bodies of 1 KB. If a collector that stops the broker has to collect the whole
 * heap again and again, as it does for messages larger than its young generation, the heap may grow
 * until the next rest: with bodies of 16 MB, each third message took a collection of 30 ms.
 *
 * <p>Belongs to the thread that calls {@link #look}.
 */
public final class HeapTrimmer {
  private static final String INTERVAL = "G1PeriodicGCInterval";
  private static final String LEAST_FREE = "MinHeapFreeRatio";
  private static final String MOST_FREE = "MaxHeapFreeRatio";
  private static final long LEAST_REST_MILLIS = 15_000;

  /** In percent of the heap, at rest. */
  private static final int LEAST_FREE_AT_REST = 10;

  private static final int MOST_FREE_AT_REST = 20;

  /** The same while the whole heap is collected again and again. */
  private static final Shares ROOMY = new Shares(90, 95);

  /** More collections between two looks than this, and the broker does not rest. */
  private static final int COLLECTIONS_AT_REST = 1;

  /** So many collections of the whole heap between two looks are too many. */
  private static final int MANY_WHOLE = 3;

  private final HotSpotDiagnosticMXBean java;
  private final LongSupplier collectionCount;

  /** Null if Java collects at rest by itself. */
  private final Heap heap;

  /** The size of the heap after the last rest has begun. */
  private long restedBytes;

  private long wholeCollections;

  /** Null where the shares are not this class's to set. */
  private Shares atWork;

  private long collections;
  private boolean rests;

  /** How much of the heap may be free after a collection, in percent. */
  private record Shares(int least, int most) {}

  /**
   * The heap of a Java that stops all threads to collect.
   *
   * @param bytes returns its size, with what is free
   * @param wholeCollections returns how many collections of all of it there have been
   * @param collect does one
   */
  record Heap(LongSupplier bytes, LongSupplier wholeCollections, Runnable collect) {}

  private HeapTrimmer(HotSpotDiagnosticMXBean java, LongSupplier collectionCount, Heap heap) {
    this.java = java;
    this.collectionCount = collectionCount;
    this.heap = heap;
    this.restedBytes = heap == null ? 0 : heap.bytes.getAsLong();
    this.wholeCollections = heap == null ? 0 : heap.wholeCollections.getAsLong();
  }

  /** Enables periodic collections while idle, until the process ends. */
  public static HeapTrimmer begin() {
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    GarbageCollectorMXBean whole = collectors.get(collectors.size() - 1);
    return begin(
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class),
        () -> collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum(),
        whole.getName().startsWith("G1")
            ? null
            : new Heap(Runtime.getRuntime()::totalMemory, whole::getCollectionCount, System::gc));
  }

  /**
   * The same of a certain Java.
   *
   * @param java its options; null if it does not tell
   * @param collectionCount how many collections there have been
   * @param heap null if it collects at rest by itself
   */
  static HeapTrimmer begin(HotSpotDiagnosticMXBean java, LongSupplier collectionCount, Heap heap) {
    HeapTrimmer trimmer = new HeapTrimmer(java, collectionCount, heap);
    if (trimmer.isOurs(INTERVAL)) {
      trimmer.java.setVMOption(INTERVAL, Long.toString(restMillis()));
      if (trimmer.isOurs(LEAST_FREE) && trimmer.isOurs(MOST_FREE)) {
        trimmer.atWork = new Shares(trimmer.percent(LEAST_FREE), trimmer.percent(MOST_FREE));
      }
    }
    return trimmer;
  }

  /**
   * After how long without a collection there is one. The larger the heap may be, the more there
   * may be to look through: then less often, so that a broker at rest has little to do.
   */
  private static long restMillis() {
    return Math.max(LEAST_REST_MILLIS, Runtime.getRuntime().maxMemory() / (1 << 30) * 5_000);
  }

  /** Checks whether the broker is idle. To be called more often than Java collects at rest. */
  public void look() {
    long before = collections;
    collections = collectionCount.getAsLong();
    boolean restsNow = collections - before <= COLLECTIONS_AT_REST;
    if (atWork == null) {
      return;
    }
    if (restsNow != rests) {
      rests = restsNow;
      set(rests ? new Shares(LEAST_FREE_AT_REST, MOST_FREE_AT_REST) : atWork);
    }
    if (heap != null) {
      lookAtWholeCollections();
    }
  }

  private void lookAtWholeCollections() {
    long before = wholeCollections;
    wholeCollections = heap.wholeCollections.getAsLong();
    if (rests && heap.bytes.getAsLong() > restedBytes) {
      heap.collect.run();
      restedBytes = heap.bytes.getAsLong();
      collections = collectionCount.getAsLong();
      wholeCollections = heap.wholeCollections.getAsLong();
    } else if (!rests && wholeCollections - before >= MANY_WHOLE) {
      set(ROOMY);
    }
  }

  /** In an order in which the least share is never above the most. */
  private void set(Shares shares) {
    boolean down = shares.most < percent(MOST_FREE);
    java.setVMOption(down ? LEAST_FREE : MOST_FREE, percent(down ? shares.least : shares.most));
    java.setVMOption(down ? MOST_FREE : LEAST_FREE, percent(down ? shares.most : shares.least));
  }

  private static String percent(int share) {
    return Integer.toString(share);
  }

  private int percent(String option) {
    return Integer.parseInt(java.getVMOption(option).getValue());
  }

  private boolean isOurs(String option) {
    if (java == null) {
      return false;
    }
    try {
      VMOption there = java.getVMOption(option);
      return there.isWriteable() && there.getOrigin() == VMOption.Origin.DEFAULT;
    } catch (IllegalArgumentException e) {
      return false; // No such option.
    }
  }
}
