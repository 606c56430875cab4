package io.mayflymq.server.management.resource;

import io.mayflymq.server.config.ManagementSettings;
import io.mayflymq.server.http.HttpLimits;
import io.mayflymq.server.management.api.MessageMemory;

/** The limits of the HTTP servers of the API. */
public final class ServerLimits {
  private static final int REQUEST_LINE_BYTES = 8 * 1024;
  private static final int HEADER_BYTES = 16 * 1024;
  private static final int WORKERS = 8;
  private static final int WAITING = 128;
  private static final int ASIDE = 64;
  private static final int CONTROL_CONNECTIONS = 256;

  /**
   * The memory of a connection with an incomplete request: with TLS, its headers and what Java
   * adds.
   */
  private static final int CONNECTION_BYTES = 256 * 1024;

  private static final int CONTROL_WORKERS = 4;
  private static final int NODE_WORKERS = 4;

  /**
   * All bodies at one time take at most this part of the largest heap: what is made of a body takes
   * some times as much. So do all answers that clients have not taken.
   */
  private static final int PART_OF_HEAP = 16;

  private ServerLimits() {}

  /** Returns those of the API's own server. */
  public static HttpLimits api(ManagementSettings settings) {
    return limits(settings, settings.maxConnections(), WORKERS);
  }

  /** Returns those of the control tool's. */
  public static HttpLimits control(ManagementSettings settings) {
    return limits(settings, CONTROL_CONNECTIONS, CONTROL_WORKERS);
  }

  /** Returns those of the questions of other nodes, which come over no connections of HTTP. */
  public static HttpLimits nodes(ManagementSettings settings) {
    return limits(settings, 1, NODE_WORKERS);
  }

  private static HttpLimits limits(ManagementSettings settings, int connections, int workers) {
    return new HttpLimits(
        (int) Math.min(connections, Runtime.getRuntime().maxMemory() / CONNECTION_BYTES),
        settings.maxKeepalive(),
        REQUEST_LINE_BYTES,
        HEADER_BYTES,
        bodies(),
        answers(),
        WAITING,
        workers,
        ASIDE,
        settings.requestTimeoutMillis(),
        settings.idleTimeoutMillis(),
        settings.inactivityTimeoutMillis());
  }

  /** Memory for messages that are shown: an eighth of the heap, and of one answer a 64th. */
  public static MessageMemory messages() {
    long heap = Runtime.getRuntime().maxMemory();
    return new MessageMemory(heap / 8, heap / 64);
  }

  /** Returns the number of bytes of answers that clients have not taken. */
  static long answers() {
    return Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
  }

  private static long bodies() {
    return Runtime.getRuntime().maxMemory() / PART_OF_HEAP;
  }

  /** Returns the number of bytes of the largest body that there may be at all. */
  public static int largestBody(ManagementSettings settings) {
    return (int) Math.min(settings.maxBodySize(), bodies());
  }
}
