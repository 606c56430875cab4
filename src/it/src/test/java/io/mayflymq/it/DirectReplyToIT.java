package io.mayflymq.it;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.NotYet;
import org.junit.jupiter.api.Test;

/** Requests and replies without a reply queue: the pseudo-queue {@code amq.rabbitmq.reply-to}. */
@BlackBox
@NotYet("direct reply-to")
class DirectReplyToIT {
  private static final String REPLY_TO = "amq.rabbitmq.reply-to";

  @Test
  void aReplyComesStraightToTheRequester(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel client = amqp.channel();
    Deliveries replies = Deliveries.from(client, REPLY_TO, true);
    Channel server = amqp.newConnection().createChannel();
    Deliveries served = Deliveries.from(server, requests, true);
    for (int i = 0; i < 10; i++) {
      client.basicPublish("", requests, request("id" + i), bytes("request " + i));
      Delivery request = served.next();
      String replyTo = request.properties().getReplyTo();
      assertThat(replyTo).startsWith(REPLY_TO + ".").hasSizeLessThan(256);
      server.basicPublish("", replyTo, request.properties(), bytes("reply " + i));
      Delivery reply = replies.next();
      assertThat(reply.body()).isEqualTo("reply " + i);
      assertThat(reply.properties().getCorrelationId()).isEqualTo("id" + i);
      assertThat(reply.envelope().getExchange()).isEmpty();
    }
  }

  @Test
  void theServerCanAskWhetherTheRequesterIsThere(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel client = amqp.newConnection().createChannel();
    Deliveries.from(client, REPLY_TO, true);
    client.basicPublish("", requests, request("id"), bytes("a"));
    String replyTo = amqp.consume(requests).next().properties().getReplyTo();
    Channel server = amqp.newChannel();
    assertThat(server.queueDeclarePassive(replyTo).getConsumerCount()).isEqualTo(1);
    client.getConnection().close();
    assertChannelError(
        server,
        404,
        "NOT_FOUND - no queue '" + replyTo + "' in vhost '/'",
        () -> server.queueDeclarePassive(replyTo));
  }

  @Test
  void aReplyToNobodyIsDroppedAndNotReturned(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel client = amqp.newConnection().createChannel();
    Deliveries.from(client, REPLY_TO, true);
    client.basicPublish("", requests, request("id"), bytes("a"));
    String replyTo = amqp.consume(requests).next().properties().getReplyTo();
    client.getConnection().close();
    Channel server = amqp.confirming();
    server.basicPublish("", replyTo, Amqp.PLAIN, bytes("late"));
    assertThat(server.waitForConfirms(5_000)).isTrue();
  }

  @Test
  void repliesAreNotAcknowledged(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - reply consumer cannot acknowledge",
        () -> Deliveries.from(channel, REPLY_TO, false));
  }

  @Test
  void thereIsOneReplyConsumerPerChannel(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    Deliveries.from(channel, REPLY_TO, true);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - reply consumer already set",
        () -> Deliveries.from(channel, REPLY_TO, true));
  }

  @Test
  void aRequestNeedsAReplyConsumer(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel channel = amqp.channel();
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - fast reply consumer does not exist",
        () -> channel.basicPublish("", requests, request("id"), bytes("a")));
  }

  private static BasicProperties request(String correlationId) {
    return new BasicProperties.Builder().replyTo(REPLY_TO).correlationId(correlationId).build();
  }
}
