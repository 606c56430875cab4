package io.mayflymq.it.cluster.fault;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.rounds.Stream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A queue that has neither publishers nor other consumers, and is being read. */
public final class QueueReading {
  /** Messages that are left in the queue, for the rounds that follow. */
  private static final int LEFT = 300;

  private final Ledger queue;
  private final Channel channel;
  private final BlockingQueue<Long> arrived = new LinkedBlockingQueue<>();
  private final List<Long> found = new ArrayList<>();

  /** Begins to read on a channel of its own. */
  public QueueReading(Connection connection, Ledger queue) throws IOException {
    this.queue = queue;
    this.channel = connection.createChannel();
    // What a lost consumer had is in its place again when the consumer is removed.
    await("no consumers of " + queue.queue())
        .atMost(Patience.TIME)
        .until(() -> channel.queueDeclarePassive(queue.queue()).getConsumerCount() == 0);
    channel.basicConsume(
        queue.queue(),
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            long id = Stream.id(body);
            queue.delivered(id, envelope.isRedeliver(), "reader");
            arrived.add(id);
          }
        });
  }

  /** Returns whether nothing has come since this was called last, and nothing is ready. */
  public boolean isAtEnd() throws IOException {
    int ready = channel.queueDeclarePassive(queue.queue()).getMessageCount();
    return arrived.drainTo(found) == 0 && ready == 0;
  }

  /** Returns what has come before the last call of {@link #isAtEnd}, in its order. */
  public List<Long> found() {
    return found;
  }

  /** Acknowledges the first messages, and leaves the others to later rounds. */
  public void acknowledge() throws IOException {
    int settled = Math.max(0, found.size() - LEFT);
    if (settled > 0) {
      found.subList(0, settled).forEach(queue::settling);
      channel.basicAck(settled, true);
      channel.queueDeclarePassive(queue.queue());
      found.subList(0, settled).forEach(queue::settled);
    }
  }
}
