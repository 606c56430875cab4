package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.RawWriter.method;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Channels: many of them, their errors, their end. */
@BlackBox
class ChannelIT {

  @Test
  void aConnectionHasManyChannels(Amqp amqp) throws Exception {
    List<Channel> channels = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      channels.add(amqp.newChannel());
    }
    String queue = amqp.queue();
    for (Channel channel : channels) {
      channel.basicPublish("", queue, PLAIN, bytes("a"));
    }
    amqp.awaitReady(queue, 200);
    channels.get(100).close();
    assertThat(amqp.newChannel().getChannelNumber()).isPositive();
  }

  @Test
  void aChannelNumberCanBeReusedAfterClose(Target target) throws Exception {
    try (RawClient client = RawClient.open(target.port())) {
      for (int i = 0; i < 50; i++) {
        client.assertAlive(9);
      }
      client.assertAlive(2047);
    }
  }

  @Test
  void theNegotiatedNumberOfChannelsIsTheLimit(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(3, 131_072, 0);
      client.openVirtualHost("/");
      for (int channel : new int[] {1, 2, 65_535}) {
        client.channelOpen(channel);
      }
      RawFrame.Close close = client.sendChannelOpen(4).expectConnectionClose(530);
      assertThat(close.text())
          .isEqualTo(
              "NOT_ALLOWED - number of channels opened (3) has reached the negotiated channel_max (3)");
    }
  }

  @Test
  void aChannelCannotBeOpenedBeforeItsEndIsConfirmed(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(1, method(50, 10).uint16(0).shortString("absent").uint8(1).emptyTable());
      assertThat(client.expect(20, 40).close().code()).isEqualTo(404);
      RawFrame.Close close = client.sendChannelOpen(1).expectConnectionClose(504);
      assertThat(close.text()).isEqualTo("CHANNEL_ERROR - second 'channel.open' seen");
    }
  }

  @Test
  void anErrorClosesOneChannelOnly(Amqp amqp) throws Exception {
    Channel good = amqp.newChannel();
    Channel bad = amqp.newChannel();
    assertChannelError(
        bad,
        404,
        "NOT_FOUND - no queue 'absent' in vhost '/'",
        () -> bad.queueDeclarePassive("absent"));
    good.exchangeDeclarePassive("amq.direct");
  }

  @Test
  void theCloseMethodNamesTheMethodThatFailed(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      RawFrame.Close close = client.sendGet(1, "absent").expectChannelClose(1, 404);
      assertThat(close.classId()).isEqualTo(60);
      assertThat(close.methodId()).isEqualTo(70);
    }
  }

  @Test
  void methodsAfterAChannelErrorAreIgnoredUntilCloseOk(Target target, Amqp amqp) throws Exception {
    String queue = amqp.queue();
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.sendGet(1, "absent");
      client.sendPublish(1, queue).sendHeader(1, 3).sendBody(1, bytes("abc"));
      client.sendGet(1, "absent too");
      client.expect(20, 40);
      client.sendPublish(1, queue).sendHeader(1, 3).sendBody(1, bytes("def"));
      client.method(1, method(20, 41));
      client.assertAlive(1);
    }
    assertThat(amqp.drain(queue)).isEmpty();
  }

  @Test
  void aChannelErrorRequeuesUnacknowledgedMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    Channel channel = amqp.newChannel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    consumer.next();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - unknown delivery tag 99",
        () -> channel.basicAck(99, false));
    amqp.awaitReady(queue, 1);
    assertThat(amqp.consume(queue).next().redelivered()).isTrue();
  }

  @Test
  void simultaneousCloseOfClientAndBrokerIsHandled(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.sendGet(1, "absent").sendChannelClose(1);
      client.expect(20, 40);
      client.expect(20, 41);
      client.method(1, method(20, 41));
      client.assertAlive(2);
    }
  }

  @Test
  void channelFlowActiveIsAnswered(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(1, method(20, 20).uint8(1));
      assertThat(client.expect(20, 21).arguments().readUnsignedByte()).isEqualTo(1);
    }
  }

  @Test
  void accessRequestIsStillAnswered(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(1, method(30, 10).shortString("/data").uint8(0b0001_1111));
      client.expect(30, 11);
    }
  }

  @Test
  void channelsDoNotShareTheirState(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Channel one = amqp.newChannel();
    Channel two = amqp.newChannel();
    assertThat(one.basicGet(queue, false).getEnvelope().getDeliveryTag()).isEqualTo(1);
    assertThat(two.basicGet(queue, false).getEnvelope().getDeliveryTag()).isEqualTo(1);
    one.basicAck(1, false);
    two.basicNack(1, false, true);
    amqp.awaitReady(queue, 1);
  }
}
