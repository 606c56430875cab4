package io.mayflymq.it.fault;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawHttp;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Neighbours that want too much, on a broker of 256 MB with 20,000 queues: it does not end, and
 * others go on.
 */
@OwnBroker
@Order(1)
class NeighboursIT {
  private static final int QUEUES = 20_000;
  private static final String CROWD = "crowd";

  /** About what a virtual host may take by default. Of this its queues take 41 MB. */
  private static final String LIMITS = "{\"max-metadata-bytes\":50000000}";

  /** As long as names of queues are in practice. */
  private static final String QUEUE = "orders.europe.warehouse.of-customer-%05d";

  private static BrokerProcess broker;
  private static int metrics;

  @BeforeAll
  static void start() throws Exception {
    metrics = Broker.freePort();
    broker =
        BrokerProcess.builder()
            .jvm("-Xmx256m")
            .set("shards", 2)
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", metrics)
            .start();
    ControlCommand command = ControlCommand.of(broker);
    command.run("add_vhost", CROWD);
    command.run("set_permissions", "-p", CROWD, "guest", ".*", ".*", ".*");
    command.run("set_vhost_limits", "-p", CROWD, LIMITS);
    ConnectionFactory factory = broker.factory();
    factory.setVirtualHost(CROWD);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      for (int number = 0; number < QUEUES - 1; number++) {
        channel.queueDeclareNoWait(QUEUE.formatted(number), false, false, false, null);
      }
      channel.queueDeclare(QUEUE.formatted(QUEUES - 1), false, false, false, null);
    }
  }

  @AfterAll
  static void stop() {
    assertThat(broker.isAlive()).isTrue();
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  /** Asks for the metrics of all queues, and returns their text. */
  private static String scrape(boolean gzip) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + metrics + "/metrics/per-object"));
    if (gzip) {
      request.header("Accept-Encoding", "gzip");
    }
    HttpResponse<InputStream> response = null;
    long end = System.nanoTime() + Patience.TIME.toNanos();
    while (response == null) {
      try {
        response =
            HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      } catch (IOException full) {
        assertThat(System.nanoTime()).as("not let in: " + full).isLessThan(end);
        Time.pass(100);
      }
    }
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-encoding").isPresent()).isEqualTo(gzip);
    try (InputStream body = gzip ? new GZIPInputStream(response.body()) : response.body()) {
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void requireWhole(String text) {
    for (String metric : List.of("rabbitmq_queue_messages_ready{", "rabbitmq_queue_info{")) {
      assertThat(
              text.lines()
                  .filter(line -> line.startsWith(metric) && line.contains("of-customer-"))
                  .count())
          .isEqualTo(QUEUES);
    }
    assertThat(text).contains("\nmayfly_scrape_complete 1\n").endsWith("\n");
  }

  /** Clients that ask for the metrics of all queues and read nothing. */
  private static final class Unread implements AutoCloseable {
    private final List<Socket> sockets = new ArrayList<>();

    Unread(int count, String path) throws IOException {
      for (int i = 0; i < count; i++) {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), metrics));
        socket
            .getOutputStream()
            .write(
                RawHttp.request("GET", path.formatted(i), "", "")
                    .getBytes(StandardCharsets.US_ASCII));
        sockets.add(socket);
      }
    }

    void requireOpen() {
      assertThat(sockets).noneMatch(Socket::isClosed);
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static List<CompletableFuture<String>> scrapers(int count) {
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean gzip = i % 2 == 1;
      answers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return scrape(gzip);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> new Thread(task, "scraper").start()));
    }
    return answers;
  }

  private static void requireAllWhole(List<CompletableFuture<String>> answers) throws Exception {
    for (CompletableFuture<String> answer : answers) {
      requireWhole(answer.get(Patience.SECONDS, TimeUnit.SECONDS));
    }
  }

  @Test
  void clientsThatReadTheirMetricsGetThemWholeBesideSixtyThatDoNot() throws Exception {
    try (Unread unread = new Unread(60, "/metrics/per-object")) {
      unread.requireOpen();
      requireAllWhole(scrapers(2));
      requireAllWhole(scrapers(2));
    }
  }

  @Test
  void clientsThatReadTheirMetricsGetThemWholeBesideSixtyThatAskForOthers() throws Exception {
    try (Unread unread =
        new Unread(
            60,
            "/metrics/detailed?family=queue_coarse_metrics&family=queue_metrics&vhost=crowd&vhost=%d")) {
      unread.requireOpen();
      requireAllWhole(scrapers(2));
    }
  }

  @Test
  void twelveClientsAtOnceGetTheirMetricsWhole() throws Exception {
    requireAllWhole(scrapers(12));
  }

  @Test
  void aClientIsLetInWhereAllOthersDoNotReadTheirMetrics() throws Exception {
    try (Unread unread = new Unread(64, "/metrics/per-object")) {
      unread.requireOpen();
      requireWhole(scrape(true));
    }
  }

  /**
   * What a neighbour does again and again, until the test ends or the broker refuses it for good.
   */
  private interface Trouble {
    void make() throws Exception;
  }

  /** Neighbours at work. */
  private static final class Adversaries implements AutoCloseable {
    private final AtomicBoolean ended = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();

    boolean hasEnded() {
      return ended.get();
    }

    /** Returns a connection to the crowd; it ends with the test, and with it what uses it. */
    Connection connect() throws Exception {
      ConnectionFactory factory = broker.factory();
      factory.setVirtualHost(CROWD);
      factory.setChannelRpcTimeout(Patience.MILLIS);
      Connection connection = factory.newConnection();
      connections.add(connection);
      if (hasEnded()) {
        connection.abort(1);
      }
      return connection;
    }

    void add(String name, Trouble trouble) {
      Thread thread =
          new Thread(
              () -> {
                while (!hasEnded()) {
                  try {
                    trouble.make();
                  } catch (Exception | AssertionError refused) {
                    // Whatever the broker does to protect itself is right.
                    Time.pass(50);
                  }
                }
              },
              name);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }

    @Override
    public void close() {
      ended.set(true);
      connections.forEach(connection -> connection.abort(1));
      for (Thread thread : threads) {
        await().atMost(Patience.TIME).until(() -> !thread.isAlive());
      }
    }
  }

  private static void scrapers(Adversaries adversaries) {
    for (int i = 0; i < 12; i++) {
      adversaries.add("scraper", () -> scrape(true));
    }
  }

  private static void readersOfNothing(Adversaries adversaries) {
    adversaries.add(
        "unread",
        () -> {
          try (Unread unread = new Unread(60, "/metrics/per-object")) {
            unread.requireOpen();
            Time.pass(3_000);
          }
        });
  }

  /** Holds transactions of 210 MB, in as many channels as it is let have. */
  private static void openTransaction(Adversaries adversaries) {
    adversaries.add(
        "transaction",
        () -> {
          try (Connection connection = adversaries.connect()) {
            for (int held = 0; held < 210; ) {
              Channel channel = connection.createChannel();
              channel.txSelect();
              try {
                for (int i = 0; i < 30; i++) {
                  channel.basicPublish("", QUEUE.formatted(1), PLAIN, new byte[1 << 20]);
                }
              } catch (AlreadyClosedException closed) {
                assertThat(connection.isOpen()).isTrue();
              }
              held += 30;
            }
            Time.pass(2_000);
          }
        });
  }

  /** Binds 57,000 keys of sixty words, each of which parts from another somewhere. */
  private static void binder(Adversaries adversaries) {
    adversaries.add(
        "binder",
        () -> {
          try (Connection connection = adversaries.connect();
              Channel channel = connection.createChannel()) {
            channel.queueDeclare("bound", false, true, true, null);
            for (int key = 0; key < 57_000; key++) {
              StringBuilder words = new StringBuilder();
              for (int word = 0; word < 60; word++) {
                words.append(word == 0 ? "" : ".").append(key >> word % 16 & 15);
              }
              channel.queueBindNoWait("bound", "amq.topic", words.toString(), null);
            }
            channel.messageCount("bound");
          }
        });
  }

  /** Has consumers with 120 KB of arguments, and very many with long tags. */
  private static void consumers(Adversaries adversaries) {
    Map<String, Object> large = new HashMap<>();
    for (int i = 0; i < 6; i++) {
      large.put("x-a" + i, "y".repeat(20_000));
    }
    for (Map<String, Object> arguments : List.of(large, Map.<String, Object>of())) {
      adversaries.add(
          "consumers",
          () -> {
            try (Connection connection = adversaries.connect()) {
              while (connection.isOpen()) {
                Channel channel = connection.createChannel();
                for (int consumer = 0; consumer < 100; consumer++) {
                  channel.basicConsume(
                      QUEUE.formatted(consumer),
                      false,
                      "t".repeat(200) + consumer,
                      false,
                      false,
                      arguments,
                      (tag, delivery) -> {},
                      tag -> {});
                }
              }
            }
          });
    }
  }

  /** Opens 2,047 channels on each of thirty connections. */
  private static void channels(Adversaries adversaries) {
    adversaries.add(
        "channels",
        () -> {
          List<RawClient> clients = new ArrayList<>();
          try {
            for (int client = 0; client < 30 && !adversaries.hasEnded(); client++) {
              RawClient raw = new RawClient(broker.port());
              clients.add(raw);
              raw.login();
              raw.tuneOk(2047, 131072, 0);
              raw.openVirtualHost(CROWD);
              for (int channel = 1; channel <= 2_047; channel++) {
                raw.sendChannelOpen(channel);
              }
            }
          } finally {
            for (RawClient client : clients) {
              client.close();
            }
          }
        });
  }

  /** Has fifty exchanges keep a thousand messages of 100 KB each, and one a billion of them. */
  private static void recentHistories(Adversaries adversaries) {
    adversaries.add(
        "histories",
        () -> {
          try (Connection connection = adversaries.connect();
              Channel channel = connection.createChannel()) {
            for (int exchange = 0; exchange <= 50; exchange++) {
              channel.exchangeDeclare(
                  "recent-" + exchange,
                  "x-recent-history",
                  false,
                  false,
                  Map.of("x-recent-history-length", exchange == 0 ? 1_000_000_000 : 1_000));
            }
            for (int message = 0; message < 2_000; message++) {
              channel.basicPublish("recent-" + message % 51, "", PLAIN, new byte[100_000]);
            }
            channel.messageCount(QUEUE.formatted(0));
          }
        });
  }

  /** Sets global parameters of 900 KB, until no more are taken. */
  private static void parameters(Adversaries adversaries) {
    String value = "{\"value\":\"%s\"}".formatted("v".repeat(900_000));
    adversaries.add(
        "parameters",
        () -> {
          int set = 0;
          while (set < 300
              && !adversaries.hasEnded()
              && broker.http().put("global-parameters/large-" + set, value).status() < 400) {
            set++;
          }
          for (int parameter = 0; parameter < set; parameter++) {
            broker.http().delete("global-parameters/large-" + parameter);
          }
        });
  }

  /** Has queues with 255 priorities, and messages of some of them. */
  private static void priorities(Adversaries adversaries) {
    adversaries.add(
        "priorities",
        () -> {
          try (Connection connection = adversaries.connect();
              Channel channel = connection.createChannel()) {
            for (int queue = 0; queue < 70_000; queue++) {
              String name = "priorities-" + queue;
              channel.queueDeclare(name, false, true, true, Map.of("x-max-priority", 255));
              for (int priority : List.of(1, 99, 255)) {
                channel.basicPublish(
                    "", name, PLAIN.builder().priority(priority).build(), new byte[0]);
              }
            }
          }
        });
  }

  /** Publishes messages with 75 KB of headers to a queue with priorities. */
  private static void largeHeaders(Adversaries adversaries) {
    Map<String, Object> headers = new HashMap<>();
    for (int i = 0; i < 600; i++) {
      headers.put(("k" + i).repeat(10), "v".repeat(80));
    }
    adversaries.add(
        "headers",
        () -> {
          try (Connection connection = adversaries.connect();
              Channel channel = connection.createChannel()) {
            channel.queueDeclare("headers", false, true, true, Map.of("x-max-priority", 10));
            for (int message = 0; message < 5_000; message++) {
              channel.basicPublish(
                  "", "headers", PLAIN.builder().headers(headers).build(), new byte[0]);
            }
            channel.messageCount("headers");
          }
        });
  }

  /** Has nine queues dead-letter to one another by one exchange. */
  private static void deadLetterFanOut(Adversaries adversaries) {
    adversaries.add(
        "fan-out",
        () -> {
          try (Connection connection = adversaries.connect();
              Channel channel = connection.createChannel()) {
            channel.exchangeDeclare("dead", "fanout");
            for (int queue = 0; queue < 9; queue++) {
              channel.queueDeclare(
                  "dead-" + queue,
                  false,
                  false,
                  false,
                  Map.of("x-dead-letter-exchange", "dead", "x-message-ttl", 0));
              channel.queueBind("dead-" + queue, "dead", "");
            }
            for (int message = 0; message < 1_000; message++) {
              channel.basicPublish("", "dead-0", PLAIN, new byte[1_000]);
            }
            channel.messageCount("dead-0");
          }
        });
  }

  /** Sets and clears a policy that applies to all queues. */
  private static void policyToggler(Adversaries adversaries) {
    adversaries.add(
        "toggler",
        () -> {
          String policy = "policies/" + CROWD + "/all";
          broker.http().put(policy, "{\"pattern\":\".*\",\"definition\":{\"max-length\":1000000}}");
          broker.http().delete(policy);
        });
  }

  /**
   * A tenant whose own operations are small. On a machine with nothing else to do, none is to take
   * more than 100 ms; on a busy one no such bound holds.
   */
  private static final class Tenant implements AutoCloseable {
    private final Connection connection = broker.factory().newConnection();
    private final Channel channel = connection.createChannel();
    private final Queue<String> blocked = new ConcurrentLinkedQueue<>();
    private double longest;
    private int operations;

    Tenant() throws Exception {
      connection.addBlockedListener(blocked::add, () -> {});
      channel.queueDeclare("tenant", true, false, false, null);
      channel.confirmSelect();
    }

    private void timed(Trouble operation) throws Exception {
      long start = System.nanoTime();
      operation.make();
      longest = Math.max(longest, Time.millisBetween(start, System.nanoTime()));
      operations++;
    }

    void workFor(int millis) throws Exception {
      long start = System.nanoTime();
      while (Time.millisBetween(start, System.nanoTime()) < millis) {
        timed(
            () -> {
              channel.basicPublish("", "tenant", PLAIN, bytes("work"));
              channel.waitForConfirmsOrDie(Patience.MILLIS);
            });
        timed(() -> assertThat(channel.basicGet("tenant", true)).isNotNull());
        timed(() -> channel.messageCount("tenant"));
      }
    }

    void requireGoneOn(String beside) {
      System.out.printf(
          "NeighboursIT: beside %s the longest of %d operations took %.0f ms, blocked %d times%n",
          beside, operations, longest, blocked.size());
      assertThat(longest).isLessThan(Patience.MILLIS);
    }

    void requireNeverBlocked() {
      assertThat(blocked).isEmpty();
    }

    @Override
    public void close() throws IOException {
      channel.queueDelete("tenant");
      connection.close();
    }
  }

  @Test
  void anOpenTransactionBlocksNobodyElse() throws Exception {
    requireUndisturbed("an open transaction", NeighboursIT::openTransaction);
  }

  private static void requireUndisturbed(String beside, Consumer<Adversaries> neighbours)
      throws Exception {
    await().atMost(Patience.TIME).until(() -> !isMemoryLow());
    try (Tenant tenant = new Tenant();
        Adversaries adversaries = new Adversaries()) {
      neighbours.accept(adversaries);
      tenant.workFor(5_000);
      tenant.requireGoneOn(beside);
      tenant.requireNeverBlocked();
    }
  }

  @Test
  void consumersBlockNobodyElse() throws Exception {
    requireUndisturbed("consumers", NeighboursIT::consumers);
  }

  @Test
  void channelsBlockNobodyElse() throws Exception {
    requireUndisturbed("channels", NeighboursIT::channels);
  }

  @Test
  void recentHistoriesBlockNobodyElse() throws Exception {
    requireUndisturbed("recent histories", NeighboursIT::recentHistories);
  }

  @Test
  void parametersBlockNobodyElse() throws Exception {
    requireUndisturbed("parameters", NeighboursIT::parameters);
  }

  @Test
  void prioritiesBlockNobodyElse() throws Exception {
    requireUndisturbed("priorities", NeighboursIT::priorities);
  }

  @Test
  void largeHeadersBlockNobodyElse() throws Exception {
    requireUndisturbed("large headers", NeighboursIT::largeHeaders);
  }

  @Test
  void bindingsBlockNobodyElse() throws Exception {
    requireUndisturbed("bindings", NeighboursIT::binder);
  }

  @Test
  void deadLettersThatFanOutBlockNobodyElse() throws Exception {
    requireUndisturbed("a dead-letter fan-out", NeighboursIT::deadLetterFanOut);
  }

  /** Whether an alarm that another test has raised is still there. */
  private static boolean isMemoryLow() {
    return broker.output().stream()
        .filter(line -> line.contains("memory resource limit alarm"))
        .reduce((first, last) -> last)
        .filter(line -> line.contains(" set:"))
        .isPresent();
  }

  @Test
  void aTenantGoesOnBesideAllOfThem() throws Exception {
    await().atMost(Patience.TIME).until(() -> !isMemoryLow());
    try (Tenant tenant = new Tenant();
        Adversaries adversaries = new Adversaries()) {
      scrapers(adversaries);
      readersOfNothing(adversaries);
      openTransaction(adversaries);
      binder(adversaries);
      deadLetterFanOut(adversaries);
      policyToggler(adversaries);
      consumers(adversaries);
      channels(adversaries);
      recentHistories(adversaries);
      parameters(adversaries);
      priorities(adversaries);
      largeHeaders(adversaries);
      tenant.workFor(15_000);
      tenant.requireGoneOn("all neighbours");
      tenant.requireNeverBlocked();
    }
  }
}
