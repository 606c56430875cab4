package io.mayflymq.it.differential;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Http;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;

/**
 * A broker and its clients. Steps tell what their clients learn at once; what comes by itself is in
 * {@link #state}.
 */
final class World implements AutoCloseable {
  private static final int CONNECTIONS = 2;
  private static final int CONFIRM_PATIENCE_MILLIS = 10_000;
  private static final int QUEUES = 6;

  private final String vhost;
  private final ConnectionFactory factory;
  private final Http http;
  private final Connection observer;
  private final Connection[] connections = new Connection[CONNECTIONS];
  private final Client[] clients = new Client[Generator.CHANNELS];
  private final Map<String, String> policies = new TreeMap<>();
  private Channel observing;

  /**
   * Opens a virtual host of its own in a broker.
   *
   * @param factory leads to the broker
   */
  World(ConnectionFactory factory, Http http, String vhost) throws Exception {
    this.vhost = vhost;
    this.http = http;
    http.put("vhosts/" + vhost, "{}");
    http.put(
        "permissions/" + vhost + "/guest",
        "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    this.factory = factory.clone();
    this.factory.setVirtualHost(vhost);
    this.observer = this.factory.newConnection("observer");
  }

  /** Does it; returns what the client learns. */
  String run(Step step) throws Exception {
    try {
      return perform(step);
    } catch (IOException e) {
      return closed(e.getCause());
    } catch (AlreadyClosedException e) {
      return closed(e);
    }
  }

  private static String closed(Throwable cause) {
    if (cause instanceof ShutdownSignalException signal) {
      if (signal.getReason() instanceof AMQP.Channel.Close close) {
        return "channel closed: " + close.getReplyCode() + " " + close.getReplyText();
      }
      if (signal.getReason() instanceof AMQP.Connection.Close close) {
        return "connection closed: " + close.getReplyCode() + " " + close.getReplyText();
      }
    }
    return String.valueOf(cause);
  }

  private String perform(Step step) throws Exception {
    if (step instanceof Step.DeclareQueue it) {
      AMQP.Queue.DeclareOk ok =
          channel(it.channel())
              .queueDeclare(
                  it.queue(), it.durable(), it.exclusive(), it.autoDelete(), it.arguments());
      return "declared " + ok.getMessageCount() + " " + ok.getConsumerCount();
    } else if (step instanceof Step.DeclareQueuePassively it) {
      AMQP.Queue.DeclareOk ok = channel(it.channel()).queueDeclarePassive(it.queue());
      return "there " + ok.getMessageCount() + " " + ok.getConsumerCount();
    } else if (step instanceof Step.DeleteQueue it) {
      return "deleted "
          + channel(it.channel())
              .queueDelete(it.queue(), it.ifUnused(), it.ifEmpty())
              .getMessageCount();
    } else if (step instanceof Step.Purge it) {
      return "purged " + channel(it.channel()).queuePurge(it.queue()).getMessageCount();
    } else if (step instanceof Step.DeclareExchange it) {
      channel(it.channel())
          .exchangeDeclare(
              it.exchange(), it.type(), it.durable(), it.autoDelete(), false, it.arguments());
    } else if (step instanceof Step.DeleteExchange it) {
      channel(it.channel()).exchangeDelete(it.exchange(), it.ifUnused());
    } else if (step instanceof Step.Bind it) {
      channel(it.channel()).queueBind(it.queue(), it.exchange(), it.key(), it.arguments());
    } else if (step instanceof Step.Unbind it) {
      channel(it.channel()).queueUnbind(it.queue(), it.exchange(), it.key(), it.arguments());
    } else if (step instanceof Step.BindExchange it) {
      channel(it.channel()).exchangeBind(it.destination(), it.source(), it.key());
    } else if (step instanceof Step.UnbindExchange it) {
      channel(it.channel()).exchangeUnbind(it.destination(), it.source(), it.key());
    } else if (step instanceof Step.SetPolicy it) {
      return setPolicy(it);
    } else if (step instanceof Step.ClearPolicy it) {
      policies.remove(it.name());
      return "status " + http.delete("policies/" + vhost + "/" + it.name()).status();
    } else if (step instanceof Step.CloseConnection it) {
      closeConnection(it.connection());
    } else {
      return performAsClient(step);
    }
    return "done";
  }

  private String setPolicy(Step.SetPolicy it) throws IOException, InterruptedException {
    // Two that tie would be taken in any order.
    String rank = it.priority() + "";
    if (policies.entrySet().stream()
        .anyMatch(other -> other.getValue().equals(rank) && !other.getKey().equals(it.name()))) {
      return "skipped";
    }
    policies.put(it.name(), rank);
    String body =
        "{\"pattern\":\"%s\",\"definition\":%s,\"priority\":%d,\"apply-to\":\"all\"}"
            .formatted(it.pattern().replace("\\", "\\\\"), it.definition(), it.priority());
    int status = http.put("policies/" + vhost + "/" + it.name(), body).status();
    return "status " + (status == 204 ? 201 : status);
  }

  private String performAsClient(Step step) throws Exception {
    if (step instanceof Step.Publish it) {
      return publish(it);
    } else if (step instanceof Step.Qos it) {
      channel(it.channel()).basicQos(it.prefetch());
    } else if (step instanceof Step.Consume it) {
      boolean other =
          Arrays.stream(clients).anyMatch(client -> client != null && client.consumes(it.queue()));
      if (other && !it.exclusive()) {
        // Whose turn it is among several is not for clients to know.
        return "skipped";
      }
      client(it.channel()).consume(it);
    } else if (step instanceof Step.Cancel it) {
      client(it.channel()).cancel(it.tag());
    } else if (step instanceof Step.Get it) {
      return client(it.channel()).get(it.queue(), it.autoAck());
    } else if (step instanceof Step.Settle it) {
      return client(it.channel()).settle(it);
    } else if (step instanceof Step.Recover it) {
      client(it.channel()).recover();
    } else if (step instanceof Step.CloseChannel it) {
      client(it.channel()).channel.close();
      clients[it.channel()] = null;
    } else if (step instanceof Step.Commit it) {
      channel(it.channel()).txCommit();
    } else if (step instanceof Step.Rollback it) {
      channel(it.channel()).txRollback();
    } else {
      throw new AssertionError(step);
    }
    return "done";
  }

  private String publish(Step.Publish it) throws Exception {
    Client client = client(it.channel());
    BasicProperties properties =
        new BasicProperties.Builder()
            .priority(it.priority())
            .headers(it.headers().isEmpty() ? null : it.headers())
            .build();
    byte[] number = (it.number() + " ").getBytes(StandardCharsets.UTF_8);
    byte[] body = Arrays.copyOf(number, Math.max(number.length, it.size()));
    client.channel.basicPublish(it.exchange(), it.key(), it.mandatory(), properties, body);
    if (it.channel() == Generator.TRANSACTIONAL) {
      // Errors of a publish come with the next answer.
      client.channel.basicQos(0);
      return "published";
    }
    try {
      return client.channel.waitForConfirms(CONFIRM_PATIENCE_MILLIS) ? "ack" : "nack";
    } catch (ShutdownSignalException e) {
      return closed(e);
    } catch (TimeoutException e) {
      return "no confirm";
    }
  }

  private void closeConnection(int number) throws IOException {
    if (connections[number] != null) {
      connections[number].close();
      connections[number] = null;
      for (int i = number; i < clients.length; i += CONNECTIONS) {
        clients[i] = null;
      }
    }
  }

  private Channel channel(int number) throws IOException, TimeoutException {
    return client(number).channel;
  }

  /** Opened at first use, and again when something has closed it. */
  private Client client(int number) throws IOException, TimeoutException {
    int at = number % CONNECTIONS;
    if (connections[at] == null || !connections[at].isOpen()) {
      connections[at] = factory.newConnection("clients");
    }
    if (clients[number] == null || !clients[number].channel.isOpen()) {
      clients[number] = new Client(connections[at].createChannel(), number);
    }
    return clients[number];
  }

  /** What has come to the clients so far, and what is in the queues. */
  List<String> state() throws IOException, TimeoutException {
    List<String> state = new ArrayList<>();
    // What a queue has sent before it answers twice has come to the channel.
    for (int round = 0; round < 2; round++) {
      state.clear();
      for (int i = 0; i < QUEUES; i++) {
        state.add(look("q" + i));
      }
    }
    for (Client client : clients) {
      if (client != null && client.channel.isOpen()) {
        state.addAll(client.state());
      }
    }
    return state;
  }

  private String look(String queue) throws IOException, TimeoutException {
    try {
      if (observing == null || !observing.isOpen()) {
        observing = observer.createChannel();
      }
      AMQP.Queue.DeclareOk ok = observing.queueDeclarePassive(queue);
      return "%s: %d ready, %d consumers"
          .formatted(queue, ok.getMessageCount(), ok.getConsumerCount());
    } catch (IOException e) {
      return queue + ": " + closed(e.getCause());
    }
  }

  /**
   * Everything that is still in the queues: what was published there in order, and what died
   * elsewhere sorted, as dead letters of several queues meet in any order.
   */
  List<String> remains() throws Exception {
    for (int i = 0; i < CONNECTIONS; i++) {
      closeConnection(i);
    }
    state();
    List<String> published = new ArrayList<>();
    List<String> died = new ArrayList<>();
    for (int i = 0; i < QUEUES; i++) {
      if (look("q" + i).endsWith("consumers")) {
        GetResponse got = observing.basicGet("q" + i, true);
        while (got != null) {
          String what = Delivered.describe(got.getEnvelope(), got.getProps(), got.getBody());
          (what.contains("x-death") ? died : published).add("q" + i + ": " + what);
          got = observing.basicGet("q" + i, true);
        }
      }
    }
    Collections.sort(died);
    published.addAll(died);
    return published;
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      if (connection != null) {
        connection.abort();
      }
    }
    observer.abort();
    try {
      http.delete("vhosts/" + vhost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
