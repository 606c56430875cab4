package io.mayflymq.it.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Default operator policies of the configuration limit the arguments of queues. */
@BlackBox
@OwnBroker
class DefaultPolicyIT {
  private static final String POLICY = "default_policies.operator.bounds.";

  @TempDir Path data;

  @Test
  void theLowerOfArgumentAndDefaultOperatorPolicyApplies() throws Exception {
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .set(POLICY + "queue_pattern", "^bounded")
                .set(POLICY + "max_length", 3)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();

      assertThat(ready(channel, "bounded", null)).isEqualTo(3);
      assertThat(ready(channel, "bounded-twice", Map.of("x-max-length", 2))).isEqualTo(2);
      assertThat(ready(channel, "bounded-more", Map.of("x-max-length", 4))).isEqualTo(3);
      assertThat(ready(channel, "free", null)).isEqualTo(5);
      // Policies are not part of the declaration.
      channel.queueDeclare("bounded", false, false, false, null);
    }
  }

  @Test
  void anExistingVirtualHostGetsNoDefaultPolicies() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().data(data).set(POLICY + "max_length", 2).start()) {
      assertThat(broker.stop()).isZero();
    }
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder().data(data).set(POLICY + "max_length", 4).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      assertThat(ready(channel, "q", null)).isEqualTo(2);
      assertThat(broker.complaints()).isEmpty();
    }
  }

  /** Returns how many of five messages a new queue keeps. */
  private static long ready(Channel channel, String queue, Map<String, Object> arguments)
      throws Exception {
    channel.queueDeclare(queue, false, false, false, arguments);
    for (int i = 0; i < 5; i++) {
      channel.basicPublish("", queue, null, new byte[1]);
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    return channel.messageCount(queue);
  }
}
