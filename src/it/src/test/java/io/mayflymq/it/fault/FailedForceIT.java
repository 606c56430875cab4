package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Debugger;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After a failed forced write the broker reports the failure everywhere until it is restarted. */
@OwnBroker
class FailedForceIT {
  private static final int KEPT = 10;

  @TempDir Path data;

  private static boolean publish(Channel channel, int number) throws Exception {
    byte[] body = {(byte) number};
    channel.basicPublish("", "q", MessageProperties.PERSISTENT_BASIC, body);
    return channel.waitForConfirms(Patience.MILLIS);
  }

  @Test
  void aFailedForceNacksPublishesAndFailsEveryHealthCheck() throws Exception {
    int port = Broker.freePort();
    try (BrokerProcess broker =
            BrokerProcess.builder().jvm(Debugger.option(port)).data(data).set("shards", 1).start();
        Debugger debugger = Debugger.attach(port)) {
      Http guest = Http.as(broker.httpPort(), "guest", "guest");
      try (Connection connection = broker.factory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare("q", true, false, false, null);
        channel.confirmSelect();
        for (int number = 0; number < KEPT; number++) {
          assertThat(publish(channel, number)).isTrue();
        }
        assertThat(guest.get("health/checks/alarms").status()).isEqualTo(200);

        Thread thrower = new Thread(() -> throwOnce(debugger), "throw");
        debugger.throwAt("sun.nio.ch.FileChannelImpl", "force", IOException.class);
        thrower.start();
        assertThat(publish(channel, KEPT)).as("confirmed").isFalse();
        thrower.join();
        assertThat(publish(channel, KEPT + 1)).as("confirmed later").isFalse();
        assertThat(channel.basicGet("q", false)).isNotNull();
      }
      await().atMost(Patience.TIME).until(() -> guest.get("health/checks/alarms").status() == 503);
      assertThat(guest.get("health/checks/alarms").json().toString())
          .contains("message log 0 has failed");
      assertThat(guest.get("health/checks/local-alarms").status()).isEqualTo(503);
      assertThat(guest.get("health/checks/virtual-hosts").status()).isEqualTo(503);
      assertThat(guest.get("aliveness-test/%2F").status()).isEqualTo(503);
      ControlCommand control = ControlCommand.of(broker);
      assertThat(control.run("check_alarms").exit()).isNotZero();
      assertThat(control.run("node_health_check").exit()).isNotZero();
      broker.awaitLine("message log 0 has failed");
    }
    try (EmbeddedBroker again = EmbeddedBroker.builder().data(data).set("shards", 1).start();
        Connection connection = again.factory().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(channel.queueDeclarePassive("q").getMessageCount()).isGreaterThanOrEqualTo(KEPT);
      channel.confirmSelect();
      assertThat(publish(channel, 0)).isTrue();
      Http guest = Http.as(again.httpPort(), "guest", "guest");
      assertThat(guest.get("health/checks/alarms").status()).isEqualTo(200);
    }
  }

  private static void throwOnce(Debugger debugger) {
    try {
      await().atMost(Patience.TIME).until(() -> debugger.awaitThrown(Patience.TIME));
    } catch (RuntimeException e) {
      throw new IllegalStateException("nothing was forced", e);
    }
  }
}
