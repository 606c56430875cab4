package io.mayflymq.server.management;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * This process, and the machine that it runs on.
 *
 * @param amqp where clients connect
 * @param amqps where clients connect that speak TLS
 * @param http where the API listens; empty if it does for the control file only
 * @param dataDir where the broker keeps what it keeps
 * @param logFile where it logs to besides the console, or null
 * @param mechanisms the SASL mechanisms that it offers
 */
record Node(
    List<InetSocketAddress> amqp,
    List<InetSocketAddress> amqps,
    List<InetSocketAddress> http,
    Path dataDir,
    Path logFile,
    List<String> mechanisms) {

  /** What RabbitMQ calls AMQP over TLS. */
  static final String TLS = "amqp/ssl";

  private static final long BYTES_PER_PAGE = 4096;

  /** A place where the broker listens. */
  record Listener(String protocol, InetSocketAddress address) {}

  List<Listener> listeners() {
    return Stream.of(
            amqp.stream().map(address -> new Listener("amqp", address)),
            amqps.stream().map(address -> new Listener(TLS, address)),
            http.stream().map(address -> new Listener("http", address)))
        .flatMap(listeners -> listeners)
        .toList();
  }

  static long uptimeMillis() {
    return ManagementFactory.getRuntimeMXBean().getUptime();
  }

  /** The memory that the process holds, in bytes: what the system says, else the Java heap. */
  static long memoryUsed() {
    try {
      String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
      return Long.parseLong(pages[1]) * BYTES_PER_PAGE;
    } catch (IOException | NumberFormatException e) {
      Runtime runtime = Runtime.getRuntime();
      return runtime.totalMemory() - runtime.freeMemory();
    }
  }

  /** The free space where the data is, in bytes; 0 if that cannot be found out. */
  long diskFree() {
    try {
      return Files.getFileStore(dataDir).getUsableSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /** File descriptors in use and allowed; 0 of 0 where the system does not say. */
  static Map<String, Object> fileDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.UnixOperatingSystemMXBean unix
        ? Json.object(
            "fd_total", unix.getMaxFileDescriptorCount(),
            "fd_used", unix.getOpenFileDescriptorCount())
        : Json.object("fd_total", 0, "fd_used", 0);
  }

  static long garbageCollections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(bean -> Math.max(0, bean.getCollectionCount()))
        .sum();
  }

  /** The protocol of a listener as RabbitMQ accepts it in health checks: in lower case. */
  static String protocol(String given) {
    String name = given.toLowerCase(Locale.ROOT);
    return switch (name) {
      case "amqps" -> TLS;
      case "amqp091", "amqp0.9.1", "amqp-0-9-1" -> "amqp";
      default -> name;
    };
  }
}
