package io.mayflymq.it.consume;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the consumers of a queue have unacknowledged, bounded by the queue. */
@BlackBox
@MayflyOnly("RabbitMQ does not know the keys")
class QueueLimitsIT extends PolicyFixture {
  private void publish(Amqp amqp, String queue, int count) throws Exception {
    for (int number = 0; number < count; number++) {
      amqp.publish(queue, String.valueOf(number));
    }
  }

  private void awaitUnacknowledged(String queue, int count) {
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("queues/%2F/" + queue).json().path("messages_unacknowledged").asInt()
                    == count);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void allConsumersTogetherHaveNoMoreThanTheQueueAllows(String type, Amqp amqp) throws Exception {
    Channel first = amqp.newChannel();
    String queue = amqp.name();
    first.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type, "x-max-unacked", 3));
    Channel second = amqp.newChannel();
    Deliveries one = Deliveries.from(first, queue, false);
    Deliveries two = Deliveries.from(second, queue, false);
    publish(amqp, queue, 8);
    awaitUnacknowledged(queue, 3);
    Deliveries.Delivery a = one.next();
    two.next();
    one.next();
    amqp.awaitReady(queue, 5);
    first.basicAck(a.tag(), false);
    assertThat(two.next().body()).isEqualTo("3");
    amqp.awaitReady(queue, 4);
    second.close();
    // What it had is ready again, and the other one gets it in its place.
    assertThat(List.of(one.next().body(), one.next().body())).containsExactlyInAnyOrder("1", "3");
    amqp.awaitReady(queue, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void policyBoundsConsumersThatAreThere(String type, Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = amqp.name();
    channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", type));
    Deliveries deliveries = Deliveries.from(channel, queue, false);
    publish(amqp, queue, 4);
    assertThat(deliveries.next(4)).hasSize(4);
    http.put("policies/%2F/" + name, policy(queue, "{\"consumer-prefetch-max\":2}"));
    publish(amqp, queue, 2);
    amqp.awaitReady(queue, 2);
    channel.basicAck(2, true);
    amqp.awaitReady(queue, 2);
    channel.basicAck(3, false);
    assertThat(deliveries.next().body()).isEqualTo("0");
    amqp.awaitReady(queue, 1);
    http.delete("policies/%2F/" + name);
    assertThat(deliveries.next().body()).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void noSecondHasMoreDeliveriesThanTheRate(String type, Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = amqp.name();
    channel.queueDeclare(
        queue,
        true,
        false,
        false,
        Map.of("x-queue-type", type, "x-delivery-rate", 20, "x-delivery-burst", 2));
    publish(amqp, queue, 30);
    amqp.awaitReady(queue, 30);
    Deliveries one = Deliveries.from(channel, queue, false);
    Deliveries two = Deliveries.from(amqp.newChannel(), queue, false);
    List<Long> times = new ArrayList<>();
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              one.soFar().forEach(delivery -> times.add(delivery.nanos()));
              two.soFar().forEach(delivery -> times.add(delivery.nanos()));
              return times.size() == 30;
            });
    Collections.sort(times);
    // The 30th leaves 28 periods of 50 ms after the first one; what it takes on its way is unknown.
    assertThat(times.get(29) - times.get(0)).isGreaterThan(MILLISECONDS.toNanos(1300));
  }

  private String withPublishRate(Amqp amqp, String type) throws Exception {
    String queue = amqp.name();
    amqp.newChannel()
        .queueDeclare(
            queue,
            true,
            false,
            false,
            Map.of("x-queue-type", type, "x-publish-rate", 20, "x-publish-burst", 2));
    return queue;
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void confirmsWaitSoThatPublishersKeepToTheRate(String type, Amqp amqp) throws Exception {
    String queue = withPublishRate(amqp, type);
    Channel publisher = amqp.newConnection().createChannel();
    publisher.confirmSelect();
    long begin = System.nanoTime();
    for (int number = 0; number < 30; number++) {
      publisher.basicPublish("", queue, null, Amqp.bytes(String.valueOf(number)));
    }
    assertThat(publisher.waitForConfirms(Patience.SECONDS * 1000L)).isTrue();
    // The 30th has the place that comes 28 periods of 50 ms after the first one.
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(1400));
    assertThat(amqp.ready(queue)).isEqualTo(30);
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "quorum"})
  void publishersWithoutConfirmsAreReadSlowly(String type, Amqp amqp) throws Exception {
    String queue = withPublishRate(amqp, type);
    Channel publisher = amqp.newConnection().createChannel();
    long begin = System.nanoTime();
    for (int number = 0; number < 30; number++) {
      publisher.basicPublish("", queue, null, Amqp.bytes(String.valueOf(number)));
    }
    amqp.awaitReady(queue, 30);
    // The 30th is read when the place of the 29th has come.
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(1350));
    assertThat(amqp.drain(queue))
        .isEqualTo(IntStream.range(0, 30).mapToObj(String::valueOf).toList());
  }

  @Test
  void whatWasReceivedBeforeTheEndEntersAtOnce(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Map<String, Object> once = Map.of("x-publish-rate", 1);
    amqp.newChannel().queueDeclare(queue, true, false, false, once);
    Connection connection = amqp.newConnection();
    Channel publisher = connection.createChannel();
    for (int number = 0; number < 100; number++) {
      publisher.basicPublish("", queue, null, Amqp.bytes(String.valueOf(number)));
    }
    amqp.awaitReady(queue, 2);
    connection.abort(1);
    amqp.awaitReady(queue, 100);
  }

  @Test
  void deadLettersDoNotWaitForTheRate(Amqp amqp) throws Exception {
    String queue = amqp.name();
    Map<String, Object> once = Map.of("x-publish-rate", 1);
    amqp.newChannel().queueDeclare(queue, true, false, false, once);
    String source = amqp.queue(Amqp.deadLetterTo(queue, Map.of()));
    for (int number = 0; number < 100; number++) {
      amqp.publishExpiring(source, 1, "dead");
    }
    amqp.awaitReady(queue, 100);
  }
}
