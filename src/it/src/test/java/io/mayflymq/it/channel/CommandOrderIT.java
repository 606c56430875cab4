package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The methods of a channel take effect in order, including dead-lettering. New queues are assigned
 * to the shards in turn, so those of a test are on different shards. In other brokers these are
 * races with usually the same result.
 */
@BlackBox
@MayflyOnly("RabbitMQ promises no order between queues")
class CommandOrderIT {
  private static final int ROUNDS = 100;

  private static long get(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, false);
    assertThat(response).as("a message of %s", queue).isNotNull();
    return response.getEnvelope().getDeliveryTag();
  }

  private static String body(Channel channel, String queue, int round) throws Exception {
    GetResponse response = channel.basicGet(queue, true);
    assertThat(response).as("round %d", round).isNotNull();
    return Amqp.text(response.getBody());
  }

  @Test
  void aGetAfterANackFindsTheDeadLetter(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String dead = amqp.queue();
    amqp.bind(dead, exchange, "");
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", exchange));
    for (int round = 0; round < ROUNDS; round++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + round));
      channel.basicNack(get(channel, queue), false, false);
      assertThat(body(channel, dead, round)).isEqualTo("m" + round);
    }
  }

  @Test
  void aPassiveDeclareCountsDeadLettersOfAChainOfQueues(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String last = amqp.queue();
    String third = amqp.queue(deadLetterTo(last, Map.of("x-message-ttl", 0)));
    String second = amqp.queue(deadLetterTo(third, Map.of("x-max-length", 0)));
    String first = amqp.queue(deadLetterTo(second, Map.of("x-max-length", 1)));
    channel.basicPublish("", first, PLAIN, bytes("m"));
    for (int round = 1; round <= ROUNDS; round++) {
      channel.basicPublish("", first, PLAIN, bytes("m" + round));
      assertThat(channel.queueDeclarePassive(last).getMessageCount()).isEqualTo(round);
    }
  }

  @Test
  void aPublishIsQueuedBehindEarlierDeadLetters(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    for (int round = 0; round < ROUNDS; round++) {
      channel.basicPublish("", queue, PLAIN, bytes("first"));
      channel.basicReject(get(channel, queue), false);
      channel.basicPublish("", dead, PLAIN, bytes("second"));
      assertThat(body(channel, dead, round)).as("round %d", round).isEqualTo("first");
      assertThat(body(channel, dead, round)).isEqualTo("second");
    }
  }

  @Test
  void deadLettersOfACommitHaveArrivedAtCommitOk(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    channel.txSelect();
    Channel other = amqp.newConnection().createChannel();
    String dead = amqp.queue();
    String queue = amqp.queue(deadLetterTo(dead, Map.of()));
    for (int round = 0; round < ROUNDS; round++) {
      channel.basicPublish("", queue, PLAIN, bytes("m" + round));
      channel.txCommit();
      channel.basicNack(get(channel, queue), false, false);
      channel.txCommit();
      assertThat(body(other, dead, round)).isEqualTo("m" + round);
    }
  }

  @Test
  void anUnboundQueueStillGetsEarlierDeadLetters(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    String exchange = amqp.exchange(BuiltinExchangeType.FANOUT);
    String dead = amqp.queue();
    String queue = amqp.queue(Map.of("x-dead-letter-exchange", exchange));
    for (int round = 0; round < ROUNDS; round++) {
      channel.queueBind(dead, exchange, "");
      channel.basicPublish("", queue, PLAIN, bytes("m" + round));
      channel.basicNack(get(channel, queue), false, false);
      channel.queueUnbind(dead, exchange, "");
      assertThat(body(channel, dead, round)).isEqualTo("m" + round);
    }
  }

  @Test
  void cancelOkOfTheLastConsumerComesAfterTheDeadLettersOfItsAutoDeleteQueue(Amqp amqp)
      throws Exception {
    Channel channel = amqp.newChannel();
    Channel consumer = amqp.newChannel();
    consumer.basicQos(1);
    String dead = amqp.queue();
    Map<String, Object> arguments =
        new HashMap<>(deadLetterTo(dead, Map.of("x-dead-letter-on", "queue_deleted")));
    for (int round = 0; round < ROUNDS / 4; round++) {
      String queue = amqp.name();
      channel.queueDeclare(queue, false, false, true, arguments);
      channel.basicPublish("", queue, PLAIN, bytes("m" + round));
      channel.queueDeclarePassive(queue);
      String tag = consumer.basicConsume(queue, false, (t, delivery) -> {}, t -> {});
      consumer.basicCancel(tag);
      assertThat(body(channel, dead, round)).isEqualTo("m" + round);
    }
  }
}
