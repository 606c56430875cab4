package io.mayflymq.it.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a quorum queue across a restart of the broker. */
@BlackBox
@OwnBroker
class QuorumQueueRestartIT {
  private static final Map<String, Object> ARGUMENTS =
      Amqp.deadLetterTo("dead", Map.of("x-queue-type", "quorum", "x-delivery-limit", 2));

  @TempDir Path data;

  @ParameterizedTest
  @EnumSource(Ending.class)
  void aQuorumQueueKeepsItsTypeAndCountsTheRestartAsAReturn(Ending ending) throws Exception {
    try (RestartedBroker broker = RestartedBroker.ended(data, ending, 1).start()) {
      broker.queue("dead");
      broker.queue("q", ARGUMENTS);
      broker.publish("q", "a", "b", "c");
      assertThat(RestartedBroker.body(broker.channel().basicGet("q", false))).isEqualTo("a");
      broker.letSettle();

      broker.restart(ending);

      broker.queue("q", ARGUMENTS);
      for (long returns = 1; returns <= 2; returns++) {
        GetResponse first = broker.channel().basicGet("q", false);
        assertThat(RestartedBroker.body(first)).isEqualTo("a");
        assertThat(first.getEnvelope().isRedeliver()).isTrue();
        assertThat(first.getProps().getHeaders()).containsEntry("x-delivery-count", returns);
        broker.channel().basicReject(first.getEnvelope().getDeliveryTag(), true);
      }
      try (Amqp amqp = broker.amqp("quorum")) {
        amqp.awaitReady("dead", 1);
      }
      assertThat(broker.bodies("dead")).containsExactly("a");
      assertThat(broker.bodies("q")).containsExactly("b", "c");
    }
  }
}
