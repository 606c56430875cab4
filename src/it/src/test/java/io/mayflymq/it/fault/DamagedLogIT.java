package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.Directory;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RestartedBroker;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not as they were written: the broker starts, says so, and serves the rest. */
@OwnBroker
class DamagedLogIT {
  private static final int MESSAGES = 100;

  /** The data directory that all tests begin with. */
  @TempDir static Path full;

  @TempDir Path directory;
  private Path data;
  private RestartedBroker broker;

  @BeforeAll
  static void fillAndKill() throws Exception {
    try (RestartedBroker broker = RestartedBroker.at(full).set("shards", 1).start()) {
      broker.queue("q");
      broker.publish("q", bodies(0, MESSAGES));
      // Until a log has noted what is safe, damage at its end looks like a write that was cut off.
      broker.letSettle();
      broker.end(Ending.KILL);
    }
  }

  @BeforeEach
  void copy() throws Exception {
    data = directory.resolve("data");
    Directory.copy(full, data);
    broker = RestartedBroker.ended(data, Ending.KILL, 1).set("shards", 1);
  }

  @AfterEach
  void stop() {
    broker.close();
  }

  @Test
  void invalidBytesAtTheEndOfTheLogAreCut() throws Exception {
    byte[] rubbish = new byte[1_000];
    new Random(1).nextBytes(rubbish);
    Files.write(segment(), rubbish, StandardOpenOption.APPEND);
    broker.start();
    assertToldOf("torn tail");
    assertThat(broker.bodies("q")).containsExactly(bodies(0, MESSAGES));
    assertItGoesOn();
  }

  @Test
  void anIncompleteLastRecordIsCut() throws Exception {
    Path segment = segment();
    // The middle of the last message's body, whatever was written behind it.
    truncate(segment, find(segment, bodies(0, MESSAGES)[MESSAGES - 1]) + 50);
    broker.start();
    // Whether the log had noted already that the record was forced depends on when it was killed.
    assertToldOf("torn tail", "damaged records");
    assertThat(broker.bodies("q")).containsExactly(bodies(0, MESSAGES - 1));
    assertItGoesOn();
  }

  @Test
  void aDamagedRecordInTheMiddleIsSavedAndLogged() throws Exception {
    Path segment = segment();
    flip(segment, find(segment, bodies(0, MESSAGES)[40]) + 50);
    broker.start();
    assertToldOf("damaged records");
    List<String> left = new ArrayList<>(List.of(bodies(0, MESSAGES)));
    left.remove(40);
    assertThat(broker.bodies("q")).isEqualTo(left);
    try (Stream<Path> files = Files.list(segment.getParent())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.endsWith(".damaged"));
    }
    assertItGoesOn();
  }

  @Test
  void aDamagedHeaderLosesNothing() throws Exception {
    flip(segment(), 3);
    broker.start();
    assertToldOf("damaged header");
    assertThat(broker.bodies("q")).containsExactly(bodies(0, MESSAGES));
    assertItGoesOn();
  }

  /** A complete segment is recovered from its index: its contents are read when they are needed. */
  @Test
  void damageInAnEarlierSegmentIsFoundWhenItIsRead() throws Exception {
    broker = RestartedBroker.ended(data, Ending.KILL, 2).set("shards", 1);
    Path segment = segment();
    broker.start();
    broker.publish("q", bodies(MESSAGES, 2 * MESSAGES));
    broker.end(Ending.KILL);
    flip(segment, find(segment, bodies(0, MESSAGES)[7]) + 50);
    broker.start();
    List<String> left = new ArrayList<>(List.of(bodies(0, 2 * MESSAGES)));
    left.remove(7);
    assertThat(broker.bodies("q")).isEqualTo(left);
    assertToldOf("damaged");
    assertItGoesOn();
  }

  private void assertToldOf(String... damages) {
    assertThat(broker.output())
        .as("a warning that says what and where")
        .anyMatch(
            line ->
                Stream.of(damages).anyMatch(line::contains)
                    && line.contains(segment().getParent().toString()));
  }

  private void assertItGoesOn() throws Exception {
    broker.publish("q", "more");
    broker.restart(Ending.KILL);
    assertThat(broker.bodies("q")).contains("more");
  }

  /** The first segment of the only shard. */
  private Path segment() {
    return data.resolve("messages").resolve("shard-0").resolve("0000000001.log");
  }

  /** Bodies of 200 bytes or so, each of which begins with a text of its own. */
  private static String[] bodies(int from, int to) {
    String[] bodies = new String[to - from];
    for (int i = from; i < to; i++) {
      bodies[i - from] = "[message %05d]".formatted(i) + "x".repeat(200);
    }
    return bodies;
  }

  private static long find(Path file, String text) throws IOException {
    String all = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    int at = all.indexOf(text);
    assertThat(at).as("where %s has %s", file, text).isNotNegative();
    return at;
  }

  private static void flip(Path file, long at) throws IOException {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.seek(at);
      int value = access.read();
      access.seek(at);
      access.write(value ^ 0x10);
    }
  }

  private static void truncate(Path file, long length) throws IOException {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.setLength(length);
    }
  }
}
