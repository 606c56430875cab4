package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class MayflyBrokerIT {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  @Test
  void clientsFindABrokerAtItsUri() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start();
        Client client = Client.of(broker)) {
      client.queue("orders", Map.of("x-message-ttl", 60_000));
      client.publish("orders", "a", "b");
      assertThat(broker.queue("orders"))
          .isEqualTo(new QueueState("/", "orders", "classic", 2, 0, 0, 0));
      assertThat(broker.messages("orders"))
          .extracting(StoredMessage::body)
          .containsExactly("a", "b");
      assertThat(client.take("orders")).containsExactly("a", "b");
    }
  }

  @Test
  void itsHttpApiListens() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start()) {
      HttpURLConnection request =
          (HttpURLConnection)
              URI.create("http://%s:%d/api/queues".formatted(broker.host(), broker.httpPort()))
                  .toURL()
                  .openConnection();
      String login = broker.username() + ":" + broker.password();
      request.setRequestProperty(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
      request.setRequestProperty("Connection", "close");
      assertThat(request.getResponseCode()).isEqualTo(200);
    }
  }

  @Test
  void connectionsAreClosedWithAWordAndWithout() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start();
        Client told = Client.of(broker)) {
      CompletableFuture<ShutdownSignalException> word = new CompletableFuture<>();
      told.channel.getConnection().addShutdownListener(word::complete);
      broker.closeConnections();
      assertThat(word.get(60, TimeUnit.SECONDS).getReason())
          .isInstanceOfSatisfying(
              AMQP.Connection.Close.class,
              close -> assertThat(close.getReplyCode()).isEqualTo(320));
      try (Client dropped = Client.of(broker)) {
        CompletableFuture<ShutdownSignalException> end = new CompletableFuture<>();
        dropped.channel.getConnection().addShutdownListener(end::complete);
        broker.dropConnections();
        assertThat(end.get(60, TimeUnit.SECONDS).getReason()).isNull();
      }
      try (Client later = Client.of(broker)) {
        later.queue("q", null);
        assertThat(broker.queues()).hasSize(1);
      }
    }
  }

  @Test
  void publishersAreBlockedUntilTheyAreLetGoOn() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start();
        Client client = Client.of(broker)) {
      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      client.channel.getConnection().addBlockedListener(told::add, () -> told.add("unblocked"));
      client.queue("q", null);
      broker.blockPublishers();
      client.channel.basicPublish("", "q", null, new byte[] {1});
      assertThat(told.poll(60, TimeUnit.SECONDS)).contains("memory");
      assertThat(broker.queue("q").ready()).isZero();
      broker.unblockPublishers();
      assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo("unblocked");
      client.channel.waitForConfirmsOrDie(60_000);
      assertThat(broker.queue("q").ready()).isEqualTo(1);
    }
  }

  @Test
  void tenRunBesideEachOther() throws Exception {
    List<MayflyBroker> brokers = new ArrayList<>();
    try {
      for (int i = 0; i < 10; i++) {
        brokers.add(MayflyBroker.start());
      }
      for (int i = 0; i < 10; i++) {
        try (Client client = Client.of(brokers.get(i))) {
          client.queue("q" + i, null);
          client.publish("q" + i, "of " + i);
        }
      }
      for (int i = 0; i < 10; i++) {
        assertThat(brokers.get(i).queues())
            .containsExactly(new QueueState("/", "q" + i, "classic", 1, 0, 0, 0));
      }
      assertThat(brokers.stream().map(MayflyBroker::port).distinct()).hasSize(10);
    } finally {
      brokers.forEach(MayflyBroker::close);
    }
  }

  @Test
  void leavesNoThreadAndNoFile() throws Exception {
    useOne(); // What is made once for the JVM is there.
    Set<Thread> threads = threads();
    Set<String> files = files();
    for (int i = 0; i < 3; i++) {
      useOne();
    }
    awaitNone(() -> minus(threads(), threads));
    awaitNone(() -> minus(files(), files));
  }

  private static void useOne() throws Exception {
    Path data;
    try (MayflyBroker broker = MayflyBroker.start();
        Client client = Client.of(broker)) {
      data = Path.of(Json.list(broker.api("GET", "nodes", null)).get(0).text("db_dir"));
      assertThat(data).exists();
      client.queue("q", null);
      client.publish("q", "a");
    }
    assertThat(data).doesNotExist();
  }

  private interface Left {
    Set<?> look() throws IOException;
  }

  /** Netty's own thread, which tells of the end of the others, ends after a second without work. */
  private static void awaitNone(Left left) throws Exception {
    long begin = System.nanoTime();
    while (!left.look().isEmpty() && System.nanoTime() - begin < PATIENCE_NANOS) {
      Thread.sleep(20);
    }
    assertThat(left.look()).isEmpty();
  }

  private static <T> Set<T> minus(Set<T> all, Set<T> before) {
    return all.stream().filter(each -> !before.contains(each)).collect(Collectors.toSet());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getContextClassLoader() instanceof BrokerClasses)
        // Java's own, of which there is one, for timeouts of all that runs in it.
        .filter(thread -> !thread.getName().equals("CompletableFutureDelayScheduler"))
        .collect(Collectors.toSet());
  }

  /**
   * The files, sockets and other things that the process has open; none where there is no /proc.
   */
  private static Set<String> files() throws IOException {
    Path open = Path.of("/proc/self/fd");
    if (!Files.isDirectory(open)) {
      return Set.of();
    }
    try (Stream<Path> all = Files.list(open)) {
      return all.map(MayflyBrokerIT::target)
          .filter(name -> name.contains("mayfly") || name.contains("socket"))
          .collect(Collectors.toSet());
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // That of the listing itself.
    }
  }

  @Test
  void whatWasConfirmedOutlivesAKill() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start()) {
      int port = broker.port();
      try (Client client = Client.of(broker)) {
        client.queue("orders", null);
        client.publish("orders", "a", "b", "c");
        client.channel.basicGet("orders", false);
        broker.kill();
        assertThatThrownBy(() -> broker.queue("orders"))
            .hasMessage("the broker does not run: restart() comes first");
      }
      broker.restart();
      assertThat(broker.port()).isEqualTo(port);
      try (Client client = Client.of(broker)) {
        assertThat(client.take("orders")).containsExactly("a", "b", "c");
      }
    }
  }

  @Test
  void aDirectoryIsKept(@TempDir Path directory) throws Exception {
    try (MayflyBroker broker = MayflyBroker.builder().directory(directory).start();
        Client client = Client.of(broker)) {
      client.queue("orders", null);
      client.publish("orders", "a");
    }
    try (MayflyBroker broker = MayflyBroker.builder().directory(directory).start()) {
      assertThat(broker.queue("orders").ready()).isEqualTo(1);
      broker.restart();
      assertThat(broker.queue("orders").ready()).isEqualTo(1);
    }
  }

  @Test
  void definitionsAndPoliciesAreThereAtTheStart() {
    try (MayflyBroker broker =
        MayflyBroker.builder()
            .definitions(
                "{\"queues\": [{\"name\": \"orders\", \"vhost\": \"/\", \"durable\": true}]}")
            .policy("short", "^ord", Map.of("message-ttl", 1000))
            .start()) {
      Json queue = Json.of(broker.api("GET", "queues/%2F/orders", null));
      assertThat(queue.text("policy")).isEqualTo("short");
    }
  }

  @Test
  void whatCannotStartSaysWhy() {
    assertThatThrownBy(() -> MayflyBroker.builder().set("no.such.key", "1").start())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no.such.key");
    assertThatThrownBy(() -> MayflyBroker.builder().set("cluster.listener", "1"))
        .hasMessageContaining("has no cluster");
    assertThatThrownBy(() -> MayflyBroker.builder().definitions("{").start())
        .hasMessageContaining("400");
  }

  @Test
  void requestsThatAreRefusedSayWhy() {
    try (MayflyBroker broker = MayflyBroker.start()) {
      assertThatThrownBy(() -> broker.queue("none")).hasMessageContaining("404");
    }
  }

  /**
   * The class path of these tests has a Netty, a Jackson and an SLF4J that the broker cannot use.
   */
  @Test
  void itsLibrariesAreNotThoseOfTheApplication() throws Exception {
    try (MayflyBroker broker = MayflyBroker.start()) {
      for (String name :
          List.of(
              "io.netty.channel.Channel",
              "com.fasterxml.jackson.core.JsonFactory",
              "org.slf4j.LoggerFactory")) {
        Class<?> ours = Class.forName(name);
        Class<?> its = BrokerClasses.ofManualClock().loadClass(name);
        assertThat(its).as(name).isNotSameAs(ours);
      }
      assertThat(MayflyBroker.class.getClassLoader().getResource("io/netty/channel/Channel.class"))
          .asString()
          .contains("4.1.");
      assertThatThrownBy(() -> Class.forName("io.mayflymq.server.boot.EmbeddedBroker"))
          .isInstanceOf(ClassNotFoundException.class);
      assertThat(broker.queues()).isEmpty();
    }
  }
}
