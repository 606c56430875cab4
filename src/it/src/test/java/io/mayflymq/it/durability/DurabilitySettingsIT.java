package io.mayflymq.it.durability;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests durability with other than the default settings. */
@OwnBroker
@Timeout(value = 3, unit = MINUTES)
class DurabilitySettingsIT {
  private static final int QUEUES = 8;

  @TempDir Path data;

  /** Each queue moves to an existing shard with all its messages. */
  @ParameterizedTest
  @EnumSource
  void theNumberOfShardsCanChangeBetweenStarts(Ending ending) throws Exception {
    int[] shards = {2, 1, 4, 3};
    try (RestartedBroker broker = RestartedBroker.ended(data, ending, shards.length)) {
      List<List<String>> model = new ArrayList<>();
      for (int life = 0; life < shards.length; life++) {
        broker.set("shards", shards[life]).start();
        for (int q = 0; q < QUEUES; q++) {
          if (life == 0) {
            model.add(new ArrayList<>());
            broker.queue("dead" + q);
            broker.queue("q" + q, Amqp.deadLetterTo("dead" + q, Map.of()));
          }
          List<String> expected = model.get(q);
          assertThat(broker.channel().messageCount("q" + q)).isEqualTo(expected.size());
          if (!expected.isEmpty()) {
            assertThat(RestartedBroker.body(broker.get("q" + q))).isEqualTo(expected.remove(0));
            reject(broker, "q" + q);
            expected.remove(0);
          }
          for (int i = 0; i < 4; i++) {
            String body = "life " + life + ", " + i;
            broker.publish("q" + q, body);
            expected.add(body);
          }
        }
        broker.letSettle();
        broker.end(ending);
      }
      broker.start();
      for (int q = 0; q < QUEUES; q++) {
        assertThat(broker.bodies("q" + q)).isEqualTo(model.get(q));
        assertThat(broker.drain("dead" + q)).hasSize(shards.length - 1);
      }
    }
  }

  @Test
  void withoutForcedWritesAKillLosesNothing() throws Exception {
    try (RestartedBroker broker =
        RestartedBroker.ended(data, Ending.KILL, 2).set("durability.sync", "never")) {
      broker.start();
      broker.queue("q");
      List<String> bodies = new ArrayList<>();
      for (int i = 0; i < 2_000; i++) {
        bodies.add("m" + i);
      }
      broker.publish("q", bodies.toArray(String[]::new));
      broker.restart(Ending.KILL);
      assertThat(broker.bodies("q")).isEqualTo(bodies);
      broker.letSettle();
      broker.restart(Ending.KILL);
      assertThat(broker.bodies("q")).isEmpty();
    }
  }

  private static void reject(RestartedBroker broker, String queue) throws Exception {
    long tag = broker.channel().basicGet(queue, false).getEnvelope().getDeliveryTag();
    broker.channel().basicReject(tag, false);
  }
}
