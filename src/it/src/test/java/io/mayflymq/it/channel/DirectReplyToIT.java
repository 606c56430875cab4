package io.mayflymq.it.channel;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Requests and replies without a reply queue: the pseudo-queue {@code amq.rabbitmq.reply-to}. */
@BlackBox
class DirectReplyToIT {
  private static final String REPLY_TO = "amq.rabbitmq.reply-to";

  @Test
  void aReplyIsDeliveredDirectlyToTheRequester(Amqp amqp) throws Exception {
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
  void declaringTheReplyNameChecksThatTheRequesterExists(Amqp amqp) throws Exception {
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
  @MayflyOnly("RabbitMQ has it since 4.3")
  void aNameForRepliesCannotBeBound(Amqp amqp) throws Exception {
    Channel channel = amqp.newChannel();
    assertChannelError(
        channel,
        403,
        "ACCESS_REFUSED - cannot bind or unbind to a volatile (direct reply-to) queue",
        () -> channel.queueBind(REPLY_TO + ".abc", "amq.direct", "k"));
  }

  @Test
  void aReplyToAMissingRequesterIsDroppedAndNotReturned(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel client = amqp.newConnection().createChannel();
    Deliveries.from(client, REPLY_TO, true);
    client.basicPublish("", requests, request("id"), bytes("a"));
    String replyTo = amqp.consume(requests).next().properties().getReplyTo();
    client.getConnection().close();
    Channel server = amqp.confirming();
    server.basicPublish("", replyTo, Amqp.PLAIN, bytes("late"));
    assertThat(server.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  @Test
  void aReplyConsumerCannotAcknowledge(Amqp amqp) throws Exception {
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

  @Test
  void aWrongReplyNameReachesNoRequester(Amqp amqp) throws Exception {
    Channel client = amqp.channel();
    Deliveries replies = Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    Channel server = amqp.confirming();
    for (int i = REPLY_TO.length() + 1; i <= name.length(); i++) {
      String end = i < name.length() ? name.substring(i + 1) : "";
      String head = name.substring(0, i);
      char real = i < name.length() ? name.charAt(i) : 0;
      for (char other : "Ab0-_=".toCharArray()) {
        if (other != real) {
          server.basicPublish("", head + other + end, Amqp.PLAIN, bytes("guess"));
        }
      }
    }
    server.basicPublish("", name.substring(0, name.length() - 1), Amqp.PLAIN, bytes("guess"));
    assertThat(server.waitForConfirms(Patience.MILLIS)).isTrue();
    server.basicPublish("", name, Amqp.PLAIN, bytes("reply"));
    assertThat(replies.next().body()).isEqualTo("reply");
    replies.assertNothing();
    assertNobody(server, name.substring(0, name.length() - 1));
  }

  @Test
  void repliesToAClosedChannelAreDropped(Amqp amqp) throws Exception {
    Channel client = amqp.newChannel();
    Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    Channel server = amqp.newConnection().createChannel();
    assertThat(server.queueDeclare(name, false, false, false, null).getConsumerCount()).isOne();
    client.close();
    assertNobody(server, name);
  }

  @Test
  void aNewReplyConsumerOnTheChannelHasANewName(Amqp amqp) throws Exception {
    Channel client = amqp.channel();
    Deliveries first = Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    client.basicCancel(first.tag());
    Deliveries second = Deliveries.from(client, REPLY_TO, true);
    String nextName = replyName(amqp, client);
    assertThat(nextName).isNotEqualTo(name);
    Channel server = amqp.newConnection().createChannel();
    server.basicPublish("", name, Amqp.PLAIN, bytes("late"));
    server.basicPublish("", nextName, Amqp.PLAIN, bytes("reply"));
    assertThat(second.next().body()).isEqualTo("reply");
    first.assertNothing();
    assertNobody(server, name);
  }

  @Test
  void manyRequestersEachGetTheirOwnReplies(Amqp amqp) throws Exception {
    String requests = amqp.queue();
    Channel server = amqp.newConnection().createChannel();
    Deliveries served = Deliveries.from(server, requests, true);
    Channel[] clients = new Channel[8];
    Deliveries[] replies = new Deliveries[clients.length];
    for (int i = 0; i < clients.length; i++) {
      clients[i] = amqp.newConnection().createChannel();
      replies[i] = Deliveries.from(clients[i], REPLY_TO, true);
      for (int n = 0; n < 10; n++) {
        clients[i].basicPublish("", requests, request(i + "-" + n), bytes(i + "-" + n));
      }
    }
    for (int i = 0; i < clients.length * 10; i++) {
      Delivery request = served.next();
      String replyTo = request.properties().getReplyTo();
      server.basicPublish("", replyTo, request.properties(), bytes(request.body()));
    }
    for (int i = 0; i < clients.length; i++) {
      for (int n = 0; n < 10; n++) {
        assertThat(replies[i].next().body()).isEqualTo(i + "-" + n);
      }
    }
  }

  @Test
  @MayflyOnly("RabbitMQ returns mandatory replies, delivered or not")
  void aMandatoryReplyIsNotReturned(Amqp amqp) throws Exception {
    Channel client = amqp.channel();
    Deliveries replies = Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    Channel server = amqp.confirming();
    List<String> returned = new CopyOnWriteArrayList<>();
    server.addReturnListener(message -> returned.add(message.getRoutingKey()));
    server.basicPublish("", name, true, Amqp.PLAIN, bytes("reply"));
    assertThat(server.waitForConfirms(Patience.MILLIS)).isTrue();
    assertThat(replies.next().body()).isEqualTo("reply");
    assertThat(returned).isEmpty();
  }

  @Test
  void aReplyCanBeRoutedByCc(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel client = amqp.channel();
    Deliveries replies = Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    amqp.publish(queue, Amqp.headers(Map.of("BCC", List.of(name))), "both");
    assertThat(replies.next().body()).isEqualTo("both");
    assertThat(amqp.drain(queue)).containsExactly("both");
  }

  @Test
  void aReplyInATransactionIsSentAtTheCommit(Amqp amqp) throws Exception {
    Channel client = amqp.channel();
    Deliveries replies = Deliveries.from(client, REPLY_TO, true);
    String name = replyName(amqp, client);
    Channel server = amqp.newChannel();
    server.txSelect();
    server.basicPublish("", name, Amqp.PLAIN, bytes("rolled back"));
    server.txRollback();
    server.basicPublish("", name, Amqp.PLAIN, bytes("committed"));
    replies.assertNothing();
    server.txCommit();
    assertThat(replies.next().body()).isEqualTo("committed");
    replies.assertNothing();
  }

  /** The name that the channel's requests carry. */
  private static String replyName(Amqp amqp, Channel client) throws Exception {
    String requests = amqp.queue();
    client.basicPublish("", requests, request("id"), bytes("a"));
    amqp.awaitReady(requests, 1);
    return amqp.newChannel().basicGet(requests, true).getProps().getReplyTo();
  }

  private static void assertNobody(Channel server, String name) throws Exception {
    assertChannelError(
        server,
        404,
        "NOT_FOUND - no queue '" + name + "' in vhost '/'",
        () -> server.queueDeclarePassive(name));
  }

  private static BasicProperties request(String correlationId) {
    return new BasicProperties.Builder().replyTo(REPLY_TO).correlationId(correlationId).build();
  }
}
