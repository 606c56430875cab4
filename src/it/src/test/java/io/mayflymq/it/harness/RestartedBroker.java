package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
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

  private final Life life;
  private final String vhost;
  private final List<Connection> connections = new ArrayList<>();
  private Channel channel;
  private Channel publisher;

  private RestartedBroker(Life life, String vhost) {
    this.life = life;
    this.vhost = vhost;
  }

  /** Who ends the broker and starts it again. */
  interface Life {
    /** Adds {@code --set key=value} to all later starts. */
    void set(String key, Object value);

    /** The broker of the latest start; null before the first. */
    Broker broker();

    /** Starts it and waits until it is ready. */
    void start();

    /** Ends it; fails if it had thrown, leaked, or did not stop as it should. */
    void end(Ending ending);

    /** Has no more use for it, whether it runs or not. */
    void leave();
  }

  /** The test itself does. */
  static final class OwnLife implements Life {
    /** More lives than any broker has. */
    static final int ALL = Integer.MAX_VALUE;

    private final Path data;

    /** How many of its next lives are in processes of their own. */
    private int processes;

    private final Map<String, Object> settings = new LinkedHashMap<>();
    private Broker broker;

    OwnLife(Path data, int processes) {
      this.data = data;
      this.processes = processes;
    }

    @Override
    public void set(String key, Object value) {
      settings.put(key, value);
    }

    @Override
    public Broker broker() {
      return broker;
    }

    @Override
    public void start() {
      Broker.Builder<?, ?> builder =
          processes > 0 ? BrokerProcess.builder().data(data) : EmbeddedBroker.builder().data(data);
      processes--;
      settings.forEach(builder::set);
      broker = builder.start();
    }

    @Override
    public void end(Ending ending) {
      switch (ending) {
        case SIGTERM -> broker.terminate();
        case KILL -> ((BrokerProcess) broker).kill();
      }
      int exit = broker.awaitExit();
      if (ending == Ending.SIGTERM) {
        assertThat(exit).as("the exit code after SIGTERM").isZero();
      }
      assertNoComplaints();
    }

    private void assertNoComplaints() {
      assertThat(broker.complaintsInContext())
          .as("complaints; all output is in %s", broker.writeOutput())
          .isEmpty();
    }

    @Override
    public void leave() {
      if (broker != null) {
        broker.abandon();
        broker.awaitExit();
        assertNoComplaints();
      }
    }
  }

  /** A broker in a process of its own that has not been started yet. */
  public static RestartedBroker at(Path data) {
    return new RestartedBroker(new OwnLife(data, OwnLife.ALL), "/");
  }

  /** A broker in the process of the tests that has not been started yet; it cannot be killed. */
  public static RestartedBroker embedded(Path data) {
    return new RestartedBroker(new OwnLife(data, 0), "/");
  }

  /**
   * A broker that has not been started yet and is ended so many times in this way. It is in a
   * process of its own only as long as it is still to be killed, and in that of the tests after.
   */
  public static RestartedBroker ended(Path data, Ending ending, int times) {
    return new RestartedBroker(new OwnLife(data, ending == Ending.KILL ? times : 0), "/");
  }

  /** A virtual host, made now, of a broker that other tests use too, and that runs. */
  static RestartedBroker shared(Life life, String vhost) throws IOException, InterruptedException {
    Http http = life.broker().http();
    assertThat(http.put("vhosts/" + vhost, "{}").status()).isEqualTo(201);
    String all = "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}";
    assertThat(http.put("permissions/" + vhost + "/guest", all).status()).isIn(201, 204);
    return new RestartedBroker(life, vhost);
  }

  /** Deletes what a test has left, so that later starts need not recover it. */
  void deleteVhost() throws IOException, InterruptedException {
    assertThat(http().delete("vhosts/" + vhost).status()).isEqualTo(204);
  }

  /** Adds {@code --set key=value} to all later starts. */
  public RestartedBroker set(String key, Object value) {
    life.set(key, value);
    return this;
  }

  /** Starts it and waits until it is ready. */
  public RestartedBroker start() {
    life.start();
    return this;
  }

  /** Ends it and starts it again. */
  public void restart(Ending ending) {
    end(ending);
    start();
  }

  /** Ends it; fails if it had thrown, leaked, or did not stop as it should. */
  public void end(Ending ending) {
    try {
      life.end(ending);
    } finally {
      abortConnections();
      channel = null;
      publisher = null;
    }
  }

  private void abortConnections() {
    connections.forEach(Connection::abort);
    connections.clear();
  }

  public Path data() {
    return process().data();
  }

  /** The broker of the latest start. */
  public Broker process() {
    return life.broker();
  }

  /** Its management API. */
  public Http http() {
    return process().http();
  }

  /** The path of the virtual host's queues in the management API, with a slash at its end. */
  public String queues() {
    return "queues/" + (vhost.equals("/") ? "%2F" : vhost) + "/";
  }

  /** A view for the helpers that want one; its owner closes it before the broker ends. */
  public Amqp amqp(String hint) {
    return new Amqp(new Target(process().port(), process(), "MayflyMQ"), hint, vhost);
  }

  /** A new connection, aborted when the broker ends. */
  public Connection connect() throws IOException, TimeoutException {
    ConnectionFactory factory = process().factory();
    factory.setVirtualHost(vhost);
    Connection connection = factory.newConnection("restarted");
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
    return process().output();
  }

  /** Waits until a line of the output of the current process contains a text. */
  public void awaitLine(String text) {
    process().awaitLine(text);
  }

  /** Ends it if it still runs, by a kill if it can be; fails if it had thrown or leaked. */
  @Override
  public void close() {
    // Before the connections, as a connection that the broker does not read would not close.
    try {
      life.leave();
    } finally {
      abortConnections();
    }
  }
}
