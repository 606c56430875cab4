package io.mayflymq.it.cluster.fault;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Time;
import io.mayflymq.it.rounds.Stream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Reads all messages of a queue that has neither publishers nor consumers. */
final class QueueReader {
  /** Messages that are left in the queue, for the rounds that follow. */
  private static final int LEFT = 300;

  private QueueReader() {}

  /**
   * Reads a queue by way of a node, compares, and acknowledges the first messages.
   *
   * @param fault the {@link System#nanoTime} at which the fault began
   * @return what is wrong; empty if nothing is
   */
  static List<String> read(BrokerProcess node, MessageLedger queue, long fault) throws Exception {
    Connection connection = node.factory().newConnection("reader");
    try {
      Channel channel = connection.createChannel();
      awaitNoConsumers(channel, queue.queue());
      BlockingQueue<Long> arrived = new LinkedBlockingQueue<>();
      channel.basicConsume(
          queue.queue(),
          false,
          new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(
                String tag, Envelope envelope, BasicProperties properties, byte[] body) {
              long id = Stream.id(body);
              queue.delivered(id, envelope.isRedeliver());
              arrived.add(id);
            }
          });
      List<Long> found = new ArrayList<>();
      long end = System.nanoTime() + Patience.TIME.toNanos();
      boolean complete = false;
      while (!complete && System.nanoTime() < end) {
        Time.pass(10);
        int ready = channel.queueDeclarePassive(queue.queue()).getMessageCount();
        int more = arrived.drainTo(found);
        complete = ready == 0 && more == 0 && !queue.lacks(new HashSet<>(found));
      }
      List<String> wrong = queue.check(found, fault);
      int settled = Math.max(0, found.size() - LEFT);
      if (settled > 0) {
        found.subList(0, settled).forEach(queue::settling);
        channel.basicAck(settled, true);
        channel.queueDeclarePassive(queue.queue());
        found.subList(0, settled).forEach(queue::settled);
      }
      return wrong;
    } finally {
      connection.close();
    }
  }

  /** What a lost consumer had is in its place again when the consumer is removed. */
  private static void awaitNoConsumers(Channel channel, String queue) {
    await("no consumers of " + queue)
        .atMost(Patience.TIME)
        .until(() -> channel.queueDeclarePassive(queue).getConsumerCount() == 0);
  }
}
