package io.mayflymq.server.boot;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Has Java give memory back that a burst needed: by default a heap that has grown keeps its size
 * until it is full once more, which on a large machine may never be. A broker that rests collects
 * now and then, in the background, and keeps little more than what is alive. What was set on the
 * command line stays as it is; options that this Java does not have are passed over.
 */
final class HeapThrift {
  private static final long LEAST_REST_MILLIS = 15_000;

  private record Option(String name, String value) {}

  /** In this order: the least share of free heap must never be above the largest. */
  private static final List<Option> OPTIONS =
      List.of(
          new Option("MinHeapFreeRatio", "20"), // percent
          new Option("MaxHeapFreeRatio", "40"),
          new Option("G1PeriodicGCInterval", Long.toString(restMillis())));

  /**
   * After how long without a collection there is one. The larger the heap may be, the more there
   * may be to look through: then less often, so that a broker at rest has little to do.
   */
  private static long restMillis() {
    return Math.max(LEAST_REST_MILLIS, Runtime.getRuntime().maxMemory() / (1 << 30) * 5_000);
  }

  private HeapThrift() {}

  /** Sets the options, for as long as the process lives. */
  static void begin() {
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (java != null) {
      OPTIONS.forEach(option -> set(java, option));
    }
  }

  private static void set(HotSpotDiagnosticMXBean java, Option option) {
    try {
      VMOption there = java.getVMOption(option.name);
      if (there.isWriteable() && there.getOrigin() == VMOption.Origin.DEFAULT) {
        java.setVMOption(option.name, option.value);
      }
    } catch (IllegalArgumentException e) {
      // No such option, or one beside it was set so that this value does not fit.
    }
  }
}
