package io.mayflymq.server.boot;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** How Java divides its heap. */
final class HeapRegions {
  private static final int LEAST_SLAB_BYTES = 1 << 20;

  private HeapRegions() {}

  /**
   * Returns how large an array has to be that G1 never copies: more than half a region, so it is
   * given one to itself. Other collectors have no such regions, and copy large arrays seldom.
   */
  static int slabBytes() {
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (java == null || !isSet(java, "UseG1GC")) {
      return LEAST_SLAB_BYTES;
    }
    long region = Long.parseLong(java.getVMOption("G1HeapRegionSize").getValue());
    return (int) Math.max(LEAST_SLAB_BYTES, region);
  }

  private static boolean isSet(HotSpotDiagnosticMXBean java, String option) {
    try {
      return Boolean.parseBoolean(java.getVMOption(option).getValue());
    } catch (IllegalArgumentException e) {
      return false; // No such option.
    }
  }
}
