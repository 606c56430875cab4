package io.mayflymq.it.rounds;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.rounds.ExpectedMessages.Copies;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;

/**
 * The queues of the rounds, spread over both shards: plain ones; dead letter queues; and sources
 * whose messages all expire, by the TTL of the queue or by their own, into a dead letter queue of
 * the same shard or of the other one.
 */
final class RoundQueues {
  static final int PLAIN = 4;
  static final int SOURCES = 8;
  private static final int TTL_MILLIS = 700;

  /**
   * A queue whose messages expire.
   *
   * @param ownExpiration whether they do by their own expiration rather than by the queue's TTL
   * @param sameShard whether the dead letter queue is on the shard of this one
   */
  record Source(String name, String dead, boolean ownExpiration, boolean sameShard) {
    ExpectedMessages ledger() {
      String what =
          name
              + (ownExpiration
                  ? ", expired by expiration, in "
                  : ", expired by the queue's TTL, in ")
              + dead
              + (sameShard ? " of the same shard" : " of the other shard");
      return new ExpectedMessages(what, sameShard ? Copies.ONE : Copies.SEVERAL, !ownExpiration);
    }
  }

  private final List<Source> sources = new ArrayList<>();

  /** Declares all queues and finds their shards. */
  RoundQueues(RestartedBroker broker) throws Exception {
    Map<String, Path> shards = new HashMap<>();
    for (String queue : plain()) {
      shards.put(queue, declare(broker, queue, Map.of()));
    }
    for (String queue : dead()) {
      shards.put(queue, declare(broker, queue, Map.of()));
    }
    for (int i = 0; i < SOURCES; i++) {
      String name = "source" + i;
      String dead = dead().get(i * 2 / SOURCES);
      boolean ownExpiration = i / 2 % 2 == 1;
      Map<String, Object> ttl = ownExpiration ? Map.of() : Map.of("x-message-ttl", TTL_MILLIS);
      Path shard = declare(broker, name, Amqp.deadLetterTo(dead, ttl));
      sources.add(new Source(name, dead, ownExpiration, shard.equals(shards.get(dead))));
    }
    assertThat(plain().stream().map(shards::get).distinct())
        .as("the shards of the plain queues")
        .hasSize(2);
    for (boolean ownExpiration : List.of(true, false)) {
      assertThat(sources.stream().filter(source -> source.ownExpiration == ownExpiration))
          .as("sources beside their dead letter queue, and on the other shard")
          .anyMatch(Source::sameShard)
          .anyMatch(source -> !source.sameShard);
    }
  }

  static List<String> plain() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < PLAIN; i++) {
      names.add("plain" + i);
    }
    return names;
  }

  static List<String> dead() {
    return List.of("dead0", "dead1");
  }

  List<Source> sources() {
    return sources;
  }

  /** Waits until every message of the sources has expired. */
  void awaitExpired(Connection connection) throws IOException {
    Channel channel = connection.createChannel();
    for (Source source : sources) {
      Awaitility.await("all of " + source.name() + " expires")
          .atMost(Patience.TIME)
          .pollInSameThread()
          .pollInterval(Duration.ofMillis(10))
          .until(() -> channel.messageCount(source.name()) == 0);
    }
    channel.abort();
  }

  /** Declares a queue and returns the directory of its shard. */
  private static Path declare(RestartedBroker broker, String queue, Map<String, Object> arguments)
      throws Exception {
    broker.queue(queue, arguments);
    String marker = UUID.randomUUID().toString();
    broker.publish(queue, marker);
    broker.channel().queuePurge(queue);
    try (var shards = Files.list(broker.data().resolve("messages"))) {
      for (Path shard : shards.filter(Files::isDirectory).toList()) {
        if (contains(shard, marker)) {
          return shard;
        }
      }
    }
    throw new AssertionError("no shard has a confirmed message of " + queue);
  }

  private static boolean contains(Path shard, String marker) throws IOException {
    try (var files = Files.list(shard)) {
      for (Path file : files.filter(name -> name.toString().endsWith(".log")).toList()) {
        if (new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(marker)) {
          return true;
        }
      }
    }
    return false;
  }
}
