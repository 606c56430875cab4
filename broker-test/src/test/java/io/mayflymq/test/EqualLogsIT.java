package io.mayflymq.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The same calls have the same results: TTL, retries, a lease and schedules at once. {@code
 * -Drounds=1000} plays them more often than a build does.
 */
@Timeout(1800)
class EqualLogsIT {
  private static final int ROUNDS = Integer.getInteger("rounds", 200);

  /** How many of them have a broker of their own, so that nothing depends on what was before. */
  private static final int TOGETHER = 20;

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void areEqual() throws Exception {
    List<String> first = null;
    for (int round = 0; round < ROUNDS; round += TOGETHER) {
      try (MayflyBroker broker = MayflyBroker.builder().clockStart(START).start();
          Client client = Client.of(broker)) {
        for (int i = round; i < Math.min(ROUNDS, round + TOGETHER); i++) {
          List<String> log = play(broker, client);
          first = first == null ? log : first;
          assertThat(log).as("round %d", i).isEqualTo(first);
        }
      }
    }
    assertThat(first)
        .containsExactly(
            "0.000 job a",
            "1.000 job a again",
            "2.000 ready [second]",
            "3.000 job a again",
            "5.000 ready [second, first]",
            "7.000 job a again",
            "10.000 expired ttl of lasting-10",
            "15.000 job a again",
            "15.000 delivery_limit jobs of a",
            "20.000 expired ttl of lasting-20",
            "30.000 lease gone",
            "40.000 expired dead of lasting-10",
            "50.000 expired dead of lasting-20");
  }

  private static List<String> play(MayflyBroker broker, Client client) throws Exception {
    Instant begin = broker.clock().now();
    int before = broker.deaths().size();
    declare(client);
    expiring(client, "lasting-20", 20_000);
    expiring(client, "lasting-10", 10_000);
    scheduled(client, "first", 5_000);
    scheduled(client, "second", 2_000);
    client.publish("jobs", new BasicProperties.Builder().messageId("a").build(), "a");
    List<String> log = new ArrayList<>();
    List<String> ready = List.of();
    boolean leased = true;
    int deaths = before;
    Optional<Instant> now = Optional.of(begin);
    while (now.isPresent()) {
      Duration since = Duration.between(begin, now.get());
      String time = "%d.%03d ".formatted(since.toSeconds(), since.toMillisPart());
      List<String> there = broker.messages("agenda").stream().map(StoredMessage::body).toList();
      if (!there.equals(ready)) {
        log.add(time + "ready " + there);
        ready = there;
      }
      GetResponse job = client.channel.basicGet("jobs", false);
      if (job != null) {
        log.add(
            time
                + "job "
                + new String(job.getBody(), StandardCharsets.UTF_8)
                + (job.getEnvelope().isRedeliver() ? " again" : ""));
        client.channel.basicReject(job.getEnvelope().getDeliveryTag(), true);
        client.channel.basicQos(1); // Answered when the rejection has been handled.
      }
      for (Death death : broker.deaths().subList(deaths, broker.deaths().size())) {
        log.add(time + "%s %s of %s".formatted(death.reason(), death.queue(), death.messageId()));
        deaths++;
      }
      if (leased && broker.queues().stream().noneMatch(queue -> queue.name().equals("lease"))) {
        log.add(time + "lease gone");
        leased = false;
      }
      now = broker.clock().advanceToNext();
    }
    for (String queue : List.of("ttl", "dead", "jobs", "agenda")) {
      client.channel.queueDelete(queue);
    }
    return log;
  }

  private static void declare(Client client) throws Exception {
    client.queue("ttl", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
    client.queue("dead", Map.of("x-message-ttl", 30_000));
    client.queue(
        "jobs",
        Map.of(
            "x-delayed-retry-type",
            "failed",
            "x-delayed-retry-min",
            1_000,
            "x-delayed-retry-backoff",
            "exponential",
            "x-delivery-limit",
            4));
    client.queue("lease", Map.of("x-expires", 30_000));
    client.queue("agenda", null);
    client.channel.exchangeDeclare(
        "later", "x-delayed-message", true, false, Map.of("x-delayed-type", "direct"));
    client.channel.queueBind("agenda", "later", "agenda");
  }

  private static void expiring(Client client, String id, int millis) throws Exception {
    client.publish(
        "ttl",
        new BasicProperties.Builder().messageId(id).expiration(Integer.toString(millis)).build(),
        id);
  }

  private static void scheduled(Client client, String body, int millis) throws Exception {
    client.channel.basicPublish(
        "later",
        "agenda",
        new BasicProperties.Builder().headers(Map.of("x-delay", millis)).build(),
        body.getBytes(StandardCharsets.UTF_8));
    client.channel.waitForConfirmsOrDie(30_000);
  }
}
