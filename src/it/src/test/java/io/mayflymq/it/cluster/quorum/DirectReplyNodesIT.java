package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.ChannelErrors;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Direct replies, and notices of deadlines, to clients of other nodes. */
class DirectReplyNodesIT extends QuorumFixture {
  private static final String REPLY_TO = "amq.rabbitmq.reply-to";

  private static BasicProperties request(String id) {
    return new BasicProperties.Builder().replyTo(REPLY_TO).correlationId(id).build();
  }

  /** Publishes a request at a node; returns where its reply is to go. */
  private String ask(Channel asker, int server) throws Exception {
    asker.basicPublish("", queue, request("c"), Amqp.bytes("request"));
    Deliveries work = Deliveries.from(nodes.channel(server), queue, true);
    String replyTo = work.next().properties().getReplyTo();
    work.cancel();
    return replyTo;
  }

  private void declareClassic(int node) throws Exception {
    nodes.channel(node).queueDeclare(queue, true, false, false, Map.of());
  }

  @Test
  void repliesReachClientsOfEachNodeInOrder() throws Exception {
    declareClassic(0);
    List<String> sent = QuorumNodes.bodies(0, 500);
    for (int node = 0; node < COUNT; node++) {
      Channel asker = nodes.channel(node);
      Deliveries replies = Deliveries.from(asker, REPLY_TO, true);
      Channel server = nodes.channel((node + 1) % COUNT);
      String replyTo = ask(asker, (node + 1) % COUNT);
      for (String body : sent) {
        server.basicPublish(
            "", replyTo, request(body).builder().replyTo(null).build(), Amqp.bytes(body));
      }
      assertThat(replies.next(sent.size())).isEqualTo(sent);
      server.getConnection().close();
    }
  }

  @Test
  void largeRepliesReachOtherNodes() throws Exception {
    declareClassic(0);
    Channel asker = nodes.channel(1);
    Deliveries replies = Deliveries.from(asker, REPLY_TO, true);
    Channel server = nodes.channel(2);
    String replyTo = ask(asker, 2);
    for (int i = 0; i < 4; i++) {
      server.basicPublish("", replyTo, null, new byte[3 << 20]);
    }
    for (int i = 0; i < 4; i++) {
      assertThat(replies.next().bytes()).hasSize(3 << 20);
    }
  }

  @Test
  void declarationTellsWhetherAClientOfAnotherNodeWaits() throws Exception {
    declareClassic(0);
    Channel asker = nodes.channel(1);
    Deliveries replies = Deliveries.from(asker, REPLY_TO, true);
    String replyTo = ask(asker, 2);
    Channel server = nodes.channel(2);
    assertThat(server.queueDeclarePassive(replyTo).getConsumerCount()).isEqualTo(1);
    replies.cancel();
    ChannelErrors.assertChannelError(
        server,
        404,
        "NOT_FOUND - no queue '" + replyTo + "' in vhost '/'",
        () -> server.queueDeclarePassive(replyTo));
    for (String none : new String[] {replyTo + "0", REPLY_TO + ".abc.7", REPLY_TO + ".abc.x"}) {
      Channel other = nodes.channel(2);
      ChannelErrors.assertChannelError(
          other,
          404,
          "NOT_FOUND - no queue '" + none + "' in vhost '/'",
          () -> other.queueDeclarePassive(none));
    }
  }

  @Test
  void askersOfAllNodesAreToldOfDeadlines() throws Exception {
    nodes.declare(
        0, queue, Map.of("x-deadline-header", "x-deadline", "x-deadline-notify", "reply-to"));
    nodes.awaitLeader(queue);
    List<Deliveries> askers = new ArrayList<>();
    for (int node = 0; node < COUNT; node++) {
      Channel asker = nodes.channel(node);
      askers.add(Deliveries.from(asker, REPLY_TO, true));
      asker.basicPublish(
          "",
          queue,
          request("c-" + node)
              .builder()
              .headers(Map.of("x-deadline", System.currentTimeMillis() + 100))
              .build(),
          Amqp.bytes("job"));
    }
    for (int node = 0; node < COUNT; node++) {
      Delivery notice = askers.get(node).next();
      assertThat(notice.properties().getType()).isEqualTo("deadline");
      assertThat(notice.properties().getCorrelationId()).isEqualTo("c-" + node);
      assertThat(notice.properties().getHeaders().get("x-deadline-queue")).hasToString(queue);
    }
    await()
        .atMost(Patience.TIME)
        .until(() -> nodes.channel(0).queueDeclarePassive(queue).getMessageCount() == 0);
  }

  @Test
  void deadlineOfARequestHoldsForItsReplyAtAnotherNode() throws Exception {
    nodes.declare(0, queue, Map.of("x-deadline-header", "x-deadline", "x-deadline-replies", true));
    nodes.awaitLeader(queue);
    Channel asker = nodes.channel(1);
    Deliveries replies = Deliveries.from(asker, REPLY_TO, true);
    long deadline = System.currentTimeMillis() + 1000;
    for (String id : List.of("late", "good")) {
      long of = deadline + (id.equals("good") ? 3_600_000 : 0);
      asker.basicPublish(
          "",
          queue,
          request(id).builder().headers(Map.of("x-deadline", of)).build(),
          Amqp.bytes(id));
    }
    Channel server = nodes.channel(2);
    Deliveries work = Deliveries.from(server, queue, true);
    List<Delivery> jobs = List.of(work.next(), work.next());
    await().atMost(Patience.TIME).until(() -> System.currentTimeMillis() > deadline);
    for (Delivery job : jobs) {
      server.basicPublish(
          "",
          job.properties().getReplyTo(),
          request(job.body()).builder().replyTo(null).build(),
          Amqp.bytes(job.body()));
    }
    Delivery reply = replies.next();
    assertThat(reply.body()).isEqualTo("good");
    assertThat(reply.properties().getHeaders()).containsEntry("x-deadline", deadline + 3_600_000);
    replies.assertNothing();
  }
}
