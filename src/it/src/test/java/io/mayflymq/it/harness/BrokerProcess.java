package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * The packaged broker as a child process, on a free port of the loopback address and with a data
 * directory of its own below {@code target/brokers}.
 *
 * <p>All output is kept, so that a test can look for a line, and so that a run can fail on a stack
 * trace or a leaked buffer that no test noticed. Thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {
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

  private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

  static {
    // A test that ran out of time is left behind in the middle, and its brokers with it.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly), "orphans"));
  }

  private final Process process;
  private final String address;
  private final int port;
  private final int httpPort;
  private final Path data;
  private final Path work;
  private final List<String> output = new ArrayList<>();
  private final List<Thread> readers = new ArrayList<>();
  private final CountDownLatch ready = new CountDownLatch(1);

  private BrokerProcess(Process process, Builder builder, Path data, Path work) {
    this.process = process;
    this.address = builder.address;
    this.port = builder.port;
    this.httpPort = builder.httpPort;
    this.data = data;
    this.work = work;
    ALIVE.add(process);
    process.onExit().thenAccept(ALIVE::remove);
    collect(process.getInputStream(), "out");
    collect(process.getErrorStream(), "err");
  }

  /** How to start one; every part has a sensible default. */
  public static final class Builder {
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> jvm = new ArrayList<>();
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private String address = Target.HOST;
    private int port = freePort();
    private final int httpPort = freePort();
    private boolean listener = true;
    private boolean archive = true;
    private Path jar;
    private boolean longLived;

    private Builder() {}

    /** Adds an option of the Java virtual machine. */
    public Builder jvm(String option) {
      jvm.add(option);
      return this;
    }

    /** Adds {@code --set key=value}. */
    public Builder set(String key, Object value) {
      settings.put(key, value.toString());
      return this;
    }

    /** Sets an environment variable. */
    public Builder environment(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /** Adds command line arguments as they are. */
    public Builder arguments(String... more) {
      arguments.addAll(List.of(more));
      return this;
    }

    /** Listens on this port rather than on a free one. */
    public Builder port(int wanted) {
      port = wanted;
      return this;
    }

    /**
     * Listens on this address rather than on that of the loopback interface, and lets the user
     * {@code guest} connect from other ones.
     */
    public Builder address(String wanted) {
      address = wanted;
      return set("loopback_users", "none");
    }

    /** Starts it by this command, which is given the one of the broker as its arguments. */
    public Builder wrappedBy(List<String> command) {
      wrapper.addAll(command);
      return this;
    }

    /** Runs another jar than the one under test. */
    public Builder jar(Path other) {
      jar = other;
      return withoutArchive();
    }

    /** Leaves the listener to the configuration under test. */
    public Builder withoutListener() {
      listener = false;
      return this;
    }

    /** Starts without the archive of classes: for the broker that makes it. */
    Builder withoutArchive() {
      archive = false;
      return this;
    }

    /**
     * Has the virtual machine compile what runs often with its second compiler too. Others live for
     * seconds, and that compiler would take a third of the time of the processor.
     */
    Builder longLived() {
      longLived = true;
      return this;
    }

    /** Uses this data directory rather than a fresh one. */
    public Builder data(Path directory) {
      return set("data_dir", directory);
    }

    /**
     * Has signals do in it what they do by default, also where the tests were started with some
     * ignored, as by {@code nohup}: a process inherits that, and Java leaves it at that.
     */
    public Builder defaultSignals() {
      wrapper.addAll(List.of("env", "--default-signal=HUP,INT,TERM,USR1"));
      return this;
    }

    /** Starts it and returns at once, ready or not. */
    public BrokerProcess launch() {
      List<String> command = new ArrayList<>(wrapper);
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      if (archive) {
        command.addAll(ClassArchive.options());
      }
      if (!longLived) {
        command.add("-XX:TieredStopAtLevel=1");
      }
      command.addAll(jvm);
      command.add("-jar");
      command.add((jar == null ? BrokerProcess.jar() : jar).toString());
      command.addAll(arguments);
      Path work = workDirectory();
      if (listener) {
        settings.putIfAbsent("listeners.tcp.default", address + ":" + port);
      }
      settings.putIfAbsent("management.tcp.ip", address);
      settings.putIfAbsent("management.tcp.port", Integer.toString(httpPort));
      settings.putIfAbsent("prometheus.tcp.port", "none");
      settings.putIfAbsent("data_dir", work.resolve("data").toString());
      settings.forEach(
          (key, value) -> {
            command.add("--set");
            command.add(key + "=" + value);
          });
      ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
      builder.environment().putAll(environment);
      try {
        Path data = work.resolve(settings.get("data_dir"));
        return new BrokerProcess(builder.start(), this, data, work);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Starts it and waits for the line that says it is ready. */
    public BrokerProcess start() {
      BrokerProcess broker = launch();
      broker.awaitReady();
      return broker;
    }
  }

  public static Builder builder() {
    return new Builder();
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

  private static Path workDirectory() {
    try {
      return Files.createTempDirectory(workRoot(), "broker");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  private void collect(InputStream stream, String name) {
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  add(line);
                }
              } catch (IOException e) {
                // The stream of a killed process may break rather than end: what was read counts.
                add("(output ended: " + e.getMessage() + ")");
              }
            },
            "broker-" + process.pid() + "-" + name);
    reader.setDaemon(true);
    reader.start();
    readers.add(reader);
  }

  private void add(String line) {
    synchronized (output) {
      output.add(line);
    }
    if (line.toLowerCase(Locale.ROOT).contains(" ready")) {
      ready.countDown();
    }
  }

  /** Waits for the ready line; fails with all output if the process ends or takes 50 s. */
  public void awaitReady() {
    try {
      long end = System.nanoTime() + PATIENCE_AT_START.toNanos();
      while (!ready.await(20, TimeUnit.MILLISECONDS)) {
        if (!process.isAlive() || System.nanoTime() > end) {
          process.destroyForcibly();
          throw new AssertionError("The broker did not get ready:\n" + String.join("\n", output()));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public int port() {
    return port;
  }

  /** The number of the process. */
  public long pid() {
    return process.pid();
  }

  /** Where the management API listens, unless the test has said otherwise. */
  public int httpPort() {
    return httpPort;
  }

  /** Its data directory. */
  public Path data() {
    return data;
  }

  /** The lines of standard output and standard error so far, each stream in its order. */
  public List<String> output() {
    synchronized (output) {
      return List.copyOf(output);
    }
  }

  /** Waits until a line of the output contains a text. */
  public void awaitLine(String text) {
    await("a line with '" + text + "'")
        .atMost(Patience.TIME)
        .untilAsserted(() -> assertThat(output()).anyMatch(line -> line.contains(text)));
  }

  /** The lines no healthy broker prints: leaked buffers and stack traces. */
  public List<String> complaints() {
    return output().stream().filter(BrokerProcess::isComplaint).toList();
  }

  private static boolean isComplaint(String line) {
    return line.contains("LEAK:") || line.startsWith("\tat ");
  }

  /** The processor time that the process has used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** A factory for connections to this broker. */
  public ConnectionFactory factory() {
    ConnectionFactory factory = Target.factory(port);
    factory.setHost(address);
    return factory;
  }

  /** Its management API, for the user {@code guest}. */
  public Http http() {
    return Http.at(address, httpPort, "guest", "guest");
  }

  /** The complaints, each with the few lines before it. */
  public List<String> complaintsInContext() {
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
  public Path writeOutput() {
    try {
      return Files.write(work.resolve("output.log"), output());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends SIGTERM, as a service manager does, and does not wait. */
  public void terminate() {
    process.destroy();
  }

  /** Sends a signal by its name, such as HUP. */
  public void signal(String name) throws IOException, InterruptedException {
    // The shell's own kill: not every machine has the command.
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("signal " + name + " was not sent");
    }
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Whether the process has not ended. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the end of the process and of its output; fails after 20 s. */
  public int awaitExit() {
    try {
      if (!process.waitFor(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("The broker did not end:\n" + String.join("\n", output()));
      }
      for (Thread reader : readers) {
        reader.join(Patience.MILLIS);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Stops it in order and returns its exit code. */
  public int stop() {
    terminate();
    return awaitExit();
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      stop();
    }
  }
}
