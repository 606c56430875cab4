package io.mayflymq.it.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An orderly stop while dead letters are on their way from one shard to another. */
@OwnBroker
class DeadLetterStopIT {
  private static final int ROUNDS = 20;
  private static final int MESSAGES = 200;
  private static final int QUEUES = 4;

  @TempDir Path data;

  @Test
  void noDeadLetterIsLostOrDoubledByAnOrderlyStop() throws Exception {
    try (RestartedBroker broker = RestartedBroker.embedded(data).set("shards", 2).start()) {
      for (int i = 0; i < QUEUES; i++) {
        broker.queue("dead" + i);
        broker.queue(
            "short" + i, Amqp.deadLetterTo("dead" + (i + 1) % QUEUES, Map.of("x-max-length", 0)));
      }
      List<String> published = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MESSAGES; i++) {
          String body = round + "-" + i;
          published.add(body);
          broker
              .publisher()
              .basicPublish("", "short" + i % QUEUES, RestartedBroker.PERSISTENT, Amqp.bytes(body));
        }
        broker.awaitConfirms();
        broker.restart(Ending.SIGTERM);
      }
      List<String> found = new ArrayList<>();
      for (String queue : IntStream.range(0, QUEUES).mapToObj(i -> "dead" + i).toList()) {
        for (GetResponse got : broker.drain(queue)) {
          found.add(RestartedBroker.body(got));
        }
      }
      assertThat(found).containsExactlyInAnyOrderElementsOf(published);
    }
  }
}
