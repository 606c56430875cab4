package io.mayflymq.it.durability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be brought back is there after kill -9, before and after it is brought back. */
@BlackBox
@OwnBroker
class UndoAfterKillIT {
  private static final String RESTORE = "queues/%2F/q/restore";

  @TempDir Path data;

  private static void publish(Channel channel, int from, int to) throws Exception {
    channel.confirmSelect();
    for (int number = from; number < to; number++) {
      channel.basicPublish("", "q", RestartedBroker.PERSISTENT, Amqp.bytes("m" + number));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private static List<String> all(Channel channel) throws Exception {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet("q", false);
        got != null;
        got = channel.basicGet("q", false)) {
      bodies.add(Amqp.text(got.getBody()));
    }
    return bodies;
  }

  @Test
  void purgeIsUndoneAfterAKill() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-recoverable", 3_600_000));
      publish(channel, 0, 100);
      channel.queuePurge("q");
      publish(channel, 100, 110);
      broker.kill();
      broker.awaitExit();
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      assertThat(broker.http().post(RESTORE, "{}").json().path("restored").asInt()).isEqualTo(100);
      Channel channel = broker.factory().newConnection().createChannel();
      // What comes back is safe with what is confirmed behind it.
      publish(channel, 110, 111);
      broker.kill();
      broker.awaitExit();
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      List<String> bodies = all(connection.createChannel());
      assertThat(bodies).hasSize(111).startsWith("m0", "m1").endsWith("m109", "m110");
      assertThat(bodies).doesNotHaveDuplicates();
      assertThat(broker.http().post(RESTORE, "{}").json().path("restored").asInt()).isZero();
    }
  }

  @Test
  void deletedQueueIsBackAfterAKill() throws Exception {
    String undelete = "deleted-queues/%2F/q/undelete";
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-recoverable", 3_600_000));
      channel.queueBind("q", "amq.fanout", "");
      publish(channel, 0, 100);
      channel.queueDelete("q");
      broker.kill();
      broker.awaitExit();
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      JsonNode report = broker.http().post(undelete, "{}").json();
      assertThat(report.path("restored").asInt()).isEqualTo(100);
      assertThat(report.path("bindings").asInt()).isOne();
      Channel channel = broker.factory().newConnection().createChannel();
      publish(channel, 100, 101);
      broker.kill();
      broker.awaitExit();
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      List<String> bodies = all(connection.createChannel());
      assertThat(bodies).hasSize(101).startsWith("m0", "m1").endsWith("m99", "m100");
      assertThat(bodies).doesNotHaveDuplicates();
      assertThat(broker.http().post(undelete, "{}").status()).isEqualTo(404);
    }
  }

  @Test
  void whatWasDeliveredBeforeThePurgeIsRedeliveredAfterAKill() throws Exception {
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start()) {
      Channel channel = broker.factory().newConnection().createChannel();
      channel.queueDeclare("q", true, false, false, Map.of("x-recoverable", 3_600_000));
      publish(channel, 0, 2);
      channel.basicNack(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false, true);
      channel.queuePurge("q");
      // What has left is safe with what is confirmed behind it.
      publish(channel, 2, 3);
      broker.kill();
      broker.awaitExit();
    }
    try (BrokerProcess broker = BrokerProcess.builder().data(data).start();
        Connection connection = broker.factory().newConnection()) {
      assertThat(broker.http().post(RESTORE, "{}").json().path("restored").asInt()).isEqualTo(2);
      Channel channel = connection.createChannel();
      assertThat(channel.basicGet("q", true).getEnvelope().isRedeliver()).isTrue();
      assertThat(channel.basicGet("q", true).getEnvelope().isRedeliver()).isFalse();
    }
  }
}
