package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.MessageProperties;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker without memory ends at once, with an exit code of its own, and loses nothing. */
@OwnBroker
class OutOfMemoryIT {
  private static final int OUT_OF_MEMORY = 3;
  private static final int TOO_LARGE = 100 << 20;
  private static final int KEPT = 100;

  @TempDir Path data;

  private static BrokerProcess.Builder broker(Path data) {
    return BrokerProcess.builder().data(data).set("shards", 2).set("log.file", "broker.log");
  }

  private static void keep(Channel channel) throws Exception {
    channel.queueDeclare("kept", true, false, false, null);
    channel.confirmSelect();
    for (int number = 0; number < KEPT; number++) {
      byte[] body = {(byte) number};
      channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, body);
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private static void requireKept(Path data) throws Exception {
    try (EmbeddedBroker again = EmbeddedBroker.builder().data(data).set("shards", 2).start();
        Connection connection = again.factory().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(channel.queueDeclarePassive("kept").getMessageCount()).isEqualTo(KEPT);
    }
  }

  @Test
  void aMessageThatExhaustsMemoryEndsTheProcessWithoutLossOfConfirmedMessages() throws Exception {
    try (BrokerProcess broker =
        broker(data).jvm("-Xmx64m").set("client_memory_limit.relative", 1).start()) {
      try (Connection connection = broker.factory().newConnection();
          Channel channel = connection.createChannel()) {
        keep(channel);
        try {
          channel.basicPublish("", "kept", MessageProperties.PERSISTENT_BASIC, new byte[TOO_LARGE]);
        } catch (IOException | RuntimeException expected) {
          await().until(() -> !connection.isOpen());
        }
      } catch (IOException | RuntimeException closed) {
        assertThat(closed).isNotInstanceOf(AssertionError.class);
      }
      assertThat(broker.awaitExit()).isEqualTo(OUT_OF_MEMORY);
      assertThat(broker.output()).anyMatch(line -> line.contains("out of memory"));
    }
    requireKept(data);
  }

  /**
   * Every thread finds that there is none, not only one. Then nothing can be made any more, not
   * even the text of a line of the log.
   */
  @Test
  void aFullHeapEndsTheProcess() throws Exception {
    try (BrokerProcess broker =
        broker(data).jvm("-Xmx48m").set("client_memory_limit.relative", 1).start()) {
      try (Connection connection = broker.factory().newConnection();
          Channel channel = connection.createChannel()) {
        keep(channel);
        channel.queueDeclare("filler", false, false, false, null);
        // An alarm stops publishers and declarations, and not this without its limit.
        String tag = "t".repeat(200);
        for (int consumer = 0; consumer < 1_000_000; consumer++) {
          channel.basicConsume("filler", true, tag + consumer, new DefaultConsumer(channel));
        }
      } catch (IOException | RuntimeException closed) {
        assertThat(closed).hasMessageNotContaining("PRECONDITION_FAILED");
      }
      assertThat(broker.awaitExit()).isEqualTo(OUT_OF_MEMORY);
      assertThat(broker.output()).anyMatch(line -> line.contains("out of memory"));
    }
    requireKept(data);
  }
}
