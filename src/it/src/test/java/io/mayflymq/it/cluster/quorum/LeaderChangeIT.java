package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * The leader of a quorum queue is killed: its messages are there, and clients of other nodes notice
 * a delay, on the connections and channels that they have.
 */
@Order(1)
class LeaderChangeIT extends QuorumFixture {
  private static final int MANY = 2_000;

  @Override
  int[] processes() {
    return new int[] {0, 1, 2};
  }

  private static List<String> bodies(List<Delivery> deliveries) {
    return deliveries.stream().map(Delivery::body).toList();
  }

  private static List<Delivery> next(Deliveries consumer, int count) throws InterruptedException {
    List<Delivery> deliveries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      deliveries.add(consumer.next());
    }
    return deliveries;
  }

  @Test
  void confirmedMessagesAreThere() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, MANY));

    nodes.killLeader(queue);

    assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(QuorumNodes.bodies(0, MANY));
  }

  @Test
  void whatAConsumerHadIsDeliveredAgainInOrderAndMarked() throws Exception {
    nodes.declare(0, queue, Map.of());
    int follower = nodes.follower(queue, 0);
    QuorumNodes.publish(nodes.confirming(follower), queue, QuorumNodes.bodies(0, 20));
    Channel channel = nodes.channel(follower);
    channel.basicQos(5);
    Deliveries consumer = Deliveries.from(channel, queue, false);
    List<Delivery> before = next(consumer, 5);
    assertThat(before).noneMatch(Delivery::redelivered);
    assertThat(bodies(before)).isEqualTo(QuorumNodes.bodies(0, 5));

    nodes.killLeader(queue);

    List<Delivery> again = next(consumer, 5);
    assertThat(bodies(again)).isEqualTo(QuorumNodes.bodies(0, 5));
    assertThat(again).allMatch(Delivery::redelivered);
    // An acknowledgement of what came before the change is late, and is no error.
    channel.basicAck(before.get(0).tag(), false);
    channel.basicAck(again.get(4).tag(), true);
    List<String> rest = new ArrayList<>();
    for (int i = 5; i < 20; i++) {
      Delivery delivery = consumer.next();
      rest.add(delivery.body());
      channel.basicAck(delivery.tag(), false);
    }
    assertThat(rest).isEqualTo(QuorumNodes.bodies(5, 20));
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isZero();
    channel.getConnection().close();
    Channel other = nodes.channel(follower);
    assertThat(other.basicGet(queue, true)).isNull();
  }

  @Test
  void whatWasAcknowledgedDoesNotComeBack() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 10));
    Deliveries consumer = Deliveries.from(channel, queue, false);
    List<Delivery> all = next(consumer, 10);
    channel.basicAck(all.get(6).tag(), true);
    // Its answer is behind the acknowledgement.
    assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isZero();

    nodes.killLeader(queue);

    assertThat(bodies(next(consumer, 3))).isEqualTo(QuorumNodes.bodies(7, 10));
    QuorumNodes.publish(channel, queue, "last");
    assertThat(consumer.next().body()).isEqualTo("last");
  }

  @Test
  void consumersDoNotNoticeThatAFollowerIsKilled() throws Exception {
    nodes.declare(0, queue, Map.of());
    int killed = nodes.follower(queue, 0);
    int other = nodes.follower(queue, 1);
    Channel publisher = nodes.confirming(other);
    Deliveries consumer = Deliveries.from(nodes.channel(other), queue, true);
    QuorumNodes.publish(publisher, queue, QuorumNodes.bodies(0, 10));

    nodes.kill(killed);

    QuorumNodes.publish(publisher, queue, QuorumNodes.bodies(10, 20));
    List<Delivery> all = next(consumer, 20);
    assertThat(bodies(all)).isEqualTo(QuorumNodes.bodies(0, 20));
    assertThat(all).noneMatch(Delivery::redelivered);
  }

  @Test
  void aPublisherGoesOnAndNothingIsLostOrDoubled() throws Exception {
    nodes.declare(0, queue, Map.of());
    int leader = nodes.awaitLeader(queue);
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    List<String> bodies = QuorumNodes.bodies(0, MANY);
    for (int i = 0; i < MANY; i++) {
      channel.basicPublish("", queue, RestartedBroker.PERSISTENT, Amqp.bytes(bodies.get(i)));
      if (i == MANY / 2) {
        nodes.kill(leader);
      }
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).as("none is refused").isTrue();
    assertThat(QuorumNodes.drain(channel, queue)).isEqualTo(bodies);
  }

  @Test
  void theSingleActiveConsumerOfANodeStaysTheSame() throws Exception {
    nodes.declare(0, queue, Map.of("x-single-active-consumer", true));
    Channel publisher = nodes.confirming(nodes.follower(queue, 1));
    Channel first = nodes.channel(nodes.follower(queue, 0));
    Deliveries active = Deliveries.from(first, queue, false);
    Deliveries waiting = Deliveries.from(nodes.channel(nodes.follower(queue, 0)), queue, false);
    QuorumNodes.publish(publisher, queue, "a");
    first.basicAck(active.next().tag(), false);
    // Its answer is behind the acknowledgement.
    first.queueDeclarePassive(queue);

    nodes.killLeader(queue);

    QuorumNodes.publish(publisher, queue, "b");
    assertThat(active.next().body()).isEqualTo("b");
    waiting.assertNothing();
    active.cancel();
    first.close();
    Delivery taken = waiting.next();
    assertThat(taken.body()).isEqualTo("b");
    assertThat(taken.redelivered()).isTrue();
  }

  @Test
  void theSingleActiveConsumerStaysTheSameAmongThoseOfSeveralNodes() throws Exception {
    nodes.declare(0, queue, Map.of("x-single-active-consumer", true));
    int leader = nodes.awaitLeader(queue);
    int one = nodes.follower(queue, 0);
    int other = nodes.follower(queue, 1);
    Channel publisher = nodes.confirming(one);
    Deliveries first = Deliveries.from(nodes.channel(one), queue, true);
    Deliveries second = Deliveries.from(nodes.channel(other), queue, true);
    Deliveries third = Deliveries.from(nodes.channel(one), queue, true);
    Deliveries fourth = Deliveries.from(nodes.channel(leader), queue, true);
    QuorumNodes.publish(publisher, queue, "a");
    assertThat(first.next().body()).isEqualTo("a");
    first.cancel();
    QuorumNodes.publish(publisher, queue, "b");
    assertThat(second.next().body()).isEqualTo("b");

    nodes.killLeader(queue);

    List<String> bodies = QuorumNodes.bodies(0, 20);
    QuorumNodes.publish(publisher, queue, bodies);
    assertThat(bodies(next(second, 20))).isEqualTo(bodies);
    third.assertNothing();
    fourth.assertNothing();
    second.cancel();
    QuorumNodes.publish(publisher, queue, "c");
    assertThat(third.next().body()).isEqualTo("c");
  }

  @Test
  void theNextConsumerOfANodeIsActiveWhenTheActiveOneEndsWithTheLeader() throws Exception {
    nodes.declare(0, queue, Map.of("x-single-active-consumer", true));
    Channel publisher = nodes.confirming(nodes.follower(queue, 1));
    Deliveries active = Deliveries.from(nodes.channel(nodes.awaitLeader(queue)), queue, false);
    Deliveries next = Deliveries.from(nodes.channel(nodes.follower(queue, 0)), queue, false);
    Deliveries last = Deliveries.from(nodes.channel(nodes.follower(queue, 0)), queue, false);
    QuorumNodes.publish(publisher, queue, "a", "b");
    assertThat(bodies(next(active, 2))).containsExactly("a", "b");

    nodes.killLeader(queue);

    List<Delivery> again = next(next, 2);
    assertThat(bodies(again)).containsExactly("a", "b");
    assertThat(again).allMatch(Delivery::redelivered);
    QuorumNodes.publish(publisher, queue, "c");
    assertThat(next.next().body()).isEqualTo("c");
    last.assertNothing();
  }

  @Test
  void theConsumerWithTheHigherPriorityIsStillPreferred() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel publisher = nodes.confirming(nodes.follower(queue, 1));
    Deliveries low =
        Deliveries.from(
            nodes.channel(nodes.follower(queue, 0)), queue, true, false, Map.of("x-priority", 1));
    Deliveries high =
        Deliveries.from(
            nodes.channel(nodes.follower(queue, 1)), queue, true, false, Map.of("x-priority", 9));
    QuorumNodes.publish(publisher, queue, "before");
    assertThat(high.next().body()).isEqualTo("before");

    nodes.killLeader(queue);
    await()
        .atMost(Patience.TIME)
        .until(() -> publisher.queueDeclarePassive(queue).getConsumerCount() == 2);
    high.soFar();

    QuorumNodes.publish(publisher, queue, QuorumNodes.bodies(0, 10));
    assertThat(high.next(10)).isEqualTo(QuorumNodes.bodies(0, 10));
    assertThat(low.soFar()).noneMatch(delivery -> delivery.body().startsWith("m"));
  }

  @Test
  void aMinorityConfirmsNothingAndGoesOnWhenAnotherNodeIsBack() throws Exception {
    nodes.declare(0, queue, Map.of());
    int leader = nodes.awaitLeader(queue);
    Channel channel = nodes.confirming(leader);
    QuorumNodes.publish(channel, queue, "before");

    nodes.kill(nodes.follower(queue, 0), nodes.follower(queue, 1));

    AtomicInteger confirms = new AtomicInteger();
    channel.addConfirmListener(
        (tag, multiple) -> confirms.incrementAndGet(), (tag, multiple) -> {});
    channel.basicPublish("", queue, RestartedBroker.PERSISTENT, Amqp.bytes("during"));
    Time.pass(3_000);
    assertThat(confirms).hasValue(0);
    nodes.heal();
    Channel after = nodes.confirming((leader + 1) % COUNT);
    QuorumNodes.publish(after, queue, "after");
    assertThat(QuorumNodes.drain(after, queue)).startsWith("before").contains("after");
  }

  @Test
  void allNodesAreKilledAtOnce() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, MANY));
    Deliveries consumer = Deliveries.from(channel, queue, false);
    assertThat(consumer.next().body()).isEqualTo("m0");

    nodes.kill(0, 1, 2);
    nodes.heal();

    Channel again = nodes.channel(nodes.follower(queue, 0));
    QuorumNodes.awaitReady(again, queue, MANY);
    GetResponse first = again.basicGet(queue, true);
    assertThat(Amqp.text(first.getBody())).isEqualTo("m0");
    assertThat(first.getEnvelope().isRedeliver()).isTrue();
    assertThat(QuorumNodes.drain(again, queue)).isEqualTo(QuorumNodes.bodies(1, MANY));
  }

  @Test
  void aQueueIsDeletedAndPurgedAfterTheLeaderHasChanged() throws Exception {
    nodes.declare(0, queue, Map.of());
    Channel channel = nodes.confirming(nodes.follower(queue, 0));
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 10));

    nodes.killLeader(queue);

    assertThat(channel.queuePurge(queue).getMessageCount()).isEqualTo(10);
    QuorumNodes.publish(channel, queue, "m");
    assertThat(channel.queueDelete(queue).getMessageCount()).isEqualTo(1);
    nodes.heal();
    nodes.declare(0, queue, Map.of());
    assertThat(nodes.channel(1).basicGet(queue, true)).isNull();
  }
}
