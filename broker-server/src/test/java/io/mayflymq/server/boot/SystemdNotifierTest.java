package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainDatagramSocketAddress;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a service manager is told, at a socket like systemd's. */
@Timeout(60)
class SystemdNotifierTest {
  private final BrokerThreads threads = new BrokerThreads(Faults.logged());
  private Socket manager;
  private Path path;

  @BeforeEach
  void bind(@TempDir Path directory) throws IOException {
    Epoll.ensureAvailability();
    path = directory.resolve("notify");
    manager = Socket.newSocketDomainDgram();
    manager.bind(new DomainSocketAddress(path.toFile()));
  }

  @AfterEach
  void close() throws IOException {
    manager.close();
  }

  /** Waits for a datagram. */
  private String received() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(100);
    DomainDatagramSocketAddress from = manager.recvFromDomainSocket(buffer, 0, 100);
    while (from == null) {
      Thread.sleep(1);
      from = manager.recvFromDomainSocket(buffer, 0, 100);
    }
    byte[] bytes = new byte[from.receivedAmount()];
    buffer.get(bytes);
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @Test
  void tellsThatTheBrokerIsReadyWorksAndStops() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    SystemdNotifier notifier =
        new SystemdNotifier(
            Map.of("NOTIFY_SOCKET", path.toString(), "WATCHDOG_USEC", "20000"), threads);
    notifier.ready(() -> asked.incrementAndGet() > 2);
    assertThat(received()).isEqualTo("READY=1");
    assertThat(received()).isEqualTo("WATCHDOG=1");
    assertThat(asked).hasValueGreaterThan(2);
    notifier.close();
    List<String> rest = new ArrayList<>();
    while (!rest.contains("STOPPING=1")) {
      rest.add(received());
    }
    assertThat(rest).isSubsetOf("WATCHDOG=1", "STOPPING=1");
  }

  @Test
  void tellsNothingWhereNothingIsAsked() {
    SystemdNotifier notifier = new SystemdNotifier(Map.of(), threads);
    notifier.ready(() -> true);
    notifier.close();
  }

  @Test
  void managerThatIsGoneIsNoError(@TempDir Path directory) {
    SystemdNotifier notifier =
        new SystemdNotifier(
            Map.of("NOTIFY_SOCKET", directory.resolve("gone").toString(), "WATCHDOG_USEC", "soon"),
            threads);
    notifier.ready(() -> true);
    notifier.close();
  }
}
