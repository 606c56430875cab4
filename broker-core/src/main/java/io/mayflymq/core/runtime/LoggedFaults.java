package io.mayflymq.core.runtime;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs faults. The same fault may occur with every message: the first one is logged with its stack
 * trace; of those of the same kind within ten seconds only the number is logged.
 */
public final class LoggedFaults implements Faults {
  private static final Logger LOGGER = LoggerFactory.getLogger(LoggedFaults.class);
  private static final long NANOS_BETWEEN_LINES = 10_000_000_000L;

  private final ProcessEnd end;
  private final LongSupplier nanoTime;
  private final LongAdder contained = new LongAdder();
  private final Map<String, Line> lines = new ConcurrentHashMap<>();
  private volatile String last = "";

  /** The latest log line about faults of one kind. Guarded by itself. */
  private static final class Line {
    private boolean written;
    private long atNanos;
    private long suppressed;
  }

  /**
   * Creates an instance without faults.
   *
   * @param end ends the process
   */
  public LoggedFaults(ProcessEnd end) {
    this(end, System::nanoTime);
  }

  LoggedFaults(ProcessEnd end, LongSupplier nanoTime) {
    this.end = end;
    this.nanoTime = nanoTime;
  }

  @Override
  public void report(String what, Object of, Throwable fault) {
    if (Faults.isFatal(fault)) {
      end.now(what, fault);
      return;
    }
    contained.increment();
    String whole = of == null ? what : what + " " + of;
    last = whole + ": " + fault;
    Line line = lines.computeIfAbsent(what, any -> new Line());
    long suppressed;
    synchronized (line) {
      long now = nanoTime.getAsLong();
      if (line.written && now - line.atNanos < NANOS_BETWEEN_LINES) {
        line.suppressed++;
        return;
      }
      suppressed = line.suppressed;
      line.written = true;
      line.atNanos = now;
      line.suppressed = 0;
    }
    if (suppressed == 0) {
      LOGGER.error("{} failed; everything else goes on", whole, fault);
    } else {
      LOGGER.error(
          "{} failed, and {} more of the kind since the last line; everything else goes on",
          whole,
          suppressed,
          fault);
    }
  }

  @Override
  public void fatal(String what, Throwable fault) {
    end.now(what, fault);
  }

  @Override
  public long containedCount() {
    return contained.sum();
  }

  @Override
  public String lastContained() {
    return last;
  }

  /** Logs that something failed, without details. */
  static void log(String what, Throwable cause) {
    LOGGER.error("{} failed", what, cause);
  }
}
