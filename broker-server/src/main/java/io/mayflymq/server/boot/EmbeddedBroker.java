package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.channel.InjectedFaults;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.LogLevel;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.logging.Logging;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.JsonBody;
import io.mayflymq.server.net.StartException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * A broker in the process of an application that is tested with it. Any number of them may run by
 * the same classes: they share the log, whose lines go to standard error, and the name of the node.
 * It has no control file, does no housekeeping, and leaves the options of Java alone.
 *
 * <p>The caller may be of another class loader, so only classes of Java are in the signatures. The
 * context class loader of the thread that calls has to be that of this class. Thread-safe.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private final AtomicBoolean failed = new AtomicBoolean();
  private final BrokerThreads threads = new BrokerThreads(new LoggedFaults(this::fail));
  private final Daemon daemon;

  /**
   * Starts one.
   *
   * @param settings texts such as {@code shards=1}; nothing else is read
   * @param logLevel the least level of lines that are logged, by these brokers together
   * @throws IOException if it cannot start; the message says why
   */
  public EmbeddedBroker(List<String> settings, String logLevel) throws IOException {
    try {
      LiveConfiguration configuration =
          new LiveConfiguration(Configuration.load(Optional.empty(), Map.of(), settings));
      Logging.configureShared(LogLevel.valueOf(logLevel), threads.faults());
      daemon = Daemon.start(configuration, threads, ProcessUse.SHARED, false, () -> {});
    } catch (ConfigException e) {
      throw new IOException(String.join("; ", e.errors()), e);
    } catch (StartException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Returns the port at which clients connect. */
  public int port() {
    return daemon.addresses().get(0).getPort();
  }

  /** Returns the port of the HTTP API; -1 if it listens nowhere. */
  public int httpPort() {
    return daemon.application().management().address().map(at -> at.getPort()).orElse(-1);
  }

  /**
   * Answers a request to the HTTP API, with all rights.
   *
   * @param path behind {@code /api/}, encoded, with the query
   * @param body JSON as a text; or maps and lists of texts, numbers and truth values; null for none
   * @return the value of the answer: maps, lists, texts, numbers, truth values or null
   * @throws IOException if it was refused; the message says why
   */
  public Object ask(String method, String path, Object body) throws IOException {
    String json = body instanceof String text ? text : body == null ? "" : JsonWriter.text(body);
    Response response =
        daemon.application().management().ask(method, path, json.getBytes(StandardCharsets.UTF_8));
    Object answer = response.body() == null ? null : read(response);
    if (response.status() >= 300) {
      Object reason = answer instanceof Map<?, ?> refusal ? reason(refusal) : answer;
      throw new IOException(
          "%s /api/%s was answered with %d: %s".formatted(method, path, response.status(), reason));
    }
    return answer;
  }

  private static Object reason(Map<?, ?> refusal) {
    Object detail = refusal.get("detail");
    return detail == null ? refusal.get("reason") : detail;
  }

  private static Object read(Response response) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    JsonBody body = new JsonBody(response.body(), response.messages());
    try {
      boolean more = true;
      while (more) {
        more = body.appendTo(bytes);
      }
    } finally {
      body.close();
    }
    return JsonReader.DEFAULT.read(new ByteArrayInputStream(bytes.toByteArray()));
  }

  /**
   * Closes the sockets of all connections without a word. Returns when they are closed; new ones
   * are accepted.
   */
  public void dropConnections() {
    daemon.application().dropConnections();
  }

  /**
   * Raises or clears the alarm about a resource, as long as which connections that publish are
   * blocked.
   *
   * @param resource {@code MEMORY} or {@code DISK}
   */
  public void setScarce(String resource, boolean scarce) {
    daemon.application().setScarce(Alarm.Resource.valueOf(resource), scarce);
  }

  /**
   * Sets what becomes of publishers' confirms.
   *
   * @param fate a name of {@link InjectedFaults.Confirms}
   */
  public void setConfirms(String fate) {
    daemon.application().faults().setConfirms(InjectedFaults.Confirms.valueOf(fate));
  }

  /**
   * Sets what becomes of consumers' acknowledgements.
   *
   * @param fate a name of {@link InjectedFaults.Acks}
   */
  public void setAcks(String fate) {
    daemon.application().faults().setAcks(InjectedFaults.Acks.valueOf(fate));
  }

  /**
   * Ends it without a word to its clients, and leaves a copy of its data directory as a process
   * leaves it that is killed: a broker that is started with the copy recovers from that.
   *
   * @param copy a directory that does not exist
   * @throws IOException if it cannot be copied
   */
  public void kill(Path copy) throws IOException {
    try {
      daemon.application().freeze(daemon.dataDirectory(), copy);
    } finally {
      close();
    }
  }

  /**
   * Ends it in order, and returns when its threads, sockets and files are closed.
   *
   * @throws IOException if it has not ended in order, or a part of it had failed before; the log
   *     tells which
   */
  @Override
  public void close() throws IOException {
    if (ShutdownHook.close(daemon, ShutdownHook.PATIENCE_MILLIS, threads) != ExitCode.OK) {
      throw new IOException("the broker has not stopped in order: its log tells why");
    }
    if (failed.get()) {
      throw new IOException("a part of the broker had failed: its log tells which");
    }
  }

  /** The thread that reports it never returns, as in a process of its own. */
  private void fail(String what, Throwable cause) {
    if (failed.compareAndSet(false, true)) {
      LoggerFactory.getLogger(EmbeddedBroker.class)
          .error("{} has ended: the broker does not go on", what, cause);
    }
    while (true) {
      LockSupport.park(this); // Nothing that is half done may go on.
    }
  }
}
