package io.mayflymq.test;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Prints how long brokers take to start, and how much heap one takes. To be run in a JVM of its
 * own, with nothing else on the machine: {@code java -cp KIT:TEST-CLASSES
 * io.mayflymq.test.StartTimes}.
 */
final class StartTimes {
  private static final int FURTHER = 40;
  private static final int KEPT = 10;

  private StartTimes() {}

  /** Measures. */
  public static void main(String[] args) {
    long cpu = cpu();
    long began = System.nanoTime();
    MayflyBroker first = MayflyBroker.start();
    long firstMillis = (System.nanoTime() - began) / 1_000_000;
    long firstCpu = cpu() - cpu;
    first.close();
    List<Long> starts = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    for (int i = 0; i < FURTHER; i++) {
      long start = System.nanoTime();
      MayflyBroker broker = MayflyBroker.start();
      long started = System.nanoTime();
      broker.close();
      starts.add(started - start);
      ends.add(System.nanoTime() - started);
    }
    long before = heap();
    List<MayflyBroker> kept = new ArrayList<>();
    for (int i = 0; i < KEPT; i++) {
      kept.add(MayflyBroker.start());
    }
    long each = (heap() - before) / KEPT;
    kept.forEach(MayflyBroker::close);
    System.out.printf(
        "first start %d ms (%d ms of the processors), further starts %d ms, their ends %d ms (medians"
            + " of %d), heap %d MB without a broker, %d KB for each%n",
        firstMillis, firstCpu, median(starts), median(ends), FURTHER, before >> 20, each >> 10);
  }

  private static long median(List<Long> nanos) {
    Collections.sort(nanos);
    return nanos.get(nanos.size() / 2) / 1_000_000;
  }

  private static long heap() {
    System.gc();
    Runtime java = Runtime.getRuntime();
    return java.totalMemory() - java.freeMemory();
  }

  private static long cpu() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1_000_000;
  }
}
