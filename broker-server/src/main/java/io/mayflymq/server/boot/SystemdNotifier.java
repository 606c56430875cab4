package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.PeriodicWork;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd, or another service manager with its protocol, how the process is: that it is
 * ready, that it stops, and at intervals that it works. Does nothing where no manager asked for it.
 *
 * <p>Source: systemd, {@code sd_notify(3)}: datagrams to the socket that {@code NOTIFY_SOCKET}
 * names. The JDK has no datagrams of Unix domains, so Netty's native library sends them.
 */
final class SystemdNotifier implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SystemdNotifier.class);

  /** Null where no manager asked. */
  private final byte[] address;

  private final long watchdogMillis;
  private final BrokerThreads threads;
  private PeriodicWork watchdog;

  /**
   * Reads what the manager asks for.
   *
   * @param environment with {@code NOTIFY_SOCKET}, a path or {@code @} and a name in the abstract
   *     namespace, and {@code WATCHDOG_USEC}
   * @param threads makes the thread of the watchdog
   */
  SystemdNotifier(Map<String, String> environment, BrokerThreads threads) {
    String socket = environment.get("NOTIFY_SOCKET");
    this.address = socket == null || socket.isEmpty() ? null : address(socket);
    this.watchdogMillis = address == null ? 0 : millis(environment.get("WATCHDOG_USEC"));
    this.threads = threads;
  }

  private static byte[] address(String socket) {
    byte[] address = socket.getBytes(StandardCharsets.UTF_8);
    if (address[0] == '@') {
      address[0] = 0;
    }
    return address;
  }

  private static long millis(String micros) {
    try {
      return micros == null ? 0 : TimeUnit.MICROSECONDS.toMillis(Long.parseLong(micros));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /**
   * The broker is ready for clients.
   *
   * @param works whether it still works; while it does not the manager is told nothing, and ends
   *     the process after its watchdog interval
   */
  void ready(BooleanSupplier works) {
    send("READY=1");
    if (watchdogMillis > 0) {
      watchdog = threads.periodic("watchdog");
      watchdog.repeat(
          "notifying the service manager",
          () -> Math.max(1, watchdogMillis / 2),
          () -> {
            if (works.getAsBoolean()) {
              send("WATCHDOG=1");
            }
          });
    }
  }

  /** The broker stops. */
  @Override
  public void close() {
    send("STOPPING=1");
    if (watchdog != null) {
      watchdog.close();
    }
  }

  private void send(String state) {
    if (address == null) {
      return;
    }
    if (!Epoll.isAvailable()) {
      LOGGER.warn(
          "the service manager is not notified: {}", Epoll.unavailabilityCause().toString());
      return;
    }
    byte[] bytes = state.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer message = ByteBuffer.allocateDirect(bytes.length).put(bytes);
    Socket socket = Socket.newSocketDomainDgram();
    try {
      socket.sendToDomainSocket(message, 0, bytes.length, address);
    } catch (IOException e) {
      LOGGER.warn("the service manager is not notified of {}: {}", state, e.getMessage());
    } finally {
      close(socket);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOGGER.debug("the socket of the service manager was not closed", e);
    }
  }
}
