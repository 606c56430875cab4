package io.mayflymq.server.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.ListenerSettings;
import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.server.net.StartException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.LoggerFactory;

/** Nodes in one process, on loopback. */
final class TransportRig implements AutoCloseable {
  /** A node is not lost because the machine is slow. */
  static final TransportTimes PATIENT = new TransportTimes(60_000, 60_000, 100, 60_000, 10, 50);

  private static final long PATIENCE_SECONDS = 30;

  private final BrokerThreads threads = new BrokerThreads(Faults.logged());
  private final EventLoops loops = new EventLoops(2, threads);
  private final List<NodeTransport> nodes = new ArrayList<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  /** Where nodes are, by name. */
  final Map<String, InetSocketAddress> addresses = new ConcurrentHashMap<>();

  /** How a node differs from the others. */
  static final class Node {
    private final String name;
    private String secret = "a secret of the test";
    private UUID data = UUID.randomUUID();
    private Optional<TlsSettings> tls = Optional.empty();
    private TransportTimes times = PATIENT;
    private VersionRange versions = VersionRange.KNOWN;
    private Function<NodeIdentity, Optional<String>> refusal = node -> Optional.empty();
    private int port;

    Node(String name) {
      this.name = name;
    }

    Node secret(String other) {
      secret = other;
      return this;
    }

    Node data(UUID other) {
      data = other;
      return this;
    }

    Node tls(TlsSettings settings) {
      tls = Optional.of(settings);
      return this;
    }

    Node times(TransportTimes other) {
      times = other;
      return this;
    }

    Node versions(int lowest, int highest) {
      versions = new VersionRange(lowest, highest);
      return this;
    }

    Node refusing(Function<NodeIdentity, Optional<String>> decision) {
      refusal = decision;
      return this;
    }

    Node port(int wanted) {
      port = wanted;
      return this;
    }
  }

  TransportRig() {
    log.start();
    logger().setLevel(Level.INFO);
    logger().addAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(NodeTransport.class.getPackageName());
  }

  NodeTransport start(String name) throws StartException {
    return start(new Node(name));
  }

  NodeTransport start(Node node) throws StartException {
    TransportSettings settings =
        new TransportSettings(
            node.name,
            node.data,
            new ListenerSettings("cluster", "127.0.0.1", node.port),
            ClusterSecret.of(node.secret),
            node.tls,
            node.times);
    Admission admission =
        new Admission() {
          @Override
          public Optional<String> clusterId() {
            return Optional.of("a-cluster");
          }

          @Override
          public Optional<String> refusal(NodeIdentity other) {
            return node.refusal.apply(other);
          }
        };
    NodeTransport transport =
        NodeTransport.start(
            settings,
            node.versions,
            loops,
            threads,
            admission,
            name -> Optional.ofNullable(addresses.get(name)));
    nodes.add(transport);
    addresses.put(node.name, transport.address());
    // Answers with the name of the caller and what it has sent.
    transport.serve(
        CallService.MEMBERSHIP,
        (caller, request) ->
            CompletableFuture.completedFuture(bytes(caller + ": " + text(request))));
    return transport;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Calls and returns the answer. */
  static String call(NodeTransport from, String node, String request) throws Exception {
    return text(
        from.call(node, CallService.MEMBERSHIP, bytes(request), 60_000)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** Waits for a call to fail, and returns why. */
  static Throwable failure(CompletableFuture<?> call) throws Exception {
    try {
      Object answer = call.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      throw new AssertionError("it succeeded: " + answer);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  static Throwable failureOfCall(NodeTransport from, String node) throws Exception {
    return failure(from.call(node, CallService.MEMBERSHIP, bytes("hello"), 60_000));
  }

  static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("still waiting").isLessThan(end);
      Thread.sleep(5);
    }
  }

  /** Returns the lines of the log that contain a text. */
  List<String> lines(String text) {
    return List.copyOf(log.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.contains(text))
        .toList();
  }

  @Override
  public void close() {
    nodes.forEach(NodeTransport::close);
    loops.close();
    logger().detachAppender(log);
  }
}
