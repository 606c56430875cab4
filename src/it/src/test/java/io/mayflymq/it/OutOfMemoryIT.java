package io.mayflymq.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker without memory ends at once, with an exit code of its own, and loses nothing. */
@OwnBroker
class OutOfMemoryIT {
  private static final int OUT_OF_MEMORY = 3;
  private static final int TOO_LARGE = 100 << 20;

  @TempDir Path data;

  @Test
  void messageThatTakesTheLastMemoryEndsTheProcessAndNothingConfirmedIsLost() throws Exception {
    try (BrokerProcess broker =
        BrokerProcess.builder().data(data).jvm("-Xmx64m").set("shards", 2).start()) {
      try (Connection connection = broker.factory().newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare("kept", true, false, false, null);
        channel.confirmSelect();
        for (int number = 0; number < 100; number++) {
          channel.basicPublish(
              "", "kept", MessageProperties.PERSISTENT_BASIC, new byte[] {(byte) number});
        }
        channel.waitForConfirmsOrDie();
        try {
          channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, new byte[TOO_LARGE]);
        } catch (IOException | RuntimeException expected) {
          assertThat(connection.isOpen()).isFalse();
        }
      } catch (IOException | RuntimeException closed) {
        assertThat(closed).isNotInstanceOf(AssertionError.class);
      }
      assertThat(broker.awaitExit()).isEqualTo(OUT_OF_MEMORY);
      assertThat(broker.output()).anyMatch(line -> line.contains("out of memory"));
    }
    try (BrokerProcess again = BrokerProcess.builder().data(data).set("shards", 2).start();
        Connection connection = again.factory().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(channel.queueDeclarePassive("kept").getMessageCount()).isEqualTo(100);
    }
  }
}
