package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.net.StartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DaemonTest {
  private static final BrokerThreads THREADS = new BrokerThreads(Faults.logged());

  @TempDir Path directory;

  @AfterEach
  void endLog() {
    Logging.flush();
  }

  private Daemon start(String... sets) throws Exception {
    Stream<String> common =
        Stream.of(
            "data_dir=" + directory,
            "listeners.tcp.default=127.0.0.1:0",
            "management.tcp.port=none",
            "prometheus.tcp.port=none",
            "log.console=false");
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of("MAYFLY_WHATEVER", "1"),
            Stream.concat(common, Stream.of(sets)).toList());
    return Daemon.start(
        new LiveConfiguration(configuration), THREADS, ProcessUse.OWN, false, () -> {});
  }

  @Test
  void daemonListensUntilItIsClosed() throws Exception {
    InetSocketAddress address;
    try (Daemon daemon = start()) {
      address = daemon.addresses().get(0);
      try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
        assertThat(socket.isConnected()).isTrue();
      }
    }
    assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()).close())
        .hasMessageContaining("refused");
  }

  @Test
  void dataDirectoryOfAnotherUserIsRefusedUnlessToldOtherwise() throws Exception {
    try {
      Files.setAttribute(directory, "unix:uid", 12_345);
    } catch (IOException e) {
      Assumptions.abort("not as root: " + e);
    }
    assertThatThrownBy(() -> DataDirectory.open(directory, false))
        .isInstanceOf(StartException.class)
        .hasMessageStartingWith("data directory " + directory + " belongs to 12345, and not to ")
        .hasMessageEndingWith("expected the same user, or data_dir_owner = any");
    assertThat(directory).isEmptyDirectory();
    try (DataDirectory opened = DataDirectory.open(directory, true)) {
      assertThat(opened.warnings()).anyMatch(line -> line.contains(" belongs to 12345, and not"));
    }
  }

  @Test
  void linksInTheDataDirectoryAreNotFollowedToChangePermissions() throws Exception {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Set<PosixFilePermission> all = PosixFilePermissions.fromString("rwxrwxrwx");
    Files.setPosixFilePermissions(outside, all);
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.createSymbolicLink(data.resolve("link"), outside);
    DataDirectory.open(data, false).close();
    assertThat(Files.getPosixFilePermissions(outside)).isEqualTo(all);
  }

  @Test
  void daemonLocksItsDataDirectoryUntilItIsClosed() throws Exception {
    try (Daemon daemon = start()) {
      assertThat(daemon.addresses()).hasSize(1);
      assertThatThrownBy(() -> DataDirectory.open(directory, false))
          .isInstanceOf(StartException.class)
          .hasMessageContaining("in use");
    }
    DataDirectory.open(directory, false).close();
  }

  @Test
  void linesForScriptsAreLoggedAtEveryLevel() throws Exception {
    try (Daemon daemon = start("log.file=m.log", "log.file.level=none")) {
      daemon.announceReady();
    }
    Logging.flush();
    String time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3} ";
    assertThat(Files.readAllLines(directory.resolve("log/m.log")))
        .satisfiesExactly(
            line -> assertThat(line).matches(time + "\\[info] <Daemon> MayflyMQ .* on Java .*"),
            line ->
                assertThat(line)
                    .matches(time + "\\[warning] <Daemon> environment variable MAYFLY_WHATEVER .*"),
            line -> assertThat(line).endsWith("[info] <Daemon> data in " + directory),
            line -> assertThat(line).matches(".*> listening for AMQP on 127\\.0\\.0\\.1:\\d+"),
            line -> assertThat(line).matches(".*> MayflyMQ \\S+ ready in \\d+\\.\\d\\d s"),
            line -> assertThat(line).endsWith("<Daemon> stopping"),
            line -> assertThat(line).endsWith("<Daemon> stopped"));
  }

  @Test
  void orderlyStopExitsWith0AndAFailedStopWith1() {
    assertThat(ShutdownHook.close(() -> {}, 10_000, THREADS)).isEqualTo(ExitCode.OK);
    assertThat(
            ShutdownHook.close(
                () -> {
                  throw new IllegalStateException("no");
                },
                10_000,
                THREADS))
        .isEqualTo(ExitCode.FAILURE);
    CountDownLatch never = new CountDownLatch(1);
    assertThat(ShutdownHook.close(never::await, 20, THREADS)).isEqualTo(ExitCode.FAILURE);
    never.countDown();
  }
}
