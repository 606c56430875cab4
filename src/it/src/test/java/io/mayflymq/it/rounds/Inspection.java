package io.mayflymq.it.rounds;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** All messages of a queue, in order, held without acknowledgement until this is closed. */
final class Inspection implements AutoCloseable {
  private final Channel channel;
  private final String queue;
  private final List<Long> ids;

  /** Gets all messages of a queue that has no publishers. */
  Inspection(Connection connection, String queue) throws IOException, InterruptedException {
    this.queue = queue;
    channel = connection.createChannel();
    int count = channel.queueDeclarePassive(queue).getMessageCount();
    BlockingQueue<Long> arrived = new LinkedBlockingQueue<>();
    String tag =
        channel.basicConsume(
            queue,
            false,
            new DefaultConsumer(channel) {
              @Override
              public void handleDelivery(
                  String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
                arrived.add(Stream.id(body));
              }
            });
    ids = new ArrayList<>(count);
    while (ids.size() < count) {
      Long id = arrived.poll(Patience.SECONDS, TimeUnit.SECONDS);
      if (id == null) {
        throw new AssertionError(
            queue + " told of " + count + " messages and delivers " + ids.size());
      }
      ids.add(id);
    }
    // All other deliveries have arrived when cancel-ok arrives.
    channel.basicCancel(tag);
    arrived.drainTo(ids);
  }

  List<Long> ids() {
    return ids;
  }

  /** Acknowledges the first messages. */
  void acknowledge(int count, Settlements settlements) throws IOException {
    if (count > 0) {
      ids.subList(0, count).forEach(settlements::settling);
      channel.basicAck(count, true);
      channel.queueDeclarePassive(queue);
      ids.subList(0, count).forEach(settlements::settled);
    }
  }

  /** Is notified which messages are acknowledged. */
  interface Settlements {
    void settling(long id);

    void settled(long id);
  }

  @Override
  public void close() throws IOException {
    channel.abort();
  }
}
