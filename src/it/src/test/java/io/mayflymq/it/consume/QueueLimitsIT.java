package io.mayflymq.it.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.util.List;
import java.util.Map;
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
}
