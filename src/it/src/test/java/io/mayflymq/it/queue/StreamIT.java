package io.mayflymq.it.queue;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams: consumers read them from any place, and nothing that they do changes them. */
@BlackBox
@OwnBroker
class StreamIT {
  private static final int MANY = 100_000;

  @TempDir Path data;

  @Test
  void consumersCanReadAStreamFromAnyOffset() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      broker.publish("s", "a", "b", "c");
      for (Object from : List.of("first", "1h", 0)) {
        assertThat(consume(broker, from).next(3)).containsExactly("a", "b", "c");
      }
      Deliveries second = consume(broker, 1);
      Deliveries.Delivery delivery = second.next();
      assertThat(delivery.body()).isEqualTo("b");
      assertThat(delivery.redelivered()).isFalse();
      assertThat(delivery.properties().getHeaders()).containsEntry("x-stream-offset", 1L);
      Deliveries next = consume(broker, "next");
      broker.publish("s", "d");
      assertThat(next.next().body()).isEqualTo("d");
      assertThat(second.next(2)).containsExactly("c", "d");
    }
  }

  @Test
  void aDeadLetterInAStreamHasItsRoutingKeys() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      Channel channel = broker.channel();
      channel.queueDeclare("second", true, false, false, dying("s"));
      channel.queueDeclare("first", true, false, false, dying("second"));
      BasicProperties copied =
          new BasicProperties.Builder().headers(Map.of("CC", List.of("copy"))).build();
      broker.publish("first", copied, new byte[] {'m'});
      Deliveries.Delivery delivery = consume(broker, "first").next();
      assertThat(Headers.deaths(delivery.properties()))
          .extracting(death -> death.get("routing-keys"))
          .containsExactly(List.of("second"), List.of("first", "copy"));
    }
  }

  private static Map<String, Object> dying(String deadLetterQueue) {
    return Map.of(
        "x-max-length",
        0,
        "x-dead-letter-exchange",
        "",
        "x-dead-letter-routing-key",
        deadLetterQueue);
  }

  @Test
  void filtersOmitMessagesThatDoNotMatch() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      for (String value : List.of("x", "y", "x")) {
        broker.publish(
            "s",
            new BasicProperties.Builder().headers(Map.of("x-stream-filter-value", value)).build(),
            value.getBytes(StandardCharsets.UTF_8));
      }
      broker.publish("s", "none");
      assertThat(consume(broker, "first", Map.of("x-stream-filter", "x")).next(2))
          .containsExactly("x", "x");
      Map<String, Object> unfiltered =
          Map.of("x-stream-filter", List.of("y"), "x-stream-match-unfiltered", true);
      assertThat(consume(broker, "first", unfiltered).next(2)).containsExactly("y", "none");
    }
  }

  @Test
  void offsetsAreTheSameAfterAKill() throws Exception {
    try (RestartedBroker broker = RestartedBroker.ended(data, Ending.KILL, 1).start()) {
      stream(broker, Map.of("x-stream-max-segment-size-bytes", 1_000_000));
      for (int i = 0; i < MANY; i++) {
        broker
            .publisher()
            .basicPublish("", "s", null, Integer.toString(i).getBytes(StandardCharsets.UTF_8));
      }
      broker.awaitConfirms();
      broker.restart(Ending.KILL);
      assertThat(broker.channel().messageCount("s")).isEqualTo(MANY);
      for (int from : List.of(0, MANY / 2, MANY - 5)) {
        assertAllFrom(broker, from);
      }
      broker.publish("s", "after");
      Deliveries.Delivery last = consume(broker, MANY).next();
      assertThat(last.body()).isEqualTo("after");
      assertThat(last.properties().getHeaders()).containsEntry("x-stream-offset", (long) MANY);
    }
  }

  private static void assertAllFrom(RestartedBroker broker, int from) throws Exception {
    Deliveries deliveries = consume(broker, from);
    Channel channel = deliveries.getChannel();
    for (int i = from; i < MANY; i++) {
      Deliveries.Delivery delivery = deliveries.next();
      assertThat(delivery.body()).isEqualTo(Integer.toString(i));
      assertThat(delivery.properties().getHeaders().get("x-stream-offset")).isEqualTo((long) i);
      if (i % 50 == 0) {
        channel.basicAck(delivery.tag(), true);
      }
    }
  }

  /** RabbitMQ deletes a stream whatever the conditions are. */
  @Test
  void aDeletionMayDependOnMessagesAndReaders() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      consume(broker, "first");
      Channel used = broker.connect().createChannel();
      assertChannelError(
          used,
          406,
          "PRECONDITION_FAILED - queue 's' in vhost '/' in use",
          () -> used.queueDelete("s", true, false));
      broker.publish("s", "a");
      Channel full = broker.connect().createChannel();
      assertChannelError(
          full,
          406,
          "PRECONDITION_FAILED - queue 's' in vhost '/' not empty",
          () -> full.queueDelete("s", false, true));
    }
  }

  @Test
  void retentionDeletesTheOldestSegments() throws Exception {
    try (RestartedBroker broker = RestartedBroker.ended(data, Ending.KILL, 1).start()) {
      stream(
          broker, Map.of("x-stream-max-segment-size-bytes", 10_000, "x-max-length-bytes", 50_000));
      for (int i = 0; i < 1000; i++) {
        broker.publisher().basicPublish("", "s", null, new byte[1000]);
        if (i % 10 == 0) {
          broker.awaitConfirms();
        }
      }
      broker.awaitConfirms();
      assertThat(broker.channel().messageCount("s")).isBetween(10L, 60L);
      Object offset =
          consume(broker, "first").next().properties().getHeaders().get("x-stream-offset");
      assertThat((long) offset).isGreaterThan(900);
      broker.restart(Ending.KILL);
      assertThat(broker.channel().messageCount("s")).isBetween(10L, 60L);
    }
  }

  @Test
  void unsupportedOperationsOfStreamsAreRefused() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      Channel refused = broker.connect().createChannel();
      assertChannelError(
          refused,
          406,
          "PRECONDITION_FAILED - consumer prefetch count is not set for stream queue 's' in vhost"
              + " '/'",
          () -> Deliveries.from(refused, "s", false));
      Connection getting = broker.connect();
      assertConnectionError(
          getting,
          540,
          "NOT_IMPLEMENTED - basic.get not supported by stream queues queue 's' in vhost '/'",
          () -> getting.createChannel().basicGet("s", false));
      Connection purging = broker.connect();
      assertConnectionError(
          purging,
          540,
          "NOT_IMPLEMENTED - queue.purge not supported by stream queues queue 's' in vhost '/'",
          () -> purging.createChannel().queuePurge("s"));
      for (String argument : List.of("x-message-ttl", "x-expires")) {
        Channel declaring = broker.connect().createChannel();
        assertChannelError(
            declaring,
            406,
            "PRECONDITION_FAILED - invalid arg '%s' for queue 't' in vhost '/' of queue type rabbit_stream_queue"
                .formatted(argument),
            () ->
                declaring.queueDeclare(
                    "t", true, false, false, Map.of("x-queue-type", "stream", argument, 1000)));
      }
    }
  }

  /** py-amqp, and with it Celery, has its limit for the channel. */
  @Test
  void aLimitOfTheChannelWillDoForAConsumerOfAStream() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      broker.publish("s", "a", "b");
      Channel channel = broker.connect().createChannel();
      channel.basicQos(0, 10, true);
      Deliveries deliveries =
          Deliveries.from(channel, "s", false, false, Map.of("x-stream-offset", "first"));
      assertThat(deliveries.next(2)).containsExactly("a", "b");
    }
  }

  @Test
  void nackAndRejectAcknowledgeMessagesOfAStream() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).start()) {
      stream(broker, Map.of());
      broker.publish("s", "a", "b", "c");
      Channel channel = broker.connect().createChannel();
      channel.basicQos(1);
      Deliveries deliveries =
          Deliveries.from(channel, "s", false, false, Map.of("x-stream-offset", "first"));
      channel.basicNack(deliveries.next().tag(), false, true);
      channel.basicReject(deliveries.next().tag(), false);
      assertThat(deliveries.next().body()).isEqualTo("c");
      assertThat(broker.channel().queueDelete("s").getMessageCount()).isZero();
    }
  }

  private static void stream(RestartedBroker broker, Map<String, Object> arguments)
      throws Exception {
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("x-queue-type", "stream");
    broker.queue("s", all);
  }

  private static Deliveries consume(RestartedBroker broker, Object from) throws Exception {
    return consume(broker, from, Map.of());
  }

  private static Deliveries consume(
      RestartedBroker broker, Object from, Map<String, Object> arguments) throws Exception {
    Map<String, Object> all = new HashMap<>(arguments);
    all.put("x-stream-offset", from);
    Channel channel = broker.connect().createChannel();
    channel.basicQos(100);
    return Deliveries.from(channel, "s", false, false, all);
  }
}
