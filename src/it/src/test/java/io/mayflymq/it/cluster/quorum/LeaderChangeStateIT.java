package io.mayflymq.it.cluster.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * The leader of a quorum queue is killed: the next one goes on with what the queue was told to do,
 * its times, its counts, and what can be undone.
 */
@Order(1)
class LeaderChangeStateIT extends QuorumFixture {
  private static final int MANY = 2_000;

  @Override
  int[] processes() {
    return new int[] {0, 1, 2};
  }

  @Test
  void whatWasPurgedCanBeBroughtBack() throws Exception {
    nodes.declare(0, queue, Map.of("x-recoverable", 3_600_000));
    int follower = nodes.follower(queue, 0);
    Channel channel = nodes.confirming(follower);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, MANY));
    channel.queuePurge(queue);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(MANY, MANY + 1));

    nodes.killLeader(queue);

    String path = "queues/%2F/" + queue + "/restore";
    await()
        .atMost(Patience.TIME)
        .until(() -> nodes.http(follower).post(path, "{}").json().path("restored").asInt() == MANY);
    assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(QuorumNodes.bodies(0, MANY + 1));
  }

  @Test
  void aDeletedQueueCanBeBroughtBack() throws Exception {
    nodes.declare(0, queue, Map.of("x-recoverable", 3_600_000));
    int follower = nodes.follower(queue, 0);
    Channel channel = nodes.confirming(follower);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, MANY));
    channel.queueBind(queue, "amq.fanout", "");
    int leader = nodes.awaitLeader(queue);
    channel.queueDelete(queue);

    nodes.kill(leader);

    String path = "deleted-queues/%2F/" + queue + "/undelete";
    await()
        .atMost(Patience.TIME)
        .until(
            () ->
                nodes
                        .http(follower)
                        .post(path + "/dry-run", "{}")
                        .json()
                        .path("would_be_restored")
                        .asInt()
                    == MANY);
    JsonNode report = nodes.http(follower).post(path, "{}").json();
    assertThat(report.path("restored").asInt()).isEqualTo(MANY);
    assertThat(report.path("bindings").asInt()).isEqualTo(1);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(MANY, MANY + 1));

    nodes.heal();
    nodes.killLeader(queue);

    Channel other = nodes.channel(nodes.awaitLeader(queue));
    assertThat(QuorumNodes.drain(other, queue)).isEqualTo(QuorumNodes.bodies(0, MANY + 1));
  }

  @Test
  void aPausedQueueStaysPaused() throws Exception {
    nodes.declare(0, queue, Map.of("x-publish-rate", 1_000));
    int follower = nodes.follower(queue, 0);
    String pause = "queues/%2F/" + queue + "/pause";
    assertThat(nodes.http(follower).put(pause, "{\"what\":\"deliveries\"}").status())
        .isEqualTo(201);
    Channel channel = nodes.confirming(follower);
    Deliveries consumer = Deliveries.from(nodes.channel(follower), queue, true);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 10));

    nodes.killLeader(queue);

    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(10, 20));
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isEqualTo(20);
    consumer.assertNothing();
    assertThat(nodes.http(follower).delete(pause).status()).isEqualTo(204);
    assertThat(consumer.next(20)).isEqualTo(QuorumNodes.bodies(0, 20));
  }

  @Test
  void timeGoesOnToStandStill() throws Exception {
    nodes.declare(0, queue, Map.of("x-message-ttl", 6_000));
    int follower = nodes.follower(queue, 0);
    String pause = "queues/%2F/" + queue + "/pause";
    Channel channel = nodes.confirming(follower);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 10));
    assertThat(
            nodes.http(follower).put(pause, "{\"what\":\"deliveries\",\"ttl\":\"stop\"}").status())
        .isEqualTo(201);
    Time.pass(4_000);

    nodes.killLeader(queue);

    Time.pass(3_000);
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isEqualTo(10);
    assertThat(nodes.http(follower).delete(pause).status()).isEqualTo(204);
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isEqualTo(10);
    QuorumNodes.awaitReady(channel, queue, 0);
  }

  @Test
  void valuesOfAHeaderGoOnToTakeTurns() throws Exception {
    nodes.declare(0, queue, Map.of("x-fair-by", "tenant"));
    int follower = nodes.follower(queue, 0);
    Channel channel = nodes.confirming(follower);
    for (String tenant : List.of("a", "a", "a", "a", "b", "b")) {
      channel.basicPublish("", queue, Amqp.headers(Map.of("tenant", tenant)), Amqp.bytes(tenant));
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);

    nodes.killLeader(queue);

    assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(List.of("a", "b", "a", "b", "a", "a"));
  }

  @Test
  void whatAQueueHasAdoptedIsThere() throws Exception {
    String rule = "policies/%2F/adopting";
    assertThat(
            nodes
                .http(0)
                .put(
                    rule,
                    "{\"pattern\":\"^%s\",\"definition\":{\"on-mismatch\":\"adopt\"}}"
                        .formatted(queue))
                .status())
        .isEqualTo(201);
    nodes.declare(0, queue, Map.of());
    int follower = nodes.follower(queue, 0);
    Channel channel = nodes.confirming(follower);
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 10));
    channel.queueDeclare(
        queue, true, false, false, Map.of("x-queue-type", "quorum", "x-max-length", 3));
    await()
        .atMost(Patience.TIME)
        .until(() -> channel.queueDeclarePassive(queue).getMessageCount() == 3);

    nodes.killLeader(queue);

    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(10, 12));
    assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(QuorumNodes.bodies(9, 12));
    nodes.http(follower).delete(rule);
  }

  @Test
  void publishersOfAFullQueueGoOnWaiting() throws Exception {
    Map<String, Object> blocks =
        Map.of("x-max-length", 10, "x-overflow", "block", "x-block-timeout", "1h");
    nodes.declare(0, queue, blocks);
    int follower = nodes.follower(queue, 0);
    Channel channel = nodes.confirming(follower);
    for (String body : QuorumNodes.bodies(0, 30)) {
      channel.basicPublish("", queue, RestartedBroker.PERSISTENT, Amqp.bytes(body));
    }
    Channel other = nodes.channel(follower);
    QuorumNodes.awaitReady(other, queue, 10);

    nodes.killLeader(queue);

    QuorumNodes.awaitReady(other, queue, 10);
    Deliveries consumer = Deliveries.from(other, queue, false);
    for (String body : QuorumNodes.bodies(0, 30)) {
      Delivery delivery = consumer.next();
      assertThat(delivery.body()).isEqualTo(body);
      other.basicAck(delivery.tag(), false);
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  /** The other queue was used later, so its lease ends later, if the first one goes on. */
  @Test
  void aLeaseGoesOn() throws Exception {
    Map<String, Object> lease = Map.of("x-expires", 12_000);
    nodes.declare(0, queue, lease);
    int follower = nodes.follower(queue, 0);
    Time.pass(6_000);
    Channel channel = nodes.channel(follower);
    String later = queue + "-later";
    channel.queueDeclare(later, false, false, false, lease);

    nodes.killLeader(queue);

    awaitGone(follower, later);
    assertThat(nodes.http(follower).get("queues/%2F/" + queue).status()).isEqualTo(404);
  }

  private void awaitGone(int node, String gone) {
    await()
        .atMost(Patience.TIME)
        .until(() -> nodes.http(node).get("queues/%2F/" + gone).status() == 404);
  }

  @Test
  void prioritiesAreKept() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, null, 0, 4, 31, 200, 5);

    nodes.killLeader(queue);

    QuorumNodes.publish(channel, queue, 5, 3, null);
    assertThat(QuorumNodes.drain(channel, queue))
        .containsExactly("31 3", "200 4", "5 5", "5 0", "null 0", "4 2", "null 2", "3 1", "0 1");
  }

  @Test
  void aLifetimeGoesOnWhereItWas() throws Exception {
    String dead = queue + "-dead";
    nodes.declare(0, dead, Map.of());
    nodes.declare(0, queue, Amqp.deadLetterTo(dead, Map.of()));
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    channel.basicPublish("", queue, Amqp.expiring(3_000), Amqp.bytes("first"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    Time.pass(2_000);

    nodes.killLeader(queue);

    // It ends at least a second later than what is left of the first one.
    channel.basicPublish("", queue, Amqp.expiring(2_000), Amqp.bytes("second"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    QuorumNodes.awaitReady(channel, dead, 2);
    assertThat(QuorumNodes.drain(channel, dead)).containsExactly("first", "second");
  }

  @Test
  void returnsAreStillCounted() throws Exception {
    String dead = queue + "-dead";
    nodes.declare(0, dead, Map.of());
    nodes.declare(0, queue, Amqp.deadLetterTo(dead, Map.of("x-delivery-limit", 2)));
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, "m");
    for (long returns = 0; returns < 2; returns++) {
      QuorumNodes.awaitReady(channel, queue, 1);
      assertThat(returned(channel, queue)).isEqualTo(returns);
    }
    QuorumNodes.awaitReady(channel, queue, 1);

    nodes.killLeader(queue);

    assertThat(returned(channel, queue)).isEqualTo(2);
    QuorumNodes.awaitReady(channel, dead, 1);
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isZero();
  }

  /** Gets a message and puts it back. @return how often it had come back before */
  private static long returned(Channel channel, String queue) throws Exception {
    GetResponse response = channel.basicGet(queue, false);
    channel.basicReject(response.getEnvelope().getDeliveryTag(), true);
    return (long) Headers.of(response.getProps()).getOrDefault("x-delivery-count", 0L);
  }

  @Test
  void aQueueThatIsNotUsedEndsAfterTheLeaderHasChanged() throws Exception {
    nodes.declare(0, queue, Map.of("x-expires", 3_000));
    int follower = nodes.follower(queue, 0);

    nodes.kill(nodes.awaitLeader(queue));

    await()
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .until(() -> nodes.http(follower).get("queues/%2F/" + queue).status() == 404);
  }
}
