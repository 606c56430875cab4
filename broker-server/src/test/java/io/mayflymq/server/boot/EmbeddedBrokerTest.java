package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerTest {
  @TempDir private Path directory;

  private EmbeddedBroker start(String dataDir) throws IOException {
    return new EmbeddedBroker(
        List.of(
            "listeners.tcp.default=127.0.0.1:0",
            "management.tcp.port=none",
            "prometheus.tcp.port=none",
            "shards=1",
            "durability.segment_size=1MiB",
            "data_dir=" + directory.resolve(dataDir)),
        "ERROR");
  }

  private static void declare(EmbeddedBroker broker, String queue) throws IOException {
    broker.ask("PUT", "queues/%2F/" + queue, Map.of("durable", true));
  }

  private static Object names(EmbeddedBroker broker) throws IOException {
    return ((List<?>) broker.ask("GET", "queues?columns=name", null))
        .stream().map(queue -> ((Map<?, ?>) queue).get("name")).toList();
  }

  @Test
  void twoOfThemShareNoQueues() throws IOException {
    try (EmbeddedBroker first = start("first");
        EmbeddedBroker second = start("second")) {
      assertThat(first.port()).isNotEqualTo(second.port());
      assertThat(first.httpPort()).isEqualTo(-1);
      declare(first, "a");
      declare(second, "b");
      assertThat(names(first)).isEqualTo(List.of("a"));
      assertThat(names(second)).isEqualTo(List.of("b"));
    }
  }

  @Test
  void oneThatIsKilledLeavesWhatWasWritten() throws IOException {
    EmbeddedBroker killed = start("data");
    int port = killed.port();
    declare(killed, "a");
    killed.kill(directory.resolve("copy"));
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
    try (EmbeddedBroker broker = start("copy")) {
      assertThat(names(broker)).isEqualTo(List.of("a"));
    }
  }

  @Test
  void refusalsHaveTheirReasons() throws IOException {
    assertThatThrownBy(() -> new EmbeddedBroker(List.of("no.such.key=1"), "ERROR"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no.such.key");
    try (EmbeddedBroker broker = start("data")) {
      assertThatThrownBy(() -> broker.ask("GET", "queues/%2F/none", null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("404")
          .hasMessageContaining("no queue 'none'");
      assertThatThrownBy(() -> broker.ask("POST", "definitions", "{"))
          .hasMessageContaining("400: not JSON at line 1");
      assertThatThrownBy(() -> broker.ask("GET", "nothing", null)).hasMessageContaining("404");
    }
  }
}
