package io.mayflymq.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Tells how much of the machine's processor time others took while something was measured, so that
 * a bound in milliseconds is not blamed on the broker when it had to share its processors.
 *
 * <p>Linux only ({@code /proc/stat}); elsewhere the machine counts as quiet.
 */
public final class Machine {
  private static final Path STAT = Path.of("/proc/stat");
  private static final double TICKS_PER_SECOND = 100;

  private final BrokerProcess broker;
  private final long start = System.nanoTime();
  private final double busyBefore = busySeconds();
  private final double ownBefore;

  private Machine(BrokerProcess broker) {
    this.broker = broker;
    ownBefore = ownSeconds();
  }

  /** Starts to watch; the broker's and this process's own work do not count. */
  public static Machine watch(BrokerProcess broker) {
    return new Machine(broker);
  }

  /** The share of all processors, 0 to 1, that others have used since. */
  public double others() {
    double seconds = (System.nanoTime() - start) / 1e9;
    double others = busySeconds() - busyBefore - (ownSeconds() - ownBefore);
    return Math.max(0, others / seconds / Runtime.getRuntime().availableProcessors());
  }

  private double ownSeconds() {
    Duration own = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    return own.plus(broker == null ? Duration.ZERO : broker.cpu()).toMillis() / 1e3;
  }

  private static double busySeconds() {
    if (!Files.isReadable(STAT)) {
      return 0;
    }
    try {
      // cpu user nice system idle iowait irq softirq steal ...
      String[] fields = Files.readAllLines(STAT).get(0).trim().split("\\s+");
      double ticks = 0;
      for (int field : new int[] {1, 2, 3, 6, 7, 8}) {
        ticks += Double.parseDouble(fields[field]);
      }
      return ticks / TICKS_PER_SECOND;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
