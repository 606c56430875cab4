package io.mayflymq.it.consume;

import static io.mayflymq.it.harness.Amqp.text;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** basic.get, ack, nack, reject and recover. */
@BlackBox
class AcknowledgeIT {

  @Test
  void getReturnsTheRemainingMessageCount(Amqp amqp) throws Exception {
    String queue = fill(amqp, 3);
    Channel channel = amqp.channel();
    for (int left = 2; left >= 0; left--) {
      GetResponse got = channel.basicGet(queue, false);
      assertThat(got.getMessageCount()).isEqualTo(left);
      assertThat(got.getEnvelope().getDeliveryTag()).isEqualTo(3 - left);
      assertThat(got.getEnvelope().isRedeliver()).isFalse();
      assertThat(got.getEnvelope().getExchange()).isEmpty();
      assertThat(got.getEnvelope().getRoutingKey()).isEqualTo(queue);
    }
    assertThat(channel.basicGet(queue, false)).isNull();
  }

  @Test
  void getFromAMissingQueueIsNotFound(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String absent = amqp.name();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + absent + "' in vhost '/'",
        () -> channel.basicGet(absent, true));
  }

  @Test
  void ackOneMultipleAndAll(Amqp amqp) throws Exception {
    String queue = fill(amqp, 6);
    Channel channel = amqp.newChannel();
    for (int i = 0; i < 6; i++) {
      channel.basicGet(queue, false);
    }
    channel.basicAck(2, false);
    channel.basicAck(4, true);
    channel.basicNack(5, false, true);
    amqp.awaitReady(queue, 1);
    channel.basicAck(0, true);
    channel.close();
    assertThat(amqp.drain(queue)).containsExactly("m4");
  }

  @Test
  void anUnknownTagClosesTheChannel(Amqp amqp) throws Exception {
    String queue = fill(amqp, 1);
    unknownTag(amqp, channel -> channel.basicAck(1, false), 1);
    unknownTag(amqp, channel -> channel.basicAck(5, true), 5);
    unknownTag(amqp, channel -> channel.basicNack(9, true, true), 9);
    unknownTag(amqp, channel -> channel.basicReject(3, false), 3);
    unknownTag(
        amqp,
        channel -> {
          long tag = channel.basicGet(queue, false).getEnvelope().getDeliveryTag();
          channel.basicAck(tag, false);
          channel.basicAck(tag, false);
        },
        1);
  }

  private interface Use {
    void of(Channel channel) throws Exception;
  }

  private static void unknownTag(Amqp amqp, Use use, long tag) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel, 406, "PRECONDITION_FAILED - unknown delivery tag " + tag, () -> use.of(channel));
  }

  @Test
  void ackAllWithoutUnacknowledgedMessagesIsAccepted(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    channel.basicAck(0, true);
    channel.basicNack(0, true, true);
    channel.exchangeDeclarePassive("amq.direct");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aMessageReturnsToItsOriginalPosition(Amqp amqp) throws Exception {
    String queue = fill(amqp, 5);
    Channel channel = amqp.channel();
    for (int i = 0; i < 4; i++) {
      channel.basicGet(queue, false);
    }
    channel.basicReject(3, true);
    channel.basicReject(1, true);
    channel.basicNack(4, false, true);
    amqp.awaitReady(queue, 4);
    assertThat(amqp.drain(queue)).containsExactly("m0", "m2", "m3", "m4");
  }

  @Test
  void requeuedMessagesAreMarkedAsRedelivered(Amqp amqp) throws Exception {
    String queue = fill(amqp, 2);
    Channel channel = amqp.channel();
    channel.basicNack(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false, true);
    GetResponse again = channel.basicGet(queue, true);
    assertThat(text(again.getBody())).isEqualTo("m0");
    assertThat(again.getEnvelope().isRedeliver()).isTrue();
    assertThat(channel.basicGet(queue, true).getEnvelope().isRedeliver()).isFalse();
  }

  @Test
  void aRequeuedMessageIsDeliveredToAWaitingConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "a");
    for (int i = 1; i <= 5; i++) {
      Delivery delivery = consumer.next();
      assertThat(delivery.tag()).as("every delivery has a tag of its own").isEqualTo(i);
      assertThat(delivery.redelivered()).isEqualTo(i > 1);
      channel.basicNack(delivery.tag(), false, true);
    }
  }

  @Test
  void rejectWithoutRequeueDropsTheMessage(Amqp amqp) throws Exception {
    String queue = fill(amqp, 3);
    Channel channel = amqp.newChannel();
    for (int i = 0; i < 3; i++) {
      channel.basicGet(queue, false);
    }
    channel.basicReject(1, false);
    channel.basicNack(3, true, false);
    channel.close();
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void recoverRequeuesUnacknowledgedMessagesOfTheChannel(Amqp amqp) throws Exception {
    String queue = fill(amqp, 3);
    Channel channel = amqp.channel();
    for (int i = 0; i < 3; i++) {
      channel.basicGet(queue, false);
    }
    channel.basicRecover(true);
    amqp.awaitReady(queue, 3);
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      GetResponse got = channel.basicGet(queue, true);
      assertThat(got.getEnvelope().isRedeliver()).isTrue();
      bodies.add(text(got.getBody()));
    }
    assertThat(bodies).containsExactly("m0", "m1", "m2");
  }

  @Test
  void recoverAsyncHasNoAnswer(Amqp amqp) throws Exception {
    String queue = fill(amqp, 1);
    try (RawClient client = RawClient.openChannel(amqp.target().port())) {
      client.method(1, RawWriter.method(60, 70).uint16(0).shortString(queue).uint8(0));
      client.expect(60, 71);
      client.read();
      client.read();
      client.method(1, RawWriter.method(60, 100).uint8(1));
      client.assertAlive(2);
    }
    amqp.awaitReady(queue, 1);
  }

  @Test
  void acksFromAnotherChannelAreUnknownDeliveryTags(Amqp amqp) throws Exception {
    String queue = fill(amqp, 1);
    Channel holder = amqp.newChannel();
    holder.basicGet(queue, false);
    unknownTag(amqp, channel -> channel.basicAck(1, false), 1);
    holder.close();
    amqp.awaitReady(queue, 1);
  }

  private static String fill(Amqp amqp, int count) throws Exception {
    String queue = amqp.queue();
    for (int i = 0; i < count; i++) {
      amqp.publish(queue, "m" + i);
    }
    return queue;
  }
}
