package io.mayflymq.it.harness;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/**
 * The broker that most tests share: the packaged jar, started once for the whole run, or, with
 * {@code -Dmayfly.it.port=N}, whatever listens on that port of 127.0.0.1.
 *
 * @param port where it listens
 * @param broker the broker, null when the broker was running already
 * @param product what it says in its server-properties
 */
public record Target(int port, Broker broker, String product) implements AutoCloseable {
  public static final String HOST = "127.0.0.1";
  private static final String OURS = "MayflyMQ";

  static Target open() {
    Integer running = runningPort();
    if (running != null) {
      return new Target(running, null, product(running));
    }
    return start(
        BrokerProcess.builder()
            .longLived()
            .set("event_exchange.vhost", "/")
            .jvm("-Dio.netty.leakDetection.level=paranoid"));
  }

  /** Starts a broker that is checked like the shared one when it is closed. */
  public static Target start(Broker.Builder<?, ?> builder) {
    return of(builder.launch());
  }

  /** Waits until a broker is ready, which is checked like the shared one when it is closed. */
  static Target of(Broker broker) {
    broker.awaitReady();
    return new Target(broker.port(), broker, product(broker.port()));
  }

  /** The port given on the command line, or null. */
  public static Integer runningPort() {
    String given = System.getProperty("mayfly.it.port", "");
    return given.isBlank() ? null : Integer.valueOf(given.trim());
  }

  private static String product(int port) {
    try (Connection connection = factory(port).newConnection("which broker is this")) {
      return String.valueOf(connection.getServerProperties().get("product"));
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("No broker answers on port " + port, e);
    }
  }

  /**
   * Returns whether this is MayflyMQ, which has more rules than the broker that it is compared
   * with.
   */
  public boolean ours() {
    return product.equals(OURS);
  }

  /** Where its management API listens. */
  public int httpPort() {
    return broker == null ? Integer.getInteger("mayfly.it.http.port") : broker.httpPort();
  }

  /** Its management API, for the user {@code guest}. */
  public Http http() {
    return Http.as(httpPort(), "guest", "guest");
  }

  public ConnectionFactory factory() {
    return factory(port);
  }

  /** A factory that fails rather than repairs, and takes every body the broker may send. */
  public static ConnectionFactory factory(int port) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost(HOST);
    factory.setPort(port);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setMaxInboundMessageBodySize(Integer.MAX_VALUE - 8);
    factory.setChannelRpcTimeout(Patience.MILLIS);
    factory.setHandshakeTimeout(Patience.MILLIS);
    return factory;
  }

  /** Ends the run. Fails if the broker leaked, logged an exception, or did not stop cleanly. */
  @Override
  public void close() {
    if (broker == null) {
      return;
    }
    int exit = broker.stop();
    if (exit != 0 || !broker.complaints().isEmpty()) {
      throw new AssertionError(
          "The broker ended with "
              + exit
              + "; complaints and the lines before them (all in "
              + broker.writeOutput()
              + "):\n"
              + String.join("\n", broker.complaintsInContext()));
    }
  }
}
