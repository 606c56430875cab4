package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command of the jar in a process that goes on after it. */
class EmbeddedServerTest {
  private static final long PATIENCE_SECONDS = 60;

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private EmbeddedServer server;
  private int port;

  @AfterEach
  void end() {
    server.terminate();
  }

  private EmbeddedServer server() {
    server =
        new EmbeddedServer(
            Map.of("MAYFLY_DATA_DIR", directory.resolve("data").toString()),
            InputStream.nullInputStream(),
            new PrintWriter(out, true),
            new PrintWriter(err, true));
    return server;
  }

  private int run(String... arguments) {
    return server().run(arguments);
  }

  /** Starts a broker and waits until it takes connections. */
  private CompletableFuture<Integer> start() throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> settings =
        List.of(
            "listeners.tcp.default=127.0.0.1:" + port,
            "management.tcp.port=none",
            "prometheus.tcp.port=none",
            "log.console=false");
    EmbeddedServer started = server();
    CompletableFuture<Integer> exit =
        CompletableFuture.supplyAsync(
            () ->
                started.run(
                    settings.stream()
                        .flatMap(setting -> Stream.of("--set", setting))
                        .toArray(String[]::new)));
    while (!accepts()) {
      assertThat(exit).as("the broker; it has said %s", err).isNotDone();
      TimeUnit.MILLISECONDS.sleep(5);
    }
    return exit;
  }

  private boolean accepts() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }

  @Test
  void brokerServesUntilItIsToldToEnd() throws Exception {
    CompletableFuture<Integer> exit = start();
    server.terminate();
    assertThat(exit.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(ExitCode.OK);
    assertThat(accepts()).isFalse();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void controlCommandFindsTheBroker() throws Exception {
    CompletableFuture<Integer> exit = start();
    EmbeddedServer broker = server;
    String data = directory.resolve("data").toString();
    assertThat(run("ctl", "--data-dir", data, "list_vhosts", "-s")).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).isEqualToIgnoringNewLines("/");
    broker.terminate();
    assertThat(exit.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(ExitCode.OK);
    assertThat(run("ctl", "--data-dir", data, "list_vhosts")).isEqualTo(69);
  }

  @Test
  void errorsHaveTheExitCodesOfAProcess() throws Exception {
    assertThat(run("--set", "hartbeat=1")).isEqualTo(ExitCode.CONFIG);
    assertThat(run("--no-such-option")).isEqualTo(ExitCode.USAGE);
    assertThat(run("check-data", directory.resolve("none").toString()))
        .isEqualTo(ExitCode.NO_INPUT);
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(run("--set", "data_dir=" + file)).isEqualTo(ExitCode.FAILURE);
    assertThat(err.toString().lines()).hasSize(4);
    assertThat(out.toString()).isEmpty();
  }
}
