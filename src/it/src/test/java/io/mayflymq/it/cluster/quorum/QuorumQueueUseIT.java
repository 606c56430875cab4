package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.ChannelErrors;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.PolicyFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A quorum queue is used from each node of the cluster alike. */
class QuorumQueueUseIT extends QuorumFixture {
  private static final List<String> NAMES =
      IntStream.range(0, COUNT).mapToObj(ClusterNodes::name).toList();

  @Test
  void eachNodeDeclaresPublishesAndGets() throws Exception {
    for (int node = 0; node < COUNT; node++) {
      String name = queue + node;
      nodes.declare(node, name, Map.of());
      QuorumNodes.publish(nodes.confirming((node + 1) % COUNT), name, "m");
      GetResponse got = nodes.channel((node + 2) % COUNT).basicGet(name, true);
      assertThat(Amqp.text(got.getBody())).isEqualTo("m");
    }
  }

  @Test
  void consumersOfAllNodesShareAQueue() throws Exception {
    nodes.declare(0, queue, Map.of());
    List<Deliveries> consumers = new ArrayList<>();
    for (int node = 0; node < COUNT; node++) {
      Channel channel = nodes.channel(node);
      channel.basicQos(1);
      consumers.add(Deliveries.from(channel, queue, false));
    }
    QuorumNodes.publish(nodes.confirming(1), queue, QuorumNodes.bodies(0, COUNT));
    List<String> got = new ArrayList<>();
    for (Deliveries consumer : consumers) {
      got.add(consumer.next().body());
    }
    assertThat(got).containsExactlyInAnyOrderElementsOf(QuorumNodes.bodies(0, COUNT));
  }

  @Test
  void eachNodeTellsTheSameLeaderAndMembers() throws Exception {
    nodes.declare(0, queue, Map.of());
    String leader = ClusterNodes.name(nodes.awaitLeader(queue));
    for (int node = 0; node < COUNT; node++) {
      int asked = node;
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () -> {
                JsonNode told = nodes.told(asked, queue);
                assertThat(told.path("leader").asText()).isEqualTo(leader);
                assertThat(texts(told.path("members"))).containsExactlyInAnyOrderElementsOf(NAMES);
                assertThat(texts(told.path("online"))).containsExactlyInAnyOrderElementsOf(NAMES);
              });
    }
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asText()));
    return texts;
  }

  @Test
  void eachNodeCountsPurgesAndDeletes() throws Exception {
    for (int node = 0; node < COUNT; node++) {
      String name = queue + node;
      Channel channel = nodes.channel(node);
      Channel publisher = nodes.confirming((node + 1) % COUNT);
      nodes.declare((node + 1) % COUNT, name, Map.of());
      QuorumNodes.publish(publisher, name, "a", "b", "c");
      assertThat(channel.queueDeclarePassive(name).getMessageCount()).isEqualTo(3);
      assertThat(channel.queuePurge(name).getMessageCount()).isEqualTo(3);
      assertThat(channel.basicGet(name, true)).isNull();
      QuorumNodes.publish(publisher, name, "d", "e");
      assertThat(channel.queueDelete(name).getMessageCount()).isEqualTo(2);
      for (int asked = 0; asked < COUNT; asked++) {
        Channel other = nodes.channel(asked);
        ChannelErrors.assertChannelError(
            other,
            404,
            "NOT_FOUND - no queue '" + name + "' in vhost '/'",
            () -> other.queueDeclarePassive(name));
      }
      // A new queue of the name has nothing of the old one.
      nodes.declare(node, name, Map.of());
      assertThat(nodes.channel((node + 2) % COUNT).basicGet(name, true)).isNull();
    }
  }

  @Test
  void policyOfAnyNodeAppliesWhereverTheLeaderIs() throws Exception {
    nodes.declare(0, queue, Map.of());
    for (int node = 0; node < COUNT; node++) {
      Channel channel = nodes.confirming(node);
      channel.queuePurge(queue);
      int length = node + 1;
      String policy = PolicyFixture.policy(queue, "{\"max-length\":%d}".formatted(length));
      assertThat(nodes.http(node).put("policies/%2F/" + queue, policy).status())
          .isBetween(201, 204);
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () -> {
                QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 5));
                assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isEqualTo(length);
              });
    }
  }

  @Test
  void aQueueThatIsNotUsedEndsOnAllNodes() throws Exception {
    nodes.declare(1, queue, Map.of("x-expires", 200));
    for (int node = 0; node < COUNT; node++) {
      int asked = node;
      await()
          .atMost(Patience.TIME)
          .until(() -> nodes.http(asked).get("queues/%2F/" + queue).status() == 404);
    }
  }

  @Test
  void anExpiredMessageOfOneQueueIsInTheOther() throws Exception {
    String dead = queue + "-dead";
    for (int node = 0; node < COUNT; node++) {
      String name = queue + node;
      nodes.declare((node + 1) % COUNT, dead + node, Map.of());
      nodes.declare(
          node,
          name,
          Amqp.deadLetterTo(
              dead + node,
              Map.of(
                  "x-message-ttl",
                  100,
                  "x-dead-letter-strategy",
                  "at-least-once",
                  "x-overflow",
                  "reject-publish")));
      Channel channel = nodes.confirming((node + 2) % COUNT);
      QuorumNodes.publish(channel, name, "a", "b", "c");
      QuorumNodes.awaitReady(channel, dead + node, 3);
      assertThat(QuorumNodes.drain(channel, dead + node)).containsExactly("a", "b", "c");
      assertThat(channel.queueDeclarePassive(name).getMessageCount()).isZero();
    }
  }
}
