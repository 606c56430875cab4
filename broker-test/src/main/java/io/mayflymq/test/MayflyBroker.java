package io.mayflymq.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A broker for a test, in its JVM: AMQP over TCP on 127.0.0.1 for any client, at a port that the
 * system chooses. Its clock stands until the test moves it ({@link #clock}).
 *
 * <p>Its data is gone when it is closed, unless it was given a directory. Brokers of a JVM share
 * their classes, the log and the name of the node, nothing else. Thread-safe.
 */
public final class MayflyBroker implements AutoCloseable {
  private static final String USER = "guest";
  private static final String DEFAULT_VHOST = "/";

  /** More than a test has. */
  private static final int MOST_DEATHS = 100_000;

  /** Those that are to be closed when the JVM ends. */
  private static final Set<MayflyBroker> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> List.copyOf(OPEN).forEach(MayflyBroker::closeAtEnd), "mayfly-end"));
  }

  private final DataFiles data;
  private final Map<String, String> settings;
  private final String logLevel;
  private final MayflyClock clock = new MayflyClock(this);
  private final int port;
  private final int httpPort;

  /** Null while it is killed or closed. Guarded by this. */
  private RunningBroker running;

  /** When it was killed or stopped, by its clock; null if its clock is that of the machine. */
  private Instant stoppedAt;

  private boolean closed;

  private MayflyBroker(Builder builder, DataFiles data) throws IOException {
    this.data = data;
    this.settings = new LinkedHashMap<>(builder.settings);
    this.logLevel = builder.logLevel;
    settings.put("data_dir", data.directory().toString());
    running = RunningBroker.start(lines(settings), logLevel, hasRealClock());
    port = running.port();
    httpPort = running.httpPort();
  }

  /** Starts a broker with a clock that stands at the time of the machine. */
  public static MayflyBroker start() {
    return builder().start();
  }

  /** Returns what starts a broker with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** How to start a broker. Not thread-safe. */
  public static final class Builder {
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final List<String> definitions = new ArrayList<>();
    private final List<Policy> policies = new ArrayList<>();
    private Path directory;
    private String logLevel = "WARNING";

    private record Policy(String name, String pattern, Map<String, ?> definition) {}

    private Builder() {
      settings.put("listeners.tcp.default", "127.0.0.1:0");
      settings.put("management.tcp.ip", "127.0.0.1");
      settings.put("management.tcp.port", "0");
      settings.put("prometheus.tcp.port", "none");
      settings.put("collect_statistics_interval", "3600000");
      settings.put("shards", "1");
      settings.put("durability.sync", "never");
      settings.put("durability.segment_size", "1MiB");
      settings.put("death_journal.bytes", "1MiB");
      // The heap and the disk are the test's, and no reason to block its publishers.
      settings.put("vm_memory_high_watermark.relative", "1");
      settings.put("disk_free_limit.absolute", "0");
      settings.put("clock", "manual");
      settings.put("clock.on_old_data", "true");
    }

    /** Keeps the data in a directory, which is created if it is missing, and not deleted. */
    public Builder directory(Path kept) {
      directory = kept;
      return this;
    }

    /**
     * Imports definitions, as RabbitMQ and this broker export them, beside the user {@code guest}.
     *
     * @param json an object of JSON
     */
    public Builder definitions(String json) {
      definitions.add(Objects.requireNonNull(json));
      return this;
    }

    /** Imports definitions from a file. */
    public Builder definitions(Path file) {
      try {
        return definitions(Files.readString(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * Sets a policy in the virtual host {@code /}.
     *
     * @param pattern the regular expression of the names of queues and exchanges
     * @param definition such as {@code Map.of("message-ttl", 60000)}
     */
    public Builder policy(String name, String pattern, Map<String, ?> definition) {
      policies.add(new Policy(name, pattern, Map.copyOf(definition)));
      return this;
    }

    /** Sets a key of the configuration. One that needs what is not in this broker is refused. */
    public Builder set(String key, String value) {
      if (key.startsWith("cluster_formation.")
          || key.startsWith("cluster.")
          || key.equals("nodename")) {
        throw new IllegalArgumentException(
            "key '%s': a broker for tests has no cluster, and no name of its own".formatted(key));
      }
      settings.put(key, value);
      return this;
    }

    /** Sets the time at which the clock stands first; by default that of the machine. */
    public Builder clockStart(Instant time) {
      return set("clock.start", time.toString());
    }

    /** Has the clock go as that of the machine; it cannot be moved then. */
    public Builder realClock() {
      settings.remove("clock");
      settings.remove("clock.on_old_data");
      settings.remove("clock.start");
      return this;
    }

    /**
     * Sets the least level of lines that are logged, to standard error: by default those of
     * warnings and errors. The log is that of all brokers of the JVM, so the last one started
     * decides.
     */
    public Builder logLevel(System.Logger.Level level) {
      logLevel =
          switch (level) {
            case ALL, TRACE, DEBUG -> "DEBUG";
            case INFO -> "INFO";
            case WARNING -> "WARNING";
            case ERROR -> "ERROR";
            case OFF -> "NONE";
          };
      return this;
    }

    /**
     * Starts it.
     *
     * @throws IllegalStateException if it cannot start; the message says why
     */
    public MayflyBroker start() {
      DataFiles data = directory == null ? DataFiles.temporary() : DataFiles.of(directory);
      MayflyBroker broker = null;
      try {
        broker = new MayflyBroker(this, data);
        OPEN.add(broker);
        for (String json : definitions) {
          broker.api("POST", "definitions", json);
        }
        for (Policy policy : policies) {
          broker.setPolicy(policy.name, policy.pattern, policy.definition);
        }
        return broker;
      } catch (IOException e) {
        data.end();
        throw new IllegalStateException("the broker has not started: " + e.getMessage(), e);
      } catch (RuntimeException | Error e) {
        if (broker == null) {
          data.end();
        } else {
          broker.closeAtEnd();
        }
        throw e;
      }
    }
  }

  private static List<String> lines(Map<String, String> settings) {
    return settings.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()).toList();
  }

  // Where it is

  /** Returns the URI that clients connect to, with user and password. */
  public String uri() {
    return "amqp://%s:%s@%s:%d".formatted(USER, USER, host(), port);
  }

  /** Returns the address that it listens at. */
  public String host() {
    return "127.0.0.1";
  }

  /** Returns the port for AMQP; it stays the same when the broker starts again. */
  public int port() {
    return port;
  }

  /** Returns the user that each broker has, an administrator. */
  public String username() {
    return USER;
  }

  /** Returns the user's password. */
  public String password() {
    return USER;
  }

  /** Returns the port of the HTTP API. */
  public int httpPort() {
    return httpPort;
  }

  // What is in it

  /** Returns its clock. */
  public MayflyClock clock() {
    return clock;
  }

  /**
   * Returns a queue of the virtual host {@code /}.
   *
   * @throws IllegalStateException if there is none of that name
   */
  public QueueState queue(String name) {
    return queue(DEFAULT_VHOST, name);
  }

  /**
   * Returns a queue.
   *
   * @throws IllegalStateException if there is none of that name
   */
  public QueueState queue(String vhost, String name) {
    return QueueState.of(Json.of(api("GET", "queues/" + encoded(vhost, name), null)));
  }

  /** Returns all queues, in the order of virtual hosts and names. */
  public List<QueueState> queues() {
    return Json.list(api("GET", "queues", null)).stream().map(QueueState::of).toList();
  }

  /** Returns messages that are ready in a queue of the virtual host {@code /}, the first 1000. */
  public List<StoredMessage> messages(String queue) {
    return messages(DEFAULT_VHOST, queue);
  }

  /**
   * Returns messages that are ready in a queue, in the order in which they will be delivered; the
   * first 1000. It takes none of them.
   */
  public List<StoredMessage> messages(String vhost, String queue) {
    return Json.list(
            Json.of(
                    api(
                        "GET",
                        "queues/%s/messages?count=1000&truncate=65536"
                            .formatted(encoded(vhost, queue)),
                        null))
                .fields()
                .get("items"))
        .stream()
        .map(StoredMessage::of)
        .toList();
  }

  /**
   * Returns the messages that have left their queues otherwise than by an acknowledgement, the
   * earliest first.
   */
  public List<Death> deaths() {
    List<Death> deaths =
        new ArrayList<>(
            Json.list(api("GET", "deaths?limit=" + MOST_DEATHS, null)).stream()
                .map(Death::of)
                .toList());
    Collections.reverse(deaths);
    return deaths;
  }

  /** Sets a policy in the virtual host {@code /}, as {@link Builder#policy}. */
  public void setPolicy(String name, String pattern, Map<String, ?> definition) {
    api(
        "PUT",
        "policies/" + encoded(DEFAULT_VHOST, name),
        Map.of("pattern", pattern, "definition", definition));
  }

  /**
   * Makes a request to the HTTP API with all rights, without a socket.
   *
   * @param path behind {@code /api/}, encoded, such as {@code queues/%2F/orders}
   * @param body JSON as a text; or maps and lists of texts, numbers and truth values; null for none
   * @return what was answered: maps, lists, texts, numbers, truth values or null
   * @throws IllegalStateException if it was refused; the message says why
   */
  public Object api(String method, String path, Object body) {
    try {
      return running().ask(method, path, body);
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /**
   * Returns a text for people: the time, queues, bindings, deaths, and who has not acknowledged.
   */
  public String report() {
    return Report.of(this);
  }

  private synchronized RunningBroker running() {
    if (running == null) {
      throw new IllegalStateException(
          closed ? "the broker is closed" : "the broker does not run: restart() comes first");
    }
    return running;
  }

  private static String encoded(String... names) {
    List<String> parts = new ArrayList<>();
    for (String name : names) {
      parts.add(URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20"));
    }
    return String.join("/", parts);
  }

  // Faults

  /** Closes all connections as an operator does: clients are told, with 320 CONNECTION_FORCED. */
  public void closeConnections() {
    Json.list(api("GET", "connections?columns=name", null))
        .forEach(
            connection -> api("DELETE", "connections/" + encoded(connection.text("name")), null));
  }

  /** Closes the sockets of all connections without a word, as a network does that fails. */
  public void dropConnections() {
    inject(RunningBroker::dropConnections);
  }

  /**
   * Raises an alarm as if memory were short: connections that publish are told with {@code
   * connection.blocked}, and nothing more is read from them until {@link #unblockPublishers}.
   */
  public void blockPublishers() {
    inject(broker -> broker.setScarce("MEMORY", true));
  }

  /** Clears the alarm of {@link #blockPublishers}. */
  public void unblockPublishers() {
    inject(broker -> broker.setScarce("MEMORY", false));
  }

  /**
   * Raises an alarm as if the disk were full: as {@link #blockPublishers}, with the reason {@code
   * low on disk}, until {@link #freeDisk}. What consumers do goes on.
   */
  public void fillDisk() {
    inject(broker -> broker.setScarce("DISK", true));
  }

  /** Clears the alarm of {@link #fillDisk}. */
  public void freeDisk() {
    inject(broker -> broker.setScarce("DISK", false));
  }

  /**
   * Refuses messages of channels in confirm mode, until {@link #restoreConfirms}: they go to no
   * queue, and are answered with {@code basic.nack}.
   */
  public void refuseConfirms() {
    inject(broker -> broker.setConfirms("REFUSED"));
  }

  /**
   * Keeps confirms back until {@link #restoreConfirms}, which sends them. The messages are in their
   * queues, and are delivered.
   */
  public void delayConfirms() {
    inject(broker -> broker.setConfirms("DELAYED"));
  }

  /**
   * Sends no confirms until {@link #restoreConfirms}: those of this time never come. The messages
   * are in their queues, so that a publisher that sends them again makes duplicates.
   */
  public void dropConfirms() {
    inject(broker -> broker.setConfirms("DROPPED"));
  }

  /** Ends the fault of {@link #refuseConfirms}, {@link #delayConfirms} or {@link #dropConfirms}. */
  public void restoreConfirms() {
    inject(broker -> broker.setConfirms("SENT"));
  }

  /**
   * Keeps consumers' {@code basic.ack}, {@code basic.nack} and {@code basic.reject} back until
   * {@link #restoreAcks}, which handles those whose channels are still open. Their messages are
   * unacknowledged meanwhile, and count for the prefetch limit. Transactions are not affected.
   */
  public void delayAcks() {
    inject(broker -> broker.setAcks("DELAYED"));
  }

  /**
   * Ignores consumers' {@code basic.ack}, {@code basic.nack} and {@code basic.reject} until {@link
   * #restoreAcks}: their messages stay unacknowledged, and are delivered again when the channel
   * closes. Transactions are not affected.
   */
  public void dropAcks() {
    inject(broker -> broker.setAcks("DROPPED"));
  }

  /** Ends the fault of {@link #delayAcks} or {@link #dropAcks}. */
  public void restoreAcks() {
    inject(broker -> broker.setAcks("HANDLED"));
  }

  /** What makes a broker fail, or ends that. */
  private interface Injection {
    void into(RunningBroker broker) throws IOException;
  }

  private void inject(Injection fault) {
    try {
      fault.into(running());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Its end

  /**
   * Ends it at once, as {@code kill -9} does: connections break without a word, and the data is
   * what was written by then. What was confirmed is in it, what was not may be.
   */
  public synchronized void kill() {
    rememberTime();
    Path copy = data.beside();
    try {
      RunningBroker killed = running();
      running = null;
      killed.kill(copy);
      data.replaceBy(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Starts it on its data, at the same port; it ends in order before that if it runs. Its clock
   * goes on where it stood.
   */
  public synchronized void restart() {
    if (closed) {
      throw new IllegalStateException("the broker is closed");
    }
    try {
      if (running != null) {
        rememberTime();
        RunningBroker stopped = running;
        running = null;
        stopped.close();
      }
      Map<String, String> again = new LinkedHashMap<>(settings);
      again.put("listeners.tcp.default", host() + ":" + port);
      if (httpPort > 0) {
        again.put("management.tcp.port", Integer.toString(httpPort));
      }
      if (stoppedAt != null) {
        again.put("clock.start", stoppedAt.toString());
      }
      running = RunningBroker.start(lines(again), logLevel, hasRealClock());
    } catch (IOException e) {
      throw new IllegalStateException("the broker has not started: " + e.getMessage(), e);
    }
  }

  private boolean hasRealClock() {
    return !settings.getOrDefault("clock", "real").equals("manual");
  }

  private void rememberTime() {
    if (!hasRealClock()) {
      stoppedAt = clock.now();
    }
  }

  /**
   * Ends it in order, and returns when its threads, sockets and files are closed. Has no effect if
   * it is closed.
   *
   * @throws IllegalStateException if a part of it had failed; its log tells which
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    OPEN.remove(this);
    try {
      if (running != null) {
        RunningBroker ended = running;
        running = null;
        ended.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } finally {
      data.end();
    }
  }

  private void closeAtEnd() {
    try {
      close();
    } catch (IllegalStateException | UncheckedIOException e) {
      System.err.println("mayfly: " + e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "MayflyBroker at " + host() + ":" + port;
  }
}
