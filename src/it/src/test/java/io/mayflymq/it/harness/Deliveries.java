package io.mayflymq.it.harness;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** A consumer that notes what it is given, and when. */
public final class Deliveries extends DefaultConsumer {
  /**
   * One delivery.
   *
   * @param nanos {@link System#nanoTime} when the client had it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, only read
  public record Delivery(long nanos, Envelope envelope, BasicProperties properties, byte[] bytes) {
    public String body() {
      return Amqp.text(bytes);
    }

    public long tag() {
      return envelope.getDeliveryTag();
    }

    public boolean redelivered() {
      return envelope.isRedeliver();
    }
  }

  private final BlockingQueue<Delivery> queue = new LinkedBlockingQueue<>();
  private String tag;
  private final CountDownLatch cancelled = new CountDownLatch(1);

  private Deliveries(Channel channel) {
    super(channel);
  }

  /** Starts to consume. */
  public static Deliveries from(Channel channel, String queue, boolean autoAck) throws IOException {
    return from(channel, queue, autoAck, false, Map.of());
  }

  public static Deliveries from(
      Channel channel,
      String queue,
      boolean autoAck,
      boolean exclusive,
      Map<String, Object> arguments)
      throws IOException {
    Deliveries consumer = new Deliveries(channel);
    consumer.tag = channel.basicConsume(queue, autoAck, "", false, exclusive, arguments, consumer);
    return consumer;
  }

  @Override
  public void handleDelivery(
      String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
    queue.add(new Delivery(System.nanoTime(), envelope, properties, body));
  }

  @Override
  public void handleCancel(String consumerTag) {
    cancelled.countDown();
  }

  /** The next delivery; fails when none comes within ten seconds. */
  public Delivery next() throws InterruptedException {
    Delivery delivery = queue.poll(Patience.SECONDS, SECONDS);
    assertThat(delivery).as("a delivery within 10 s").isNotNull();
    return delivery;
  }

  /** The bodies of the next deliveries. */
  public List<String> next(int count) throws InterruptedException {
    List<String> bodies = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      bodies.add(next().body());
    }
    return bodies;
  }

  /** What has come and was not asked for yet. */
  public List<Delivery> soFar() {
    List<Delivery> deliveries = new ArrayList<>();
    queue.drainTo(deliveries);
    return deliveries;
  }

  /** Checks that nothing comes within the given time. */
  public void assertNothingFor(long millis) throws InterruptedException {
    Delivery delivery = queue.poll(millis, MILLISECONDS);
    assertThat(delivery == null ? null : delivery.body()).as("no delivery").isNull();
  }

  /** Checks that nothing is here; for use after an answer that would have come behind it. */
  public void assertNothing() {
    assertThat(queue).isEmpty();
  }

  /** Waits for the broker's basic.cancel. */
  public void awaitCancel() throws InterruptedException {
    assertThat(cancelled.await(Patience.SECONDS, SECONDS)).as("a cancel notification").isTrue();
  }

  /** The tag, known as soon as the consumer is started. */
  public String tag() {
    return tag;
  }

  public void cancel() throws IOException {
    getChannel().basicCancel(tag);
  }
}
