package io.mayflymq.it.cluster.fault;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.mayflymq.it.harness.Time;
import io.mayflymq.it.rounds.Stream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Consumes from one queue and acknowledges each message, or returns some of them. Sends a request
 * at intervals to learn which acknowledgements the queue's node has read.
 */
public final class LoadConsumer extends LoadClient {
  private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int PREFETCH = 100;
  private static final int PAUSE_MILLIS = 4;

  private record Delivery(long tag, long id) {}

  private final Ledger queue;
  private final int returnedOneOf;

  /** Creates one that acknowledges each message. */
  public LoadConsumer(FaultBench bench, int node, Ledger queue) {
    this(bench, node, queue, 0);
  }

  /** Creates one that returns one of so many deliveries; 0 for none. */
  public LoadConsumer(FaultBench bench, int node, Ledger queue, int returnedOneOf) {
    super("consumer of " + queue.queue(), bench, node);
    this.queue = queue;
    this.returnedOneOf = returnedOneOf;
  }

  @Override
  void work(Connection connection) throws IOException, InterruptedException {
    try {
      consume(connection);
    } finally {
      queue.leaves(client(), stopping());
    }
  }

  private void consume(Connection connection) throws IOException, InterruptedException {
    BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    AtomicBoolean cancelled = new AtomicBoolean();
    String client = client();
    Channel channel = connection.createChannel();
    channel.basicQos(PREFETCH);
    channel.basicConsume(
        queue.queue(),
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(
              String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            long id = Stream.id(body);
            queue.delivered(id, envelope.isRedeliver(), client);
            deliveries.add(new Delivery(envelope.getDeliveryTag(), id));
          }

          @Override
          public void handleCancel(String tag) {
            cancelled.set(true);
          }
        });
    List<Long> unanswered = new ArrayList<>();
    long asked = System.nanoTime();
    while (!stopping() && !cancelled.get()) {
      Delivery delivery = deliveries.poll(10, TimeUnit.MILLISECONDS);
      if (delivery != null) {
        if (returnedOneOf > 0 && delivery.tag() % returnedOneOf == 0) {
          channel.basicReject(delivery.tag(), true);
        } else {
          queue.settling(delivery.id());
          channel.basicAck(delivery.tag(), false);
          unanswered.add(delivery.id());
        }
        // Slower than the publishers, so that there is always a backlog.
        if (delivery.tag() % 2 == 0) {
          Time.pass(PAUSE_MILLIS);
        }
      }
      if (System.nanoTime() - asked > ASK_NANOS) {
        channel.queueDeclarePassive(queue.queue());
        unanswered.forEach(queue::settled);
        unanswered.clear();
        asked = System.nanoTime();
      }
    }
    if (cancelled.get()) {
      lost("the consumer was cancelled");
    }
  }
}
