package io.mayflymq.it.harness;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/**
 * One test's view of the broker: connections and channels that are closed with it, and queues and
 * exchanges with names of its own that are deleted with it.
 *
 * <p>Queues made here are transient, not exclusive and not auto-delete, so that they can be looked
 * at from any connection.
 */
public final class Amqp implements AutoCloseable {
  /** No user property at all. */
  public static final BasicProperties PLAIN = new BasicProperties();

  private static final AtomicInteger SERIAL = new AtomicInteger();
  private static final String RUN = Long.toString(System.nanoTime() & 0xffffff, 36);

  private final Target target;
  private final String hint;
  private final String vhost;
  private final List<Connection> connections = new ArrayList<>();
  private final List<String> queues = new ArrayList<>();
  private final List<String> exchanges = new ArrayList<>();
  private Connection main;
  private Channel channel;
  private Channel control;
  private Channel publisher;

  public Amqp(Target target, String hint) {
    this(target, hint, "/");
  }

  /** A view of one virtual host. */
  Amqp(Target target, String hint, String vhost) {
    this.target = target;
    this.hint = hint;
    this.vhost = vhost;
  }

  public Target target() {
    return target;
  }

  /** The test's main connection, opened at first use. */
  public Connection connection() throws IOException, TimeoutException {
    if (main == null) {
      main = newConnection();
    }
    return main;
  }

  public Connection newConnection() throws IOException, TimeoutException {
    return newConnection(factory());
  }

  private ConnectionFactory factory() {
    ConnectionFactory factory = target.factory();
    factory.setVirtualHost(vhost);
    return factory;
  }

  /** A connection from a factory the test has changed. */
  public Connection newConnection(ConnectionFactory factory) throws IOException, TimeoutException {
    Connection connection = factory.newConnection(hint);
    connections.add(connection);
    return connection;
  }

  /** The test's main channel, opened at first use. */
  public Channel channel() throws IOException, TimeoutException {
    if (channel == null) {
      channel = newChannel();
    }
    return channel;
  }

  public Channel newChannel() throws IOException, TimeoutException {
    return connection().createChannel();
  }

  /** A channel in confirm mode. */
  public Channel confirming() throws IOException, TimeoutException {
    Channel confirming = newChannel();
    confirming.confirmSelect();
    return confirming;
  }

  /** A name that no other test uses; what it names is deleted after the test, if it exists. */
  public String name() {
    String name = hint + "-" + RUN + "-" + SERIAL.incrementAndGet();
    queues.add(name);
    exchanges.add(name);
    return name;
  }

  public String queue() throws IOException, TimeoutException {
    return queue(Map.of());
  }

  /** Declares a queue with these arguments. */
  public String queue(Map<String, Object> arguments) throws IOException, TimeoutException {
    return queue(name(), arguments);
  }

  public String queue(String name, Map<String, Object> arguments)
      throws IOException, TimeoutException {
    control().queueDeclare(name, false, false, false, arguments);
    return name;
  }

  public String exchange(BuiltinExchangeType type) throws IOException, TimeoutException {
    return exchange(type, Map.of());
  }

  /** Declares a transient exchange with these arguments. */
  public String exchange(BuiltinExchangeType type, Map<String, Object> arguments)
      throws IOException, TimeoutException {
    String name = name();
    control().exchangeDeclare(name, type, false, false, arguments);
    return name;
  }

  public void bind(String queue, String exchange, String key) throws IOException, TimeoutException {
    control().queueBind(queue, exchange, key);
  }

  public void bind(String queue, String exchange, String key, Map<String, Object> arguments)
      throws IOException, TimeoutException {
    control().queueBind(queue, exchange, key, arguments);
  }

  /** A channel of its own connection: errors of the test do not close it, nor does it see them. */
  private Channel control() throws IOException, TimeoutException {
    if (control == null || !control.isOpen()) {
      control = newConnection().createChannel();
    }
    return control;
  }

  /**
   * Publishes to a queue by its name, and waits until the queue has it: returns after the confirm.
   */
  public void publish(String queue, String body) throws IOException, TimeoutException {
    publish(queue, PLAIN, body);
  }

  public void publish(String queue, BasicProperties properties, String body)
      throws IOException, TimeoutException {
    if (publisher == null || !publisher.isOpen()) {
      publisher = newConnection().createChannel();
      publisher.confirmSelect();
    }
    publisher.basicPublish("", queue, properties, bytes(body));
    try {
      if (!publisher.waitForConfirms(Patience.MILLIS)) {
        throw new AssertionError("the publish was refused");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Publishes a message with an {@code expiration} in milliseconds. */
  public void publishExpiring(String queue, long ttlMillis, String body)
      throws IOException, TimeoutException {
    publish(queue, expiring(ttlMillis), body);
  }

  public static BasicProperties expiring(long ttlMillis) {
    return new BasicProperties.Builder().expiration(Long.toString(ttlMillis)).build();
  }

  public static BasicProperties headers(Map<String, Object> headers) {
    return new BasicProperties.Builder().headers(headers).build();
  }

  /** The number of ready messages. A passive declare: it renews the lease of the queue. */
  public long ready(String queue) throws IOException, TimeoutException {
    return control().messageCount(queue);
  }

  /** Waits until so many messages are ready. Polls with passive declares: it renews the lease. */
  public void awaitReady(String queue, long count) {
    Awaitility.await("ready messages in " + queue)
        .atMost(Patience.TIME)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> ready(queue), found -> found == count);
  }

  /** True if the queue exists. A passive declare on a channel of its own: it renews the lease. */
  public boolean exists(String queue) throws IOException, TimeoutException {
    Channel probe = newConnection().createChannel();
    try {
      probe.queueDeclarePassive(queue);
      return true;
    } catch (IOException e) {
      ChannelErrors.assertError(probe, 404, "NOT_FOUND - no queue '" + queue + "' in vhost '/'");
      return false;
    } finally {
      probe.getConnection().abort();
    }
  }

  /** Gets one message without acknowledgement, or null. */
  public String get(String queue) throws IOException, TimeoutException {
    GetResponse response = control().basicGet(queue, true);
    return response == null ? null : text(response.getBody());
  }

  /** Gets all that is ready, in order, without acknowledgement. */
  public List<String> drain(String queue) throws IOException, TimeoutException {
    List<String> bodies = new ArrayList<>();
    for (String body = get(queue); body != null; body = get(queue)) {
      bodies.add(body);
    }
    return bodies;
  }

  /** Consumes without acknowledgement on a channel of its own. */
  public Deliveries consume(String queue) throws IOException, TimeoutException {
    return Deliveries.from(newChannel(), queue, true);
  }

  /** Arguments of a queue that dead-letters directly to another queue. */
  public static Map<String, Object> deadLetterTo(String queue, Map<String, Object> more) {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-dead-letter-exchange", "");
    arguments.put("x-dead-letter-routing-key", queue);
    return arguments;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException, TimeoutException {
    for (Connection connection : connections) {
      connection.abort();
    }
    if (queues.isEmpty()) {
      return;
    }
    try (Connection connection = factory().newConnection("clean-up")) {
      Channel broom = connection.createChannel();
      for (String queue : queues) {
        broom.queueDelete(queue);
      }
      for (String exchange : exchanges) {
        broom.exchangeDelete(exchange);
      }
    }
  }
}
