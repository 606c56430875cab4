package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Patience;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Streams that are declared on a cluster are on several nodes, and survive the loss of one. */
@Order(1)
class ReplicatedStreamIT extends QuorumFixture {
  private static final String OFFSET = "x-stream-offset";
  private static final int PREFETCH = 10;

  @Override
  int[] processes() {
    return new int[] {0, 1, 2};
  }

  private void declare(Map<String, Object> more) throws Exception {
    Map<String, Object> arguments = new HashMap<>(more);
    arguments.put("x-queue-type", "stream");
    nodes.channel(0).queueDeclare(queue, true, false, false, arguments);
  }

  private Reader reader(int node, Object offset) throws Exception {
    Channel channel = nodes.channel(node);
    channel.basicQos(PREFETCH);
    return new Reader(
        channel, Deliveries.from(channel, queue, false, false, Map.of(OFFSET, offset)));
  }

  private record Reader(Channel channel, Deliveries consumer) {
    Delivery next() throws Exception {
      Delivery delivery = consumer.next();
      assertThat(delivery.redelivered()).isFalse();
      channel.basicAck(delivery.tag(), false);
      return delivery;
    }

    /** Expects the messages that were published as m0, m1 and so on to an empty stream. */
    void expect(int from, int to) throws Exception {
      for (int i = from; i < to; i++) {
        Delivery delivery = next();
        assertThat(offset(delivery)).isEqualTo(i);
        assertThat(delivery.body()).isEqualTo("m" + i);
      }
    }
  }

  private long bytesOf(int node) throws Exception {
    return nodes.told(node, queue).path("message_bytes").longValue();
  }

  private static long offset(Delivery delivery) {
    return (Long) delivery.properties().getHeaders().get(OFFSET);
  }

  private static void publish(Channel confirming, String stream, int from, int to)
      throws Exception {
    QuorumNodes.publish(confirming, stream, QuorumNodes.bodies(from, to));
  }

  @Test
  void allNodesKeepIt() throws Exception {
    declare(Map.of());
    nodes.awaitLeader(queue);

    JsonNode told = nodes.told(1, queue);

    assertThat(told.path("type").asText()).isEqualTo("stream");
    assertThat(told.path("members")).hasSize(QuorumNodes.COUNT);
    assertThat(told.path("online")).hasSize(QuorumNodes.COUNT);
  }

  @Test
  void itHasAsManyReplicasAsItsDeclarationSays() throws Exception {
    declare(Map.of("x-initial-cluster-size", 1));
    nodes.awaitLeader(queue);

    assertThat(nodes.told(2, queue).path("members")).hasSize(1);
  }

  @Test
  void confirmedMessagesKeepTheirOffsets() throws Exception {
    declare(Map.of());
    publish(nodes.confirming(nodes.follower(queue, 0)), queue, 0, 1_000);

    nodes.killLeader(queue);

    int leader = nodes.awaitLeader(queue);
    reader(leader, "first").expect(0, 1_000);
    reader(leader, 990).expect(990, 1_000);
  }

  @Test
  void aConsumerGoesOnBehindWhatItHasGot() throws Exception {
    declare(Map.of());
    int follower = nodes.follower(queue, 0);
    Channel publisher = nodes.confirming(follower);
    publish(publisher, queue, 0, 100);
    Reader reader = reader(follower, "first");
    reader.expect(0, 30);

    nodes.killLeader(queue);

    publish(publisher, queue, 100, 200);
    reader.expect(30, 200);
    reader.consumer.assertNothing();
  }

  @Test
  void aConsumerThatWaitsMissesNothing() throws Exception {
    declare(Map.of());
    int follower = nodes.follower(queue, 0);
    Channel publisher = nodes.confirming(follower);
    publish(publisher, queue, 0, 10);
    Reader reader = reader(follower, "next");

    nodes.killLeader(queue);

    publish(publisher, queue, 10, 20);
    reader.expect(10, 20);
  }

  @Test
  void aPublisherGoesOnAndNothingIsLostOrDoubled() throws Exception {
    declare(Map.of());
    int leader = nodes.awaitLeader(queue);
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    List<String> bodies = QuorumNodes.bodies(0, 1_000);
    for (int i = 0; i < bodies.size(); i++) {
      channel.basicPublish("", queue, null, Amqp.bytes(bodies.get(i)));
      if (i == bodies.size() / 2) {
        nodes.kill(leader);
      }
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).as("none is refused").isTrue();

    Reader reader = reader(nodes.awaitLeader(queue), "first");
    reader.expect(0, bodies.size());
    reader.consumer.assertNothing();
  }

  @Test
  void itSurvivesTheEndOfAllNodes() throws Exception {
    declare(Map.of());
    publish(nodes.confirming(0), queue, 0, 500);

    nodes.kill(0, 1, 2);
    nodes.heal();

    publish(nodes.confirming(nodes.follower(queue, 0)), queue, 500, 600);
    reader(nodes.follower(queue, 1), "first").expect(0, 600);
  }

  @Test
  void aNodeThatWasAwayIsOneOfThoseThatConfirmAgain() throws Exception {
    declare(Map.of());
    int away = nodes.follower(queue, 0);
    int other = nodes.follower(queue, 1);
    publish(nodes.confirming(other), queue, 0, 10);
    nodes.kill(away);
    publish(nodes.confirming(other), queue, 10, 1_000);
    nodes.heal();

    nodes.killLeader(queue);

    publish(nodes.confirming(away), queue, 1_000, 1_100);
    reader(away, "first").expect(0, 1_100);
  }

  @Test
  void retentionGoesOnAtTheNextLeader() throws Exception {
    long limit = 10_000;
    declare(Map.of("x-max-length-bytes", limit, "x-stream-max-segment-size-bytes", 4_096));
    publish(nodes.confirming(nodes.follower(queue, 0)), queue, 0, 1_000);

    nodes.killLeader(queue);

    int leader = nodes.awaitLeader(queue);
    publish(nodes.confirming(leader), queue, 1_000, 2_000);
    // A segment is deleted when the disk has it, which may be after the confirms.
    await("retention of " + queue).atMost(Patience.TIME).until(() -> bytesOf(leader) <= limit);
    Reader reader = reader(leader, "first");
    Delivery first = reader.next();
    assertThat(offset(first)).isPositive();
    assertThat(first.body()).isEqualTo("m" + offset(first));
    for (long offset : LongStream.range(offset(first) + 1, 2_000).toArray()) {
      assertThat(offset(reader.next())).isEqualTo(offset);
    }
  }

  @Test
  void aStreamOfTheSameNameBeginsAnew() throws Exception {
    declare(Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    publish(channel, queue, 0, 10);
    channel.queueDelete(queue);
    declare(Map.of());
    publish(channel, queue, 0, 5);

    nodes.killLeader(queue);

    Reader reader = reader(nodes.awaitLeader(queue), "first");
    reader.expect(0, 5);
    reader.consumer.assertNothing();
  }
}
