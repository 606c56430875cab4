package io.mayflymq.it.cluster.quorum;

import static io.mayflymq.it.cluster.quorum.QuorumNodes.COUNT;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.cluster.QueueUsers;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Classic queues become quorum queues, with all that they have, while they are used. */
@Order(1)
class ConvertQueueIT extends QuorumFixture {
  private Outcome convert(int by, String queue) {
    return ControlCommand.of(nodes.broker(by)).run("convert_queue", queue, "--to", "quorum");
  }

  private void assertConverted(int by, String queue) throws Exception {
    // A partition whose leader changes, as a node was killed before, takes no queue meanwhile.
    await("conversion of " + queue)
        .atMost(Patience.TIME)
        .until(() -> convert(by, queue), outcome -> outcome.exit() == 0);
    assertQuorum(queue);
  }

  private void assertQuorum(String queue) throws Exception {
    for (int node = 0; node < COUNT; node++) {
      JsonNode told = nodes.told(node, queue);
      assertThat(told.path("type").asText()).as("%s", told).isEqualTo("quorum");
      assertThat(told.path("members")).as("%s", told).hasSize(COUNT);
    }
  }

  private void declareClassic(int node, String queue, Map<String, Object> arguments)
      throws Exception {
    nodes.channel(node).queueDeclare(queue, true, false, false, arguments);
  }

  @Test
  void aQueueIsConvertedUnderLoadOfAllNodes() throws Exception {
    declareClassic(0, queue, Map.of());
    QueueUsers users = QueueUsers.begin(nodes::channel, COUNT, queue);
    users.awaitMore();

    assertConverted(1, queue);

    users.awaitMore();
    users.end();
    QuorumNodes.awaitReady(nodes.channel(1), queue, 0);
  }

  @Test
  void messagesStayInOrderWithTheirPropertiesAndSurviveTheNodeThatTheyWereOn() throws Exception {
    nodes.becomeProcesses(0);
    declareClassic(0, queue, Map.of("x-queue-mode", "lazy", "x-max-length", 10_000));
    Channel channel = nodes.confirming(1);
    channel.exchangeDeclare(queue + "-x", "topic", true);
    channel.queueBind(queue, queue + "-x", "a.*");
    BasicProperties properties =
        new BasicProperties.Builder()
            .deliveryMode(1)
            .messageId("first")
            .correlationId("c")
            .headers(Map.of("h", 42))
            .build();
    channel.basicPublish(queue + "-x", "a.b", properties, Amqp.bytes("first"));
    QuorumNodes.publish(channel, queue, QuorumNodes.bodies(0, 3_000));

    assertConverted(2, queue);
    channel.basicPublish(queue + "-x", "a.c", RestartedBroker.PERSISTENT, Amqp.bytes("last"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    nodes.kill(0);
    nodes.awaitLeader(queue);

    GetResponse first = channel.basicGet(queue, true);
    assertThat(Amqp.text(first.getBody())).isEqualTo("first");
    assertThat(first.getEnvelope().getRoutingKey()).isEqualTo("a.b");
    assertThat(first.getProps().getMessageId()).isEqualTo("first");
    assertThat(first.getProps().getCorrelationId()).isEqualTo("c");
    assertThat(first.getProps().getHeaders()).containsEntry("h", 42);
    List<String> rest = QuorumNodes.drain(channel, queue);
    assertThat(rest.subList(0, 3_000)).isEqualTo(QuorumNodes.bodies(0, 3_000));
    assertThat(rest.subList(3_000, rest.size())).containsExactly("last");
    JsonNode arguments = nodes.told(1, queue).path("arguments");
    assertThat(arguments.path("x-max-length").asInt()).isEqualTo(10_000);
    assertThat(arguments.has("x-queue-mode")).isFalse();
  }

  /** A classic queue does not tell them apart. */
  @Test
  void messagesGetTheirPriorities() throws Exception {
    declareClassic(0, queue, Map.of());
    Channel channel = nodes.confirming(1);
    QuorumNodes.publish(channel, queue, 0, null, 9, 255);
    assertThat(Amqp.text(channel.basicGet(queue, false).getBody())).isEqualTo("0 0");

    assertConverted(2, queue);

    QuorumNodes.publish(channel, queue, null, 9, 0);
    assertThat(QuorumNodes.drain(channel, queue))
        .containsExactly("255 3", "9 2", "9 1", "null 1", "null 0", "0 0", "0 2");
  }

  @Test
  void whatConsumersHaveIsDeliveredAgainAndReturnsAreCounted() throws Exception {
    String dead = queue + "-dead";
    declareClassic(1, dead, Map.of());
    declareClassic(0, queue, Amqp.deadLetterTo(dead, Map.of("x-delivery-limit", 2)));
    Channel channel = nodes.confirming(1);
    QuorumNodes.publish(channel, queue, "returned", "taken");
    GetResponse returned = channel.basicGet(queue, false);
    channel.basicReject(returned.getEnvelope().getDeliveryTag(), true);
    channel.basicQos(2);
    Deliveries consumer = Deliveries.from(channel, queue, false);
    assertThat(consumer.next(2)).containsExactly("returned", "taken");

    assertConverted(2, queue);

    Delivery again = consumer.next();
    assertThat(again.body()).isEqualTo("returned");
    assertThat(again.redelivered()).isTrue();
    assertThat(again.properties().getHeaders()).containsEntry("x-delivery-count", 2L);
    Delivery taken = consumer.next();
    assertThat(taken.body()).isEqualTo("taken");
    assertThat(taken.redelivered()).isTrue();
    channel.basicAck(taken.tag(), false);
    channel.basicReject(again.tag(), true);
    QuorumNodes.awaitReady(channel, dead, 1);
    GetResponse poison = channel.basicGet(dead, true);
    assertThat(poison.getProps().getHeaders()).containsKey("x-death");
  }

  @Test
  void aLifetimeGoesOnWhereItWas() throws Exception {
    String dead = queue + "-dead";
    declareClassic(1, dead, Map.of());
    declareClassic(0, queue, Amqp.deadLetterTo(dead, Map.of()));
    Channel channel = nodes.confirming(1);
    channel.basicPublish("", queue, Amqp.expiring(3_000), Amqp.bytes("first"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    Time.pass(2_000);

    assertConverted(2, queue);

    // It ends at least a second later than what is left of the first one.
    channel.basicPublish("", queue, Amqp.expiring(2_000), Amqp.bytes("second"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    QuorumNodes.awaitReady(channel, dead, 2);
    assertThat(QuorumNodes.drain(channel, dead)).containsExactly("first", "second");
  }

  @Test
  void aQueueIsThereOnceWhenANodeIsKilledWhileItIsConverted() throws Exception {
    nodes.becomeProcesses(0, 1);
    int count = 3_000;
    for (int killed : new int[] {0, 1}) {
      String name = queue + killed;
      declareClassic(0, name, Map.of());
      publishPersistent(nodes.confirming(2), name, QuorumNodes.bodies(0, count));
      // Whether it has ended when the node dies is left to chance.
      Thread converter = new Thread(() -> convert(2, name));
      converter.start();
      await().atMost(Patience.TIME).until(() -> isConverting(name) || !converter.isAlive());
      nodes.kill(killed);
      nodes.heal();
      converter.join();
      await().atMost(Patience.TIME).ignoreExceptions().until(() -> !isConverting(name));

      Channel channel = nodes.channel(2);
      await()
          .atMost(Patience.TIME)
          .ignoreExceptions()
          .until(() -> nodes.channel(2).queueDeclarePassive(name).getMessageCount() == count);
      assertConverted(2, name);
      assertThat(QuorumNodes.drain(channel, name)).isEqualTo(QuorumNodes.bodies(0, count));
    }
  }

  /** As long as the queue is a classic one, others do not survive its node. */
  private static void publishPersistent(Channel confirming, String queue, List<String> bodies)
      throws Exception {
    for (String body : bodies) {
      confirming.basicPublish("", queue, RestartedBroker.PERSISTENT, Amqp.bytes(body));
    }
    confirming.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private boolean isConverting(String name) throws Exception {
    return nodes
        .http(2)
        .get("queues/%2F/" + name + "/convert")
        .json()
        .path("converting")
        .asBoolean(true);
  }

  @Test
  void itsOwnDeadLetterQueueHasReplicasToo() throws Exception {
    nodes.becomeProcesses(0);
    declareClassic(0, queue, Map.of("x-dead-letter-queue", "auto"));
    Channel channel = nodes.confirming(1);
    channel.basicPublish("", queue, Amqp.expiring(1), Amqp.bytes("dead"));
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    String own = queue + ".$dlq";
    QuorumNodes.awaitReady(channel, own, 1);
    assertThat(convert(0, own).err().toString())
        .contains("is the dead letter queue of '%s': convert that one".formatted(queue));

    assertConverted(2, queue);

    for (int node = 0; node < COUNT; node++) {
      assertThat(nodes.told(node, own).path("members")).hasSize(COUNT);
    }
    nodes.kill(0);
    nodes.awaitLeader(queue);
    assertThat(QuorumNodes.drain(channel, own)).containsExactly("dead");
  }

  @Test
  void whatAQuorumQueueCannotHaveIsRefusedAndNamed() throws Exception {
    Channel channel = nodes.channel(0);
    channel.queueDeclare(queue, false, false, true, Map.of("x-max-priority", 5));
    assertThat(convert(1, queue).err().toString())
        .contains(
            "cannot become a quorum queue: it is not durable; it is auto-delete; quorum queues"
                + " have no argument 'x-max-priority'");
    channel.queueDelete(queue);

    channel.queueDeclare(queue, true, false, false, Map.of("x-max-length", 9));
    nodes
        .http(0)
        .put(
            "policies/%2F/" + queue,
            "{\"pattern\":\"^%s$\",\"definition\":{\"queue-mode\":\"lazy\",\"message-ttl\":60000}}"
                .formatted(queue));
    Outcome refused = convert(1, queue);
    assertThat(refused.exit()).isEqualTo(69);
    assertThat(refused.err().toString())
        .contains("policy '%s' applies to it: ".formatted(queue))
        .contains("do not support queue-mode");
    nodes.http(0).delete("policies/%2F/" + queue);

    channel.queueDeclare(queue + "-s", true, false, false, Map.of("x-queue-type", "stream"));
    assertThat(convert(1, queue + "-s").err().toString()).contains("it is a stream");
    channel.queueDeclare(queue + "-e", false, true, false, Map.of());
    assertThat(convert(1, queue + "-e").err().toString()).contains("exclusive");
    assertThat(convert(1, "none").err().toString()).contains("none");
    ControlCommand control = ControlCommand.of(nodes.broker(1));
    assertThat(control.run("convert_queue", queue, "--to", "classic").err().toString())
        .contains("cannot be converted to type 'classic': expected --to quorum");
    assertThat(control.run("convert_queue", queue).err().toString()).contains("--to is missing");
    assertThat(nodes.told(0, queue).path("type").asText()).isEqualTo("classic");
  }

  @Test
  void policiesAreEvaluatedAnew() throws Exception {
    declareClassic(0, queue, Map.of());
    for (String type : List.of("classic", "quorum")) {
      nodes
          .http(0)
          .put(
              "policies/%2F/" + queue + type,
              "{\"pattern\":\"^%s$\",\"apply-to\":\"%s_queues\",\"definition\":{\"max-length\":%d}}"
                  .formatted(queue, type, type.length()));
    }
    assertThat(nodes.told(1, queue).path("policy").asText()).isEqualTo(queue + "classic");

    assertConverted(1, queue);

    await()
        .atMost(Patience.TIME)
        .until(() -> nodes.told(1, queue).path("policy").asText().equals(queue + "quorum"));
    QuorumNodes.publish(nodes.confirming(1), queue, QuorumNodes.bodies(0, 20));
    assertThat(QuorumNodes.drain(nodes.channel(1), queue)).hasSize("quorum".length());
    for (String type : List.of("classic", "quorum")) {
      nodes.http(0).delete("policies/%2F/" + queue + type);
    }
  }

  @Test
  void aDeclarationAsItWasNamesTheType() throws Exception {
    Map<String, Object> arguments = Map.of("x-message-ttl", 60_000);
    declareClassic(0, queue, arguments);
    assertConverted(0, queue);

    Channel channel = nodes.channel(1);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue '%s' in vhost '/': received none but current is the value 'quorum' of type 'longstr'"
            .formatted(queue),
        () -> channel.queueDeclare(queue, true, false, false, arguments));
    nodes.declare(1, queue, arguments);
    // It is one already.
    assertConverted(1, queue);
  }
}
