package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * The packaged broker on a free port of the loopback address, with a data directory of its own
 * below {@code target/brokers}: in a process of its own ({@link BrokerProcess}), or, where a test
 * needs none, in that of the tests ({@link EmbeddedBroker}), which starts in a tenth of the
 * processor time.
 *
 * <p>All output is kept, so that a test can look for a line, and so that a run can fail on a stack
 * trace or a leaked buffer that no test noticed. Thread-safe.
 */
public abstract class Broker implements AutoCloseable {
  static {
    // Awaitility's own limit of 10 s is one that a busy machine breaks.
    Awaitility.setDefaultTimeout(Patience.TIME);
  }

  private static final Duration PATIENCE_AT_START = Duration.ofSeconds(90);
  private static final int LOWEST_PORT = 10_000;
  private static final int LOWEST_CLIENT_PORT = 32_768;
  private static final int PORTS = LOWEST_CLIENT_PORT - LOWEST_PORT;

  /** Begins anywhere, for the tests of another process. */
  private static final AtomicInteger NEXT_PORT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

  private final String address;
  private final int port;
  private final int httpPort;
  private final Path data;
  private final Path work;
  private final List<String> output = new ArrayList<>();
  private final CountDownLatch ready = new CountDownLatch(1);

  Broker(Builder<?, ?> builder, Directories directories) {
    this.address = builder.address;
    this.port = builder.port;
    this.httpPort = builder.httpPort;
    this.data = directories.data();
    this.work = directories.work();
  }

  /**
   * Where it keeps things.
   *
   * @param work its working directory
   * @param data its data directory
   */
  record Directories(Path work, Path data) {}

  /** How to start one; every part has a sensible default. */
  public abstract static class Builder<S extends Builder<S, B>, B extends Broker> {
    final Map<String, String> settings = new LinkedHashMap<>();
    final Map<String, String> environment = new LinkedHashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private String address = Target.HOST;
    private int port = freePort();
    private int httpPort = freePort();
    private boolean listener = true;

    Builder() {}

    abstract S self();

    abstract B launch(List<String> command, Directories directories) throws IOException;

    /** Adds {@code --set key=value}. */
    public S set(String key, Object value) {
      settings.put(key, value.toString());
      return self();
    }

    /** Sets an environment variable. */
    public S environment(String name, String value) {
      environment.put(name, value);
      return self();
    }

    /** Adds command line arguments as they are. */
    public S arguments(String... more) {
      arguments.addAll(List.of(more));
      return self();
    }

    /** Listens on this port rather than on a free one. */
    public S port(int wanted) {
      port = wanted;
      return self();
    }

    /** The same for the management API. */
    public S httpPort(int wanted) {
      httpPort = wanted;
      return self();
    }

    /**
     * Listens on this address rather than on that of the loopback interface, and lets the user
     * {@code guest} connect from other ones.
     */
    public S address(String wanted) {
      address = wanted;
      return set("loopback_users", "none");
    }

    /** Leaves the listener to the configuration under test. */
    public S withoutListener() {
      listener = false;
      return self();
    }

    /** Uses this data directory rather than a fresh one. */
    public S data(Path directory) {
      return set("data_dir", directory);
    }

    /** Starts it and returns at once, ready or not. */
    public B launch() {
      try {
        Path work = Files.createTempDirectory(workRoot(), "broker");
        if (listener) {
          settings.putIfAbsent("listeners.tcp.default", address + ":" + port);
        }
        settings.putIfAbsent("management.tcp.ip", address);
        settings.putIfAbsent("management.tcp.port", Integer.toString(httpPort));
        settings.putIfAbsent("prometheus.tcp.port", "none");
        settings.putIfAbsent("data_dir", work.resolve("data").toString());
        List<String> command = new ArrayList<>(arguments);
        settings.forEach(
            (key, value) -> {
              command.add("--set");
              command.add(key + "=" + value);
            });
        return launch(command, new Directories(work, work.resolve(settings.get("data_dir"))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Starts it and waits for the line that says it is ready. */
    public B start() {
      B broker = launch();
      broker.awaitReady();
      return broker;
    }
  }

  /** The jar under test; a missing one is an error, since the build makes it before this module. */
  public static Path jar() {
    Path jar = Path.of(System.getProperty("mayfly.it.jar")).toAbsolutePath().normalize();
    if (!Files.isRegularFile(jar)) {
      throw new IllegalStateException(jar + " is missing: run mvn -q -DskipTests package first");
    }
    return jar;
  }

  /** Where brokers have their directories. */
  static Path workRoot() throws IOException {
    return Files.createDirectories(
        Path.of(System.getProperty("mayfly.it.work", "target/brokers")).toAbsolutePath());
  }

  /**
   * A port of the loopback address that no process listens on at this moment: below those that
   * systems give to clients, so that no connection of another test takes it before the broker does,
   * and not given out before, so that no other broker does either.
   */
  public static int freePort() {
    while (true) {
      int port = LOWEST_PORT + Math.floorMod(NEXT_PORT.getAndIncrement(), PORTS);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // Taken: another one then.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Whether it has said that it is ready. */
  final boolean hasBeenReady() {
    return ready.getCount() == 0;
  }

  /** Takes a line of its output. */
  final void add(String line) {
    synchronized (output) {
      output.add(line);
    }
    if (line.toLowerCase(Locale.ROOT).contains(" ready")) {
      ready.countDown();
    }
  }

  /** Ends it at once, if that can be done. */
  abstract void abandon();

  /** Whether it has not ended. */
  public abstract boolean isAlive();

  /** Asks it to end, as SIGTERM of a service manager does, and does not wait. */
  public abstract void terminate();

  /** Waits for its end and that of its output, and returns its exit code; fails after 20 s. */
  public abstract int awaitExit();

  /** Has it read its configuration again, as SIGHUP does. */
  public abstract void reload() throws IOException, InterruptedException;

  /** Waits for the ready line; fails with all output if it ends or takes 90 s. */
  public final void awaitReady() {
    try {
      long end = System.nanoTime() + PATIENCE_AT_START.toNanos();
      while (!ready.await(5, TimeUnit.MILLISECONDS)) {
        if (!isAlive()) {
          // To kill a process closes its streams, also if it has ended: what was not read is lost.
          awaitExit();
          throw new AssertionError("The broker ended:\n" + String.join("\n", output()));
        }
        if (System.nanoTime() > end) {
          abandon();
          throw new AssertionError("The broker did not get ready:\n" + String.join("\n", output()));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public final int port() {
    return port;
  }

  /** Where the management API listens, unless the test has said otherwise. */
  public final int httpPort() {
    return httpPort;
  }

  /** Its data directory. */
  public final Path data() {
    return data;
  }

  /** The lines of standard output and standard error so far, each stream in its order. */
  public final List<String> output() {
    synchronized (output) {
      return List.copyOf(output);
    }
  }

  /** Waits until a line of the output contains a text. */
  public final void awaitLine(String text) {
    await("a line with '" + text + "'")
        .atMost(Patience.TIME)
        .untilAsserted(() -> assertThat(output()).anyMatch(line -> line.contains(text)));
  }

  /** The lines no healthy broker prints: leaked buffers and stack traces. */
  public final List<String> complaints() {
    return output().stream().filter(Broker::isComplaint).toList();
  }

  private static boolean isComplaint(String line) {
    return line.contains("LEAK:") || line.startsWith("\tat ");
  }

  /** The complaints, each with the few lines before it. */
  public final List<String> complaintsInContext() {
    List<String> lines = output();
    List<String> context = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (isComplaint(lines.get(i))) {
        next = Math.max(next, i - 4);
        context.addAll(lines.subList(next, i + 1));
        next = i + 1;
      }
    }
    return context;
  }

  /** Writes all output into the directory of this broker and returns the file. */
  public final Path writeOutput() {
    try {
      return Files.write(work.resolve("output.log"), output());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A factory for connections to this broker. */
  public final ConnectionFactory factory() {
    ConnectionFactory factory = Target.factory(port);
    factory.setHost(address);
    return factory;
  }

  /** Its management API, for the user {@code guest}. */
  public final Http http() {
    return Http.at(address, httpPort, "guest", "guest");
  }

  /** Stops it in order and returns its exit code. */
  public final int stop() {
    terminate();
    return awaitExit();
  }

  /** Says what is to be said of one that a test has left running, and that has ended in order. */
  void judge(int exitCode) {}

  @Override
  public final void close() {
    if (isAlive()) {
      judge(stop());
    }
  }
}
