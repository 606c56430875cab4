package io.mayflymq.it.deadletter;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A redrive that a kill -9 interrupts loses nothing, and the next one does the rest. */
@OwnBroker
class RedriveKillIT {
  private static final int COUNT = 20_000;

  @TempDir Path data;
  private RestartedBroker broker;

  @BeforeEach
  void start() {
    broker = RestartedBroker.ended(data, Ending.KILL, 1).set("shards", 2).start();
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  private Http http() {
    return Http.as(broker.process().httpPort(), "guest", "guest");
  }

  @Test
  void aKillDuringARedriveLosesNothing() throws Exception {
    broker.queue("dead");
    broker.queue("near", deadLetterTo("dead", Map.of("x-max-length", 0)));
    broker.queue("far", deadLetterTo("dead", Map.of("x-max-length", 0)));
    for (int i = 0; i < COUNT; i++) {
      broker
          .publisher()
          .basicPublish("", i % 2 == 0 ? "near" : "far", RestartedBroker.PERSISTENT, body(i));
    }
    broker.awaitConfirms();
    Awaitility.await().until(() -> broker.channel().messageCount("dead") == COUNT);
    // From now on the queues keep what comes; they are on different shards, one on that of "dead".
    for (String queue : List.of("near", "far")) {
      broker.channel().queueDelete(queue);
      broker.queue(queue);
    }

    http().post("queues/%2F/dead/redrive", "{\"rate\":20000}");
    Awaitility.await()
        .until(
            () -> http().get("queues/%2F/dead/redrive").json().path("moved").asInt() > COUNT / 10);
    broker.restart(Ending.KILL);

    long left = broker.channel().messageCount("dead");
    assertThat(left).as("it was interrupted").isPositive();
    http().post("queues/%2F/dead/redrive", "{}");
    Awaitility.await()
        .until(
            () ->
                http().get("queues/%2F/dead/redrive").json().path("state").asText().equals("done"));
    assertThat(broker.channel().messageCount("dead")).isZero();

    List<Integer> all = new ArrayList<>();
    for (String queue : List.of("near", "far")) {
      List<Integer> numbers = broker.bodies(queue).stream().map(Integer::valueOf).toList();
      assertThat(numbers.stream().distinct().sorted().toList())
          .as("in order but for what was doubled in %s", queue)
          .hasSize(COUNT / 2);
      all.addAll(numbers);
    }
    assertThat(new HashSet<>(all))
        .isEqualTo(new HashSet<>(IntStream.range(0, COUNT).boxed().toList()));
    assertThat(all.size() - COUNT).as("doubled, at most what was under way").isLessThan(1000);
  }

  private static byte[] body(int number) {
    return Amqp.bytes(Integer.toString(number));
  }
}
