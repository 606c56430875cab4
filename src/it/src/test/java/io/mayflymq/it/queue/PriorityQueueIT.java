package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests queues that deliver messages of a higher priority first. */
@BlackBox
class PriorityQueueIT {
  @Test
  void withinAPriorityTheOldestMessageIsFirst(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 2));
    publish(amqp, queue, 1, "b1");
    publish(amqp, queue, 2, "a1");
    publish(amqp, queue, 1, "b2");
    publish(amqp, queue, 200, "a2");
    assertThat(amqp.drain(queue)).containsExactly("a1", "a2", "b1", "b2");
  }

  @Test
  void aMaximumPriorityOfZeroMakesAllMessagesEqual(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 0));
    publish(amqp, queue, 0, "a");
    publish(amqp, queue, 9, "b");
    publish(amqp, queue, 1, "c");
    assertThat(amqp.drain(queue)).containsExactly("a", "b", "c");
  }

  @Test
  void aRequeuedMessageKeepsItsPositionWithinItsPriority(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 5));
    for (String body : List.of("5a", "5b", "1a", "1b")) {
      publish(amqp, queue, body.charAt(0) - '0', body);
    }
    Channel channel = amqp.newChannel();
    GetResponse first = channel.basicGet(queue, false);
    GetResponse second = channel.basicGet(queue, false);
    GetResponse third = channel.basicGet(queue, false);
    channel.basicNack(third.getEnvelope().getDeliveryTag(), false, true);
    channel.basicNack(first.getEnvelope().getDeliveryTag(), false, true);
    channel.basicNack(second.getEnvelope().getDeliveryTag(), false, true);
    for (String expected : List.of("5a", "5b", "1a")) {
      GetResponse response = channel.basicGet(queue, true);
      assertThat(Amqp.text(response.getBody())).isEqualTo(expected);
      assertThat(response.getEnvelope().isRedeliver()).isTrue();
    }
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isFalse();
  }

  @Test
  void aLengthLimitDropsTheMessageThatWouldBeDeliveredNext(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue =
        amqp.queue(Amqp.deadLetterTo(dead, Map.of("x-max-priority", 5, "x-max-length", 2)));
    publish(amqp, queue, 3, "high");
    publish(amqp, queue, 1, "low");
    publish(amqp, queue, 2, "middle");
    amqp.awaitReady(dead, 1);
    assertThat(amqp.get(dead)).isEqualTo("high");
    assertThat(amqp.drain(queue)).containsExactly("middle", "low");
  }

  @Test
  @MayflyOnly("RabbitMQ looks at the head of each priority only")
  void aMessageOfAnyPriorityExpiresAtItsDeadline(Amqp amqp) throws Exception {
    String dead = amqp.queue();
    String queue = amqp.queue(Amqp.deadLetterTo(dead, Map.of("x-max-priority", 5)));
    publish(amqp, queue, 5, "first");
    publish(amqp, queue, 1, "other");
    amqp.publish(
        queue, new BasicProperties.Builder().priority(1).expiration("50").build(), "short-lived");
    publish(amqp, queue, 1, "last");
    amqp.awaitReady(dead, 1);
    assertThat(amqp.get(dead)).isEqualTo("short-lived");
    assertThat(amqp.drain(queue)).containsExactly("first", "other", "last");
  }

  @Test
  void purgeRemovesAllPriorities(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 5));
    publish(amqp, queue, 5, "a");
    publish(amqp, queue, 0, "b");
    assertThat(amqp.channel().queuePurge(queue).getMessageCount()).isEqualTo(2);
    publish(amqp, queue, 0, "c");
    publish(amqp, queue, 1, "d");
    assertThat(amqp.drain(queue)).containsExactly("d", "c");
  }

  @Test
  @OwnBroker
  void thePriorityOrderSurvivesARestart(@TempDir Path data) throws Exception {
    Map<String, Object> arguments = Map.of("x-max-priority", 5);
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start()) {
      try (Connection connection = broker.factory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        channel.queueDeclare("q", true, false, false, arguments);
        for (String body : List.of("1a", "9a", "0a", "5a", "1b", "0b")) {
          channel.basicPublish(
              "",
              "q",
              new BasicProperties.Builder().deliveryMode(2).priority(body.charAt(0) - '0').build(),
              body.getBytes(StandardCharsets.UTF_8));
        }
        channel.waitForConfirmsOrDie(Patience.MILLIS);
      }
      assertThat(broker.stop()).isZero();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      await().until(() -> channel.messageCount("q") == 6);
      List<String> bodies = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        bodies.add(Amqp.text(channel.basicGet("q", true).getBody()));
      }
      assertThat(bodies).containsExactly("9a", "5a", "1a", "1b", "0a", "0b");
    }
  }

  private static void publish(Amqp amqp, String queue, int priority, String body) throws Exception {
    amqp.publish(queue, new BasicProperties.Builder().priority(priority).build(), body);
  }
}
