package io.mayflymq.it.consume;

import static io.mayflymq.it.harness.Amqp.PLAIN;
import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Deliveries;
import io.mayflymq.it.harness.Deliveries.Delivery;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.NotRemote;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests consumers: the distribution of messages, prefetch, and cancellation. */
@BlackBox
class ConsumeIT {

  @Test
  void consumersGetMessagesInTurn(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries first = amqp.consume(queue);
    Deliveries second = amqp.consume(queue);
    Deliveries third = amqp.consume(queue);
    for (int i = 0; i < 9; i++) {
      amqp.publish(queue, "m" + i);
    }
    for (Deliveries consumer : List.of(first, second, third)) {
      assertThat(consumer.next(3)).hasSize(3);
      consumer.assertNothing();
    }
  }

  @Test
  void prefetchLimitsUnacknowledgedMessagesOfAConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(3);
    Deliveries consumer = Deliveries.from(channel, queue, false);
    for (int i = 0; i < 10; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(amqp.ready(queue)).isEqualTo(7);
    List<Delivery> held = List.of(consumer.next(), consumer.next(), consumer.next());
    consumer.assertNothing();
    channel.basicAck(held.get(1).tag(), true);
    assertThat(consumer.next(2)).containsExactly("m3", "m4");
    assertThat(amqp.ready(queue)).isEqualTo(5);
    channel.basicReject(held.get(2).tag(), false);
    assertThat(consumer.next().body()).isEqualTo("m5");
  }

  @Test
  void prefetchCountsPerConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(2);
    Deliveries first = Deliveries.from(channel, queue, false);
    channel.basicQos(1);
    Deliveries second = Deliveries.from(channel, queue, false);
    for (int i = 0; i < 10; i++) {
      amqp.publish(queue, "m" + i);
    }
    first.next(2);
    second.next(1);
    assertThat(amqp.ready(queue)).isEqualTo(7);
  }

  @Test
  @NotRemote("messages of two queues may arrive in another order than they were published")
  void globalPrefetchCountsPerChannel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String other = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(0, 3, true);
    Deliveries first = Deliveries.from(channel, queue, false);
    Deliveries second = Deliveries.from(channel, other, false);
    for (int i = 0; i < 4; i++) {
      amqp.publish(queue, "m" + i);
      amqp.publish(other, "o" + i);
    }
    assertThat(amqp.ready(queue) + amqp.ready(other)).isEqualTo(5);
    Delivery taken = first.next();
    second.next();
    channel.basicAck(taken.tag(), false);
    amqp.publish(queue, "more");
    // The consumers are woken in turn, on the threads of their queues.
    await()
        .atMost(Patience.TIME)
        .untilAsserted(() -> assertThat(amqp.ready(queue) + amqp.ready(other)).isEqualTo(5));
  }

  @Test
  @NotRemote("what arrives first from other nodes is delivered first")
  void queuesShareTheGlobalPrefetchInTurn(Amqp amqp) throws Exception {
    List<String> queues = List.of(amqp.queue(), amqp.queue(), amqp.queue());
    for (String queue : queues) {
      for (int i = 0; i < 30; i++) {
        amqp.publish(queue, queue);
      }
    }
    Channel channel = amqp.channel();
    channel.basicQos(0, 1, true);
    Deliveries consumer = Deliveries.from(channel, queues.get(0), false);
    for (String queue : queues.subList(1, 3)) {
      channel.basicConsume(queue, false, consumer);
    }
    List<String> served = new ArrayList<>();
    for (int i = 0; i < 29; i++) {
      Delivery delivery = consumer.next();
      served.add(delivery.body());
      channel.basicAck(delivery.tag(), false);
    }
    assertThat(served).as("none is left behind").containsAll(queues);
  }

  @Test
  @NotRemote("one message is sent ahead, as it would be lost if it had to go back")
  void noAckConsumersWaitForTheGlobalPrefetchButUseNoneOfIt(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    String other = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(0, 1, true);
    Deliveries acknowledging = Deliveries.from(channel, queue, false);
    Deliveries automatic = Deliveries.from(channel, other, true);
    amqp.publish(other, "o0");
    amqp.publish(other, "o1");
    assertThat(automatic.next(2)).containsExactly("o0", "o1");
    amqp.publish(queue, "m0");
    Delivery held = acknowledging.next();
    amqp.publish(other, "o2");
    assertThat(amqp.ready(other)).isEqualTo(1);
    automatic.assertNothing();
    channel.basicAck(held.tag(), false);
    assertThat(automatic.next().body()).isEqualTo("o2");
  }

  @Test
  void raisingTheGlobalPrefetchAllowsMoreDeliveries(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(0, 1, true);
    Deliveries consumer = Deliveries.from(channel, queue, false);
    for (int i = 0; i < 5; i++) {
      amqp.publish(queue, "m" + i);
    }
    consumer.next();
    channel.basicQos(0, 3, true);
    assertThat(consumer.next(2)).containsExactly("m1", "m2");
    channel.basicQos(0, 0, true);
    assertThat(consumer.next(2)).containsExactly("m3", "m4");
  }

  @Test
  @MayflyOnly("it expects that from brokers whose product is not RabbitMQ")
  void clientsThatFollowTheSpecificationHaveOnePrefetchPerChannel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    ConnectionFactory factory = amqp.target().factory();
    factory.getClientProperties().put("product", "py-amqp");
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.basicQos(1);
      Deliveries consumer = Deliveries.from(channel, queue, false);
      for (int i = 0; i < 4; i++) {
        amqp.publish(queue, "m" + i);
      }
      consumer.next();
      channel.basicQos(3);
      assertThat(consumer.next(2)).containsExactly("m1", "m2");
      amqp.awaitReady(queue, 1);
    }
  }

  @Test
  void prefetchDoesNotLimitNoAckConsumers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    channel.basicQos(1);
    Deliveries consumer = Deliveries.from(channel, queue, true);
    for (int i = 0; i < 10; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(consumer.next(10)).hasSize(10);
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void prefetchInBytesIsNotImplemented(Amqp amqp) throws Exception {
    Connection connection = amqp.newConnection();
    Channel channel = connection.createChannel();
    assertConnectionError(
        connection,
        540,
        "NOT_IMPLEMENTED - prefetch_size!=0 (10)",
        () -> channel.basicQos(10, 1, false));
  }

  @Test
  void aConsumerAtItsPrefetchLimitLeavesMessagesToOthers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries slow = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "held");
    slow.next();
    Deliveries fast = amqp.consume(queue);
    for (int i = 0; i < 5; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(fast.next(5)).containsExactly("m0", "m1", "m2", "m3", "m4");
    slow.assertNothing();
  }

  @Test
  void anExclusiveConsumerIsTheOnlyConsumerOfItsQueue(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries alone = Deliveries.from(amqp.newChannel(), queue, true, true, Map.of());
    String text = "ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use";
    Channel other = amqp.newChannel();
    assertChannelError(other, 403, text, () -> Deliveries.from(other, queue, true));
    amqp.publish(queue, "a");
    assertThat(alone.next().body()).isEqualTo("a");
    alone.cancel();
    amqp.consume(queue);
    Channel late = amqp.newChannel();
    assertChannelError(late, 403, text, () -> Deliveries.from(late, queue, true, true, Map.of()));
  }

  @Test
  void consumerTagsAreUniquePerChannelAndGeneratedIfEmpty(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    assertThat(amqp.consume(queue).tag()).startsWith("amq.ctag-");
    DefaultConsumer consumer = new DefaultConsumer(channel);
    assertThat(channel.basicConsume(queue, true, "mine", consumer)).isEqualTo("mine");
    amqp.newChannel().basicConsume(queue, true, "mine", consumer);
    Connection connection = amqp.connection();
    assertConnectionError(
        connection,
        530,
        "NOT_ALLOWED - attempt to reuse consumer tag 'mine'",
        () -> channel.basicConsume(queue, true, "mine", consumer));
  }

  @Test
  void consumingFromAMissingQueueIsNotFound(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    String absent = amqp.name();
    assertChannelError(
        channel,
        404,
        "NOT_FOUND - no queue '" + absent + "' in vhost '/'",
        () -> Deliveries.from(channel, absent, true));
  }

  @Test
  void nothingIsDeliveredAfterACancel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries consumer = amqp.consume(queue);
    amqp.publish(queue, "a");
    assertThat(consumer.next().body()).isEqualTo("a");
    consumer.cancel();
    amqp.publish(queue, "b");
    assertThat(amqp.drain(queue)).containsExactly("b");
    consumer.assertNothing();
  }

  /** The client closes its connection when a message comes for a consumer that it has not. */
  @Test
  void noDeliveryComesBehindTheCancelOk(Amqp amqp) throws Exception {
    Connection connection = amqp.connection();
    Channel publishing = connection.createChannel();
    Channel consuming = connection.createChannel();
    // So many that queues lie on other event loops than the connection.
    for (int queueNumber = 0; queueNumber < 4; queueNumber++) {
      String queue = amqp.queue();
      for (int round = 0; round < 50; round++) {
        Deliveries consumer = Deliveries.from(consuming, queue, true);
        for (int message = 0; message < 20; message++) {
          publishing.basicPublish("", queue, PLAIN, bytes("m"));
        }
        consumer.cancel();
      }
    }
    assertThat(connection.isOpen()).isTrue();
    assertThat(consuming.isOpen()).isTrue();
  }

  @Test
  void deliveriesOfACancelledConsumerCanStillBeAcknowledged(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.channel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    amqp.publish(queue, "a");
    amqp.publish(queue, "b");
    Delivery first = consumer.next();
    Delivery second = consumer.next();
    consumer.cancel();
    assertThat(amqp.ready(queue)).as("held until it is settled").isZero();
    channel.basicAck(first.tag(), false);
    channel.basicReject(second.tag(), true);
    amqp.awaitReady(queue, 1);
    assertThat(amqp.drain(queue)).containsExactly("b");
  }

  @Test
  void cancellingAnUnknownConsumerTagIsAccepted(Amqp amqp) throws Exception {
    Channel channel = amqp.channel();
    try (RawClient client = RawClient.openChannel(amqp.target().port())) {
      client.method(1, RawWriter.method(60, 30).shortString("unknown").uint8(0));
      client.expect(60, 31);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void consumersOfADeletedQueueGetBasicCancel(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Deliveries one = amqp.consume(queue);
    Deliveries two = amqp.consume(queue);
    amqp.channel().queueDelete(queue);
    one.awaitCancel();
    two.awaitCancel();
    assertThat(one.getChannel().isOpen()).isTrue();
  }

  @Test
  void deleteOkComesBeforeTheCancelOfOnesOwnConsumer(Amqp amqp) throws Exception {
    try (RawClient client = new RawClient(amqp.target().port())) {
      client.start();
      RawWriter capable = new RawWriter().shortString("consumer_cancel_notify").uint8('t').uint8(1);
      client.startOk(
          "PLAIN",
          "\0guest\0guest",
          new RawWriter().shortString("capabilities").uint8('F').table(capable));
      client.expect(10, 30);
      client.tuneOk(2047, 131_072, 60);
      client.openVirtualHost("/");
      client.channelOpen(1);
      for (int i = 0; i < 20; i++) {
        String queue = amqp.name();
        int durableOrNot = i % 2 == 0 ? 0b0000_0110 : 0b0000_0100;
        client.method(
            1,
            RawWriter.method(50, 10).uint16(0).shortString(queue).uint8(durableOrNot).emptyTable());
        client.expect(50, 11);
        consume(client, queue);
        client.method(1, RawWriter.method(50, 40).uint16(0).shortString(queue).uint8(0));
        client.expect(50, 41);
        client.expect(60, 30);
      }
    }
  }

  @Test
  void consumersOfHigherPriorityGetMessagesFirst(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    Channel channel = amqp.newChannel();
    channel.basicQos(1);
    Deliveries low = amqp.consume(queue);
    Deliveries high = Deliveries.from(channel, queue, false, false, Map.of("x-priority", 10));
    amqp.publish(queue, "for the high one");
    amqp.publish(queue, "for the low one");
    assertThat(high.next().body()).isEqualTo("for the high one");
    assertThat(low.next().body()).isEqualTo("for the low one");
  }

  @Test
  void theNextConsumerReplacesASingleActiveConsumer(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-single-active-consumer", true));
    Deliveries active = amqp.consume(queue);
    Deliveries waiting = amqp.consume(queue);
    for (int i = 0; i < 4; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(active.next(4)).hasSize(4);
    waiting.assertNothing();
    active.cancel();
    amqp.publish(queue, "next");
    assertThat(waiting.next().body()).isEqualTo("next");
    Channel exclusive = amqp.newChannel();
    assertChannelError(
        exclusive,
        403,
        "ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use",
        () -> Deliveries.from(exclusive, queue, true, true, Map.of()));
  }

  @Test
  void theNextSingleActiveConsumerBeginsWithWhatTheLastOneHad(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-single-active-consumer", true));
    Channel channel = amqp.newChannel();
    channel.basicQos(3);
    Deliveries active = Deliveries.from(channel, queue, false);
    Deliveries next = amqp.consume(queue);
    for (int i = 0; i < 9; i++) {
      amqp.publish(queue, "m" + i);
    }
    assertThat(active.next(3)).hasSize(3);
    next.assertNothing();
    channel.close();
    for (int i = 0; i < 9; i++) {
      Delivery delivery = next.next();
      assertThat(delivery.body()).isEqualTo("m" + i);
      assertThat(delivery.redelivered()).isEqualTo(i < 3);
    }
  }

  @Test
  void exclusiveConsumersAreRefusedWithASingleActiveConsumer(Amqp amqp) throws Exception {
    Map<String, Object> single = Map.of("x-single-active-consumer", true);
    String queue = amqp.queue(single);
    Channel refused = amqp.newChannel();
    assertChannelError(
        refused,
        403,
        "ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use",
        () -> Deliveries.from(refused, queue, true, true, Map.of()));
    amqp.publish(queue, "a");
    assertThat(amqp.consume(queue).next().body()).as("it is not in use").isEqualTo("a");

    // A queue that only its connection may use is something else.
    Channel own = amqp.newChannel();
    String exclusive = own.queueDeclare("", false, true, false, single).getQueue();
    Deliveries active = Deliveries.from(own, exclusive, true);
    Deliveries waiting = Deliveries.from(own, exclusive, true);
    own.basicPublish("", exclusive, Amqp.PLAIN, Amqp.bytes("b"));
    assertThat(active.next().body()).isEqualTo("b");
    waiting.assertNothing();
  }

  @Test
  void priorityQueuesDeliverTheHighestPriorityFirst(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-priority", 5));
    for (int priority : new int[] {1, 5, 0, 9, 3}) {
      amqp.publish(queue, new BasicProperties.Builder().priority(priority).build(), "p" + priority);
    }
    amqp.publish(queue, "none");
    assertThat(amqp.drain(queue)).containsExactly("p5", "p9", "p3", "p1", "p0", "none");
  }

  @Test
  void aClosedChannelRequeuesItsMessagesInOrder(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    for (int i = 0; i < 20; i++) {
      amqp.publish(queue, "m" + i);
    }
    Channel channel = amqp.newChannel();
    Deliveries consumer = Deliveries.from(channel, queue, false);
    consumer.next(20);
    channel.close();
    Deliveries again = Deliveries.from(amqp.channel(), queue, true);
    for (int i = 0; i < 20; i++) {
      Delivery delivery = again.next();
      assertThat(delivery.body()).isEqualTo("m" + i);
      assertThat(delivery.redelivered()).isTrue();
    }
  }

  @Test
  void aLostConnectionRequeuesItsMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "a");
    RawClient client = RawClient.openChannel(amqp.target().port());
    consume(client, queue);
    client.expect(60, 60);
    client.close();
    amqp.awaitReady(queue, 1);
    assertThat(amqp.get(queue)).isEqualTo("a");
  }

  @Test
  void aConsumerThatReadsNothingDoesNotBlockOthers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    byte[] body = new byte[100_000];
    try (RawClient idle = RawClient.openChannel(amqp.target().port())) {
      idle.method(
          1,
          RawWriter.method(60, 20)
              .uint16(0)
              .shortString(queue)
              .shortString("")
              .uint8(0b0010)
              .emptyTable());
      idle.expect(60, 21);
      Deliveries reader = amqp.consume(queue);
      Channel channel = amqp.confirming();
      for (int i = 0; i < 400; i++) {
        channel.basicPublish("", queue, PLAIN, body);
      }
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
      for (int i = 0; i < 200; i++) {
        reader.next();
      }
      channel.basicPublish("", queue, PLAIN, bytes("still alive"));
      assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
    }
  }

  private static void consume(RawClient client, String queue) throws IOException {
    client.method(
        1,
        RawWriter.method(60, 20)
            .uint16(0)
            .shortString(queue)
            .shortString("")
            .uint8(0)
            .emptyTable());
    client.expect(60, 21);
  }
}
