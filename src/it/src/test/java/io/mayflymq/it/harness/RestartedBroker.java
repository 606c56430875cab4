package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * A broker that is ended and started again within a test, on the same data directory and each time
 * on another port, and the test's connections to it, which end when it does.
 *
 * <p>Queues made here are durable. One thread, the test's.
 */
public final class RestartedBroker implements AutoCloseable {
  /** Persistent, and nothing else. */
  public static final BasicProperties PERSISTENT =
      new BasicProperties.Builder().deliveryMode(2).build();

  /** Transient, and nothing else. */
  public static final BasicProperties TRANSIENT =
      new BasicProperties.Builder().deliveryMode(1).build();

  /** A settlement that the broker has heard of is safe so much later, without anything else. */
  public static final long SETTLED_WITHIN_MILLIS = 1_000;

  private final Path data;
  private final Map<String, Object> settings = new LinkedHashMap<>();
  private final List<Connection> connections = new ArrayList<>();
  private BrokerProcess process;
  private Channel channel;
  private Channel publisher;

  private RestartedBroker(Path data) {
    this.data = data;
  }

  /** A broker that has not been started yet. */
  public static RestartedBroker at(Path data) {
    return new RestartedBroker(data);
  }

  /** Adds {@code --set key=value} to all later starts. */
  public RestartedBroker set(String key, Object value) {
    settings.put(key, value);
    return this;
  }

  /** Starts it and waits until it is ready. */
  public RestartedBroker start() {
    BrokerProcess.Builder builder = BrokerProcess.builder().data(data);
    settings.forEach(builder::set);
    process = builder.start();
    return this;
  }

  /** Ends it and starts it again. */
  public void restart(Ending ending) {
    end(ending);
    start();
  }

  /** Ends it; fails if it had thrown, leaked, or did not stop as it should. */
  public void end(Ending ending) {
    switch (ending) {
      case SIGTERM -> process.terminate();
      case KILL -> process.kill();
    }
    int exit = process.awaitExit();
    if (ending == Ending.SIGTERM) {
      assertThat(exit).as("the exit code after SIGTERM").isZero();
    }
    connections.forEach(Connection::abort);
    connections.clear();
    channel = null;
    publisher = null;
    assertNoComplaints();
  }

  private void assertNoComplaints() {
    assertThat(process.complaintsInContext())
        .as("complaints; all output is in %s", process.writeOutput())
        .isEmpty();
  }

  public Path data() {
    return data;
  }

  /** The process of the latest start. */
  public BrokerProcess process() {
    return process;
  }

  /** A view for the helpers that want one; its owner closes it before the broker ends. */
  public Amqp amqp(String hint) {
    return new Amqp(new Target(process.port(), process, "MayflyMQ"), hint);
  }

  /** A new connection, aborted when the broker ends. */
  public Connection connect() throws IOException, TimeoutException {
    Connection connection = process.factory().newConnection("restarted");
    connections.add(connection);
    return connection;
  }

  /** The test's channel, opened at its first use after each start. */
  public Channel channel() throws IOException, TimeoutException {
    if (channel == null || !channel.isOpen()) {
      channel = connect().createChannel();
    }
    return channel;
  }

  /** Declares a durable queue. */
  public String queue(String name, Map<String, Object> arguments)
      throws IOException, TimeoutException {
    channel().queueDeclare(name, true, false, false, arguments);
    return name;
  }

  public String queue(String name) throws IOException, TimeoutException {
    return queue(name, Map.of());
  }

  /** Publishes persistent messages to a queue and waits for the confirm of the last. */
  public void publish(String queue, String... bodies) throws Exception {
    for (String body : bodies) {
      publisher().basicPublish("", queue, PERSISTENT, Amqp.bytes(body));
    }
    awaitConfirms();
  }

  /** Publishes one message to a queue and waits for its confirm. */
  public void publish(String queue, BasicProperties properties, byte[] body) throws Exception {
    publisher().basicPublish("", queue, properties, body);
    awaitConfirms();
  }

  /** The channel that {@link #publish} uses, in confirm mode. */
  public Channel publisher() throws IOException, TimeoutException {
    if (publisher == null || !publisher.isOpen()) {
      publisher = connect().createChannel();
      publisher.confirmSelect();
    }
    return publisher;
  }

  /** Waits for the confirms of all that went through {@link #publisher}. */
  public void awaitConfirms() throws Exception {
    assertThat(publisher().waitForConfirms(Patience.MILLIS)).as("all confirmed").isTrue();
  }

  /**
   * Waits until all settlements sent on the test's channel are safe, however the broker may end.
   */
  public void letSettle() throws IOException, TimeoutException {
    // The answer to a synchronous method tells that the broker has heard of them.
    channel().exchangeDeclarePassive("amq.direct");
    Time.pass(SETTLED_WITHIN_MILLIS);
  }

  /** Gets and acknowledges all that is ready. */
  public List<GetResponse> drain(String queue) throws IOException, TimeoutException {
    List<GetResponse> messages = new ArrayList<>();
    for (GetResponse got = get(queue); got != null; got = get(queue)) {
      messages.add(got);
    }
    return messages;
  }

  /** Gets and acknowledges one message; null if there is none. */
  public GetResponse get(String queue) throws IOException, TimeoutException {
    return channel().basicGet(queue, true);
  }

  /** The bodies of all that is ready, which is gotten and acknowledged. */
  public List<String> bodies(String queue) throws IOException, TimeoutException {
    return drain(queue).stream().map(RestartedBroker::body).toList();
  }

  /** The bodies as {@link #bodies}, those of redelivered messages with an asterisk behind. */
  public List<String> flaggedBodies(String queue) throws IOException, TimeoutException {
    return drain(queue).stream()
        .map(got -> body(got) + (got.getEnvelope().isRedeliver() ? "*" : ""))
        .toList();
  }

  public static String body(GetResponse got) {
    return Amqp.text(got.getBody());
  }

  /** The lines that the process of the latest start has printed so far. */
  public List<String> output() {
    return process.output();
  }

  /** Waits until a line of the output of the current process contains a text. */
  public void awaitLine(String text) {
    process.awaitLine(text);
  }

  /** Kills it if it still runs; fails if it had thrown or leaked. */
  @Override
  public void close() {
    if (process == null) {
      return;
    }
    // Before the connections, as a connection that the broker does not read would not close.
    process.kill();
    process.awaitExit();
    connections.forEach(Connection::abort);
    assertNoComplaints();
  }
}
