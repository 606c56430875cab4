package io.mayflymq.it.durability;

import static io.mayflymq.it.harness.Amqp.bytes;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Directory;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of a running broker, and brokers that start with them. */
@OwnBroker
@Timeout(value = 4, unit = MINUTES)
class BackupIT {
  private static final int BACKUPS = 3;
  private static final int BURST = 20;
  private static final String PADDING = "x".repeat(4_000);

  @TempDir Path directory;

  /** A client that publishes in bursts to one queue, and counts what was confirmed. */
  private static final class Publishing extends Thread {
    private final Connection connection;
    private final String queue;
    private final AtomicInteger confirmed = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile Exception failure;

    Publishing(Connection connection, String queue) {
      this.connection = connection;
      this.queue = queue;
    }

    @Override
    public void run() {
      try {
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        for (int next = 0; !ended.get(); next += BURST) {
          for (int i = next; i < next + BURST; i++) {
            channel.basicPublish("", queue, RestartedBroker.PERSISTENT, bytes(i + " " + PADDING));
          }
          channel.waitForConfirmsOrDie(Patience.SECONDS * 1_000L);
          confirmed.set(next + BURST);
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    /** Waits until so many more messages are confirmed. */
    void awaitMore(int messages) {
      int wanted = confirmed.get() + messages;
      await().atMost(Patience.TIME).until(() -> confirmed.get() >= wanted || failure != null);
      assertThat(failure).isNull();
    }
  }

  @Test
  void backupUnderLoadHasAllThatWasConfirmedBeforeIt() throws Exception {
    List<Map<String, Integer>> confirmed = new ArrayList<>();
    List<Path> backups = new ArrayList<>();
    try (EmbeddedBroker broker =
            EmbeddedBroker.builder()
                .data(directory.resolve("data"))
                .set("durability.segment_size", 1 << 20)
                .start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("classic", true, false, false, null);
      channel.queueDeclare("quorum", true, false, false, Map.of("x-queue-type", "quorum"));
      channel.queueDeclare("stream", true, false, false, Map.of("x-queue-type", "stream"));
      // Its messages go at once, so that segments are deleted, and files written over.
      channel.queueDeclare("passing", true, false, false, null);
      Channel consumer = connection.createChannel();
      consumer.basicConsume("passing", true, (tag, message) -> {}, tag -> {});
      List<Publishing> all = new ArrayList<>();
      for (String queue : List.of("classic", "quorum", "stream", "passing")) {
        Publishing publishing = new Publishing(connection, queue);
        publishing.start();
        all.add(publishing);
      }
      for (int i = 0; i < BACKUPS; i++) {
        for (Publishing publishing : all) {
          publishing.awaitMore(500);
        }
        channel.queueDeclare("declared-" + i, true, false, false, null);
        Map<String, Integer> before = new HashMap<>();
        all.forEach(each -> before.put(each.queue, each.confirmed.get()));
        confirmed.add(before);
        Path target = directory.resolve("backup-" + i);
        Outcome outcome = ControlCommand.of(broker).run("backup", target.toString(), "-q");
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exit()).isZero();
        backups.add(target);
      }
      // What was linked must not change when the broker goes on.
      for (Publishing publishing : all) {
        publishing.awaitMore(1_000);
        publishing.ended.set(true);
        publishing.join();
        assertThat(publishing.failure).isNull();
      }
    }
    for (int i = 0; i < BACKUPS; i++) {
      assertRestores(backups.get(i), confirmed.get(i), i);
    }
  }

  private void assertRestores(Path backup, Map<String, Integer> confirmed, int number)
      throws Exception {
    Outcome check = ControlCommand.ofJar("check-data", backup.toString());
    assertThat(check.exit()).as(check.text()).isZero();
    Path copy = directory.resolve("restored-" + number);
    Directory.copy(backup, copy);
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(copy).start();
        Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      assertThat(channel.queueDeclarePassive("declared-" + number)).isNotNull();
      for (String queue : List.of("classic", "quorum")) {
        List<Integer> got = drain(connection, queue);
        assertThat(got).as(queue).doesNotHaveDuplicates().isSorted();
        assertThat(got).startsWith(numbers(confirmed.get(queue)));
      }
      Map<String, Object> first = Map.of("x-stream-offset", "first");
      assertThat(read(connection, "stream", confirmed.get("stream"), first))
          .startsWith(numbers(confirmed.get("stream")));
      assertThat(broker.complaints()).isEmpty();
    }
  }

  private static Integer[] numbers(int count) {
    Integer[] numbers = new Integer[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  private static int number(byte[] body) {
    String text = new String(body, StandardCharsets.UTF_8);
    assertThat(text).endsWith(" " + PADDING);
    return Integer.parseInt(text.substring(0, text.indexOf(' ')));
  }

  /** All that is ready in a queue, by a consumer: a get for each would take minutes. */
  private static List<Integer> drain(Connection connection, String queue) throws Exception {
    Channel channel = connection.createChannel();
    List<Integer> got =
        read(connection, queue, Math.toIntExact(channel.messageCount(queue)), Map.of());
    assertThat(channel.messageCount(queue)).isZero();
    return got;
  }

  private static List<Integer> read(
      Connection connection, String queue, int count, Map<String, Object> arguments)
      throws Exception {
    Channel channel = connection.createChannel();
    channel.basicQos(100);
    BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
    channel.basicConsume(
        queue,
        false,
        arguments,
        (tag, message) -> {
          arrived.add(number(message.getBody()));
          channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
        },
        tag -> {});
    List<Integer> got = new ArrayList<>();
    while (got.size() < count) {
      Integer next = arrived.poll(Patience.SECONDS, TimeUnit.SECONDS);
      assertThat(next).as("message %d", got.size()).isNotNull();
      got.add(next);
    }
    return got;
  }

  @Test
  void backupThatCannotBeTakenLeavesNothingAndIsAnError() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(directory.resolve("data")).start()) {
      ControlCommand control = ControlCommand.of(broker);
      Path used = Files.createDirectories(directory.resolve("used/something")).getParent();
      Outcome outcome = control.run("backup", used.toString());
      assertThat(outcome.exit()).isEqualTo(69);
      assertThat(outcome.err())
          .containsExactly(
              "Error:",
              "cannot take a backup to %s: it is not empty: expected a directory that is new or empty"
                  .formatted(used));
      assertThat(control.run("backup", broker.data().resolve("inside").toString()).err())
          .anyMatch(
              line -> line.endsWith("it is in the data directory: expected another directory"));
      assertThat(control.run("backup").exit()).isEqualTo(64);
      Set<String> left = new HashSet<>();
      try (var files = Files.list(directory)) {
        files.forEach(file -> left.add(file.getFileName().toString()));
      }
      assertThat(left).noneMatch(name -> name.contains("partial"));
      assertThat(control.run("backup", directory.resolve("new").toString(), "--dry-run").exit())
          .isZero();
      assertThat(directory.resolve("new")).doesNotExist();
    }
  }
}
