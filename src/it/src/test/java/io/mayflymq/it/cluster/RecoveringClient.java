package io.mayflymq.it.cluster;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A client as programs are: it knows all nodes, and amqp-client connects it to another one when its
 * own has closed the connection. Publishes numbers with confirms, one by one, and consumes.
 */
final class RecoveringClient implements AutoCloseable {
  private static final int NUMBERS = 1_000_000;
  private static final int RECOVERY_MILLIS = 100;

  private final ClusterNodes cluster;
  private final int first;
  private final int nodes;
  private final String queue;
  private final Connection connection;
  private final Set<Integer> confirmed = ConcurrentHashMap.newKeySet();
  private final Set<Integer> received = ConcurrentHashMap.newKeySet();
  private final AtomicInteger interruptions = new AtomicInteger();
  private final Thread thread;
  private volatile Exception failure;
  private volatile boolean stopped;

  /**
   * Begins.
   *
   * @param first the node that it connects to if it can
   * @param nodes how many there are
   */
  RecoveringClient(ClusterNodes cluster, int first, int nodes, String queue)
      throws IOException, TimeoutException {
    this.cluster = cluster;
    this.first = first;
    this.nodes = nodes;
    this.queue = queue;
    ConnectionFactory factory = cluster.node(first).factory();
    factory.setAutomaticRecoveryEnabled(true);
    factory.setTopologyRecoveryEnabled(true);
    factory.setNetworkRecoveryInterval(RECOVERY_MILLIS);
    this.connection = factory.newConnection(this::addresses);
    connection.addShutdownListener(cause -> interruptions.incrementAndGet());
    consume(connection.createChannel());
    Channel publishing = connection.createChannel();
    publishing.confirmSelect();
    this.thread = new Thread(() -> publish(publishing), "client of node " + first);
    thread.start();
  }

  private List<Address> addresses() {
    return IntStream.range(0, nodes)
        .mapToObj(offset -> cluster.node((first + offset) % nodes).factory())
        .map(factory -> new Address(factory.getHost(), factory.getPort()))
        .toList();
  }

  private void consume(Channel channel) throws IOException {
    channel.basicQos(10);
    channel.basicConsume(
        queue,
        (tag, message) -> {
          received.add(ByteBuffer.wrap(message.getBody()).getInt());
          acknowledge(channel, message.getEnvelope().getDeliveryTag());
        },
        tag -> failure = new IOException("the consumer was cancelled"));
  }

  private static void acknowledge(Channel channel, long deliveryTag) throws IOException {
    try {
      channel.basicAck(deliveryTag, false);
    } catch (AlreadyClosedException e) {
      // It comes again. An exception that leaves the callback would close the channel for ever.
    }
  }

  private void publish(Channel channel) {
    int number = first * NUMBERS;
    while (!stopped && failure == null) {
      try {
        byte[] body = ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        channel.basicPublish("", queue, true, MessageProperties.PERSISTENT_BASIC, body);
        if (channel.waitForConfirms(Patience.MILLIS)) {
          confirmed.add(number);
          number++;
        }
      } catch (ShutdownSignalException e) {
        awaitRecovery();
      } catch (InterruptedException | TimeoutException | IOException e) {
        failure = e;
      }
    }
  }

  private static void awaitRecovery() {
    try {
      Thread.sleep(RECOVERY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether it is connected to a node. */
  boolean isAt(Broker node) {
    return connection.getPort() == node.factory().getPort();
  }

  /** Returns how often its connection has ended. */
  int interruptions() {
    return interruptions.get();
  }

  /** Returns why it cannot go on; null if it can. */
  Exception failure() {
    return failure;
  }

  Set<Integer> confirmed() {
    return confirmed;
  }

  Set<Integer> received() {
    return received;
  }

  /** Publishes nothing more, and goes on to consume. */
  void publishNoMore() throws InterruptedException {
    stopped = true;
    thread.join();
  }

  @Override
  public void close() {
    stopped = true;
    connection.abort(Patience.MILLIS);
  }
}
