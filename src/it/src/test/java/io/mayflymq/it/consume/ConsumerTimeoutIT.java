package io.mayflymq.it.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A consumer that does not acknowledge in time loses its channel, and its messages. */
@BlackBox
class ConsumerTimeoutIT {
  private static final String TEXT =
      "delivery acknowledgement on channel %d timed out. Timeout value used: %d ms. This timeout"
          + " value can be configured, see consumers doc guide to learn more";

  @Test
  @MayflyOnly("RabbitMQ looks once a minute")
  void theQueueArgumentSetsTheConsumerTimeout(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-consumer-timeout", 300));
    amqp.publish(queue, "m");
    Channel channel = amqp.newChannel();
    long start = System.nanoTime();
    Deliveries.from(channel, queue, false).next();
    awaitTimeout(channel, 300);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ms(300), Patience.TIME);
    amqp.awaitReady(queue, 1);
    assertThat(amqp.channel().basicGet(queue, true).getEnvelope().isRedeliver()).isTrue();
    assertThat(amqp.connection().isOpen()).isTrue();
  }

  @Test
  @MayflyOnly("RabbitMQ looks once a minute")
  void aConsumerThatAcknowledgesInTimeDoesNotTimeOut(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-consumer-timeout", 1_500));
    Channel channel = amqp.newChannel();
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    long end = System.nanoTime() + ms(3_500).toNanos();
    while (System.nanoTime() < end) {
      amqp.publish(queue, "m");
      channel.basicAck(deliveries.next().tag(), false);
    }
    amqp.publish(queue, "left");
    deliveries.next();
    awaitTimeout(channel, 1_500);
  }

  @Test
  @OwnBroker
  void theConfigurationSetsTheConsumerTimeoutOfOtherQueues() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().set("consumer_timeout", 400).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", false, false, false, null);
      channel.basicPublish("", "q", null, new byte[1]);
      await().until(() -> channel.messageCount("q") == 1);
      channel.basicGet("q", false);
      awaitTimeout(channel, 400);
    }
  }

  private static void awaitTimeout(Channel channel, int millis) {
    await().atMost(Patience.TIME).until(() -> !channel.isOpen());
    ShutdownSignalException reason = channel.getCloseReason();
    assertThat(reason.getReason().toString())
        .contains("reply-code=406")
        .contains("PRECONDITION_FAILED - " + TEXT.formatted(channel.getChannelNumber(), millis));
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}
