package io.mayflymq.server.management.json;

import io.mayflymq.server.json.Json;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Describes the Java virtual machine: threads with their stacks, heap, collections, arguments. */
public final class JvmState {
  /** An argument that sets a password: its value is not shown. */
  private static final Pattern SECRET =
      Pattern.compile("(?i)(-D[^=]*(?:password|secret|token|credential)[^=]*=).*");

  private JvmState() {}

  /**
   * Returns the state. Taking a dump of all threads stops them for a moment.
   *
   * @param dataDirectory shown with it
   */
  public static Map<String, Object> read(String dataDirectory) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    return Json.object(
        "java", System.getProperty("java.vm.name") + " " + Runtime.version(),
        "os", "%s %s".formatted(System.getProperty("os.name"), System.getProperty("os.version")),
        "processors", Runtime.getRuntime().availableProcessors(),
        "pid", ProcessHandle.current().pid(),
        "uptime_ms", ManagementFactory.getRuntimeMXBean().getUptime(),
        "arguments",
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .map(argument -> SECRET.matcher(argument).replaceFirst("$1***"))
                .toList(),
        "data_dir", dataDirectory,
        "heap", usage(heap),
        "pools", ManagementFactory.getMemoryPoolMXBeans().stream().map(JvmState::pool).toList(),
        "collections",
            ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(JvmState::collector)
                .toList(),
        "threads", threads());
  }

  private static Map<String, Object> usage(MemoryUsage usage) {
    return Json.object(
        "used", usage.getUsed(), "committed", usage.getCommitted(), "max", usage.getMax());
  }

  private static Map<String, Object> pool(MemoryPoolMXBean pool) {
    Map<String, Object> object = Json.object("name", pool.getName());
    object.putAll(usage(pool.getUsage()));
    return object;
  }

  private static Map<String, Object> collector(GarbageCollectorMXBean collector) {
    return Json.object(
        "name", collector.getName(),
        "count", collector.getCollectionCount(),
        "millis", collector.getCollectionTime());
  }

  private static String threads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    List<String> lines = new ArrayList<>();
    ThreadInfo[] all =
        threads.dumpAllThreads(
            threads.isObjectMonitorUsageSupported(), threads.isSynchronizerUsageSupported());
    Arrays.sort(all, Comparator.comparing(ThreadInfo::getThreadName));
    for (ThreadInfo thread : all) {
      describe(thread, lines);
    }
    long[] deadlocked = threads.findDeadlockedThreads();
    if (deadlocked != null) {
      lines.add("deadlocked: " + Arrays.toString(deadlocked));
    }
    return String.join("\n", lines);
  }

  private static void describe(ThreadInfo thread, List<String> lines) {
    lines.add(
        "\"%s\" #%d %s"
            .formatted(thread.getThreadName(), thread.getThreadId(), thread.getThreadState()));
    LockInfo awaited = thread.getLockInfo();
    if (awaited != null) {
      lines.add(
          "    waits for %s%s"
              .formatted(
                  awaited,
                  thread.getLockOwnerName() == null
                      ? ""
                      : ", held by \"%s\"".formatted(thread.getLockOwnerName())));
    }
    StackTraceElement[] stack = thread.getStackTrace();
    for (int depth = 0; depth < stack.length; depth++) {
      lines.add("    at " + stack[depth]);
      for (MonitorInfo held : thread.getLockedMonitors()) {
        if (held.getLockedStackDepth() == depth) {
          lines.add("      holds " + held);
        }
      }
    }
    lines.add("");
  }
}
