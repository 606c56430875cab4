package io.mayflymq.server.boot;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;

/**
 * Has Java give memory back that a burst needed: by default a heap that has grown keeps its size
 * until it is full once more, which on a large machine may never be. A broker that rests collects
 * now and then, in the background. What was set on the command line stays as it is; an option that
 * this Java does not have is passed over.
 *
 * <p>The shares of free heap that Java keeps are left alone: less of it would hold under load too,
 * and cost a third more processor time where bodies of 1 KB pass through.
 */
final class HeapThrift {
  private static final String INTERVAL = "G1PeriodicGCInterval";
  private static final long LEAST_REST_MILLIS = 15_000;

  private HeapThrift() {}

  /** Sets the option, for as long as the process lives. */
  static void begin() {
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (java == null) {
      return;
    }
    try {
      VMOption there = java.getVMOption(INTERVAL);
      if (there.isWriteable() && there.getOrigin() == VMOption.Origin.DEFAULT) {
        java.setVMOption(INTERVAL, Long.toString(restMillis()));
      }
    } catch (IllegalArgumentException e) {
      // No such option.
    }
  }

  /**
   * After how long without a collection there is one. The larger the heap may be, the more there
   * may be to look through: then less often, so that a broker at rest has little to do.
   */
  private static long restMillis() {
    return Math.max(LEAST_REST_MILLIS, Runtime.getRuntime().maxMemory() / (1 << 30) * 5_000);
  }
}
