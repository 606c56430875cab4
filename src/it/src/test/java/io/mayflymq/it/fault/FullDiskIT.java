package io.mayflymq.it.fault;

import static io.mayflymq.it.harness.RestartedBroker.PERSISTENT;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.SmallDisk;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a full disk: publishers wait or are refused, consumers continue, and all continue once
 * there is space. Confirmed messages are kept, also if the broker is killed meanwhile.
 */
@OwnBroker
@Timeout(value = 3, unit = MINUTES)
class FullDiskIT {
  private static final int DISK_MEGABYTES = 24;
  private static final int BODY_BYTES = 50_000;
  private static final int SEGMENT_BYTES = 4 << 20;

  @TempDir Path mountPoint;
  private SmallDisk disk;
  private RestartedBroker broker;

  @BeforeEach
  void mount() {
    disk = SmallDisk.mount(mountPoint, DISK_MEGABYTES);
  }

  /** Starts the broker, which is ended once in this way. */
  private void start(Ending ending) {
    broker =
        RestartedBroker.ended(disk.directory().resolve("data"), ending, 1)
            .set("shards", 1)
            .set("durability.segment_size", SEGMENT_BYTES);
    // Otherwise publishers are blocked before the disk is really full.
    broker.set("disk_free_limit.absolute", 0).start();
  }

  @AfterEach
  void stop() {
    if (broker != null) {
      broker.close();
    }
    if (disk != null) {
      disk.close();
    }
  }

  @Test
  void onAFullDiskPublishersWaitUntilConsumersHaveFreedSpace() throws Exception {
    start(Ending.KILL);
    broker.queue("q");
    broker.queue("beside");
    broker.publish("beside", "stays");
    Filling filling = new Filling(broker.connect());
    filling.untilNothingIsConfirmed();
    assertToldOfTheDisk();

    // More than the first segment.
    int before = filling.confirmed.size();
    Set<Long> found = drain(SEGMENT_BYTES / BODY_BYTES + 100);
    await("publishing goes on")
        .atMost(Patience.TIME)
        .until(() -> filling.confirmed.size() > before);
    filling.end();
    found.addAll(drain(Integer.MAX_VALUE));
    assertThat(found).containsAll(filling.confirmed);
    assertThat(broker.bodies("beside")).containsExactly("stays");
    broker.letSettle();
    broker.restart(Ending.KILL);
    assertThat(broker.bodies("beside")).isEmpty();
  }

  @Test
  void aPurgeFreesAFullDiskAndIsAnswered() throws Exception {
    start(Ending.KILL);
    broker.queue("q");
    Filling filling = new Filling(broker.connect());
    filling.untilNothingIsConfirmed();
    int before = filling.confirmed.size();
    broker.connect().createChannel().queuePurge("q");
    await("publishing goes on")
        .atMost(Patience.TIME)
        .until(() -> filling.confirmed.size() > before);
    filling.end();
  }

  @Test
  void aKillWhileTheDiskIsFullLosesNothing() throws Exception {
    start(Ending.KILL);
    broker.queue("q");
    Filling filling = new Filling(broker.connect());
    filling.untilNothingIsConfirmed();
    broker.restart(Ending.KILL);
    filling.end();

    Set<Long> found = drain(Integer.MAX_VALUE);
    assertThat(found).containsAll(filling.confirmed);
    await("publishing goes on").atMost(Patience.TIME).until(this::isConfirmed);
  }

  @Test
  void anOrderlyRestartWhileTheDiskIsFullLosesNothing() throws Exception {
    start(Ending.SIGTERM);
    broker.queue("q");
    Filling filling = new Filling(broker.connect());
    filling.untilNothingIsConfirmed();
    broker.restart(Ending.SIGTERM);
    filling.end();

    Set<Long> found = drain(Integer.MAX_VALUE);
    assertThat(found).containsAll(filling.confirmed);
    await("publishing goes on").atMost(Patience.TIME).until(this::isConfirmed);
  }

  @Test
  void aBrokerStartedOnAFullDiskCanBeControlledOnceThereIsSpace() throws Exception {
    start(Ending.KILL);
    broker.end(Ending.KILL);
    Path filler = disk.fill();
    broker.start();
    broker.awaitLine("cannot write the control file");

    Files.delete(filler);
    await("control").atMost(Patience.TIME).until(this::isControlled);
    broker.awaitLine("the control file was written");
  }

  @Test
  void declarationsAreRefusedWhileTheDiskIsFullAndSucceedAfterwards() throws Exception {
    start(Ending.KILL);
    broker.queue("before");
    Path filler = disk.fill();
    Set<String> declared = new TreeSet<>(Set.of("before"));
    Set<String> refused = new TreeSet<>();
    // A store may still have room in a block that it has already.
    for (int number = 0; number < 500 && refused.size() < 3; number++) {
      String queue = "full-" + number + "-" + "q".repeat(200);
      (isDeclared(queue) ? declared : refused).add(queue);
    }
    assertThat(refused).as("declarations that were refused").isNotEmpty();
    Http http = Http.as(broker.process().httpPort(), "guest", "guest");
    assertThat(http.get("health/checks/alarms").status()).isEqualTo(503);

    Files.delete(filler);
    await("declarations go on").atMost(Patience.TIME).until(() -> isDeclared("after"));
    declared.add("after");
    assertThat(http.get("health/checks/alarms").status()).isEqualTo(200);
    assertDeclaredAre(declared, refused);
    broker.restart(Ending.KILL);
    assertDeclaredAre(declared, refused);
  }

  private boolean isDeclared(String queue) throws Exception {
    try (Connection connection = broker.connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
      return true;
    } catch (IOException | ShutdownSignalException e) {
      assertThat(e).hasStackTraceContaining("could not be made durable");
      return false;
    }
  }

  private void assertDeclaredAre(Set<String> declared, Set<String> refused) throws Exception {
    Set<String> found = new TreeSet<>();
    for (JsonNode queue :
        Http.as(broker.process().httpPort(), "guest", "guest").get("queues").json()) {
      found.add(queue.path("name").asText());
    }
    assertThat(found).containsAll(declared).doesNotContainAnyElementsOf(refused);
  }

  /** Whether the control file names this process and lets in to it. */
  private boolean isControlled() throws Exception {
    JsonNode file =
        new ObjectMapper().readTree(Files.readString(broker.data().resolve("mayfly.control")));
    try {
      return Http.withToken(file.path("url").asText(), file.path("token").asText())
              .get("whoami")
              .status()
          == 200;
    } catch (ConnectException e) {
      // It is that of the process before.
      return false;
    }
  }

  private void assertToldOfTheDisk() {
    await("a line that says what cannot be done, and where")
        .atMost(Patience.TIME)
        .until(
            () ->
                broker.output().stream()
                    .anyMatch(
                        line ->
                            line.contains("No space left on device")
                                && line.contains(disk.directory().toString())));
  }

  /** Gets and acknowledges, at most so many, on a connection that has never published. */
  private Set<Long> drain(int most) throws Exception {
    Channel channel = broker.connect().createChannel();
    Set<Long> found = new TreeSet<>();
    for (int i = 0; i < most; i++) {
      GetResponse got = channel.basicGet("q", false);
      if (got == null) {
        break;
      }
      assertThat(got.getBody()).hasSize(BODY_BYTES);
      found.add(ByteBuffer.wrap(got.getBody()).getLong());
      channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
    }
    return found;
  }

  /** Whether a new publisher gets its message confirmed within a second. */
  private boolean isConfirmed() throws Exception {
    try (Connection connection = broker.process().factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      AtomicLong outcome = new AtomicLong();
      channel.addConfirmListener(
          (tag, multiple) -> outcome.set(1), (tag, multiple) -> outcome.set(-1));
      channel.basicPublish("", "q", PERSISTENT, new byte[BODY_BYTES]);
      long end = System.nanoTime() + 1_000_000_000L;
      while (outcome.get() == 0 && System.nanoTime() < end) {
        Thread.onSpinWait();
      }
      return outcome.get() == 1;
    }
  }

  /** Publishes from a thread of its own for as long as it is let. */
  private static final class Filling {
    private static final int WINDOW = 100;

    private final Set<Long> confirmed = new ConcurrentSkipListSet<>();
    private final AtomicLong finished = new AtomicLong();
    private final AtomicLong published = new AtomicLong();
    private final Connection connection;
    private final Thread thread;

    Filling(Connection connection) throws IOException {
      this.connection = connection;
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      ConfirmedTags acks = new ConfirmedTags(confirmed, finished);
      channel.addConfirmListener(acks::confirmed, acks::refused);
      thread = new Thread(() -> publish(channel), "filling the disk");
      thread.setDaemon(true);
      thread.start();
    }

    private void publish(Channel channel) {
      try {
        while (connection.isOpen()) {
          if (published.get() - finished.get() < WINDOW) {
            // The number of the publish is its sequence number, which counts from one.
            long id = published.incrementAndGet();
            byte[] body = ByteBuffer.allocate(BODY_BYTES).putLong(id).array();
            channel.basicPublish("", "q", PERSISTENT, body);
          } else {
            MILLISECONDS.sleep(1);
          }
        }
      } catch (IOException | ShutdownSignalException e) {
        // The connection has ended, by the test or with the broker.
        connection.abort();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Returns when the broker has confirmed nothing more for two seconds, or refuses. */
    void untilNothingIsConfirmed() {
      long[] last = {0, System.nanoTime()};
      await("a full disk")
          .atMost(60, SECONDS)
          .pollInterval(50, MILLISECONDS)
          .until(
              () -> {
                long now = confirmed.size();
                if (now != last[0]) {
                  last[0] = now;
                  last[1] = System.nanoTime();
                }
                return now > 0 && System.nanoTime() - last[1] > 2_000_000_000L;
              });
    }

    void end() throws InterruptedException {
      // A blocked connection is not read: its close is answered when there is room again, or not.
      connection.abort(2_000);
      thread.join(10_000);
    }
  }

  /** Turns confirms, some of which stand for several messages, into numbers. */
  private static final class ConfirmedTags {
    private final Set<Long> confirmed;
    private final AtomicLong finished;
    private final Set<Long> open = new TreeSet<>();
    private long next = 1;

    ConfirmedTags(Set<Long> confirmed, AtomicLong finished) {
      this.confirmed = confirmed;
      this.finished = finished;
    }

    void confirmed(long tag, boolean multiple) {
      finish(tag, multiple, true);
    }

    void refused(long tag, boolean multiple) {
      finish(tag, multiple, false);
    }

    private synchronized void finish(long tag, boolean multiple, boolean ack) {
      for (; next <= tag; next++) {
        open.add(next);
      }
      Set<Long> these = new TreeSet<>(Set.of(tag));
      if (multiple) {
        open.stream().filter(other -> other < tag).forEach(these::add);
      }
      open.removeAll(these);
      if (ack) {
        confirmed.addAll(these);
      }
      finished.addAndGet(these.size());
    }
  }
}
