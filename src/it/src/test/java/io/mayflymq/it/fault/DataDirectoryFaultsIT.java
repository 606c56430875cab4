package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Directory;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RestartedBroker;
import io.mayflymq.it.harness.Time;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages one file of the data directory while the broker is down. Then either all confirmed data
 * is kept, or the broker does not start and changes nothing, or a log line names the damage.
 */
@OwnBroker
class DataDirectoryFaultsIT {
  private static final int MESSAGES = 40;
  private static final int REFUSED = 65;
  private static final String POLICY = "{\"pattern\":\"^q$\",\"definition\":{\"max-length\":1000}}";

  /** What may happen to a file. */
  enum Fault {
    MISSING,
    EMPTY,
    CUT,
    FLIPPED,
    OF_ANOTHER_BROKER;

    /**
     * Does it.
     *
     * @param other the file of the same name of another broker, if that has one
     */
    void happenTo(Path file, Path other) throws IOException {
      byte[] bytes = Files.readAllBytes(file);
      switch (this) {
        case MISSING -> Files.delete(file);
        case EMPTY -> Files.write(file, new byte[0]);
        case CUT -> Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
        case FLIPPED -> {
          if (bytes.length > 0) {
            bytes[bytes.length / 2] ^= 0x10;
          }
          Files.write(file, bytes);
        }
        case OF_ANOTHER_BROKER ->
            Files.write(file, Files.exists(other) ? Files.readAllBytes(other) : new byte[100]);
      }
    }
  }

  @TempDir static Path directory;

  /** The data directory that all cases begin with; an earlier one of the same broker; another's. */
  private static Path full;

  private static Path early;
  private static Path other;

  private static int cases;

  @BeforeAll
  static void fill() throws Exception {
    early = directory.resolve("early");
    full = directory.resolve("full");
    other = directory.resolve("other");
    BrokerProcess first = process(early).start();
    try (Connection connection = first.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, Map.of());
      channel.queueDeclare("s", true, false, false, Map.of("x-queue-type", "stream"));
      publish(channel, "q", 0);
      publish(channel, "s", 0);
      http(first, "PUT", "/api/policies/%2F/limit", POLICY);
    }
    kill(first);
    Directory.copy(early, full);
    BrokerProcess second = process(full).start();
    try (Connection connection = second.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("later", true, false, false, Map.of());
      publish(channel, "later", 0);
      // The logs note once a second what has been forced.
      Time.pass(2 * RestartedBroker.SETTLED_WITHIN_MILLIS);
    }
    kill(second);
    BrokerProcess third = process(other).start();
    try (Connection connection = third.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, Map.of());
      channel.queueDeclare("s", true, false, false, Map.of("x-queue-type", "stream"));
      publish(channel, "q", 1000);
      publish(channel, "s", 1000);
    }
    kill(third);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void noConfirmedMessageIsLostSilently(Fault fault) throws Exception {
    List<String> files = List.copyOf(files(full).keySet());
    assertThat(files).contains("metadata.log", "metadata.copy", "messages/directories");
    assertThat(files).anyMatch(file -> file.matches("messages/stream-\\d+/0+1.log"));
    List<AssertionError> failures = new ArrayList<>();
    for (String file : files) {
      if (isTried(fault, file)) {
        Path data = copyOfFull();
        fault.happenTo(data.resolve(file), other.resolve(file));
        try {
          assertNothingIsLostWithoutAWord(data, fault + " " + file, file);
        } catch (AssertionError failure) {
          failures.add(failure);
        }
      }
    }
    assertThat(failures).isEmpty();
  }

  /** What small files are that can be made again is tried with all faults in DataFaultsTest. */
  private static boolean isTried(Fault fault, String file) {
    return fault == Fault.MISSING
        || fault == Fault.FLIPPED
        || file.endsWith(".log")
        || file.startsWith("metadata")
        || file.endsWith("directories");
  }

  @Test
  void aMissingDirectoryIsReported() throws Exception {
    for (String name : List.of("messages/shard-0", "messages/stream-2", "messages")) {
      Path data = copyOfFull();
      delete(data.resolve(name));
      assertNothingIsLostWithoutAWord(data, "missing " + name, name);
    }
  }

  @Test
  void olderMetadataIsRefusedAndItsMissingQueuesAreAdoptedWithAcceptLoss() throws Exception {
    Path data = copyOfFull();
    for (String name : List.of("metadata.log", "metadata.copy")) {
      Files.write(data.resolve(name), Files.readAllBytes(early.resolve(name)));
    }
    assertRefuses(data, "queue 'later' in vhost '/' (40 messages)");
    assertAllIsAdopted(data);
  }

  @Test
  void missingMetadataIsRefusedAndItsQueuesAreAdoptedWithAcceptLoss() throws Exception {
    Path data = copyOfFull();
    Files.delete(data.resolve("metadata.log"));
    Files.delete(data.resolve("metadata.copy"));
    assertRefuses(
        data,
        "queue 'q' in vhost '/' (40 messages)",
        "stream 's' in vhost '/' (40 messages)",
        "queue 'later' in vhost '/' (40 messages)");
    assertAllIsAdopted(data);
  }

  private static void assertAllIsAdopted(Path data) throws Exception {
    EmbeddedBroker accepted = embedded(data).arguments("--accept-loss").start();
    assertThat(accepted.output()).anyMatch(line -> line.contains("'later'") && warns(line));
    end(accepted);
    // It is as it should be from then on.
    EmbeddedBroker again = embedded(data).start();
    try (Connection connection = again.factory().newConnection()) {
      Channel channel = connection.createChannel();
      assertThat(drain(channel, "q")).isEqualTo(bodies(0));
      assertThat(drain(channel, "later")).isEqualTo(bodies(0));
      assertThat(read(channel, MESSAGES)).isEqualTo(bodies(0));
    }
    end(again);
  }

  /** By a process of its own, whose exit code is looked at. */
  private static void assertRefuses(Path data, String... named) throws IOException {
    Map<String, Long> before = files(data);
    BrokerProcess refused = process(data).launch();
    assertThat(isReady(refused)).isFalse();
    assertThat(refused.awaitExit()).isEqualTo(REFUSED);
    assertThat(String.join("\n", refused.output())).contains(named);
    assertThat(files(data)).isEqualTo(before);
  }

  private static void assertNothingIsLostWithoutAWord(Path data, String what, String file)
      throws Exception {
    Map<String, Long> before = files(data);
    EmbeddedBroker broker = embedded(data).launch();
    if (!isReady(broker)) {
      // The number of a layout that is not known is an error of its own.
      int expected = file.equals("mayfly.format") ? 1 : REFUSED;
      assertThat(broker.awaitExit()).as("the exit code: %s", what).isEqualTo(expected);
      String name = Path.of(file).getFileName().toString();
      assertThat(broker.output()).as(what).anyMatch(line -> line.contains(name));
      assertThat(files(data)).as("what a refused start has left: %s", what).isEqualTo(before);
      return;
    }
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      boolean queues =
          drain(channel, "q").equals(bodies(0)) && drain(channel, "later").equals(bodies(0));
      boolean told = broker.output().stream().anyMatch(DataDirectoryFaultsIT::namesDamage);
      boolean stream = told || read(channel, MESSAGES).equals(bodies(0));
      boolean policy = http(broker, "GET", "/api/policies", null).contains("\"limit\"");
      told = broker.output().stream().anyMatch(DataDirectoryFaultsIT::namesDamage);
      assertThat(policy).as("the policy: %s", what).isTrue();
      assertThat((queues && stream) || told)
          .as("%s: queues %s, stream %s", what, queues, stream)
          .isTrue();
    }
    end(broker);
  }

  private static boolean namesDamage(String line) {
    return warns(line)
        && (line.contains("damaged")
            || line.contains("lost")
            || line.contains("cannot be read")
            || line.contains("torn tail"));
  }

  private static boolean warns(String line) {
    return line.contains("[warning]") || line.contains("[error]");
  }

  // Brokers

  private static EmbeddedBroker.Builder embedded(Path data) {
    return EmbeddedBroker.builder().data(data).set("shards", 1);
  }

  private static BrokerProcess.Builder process(Path data) {
    return BrokerProcess.builder().data(data).set("shards", 1);
  }

  private static boolean isReady(Broker broker) {
    try {
      broker.awaitReady();
      return true;
    } catch (AssertionError ended) {
      return false;
    }
  }

  private static void kill(BrokerProcess broker) {
    broker.kill();
    broker.awaitExit();
    assertThat(broker.complaints()).isEmpty();
  }

  private static void end(EmbeddedBroker broker) {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  private static String http(Broker broker, String method, String path, String body)
      throws Exception {
    String login =
        Base64.getEncoder().encodeToString("guest:guest".getBytes(StandardCharsets.UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d%s".formatted(broker.httpPort(), path)))
            .header("Authorization", "Basic " + login)
            .header("Content-Type", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isBetween(200, 299);
    return response.body();
  }

  // Messages

  private static List<String> bodies(int first) {
    return IntStream.range(first, first + MESSAGES).mapToObj(DataDirectoryFaultsIT::body).toList();
  }

  private static String body(int number) {
    return "[message %05d]".formatted(number) + "x".repeat(200);
  }

  private static void publish(Channel channel, String queue, int first) throws Exception {
    channel.confirmSelect();
    BasicProperties persistent = RestartedBroker.PERSISTENT;
    for (String body : bodies(first)) {
      channel.basicPublish("", queue, persistent, body.getBytes(StandardCharsets.UTF_8));
    }
    assertThat(channel.waitForConfirms(Patience.MILLIS)).isTrue();
  }

  private static List<String> drain(Channel channel, String queue) throws IOException {
    List<String> bodies = new ArrayList<>();
    for (GetResponse got = channel.basicGet(queue, true);
        got != null;
        got = channel.basicGet(queue, true)) {
      bodies.add(new String(got.getBody(), StandardCharsets.UTF_8));
    }
    return bodies;
  }

  /** The first messages of the stream; fewer if they do not come. */
  private static List<String> read(Channel channel, int count) throws Exception {
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    channel.basicQos(count);
    channel.basicConsume(
        "s",
        false,
        Map.of("x-stream-offset", "first"),
        (tag, delivery) -> received.add(new String(delivery.getBody(), StandardCharsets.UTF_8)),
        tag -> {});
    List<String> bodies = new ArrayList<>();
    String next = received.poll(Patience.MILLIS, TimeUnit.MILLISECONDS);
    while (next != null) {
      bodies.add(next);
      next = bodies.size() == count ? null : received.poll(5, TimeUnit.SECONDS);
    }
    return bodies;
  }

  // Files

  private static Path copyOfFull() throws IOException {
    Path copy = directory.resolve("case-" + cases++);
    Directory.copy(full, copy);
    return copy;
  }

  /**
   * The files below a directory and their lengths, but for those that exist only while a process
   * runs.
   */
  private static Map<String, Long> files(Path root) throws IOException {
    Map<String, Long> files = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path :
          paths.filter(Files::isRegularFile).filter(path -> !isOfProcess(path)).toList()) {
        files.put(root.relativize(path).toString(), Files.size(path));
      }
    }
    return files;
  }

  private static boolean isOfProcess(Path file) {
    return Set.of("mayfly.lock", "mayfly.control").contains(file.getFileName().toString());
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : paths.sorted((one, two) -> two.compareTo(one)).toList()) {
        Files.delete(path);
      }
    }
  }
}
