package io.mayflymq.it.deadletter;

import static io.mayflymq.it.harness.Amqp.deadLetterTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Headers;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters that no queue takes wait in their source queue, also across a kill. */
@OwnBroker
class WaitingDeadLettersIT {
  @TempDir Path data;
  private RestartedBroker broker;

  @BeforeEach
  void start() {
    broker = RestartedBroker.ended(data, Ending.KILL, 1).start();
  }

  @AfterEach
  void end() {
    broker.close();
  }

  private long waiting(String queue) throws Exception {
    return number(queue, "messages_dlx");
  }

  private long number(String queue, String field) throws Exception {
    return Http.as(broker.process().httpPort(), "guest", "guest")
        .get("queues/%2F/" + queue)
        .json()
        .path(field)
        .asLong(-1);
  }

  private void awaitWaiting(String queue, long count) {
    await().until(() -> waiting(queue) == count);
  }

  private static void rejectAll(Channel channel, String queue, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      GetResponse response = channel.basicGet(queue, false);
      channel.basicReject(response.getEnvelope().getDeliveryTag(), false);
    }
  }

  @Test
  void aRefusedDeadLetterWaitsAcrossAKillUntilTheTargetHasRoom() throws Exception {
    broker.queue("dead", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    broker.queue("work", deadLetterTo("dead", Map.of()));
    broker.publish("work", "a", "b", "c", "d");
    rejectAll(broker.channel(), "work", 4);
    awaitWaiting("work", 3);
    assertThat(broker.channel().messageCount("work")).isZero();
    assertThat(number("work", "messages")).isEqualTo(3);
    broker.letSettle();
    broker.restart(Ending.KILL);
    assertThat(broker.channel().messageCount("work")).as("still dead").isZero();

    List<String> got = new ArrayList<>();
    await()
        .until(
            () -> {
              GetResponse next = broker.get("dead");
              if (next != null) {
                assertThat(Headers.history(next.getProps())).containsExactly("rejected work 1");
                got.add(RestartedBroker.body(next));
              }
              return got.size() == 4;
            });
    assertThat(got).containsExactly("a", "b", "c", "d");
    awaitWaiting("work", 0);
  }

  @Test
  void atLeastOnceWaitsForAMissingTargetQueue() throws Exception {
    broker.queue(
        "jobs",
        deadLetterTo(
            "dead",
            Map.of(
                "x-queue-type", "quorum",
                "x-dead-letter-strategy", "at-least-once",
                "x-overflow", "reject-publish")));
    broker.publish("jobs", "poison");
    rejectAll(broker.channel(), "jobs", 1);
    awaitWaiting("jobs", 1);
    broker.letSettle();
    broker.restart(Ending.KILL);
    assertThat(broker.channel().messageCount("jobs")).isZero();
    broker.queue("dead");
    awaitWaiting("jobs", 0);
    assertThat(broker.bodies("dead")).containsExactly("poison");
  }
}
