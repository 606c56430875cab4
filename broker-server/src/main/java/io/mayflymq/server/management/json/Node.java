package io.mayflymq.server.management.json;

import io.mayflymq.core.store.StoreStats;
import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Describes the process and the machine that it runs on.
 *
 * @param listeners the listeners for AMQP and for the API
 * @param dataDir the data directory
 * @param logFile the log file, or null if it logs to the console only
 * @param mechanisms the SASL mechanisms that the broker offers
 * @param configFiles the files that the configuration was read from
 * @param drained whether it is in maintenance mode
 */
public record Node(
    List<Listener> listeners,
    Path dataDir,
    Path logFile,
    List<String> mechanisms,
    List<Path> configFiles,
    BooleanSupplier drained) {

  private static final String AMQP = "amqp";

  /** RabbitMQ's name for AMQP over TLS. */
  private static final String AMQPS = "amqp/ssl";

  private static final String CLUSTERING = "clustering";
  private static final long BYTES_PER_PAGE = 4096;

  /**
   * A listener of the broker.
   *
   * @param protocol RabbitMQ's name for it
   * @param tlsNow returns the current TLS settings; null without TLS
   */
  public record Listener(String protocol, InetSocketAddress address, Supplier<TlsSettings> tlsNow) {
    public static Listener amqp(InetSocketAddress address) {
      return new Listener(AMQP, address, null);
    }

    public static Listener amqps(InetSocketAddress address, Supplier<TlsSettings> tls) {
      return new Listener(AMQPS, address, tls);
    }

    public static Listener http(InetSocketAddress address) {
      return new Listener("http", address, null);
    }

    public static Listener https(InetSocketAddress address, Supplier<TlsSettings> tls) {
      return new Listener("https", address, tls);
    }

    /**
     * Returns that for other nodes of the cluster.
     *
     * @param tls null without TLS
     */
    public static Listener clustering(InetSocketAddress address, Supplier<TlsSettings> tls) {
      return new Listener(CLUSTERING, address, tls);
    }

    /** Returns the current TLS settings, or null without TLS. */
    public TlsSettings tls() {
      return tlsNow == null ? null : tlsNow.get();
    }

    public boolean isOfApi() {
      return protocol.startsWith("http");
    }
  }

  public static long uptimeMillis() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  /**
   * Returns the memory of the process in bytes, as reported by the operating system, otherwise the
   * size of the Java heap.
   */
  public static long memoryUsed() {
    try {
      String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
      return Long.parseLong(pages[1]) * BYTES_PER_PAGE;
    } catch (IOException | NumberFormatException e) {
      Runtime runtime = Runtime.getRuntime();
      return runtime.totalMemory() - runtime.freeMemory();
    }
  }

  /** Returns the free disk space of the data directory in bytes; 0 if it is unknown. */
  public long diskFree() {
    return diskFree(dataDir);
  }

  /** Returns the free disk space of a directory in bytes; 0 if it is unknown. */
  public static long diskFree(Path directory) {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns the numbers of file descriptors in use and allowed; both are 0 if they are unknown. */
  public static Map<String, Object> fileDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? Json.object(
            "fd_total", unix.getMaxFileDescriptorCount(),
            "fd_used", unix.getOpenFileDescriptorCount())
        : Json.object("fd_total", 0, "fd_used", 0);
  }

  /**
   * Returns what was written to logs and forced to the disk, as far as RabbitMQ has fields for it.
   *
   * @param stores of the partitions
   */
  public static Map<String, Object> storage(List<StoreStats> stores) {
    long forced =
        stores.stream()
            .mapToLong(store -> store.forcedWrites().count() + store.forcedStreamWrites().count())
            .sum();
    double seconds =
        stores.stream()
            .mapToDouble(store -> store.forcedWrites().sum() + store.forcedStreamWrites().sum())
            .sum();
    return Json.object(
        "io_sync_count",
        forced,
        "io_sync_avg_time",
        forced == 0 ? 0.0 : seconds * 1000 / forced,
        "io_write_bytes",
        stores.stream().mapToLong(StoreStats::writtenBytes).sum(),
        "msg_store_write_count",
        stores.stream().mapToLong(StoreStats::storedMessages).sum());
  }

  /**
   * Returns the numbers of threads in use and allowed, in place of RabbitMQ's Erlang processes. If
   * the limit is unknown, it is the number in use.
   */
  public static Map<String, Object> threads() {
    long used = ManagementFactory.getThreadMXBean().getThreadCount();
    long total;
    try (InputStream kernel = Files.newInputStream(Path.of("/proc/sys/kernel/threads-max"))) {
      // The kernel returns the number in a single read, so it must not be read in pieces.
      byte[] digits = kernel.readNBytes(Long.BYTES * 4);
      total = Long.parseLong(new String(digits, StandardCharsets.US_ASCII).strip());
    } catch (IOException | NumberFormatException e) {
      total = used;
    }
    return Json.object("proc_total", total, "proc_used", used);
  }

  public static long garbageCollections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(bean -> Math.max(0, bean.getCollectionCount()))
        .sum();
  }

  /** Converts the name of a protocol as RabbitMQ does in health checks: to lower case. */
  public static String protocol(String given) {
    String name = given.toLowerCase(Locale.ROOT);
    return switch (name) {
      case "amqps" -> AMQPS;
      case "amqp091", "amqp0.9.1", "amqp-0-9-1", "amqp0-9-1" -> AMQP;
      default -> name;
    };
  }
}
