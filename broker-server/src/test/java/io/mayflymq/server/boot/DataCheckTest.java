package io.mayflymq.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogIdentity;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions;
import io.mayflymq.core.store.segment.LogOwner;
import io.mayflymq.core.store.segment.QueueNote;
import io.mayflymq.core.store.segment.RecoveryVisitor;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.stream.StreamDirectories;
import io.mayflymq.core.store.stream.StreamDisk;
import io.mayflymq.core.store.stream.StreamLogs;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.boot.CheckOptions.Formatter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataCheckTest {
  private static final UUID DIRECTORY_ID = new UUID(1, 2);

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int check(Path path, Formatter formatter) {
    return new DataCheck(new PrintWriter(out, true), new PrintWriter(err, true))
        .run(new CheckOptions(path, formatter));
  }

  /** A directory as a broker leaves it: a queue, and four messages, one of which is settled. */
  private void fill() throws Exception {
    DataDirectory.open(directory, false).close();
    MetadataJournal metadata =
        MetadataJournal.open(
            directory,
            new MetadataJournal.Expected(DIRECTORY_ID, 0, false),
            new BrokerThreads(Faults.logged()),
            why -> {});
    FieldTable none = FieldTable.EMPTY;
    metadata
        .append(
            List.of(
                new MetadataCommand.QueueDeclared(
                    "orders",
                    new QueueDefinition(
                        "q",
                        true,
                        false,
                        false,
                        none,
                        QueueArguments.parse(none, "q", "orders").settings()),
                    1,
                    QueuePlace.alone(0))))
        .get();
    metadata.close();
    Path shard = Files.createDirectories(directory.resolve("messages/shard-0"));
    NoOwner owner = new NoOwner();
    SegmentLog log =
        new SegmentLog(
            new DiskDirectory(shard),
            LogOptions.defaults(0, LogOptions.Sync.ALWAYS)
                .of(new LogIdentity(DIRECTORY_ID, "shard-0")),
            Runnable::run,
            owner);
    log.recover(owner, owner);
    Message message = message();
    long first = log.enqueue(1, 0, 0, Long.MAX_VALUE, 0, 1000, message);
    for (int i = 1; i < 4; i++) {
      log.enqueue(1, 0, i, Long.MAX_VALUE, 0, 1000, message);
    }
    log.settle(1, 0, first, message.bodyLength());
    log.close().get();
    fillStream(message);
  }

  /** The replica of a partition: two bursts with a message each. */
  private Path fillReplica() throws Exception {
    Path replica = Files.createDirectories(directory.resolve("messages/replica-7"));
    NoOwner owner = new NoOwner();
    SegmentLog log =
        new SegmentLog(
            new DiskDirectory(replica),
            LogOptions.defaults(7, LogOptions.Sync.ALWAYS)
                .of(new LogIdentity(DIRECTORY_ID, "replica-7"))
                .ofReplica(),
            Runnable::run,
            owner);
    log.recover(owner, owner);
    for (int i = 1; i <= 2; i++) {
      log.enqueue(1, 0, i, Long.MAX_VALUE, 0, 1000, message());
      log.endBurst(new BurstId(3, i), 1000);
    }
    log.close().get();
    return replica;
  }

  private static Message message() {
    return new Message(
        ShortString.EMPTY,
        ShortString.of("q"),
        new byte[102],
        2,
        Message.NO_TTL,
        0,
        true,
        List.of());
  }

  /** A stream of five messages. */
  private void fillStream(Message message) throws Exception {
    Path path = Files.createDirectories(directory.resolve("messages/stream-2"));
    StreamLogs streams =
        new StreamLogs(
            new StreamDisk(
                new OneStream(path),
                Executors.newSingleThreadExecutor(),
                new NoOwner(),
                LogOptions.Sync.ALWAYS),
            Runnable::run,
            () -> {});
    StreamStore stream = streams.open(2, new QueueName("orders", "s"));
    stream.attach(() -> {});
    for (int i = 0; i < 5; i++) {
      stream.append(message, 1000 + i);
    }
    streams.close().get();
  }

  private record OneStream(Path path) implements StreamDirectories {
    @Override
    public LogDirectory open(long streamId) {
      return new DiskDirectory(path);
    }

    @Override
    public LogIdentity identity(long streamId) {
      return new LogIdentity(new UUID(1, 2), "stream-2");
    }

    @Override
    public void keep(long streamId, long logId) {}

    @Override
    public long metadataSequence() {
      return 1;
    }

    @Override
    public void delete(long streamId) {
      throw new AssertionError("nothing is deleted");
    }
  }

  @Test
  void dataCheckListsTheContentOfTheDirectory() throws Exception {
    fill();
    Map<String, Long> before = files();
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains("format 4", "vhosts\torders", "queues\t1", "messages/shard-0")
        .containsPattern("0000000001.log +\\d+ +\\d+ +4 +3 +1  yes")
        .contains("live: 3 of queue 'q' in vhost 'orders' (id 1)", "messages/stream-2")
        .containsPattern("0000000001.log +\\d+ +5 +0 +4  yes")
        .endsWith("Nothing is damaged." + System.lineSeparator());
    assertThat(err.toString()).isEmpty();
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void dataCheckPrintsJson() throws Exception {
    fill();
    assertThat(check(directory, Formatter.JSON)).isEqualTo(ExitCode.OK);
    JsonNode found = new ObjectMapper().readTree(out.toString());
    assertThat(found.path("damaged").asBoolean(true)).isFalse();
    assertThat(found.path("inUse").asBoolean(true)).isFalse();
    assertThat(found.at("/vhosts/0").asText()).isEqualTo("orders");
    assertThat(found.at("/metadata/queues").asInt()).isEqualTo(1);
    assertThat(found.at("/logs/0/segments/0/live").asInt()).isEqualTo(3);
    assertThat(found.at("/logs/0/segments/0/settled").asInt()).isEqualTo(1);
    assertThat(found.at("/logs/0/queues/0/name").asText()).isEqualTo("q");
    assertThat(found.at("/logs/0/queues/0/vhost").asText()).isEqualTo("orders");
    assertThat(found.at("/logs/0/queues/0/messages").asInt()).isEqualTo(3);
    assertThat(found.at("/streams/0/directory").asText()).isEqualTo("messages/stream-2");
    assertThat(found.at("/streams/0/segments/0/messages").asInt()).isEqualTo(5);
    assertThat(found.at("/streams/0/segments/0/lastOffset").asInt()).isEqualTo(4);
  }

  @Test
  void dataCheckReportsDamagedMessages() throws Exception {
    fill();
    Path segment = directory.resolve("messages/shard-0/0000000001.log");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[1100] ^= 1;
    Files.write(segment, bytes);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .containsPattern("damaged records in 0000000001.log, bytes 10\\d\\d to ")
        .contains("There is damage.");
    out.getBuffer().setLength(0);
    assertThat(check(directory, Formatter.JSON)).isEqualTo(ExitCode.DATA);
    JsonNode damage = new ObjectMapper().readTree(out.toString()).at("/logs/0/damages/0");
    assertThat(damage.path("kind").asText()).isEqualTo("damaged records");
    assertThat(damage.path("harmless").asBoolean(true)).isFalse();
  }

  @Test
  void dataCheckTellsOfReplicas() throws Exception {
    fill();
    fillReplica();
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.OK);
    assertThat(out.toString())
        .contains(
            "messages/replica-7: replica of partition 7, epoch 3, ends with burst 2 of epoch 3")
        .contains("live: 2 of queue 'q' in vhost 'orders' (id 1)")
        .contains("Nothing is damaged.");
    out.getBuffer().setLength(0);
    assertThat(check(directory, Formatter.JSON)).isEqualTo(ExitCode.OK);
    JsonNode logs = new ObjectMapper().readTree(out.toString()).path("logs");
    assertThat(logs).hasSize(2);
    assertThat(logs.at("/0/replica").toString())
        .isEqualTo("{\"partition\":7,\"epoch\":3,\"last\":2,\"lastEpoch\":3}");
    assertThat(logs.at("/1/replica").isNull()).isTrue();
  }

  @Test
  void dataCheckReportsDamagedReplicas() throws Exception {
    fill();
    Path replica = fillReplica();
    for (String state : List.of("replica.state", "replica.state.copy")) {
      Files.write(replica.resolve(state), new byte[20]);
    }
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .contains("messages/replica-7: replica.state and replica.state.copy are damaged");
    Files.delete(replica.resolve("replica.state"));
    Files.delete(replica.resolve("replica.state.copy"));
    Path segment = replica.resolve("0000000001.log");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[1100] ^= 1;
    Files.write(segment, bytes);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
  }

  @Test
  void dataCheckReportsADamagedStream() throws Exception {
    fill();
    Path segment = directory.resolve("messages/stream-2/0000000001.log");
    byte[] bytes = Files.readAllBytes(segment);
    bytes[1100] ^= 1;
    Files.write(segment, bytes);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .contains("damaged records in 0000000001.log, bytes 1024 to ", "There is damage.");
    out.getBuffer().setLength(0);
    assertThat(check(directory, Formatter.JSON)).isEqualTo(ExitCode.DATA);
    JsonNode found = new ObjectMapper().readTree(out.toString());
    assertThat(found.at("/streams/0/damages/0/kind").asText()).isEqualTo("damaged records");
    assertThat(found.at("/logs/0/damages")).isEmpty();
  }

  @Test
  void dataCheckReportsDamagedMetadata() throws Exception {
    fill();
    Files.write(directory.resolve("metadata.log"), new byte[9000]);
    Files.write(directory.resolve("metadata.copy"), new byte[9000]);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .contains(
            "metadata.log and metadata.copy have nothing that is whole",
            "A broker does not start with this unless --accept-loss says that it may.",
            "There is damage.");
  }

  @Test
  void dataCheckReportsOneDamagedCopyOfMetadata() throws Exception {
    fill();
    Path copy = directory.resolve("metadata.copy");
    byte[] bytes = Files.readAllBytes(copy);
    bytes[60] ^= 1;
    Files.write(copy, bytes);

    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);

    assertThat(out.toString())
        .contains("metadata.copy is damaged, bytes ", "queues\t1", "There is damage.")
        .doesNotContain("--accept-loss");
  }

  @Test
  void dataCheckReportsMissingFiles() throws Exception {
    fill();
    Files.delete(directory.resolve("metadata.log"));
    Files.delete(directory.resolve("metadata.copy"));
    Files.delete(directory.resolve("messages/shard-0/0000000001.log"));
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .contains(
            "metadata.log and metadata.copy are missing, and there are messages",
            "messages/shard-0/0000000001.log is missing or empty",
            "A broker does not start with this unless --accept-loss says that it may.");
  }

  @Test
  void dataCheckReportsMetadataOfAnOlderVersion() throws Exception {
    fill();
    Files.delete(directory.resolve("metadata.log"));
    Files.delete(directory.resolve("metadata.copy"));
    Files.write(directory.resolve("metadata.mv"), new byte[8]);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.DATA);
    assertThat(out.toString())
        .contains("metadata.mv is a database of H2 with the metadata", "version 0.2.0 converts it")
        .doesNotContain("are missing, and there are messages");
  }

  @Test
  void tornTailOfALogIsNotReportedAsDamage() throws Exception {
    fill();
    Path log = directory.resolve("messages/shard-0");
    Files.delete(log.resolve("0000000001.idx"));
    byte[] bytes = Files.readAllBytes(log.resolve("0000000001.log"));
    Files.write(log.resolve("0000000001.log"), Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("torn tail in 0000000001.log", "nothing confirmed is lost");
  }

  @Test
  void dataCheckWorksOnADirectoryInUse() throws Exception {
    fill();
    DataDirectory held = DataDirectory.open(directory, false);
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.OK);
    assertThat(out.toString()).contains("A broker is using it", "messages/shard-0");
    held.close();
  }

  @Test
  void dataCheckRefusesPathsWithoutADataDirectory() throws Exception {
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.NO_INPUT);
    assertThat(check(directory.resolve("none"), Formatter.TABLE)).isEqualTo(ExitCode.NO_INPUT);
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThat(check(file, Formatter.JSON)).isEqualTo(ExitCode.NO_INPUT);
    Files.writeString(directory.resolve("mayfly.format"), "99\n");
    assertThat(check(directory, Formatter.TABLE)).isEqualTo(ExitCode.NO_INPUT);
    assertThat(err.toString().lines())
        .containsExactly(
            "mayfly: cannot check "
                + directory
                + ": it is no data directory of a broker, as it has no file mayfly.format",
            "mayfly: cannot check " + directory.resolve("none") + ": there is nothing there",
            "mayfly: cannot check " + file + ": it is no directory",
            "mayfly: cannot check "
                + directory
                + ": it has format '99' (file mayfly.format), this version knows format 4 only");
    assertThat(out.toString()).isEmpty();
  }

  private Map<String, Long> files() throws IOException {
    Map<String, Long> sizes = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        sizes.put(path.toString(), Files.size(path));
      }
    }
    return sizes;
  }

  private static final class NoOwner implements LogOwner, LogListener, RecoveryVisitor {
    @Override
    public boolean isLive(long queueId, long sequence, long location) {
      return true;
    }

    @Override
    public void moved(long queueId, long sequence, long from, long to) {}

    @Override
    public QueueNote noteOf(long queueId, int segment) {
      return new QueueNote(new QueueName("orders", "q"), 1);
    }

    @Override
    public void returned(long queueId, byte[] notes, boolean all) {}

    @Override
    public void applied(BatchOrigin origin, long number, long unknownUpTo, byte[] outcome) {}

    @Override
    public void forEachApplied(AppliedBatches.Sink sink) {}

    @Override
    public void forEachReturned(int mostBytes, ReturnedSink sink) {}

    @Override
    public void forEachDelivered(DeliveredSink sink) {}

    @Override
    public void blocked(IOException cause) {}

    @Override
    public void unblocked(String why) {}

    @Override
    public void failed(LogFailedException cause) {}

    @Override
    public void enqueued(
        long queueId,
        long sequence,
        long deadlineMillis,
        int flags,
        long enqueuedAtMillis,
        int priority,
        int bodyLength,
        long location) {}

    @Override
    public void settled(long queueId, long from, long to, int segment) {}

    @Override
    public void replaced(long queueId, long sequence) {}

    @Override
    public void removed(long queueId, long from, long to, int segment, long stamp) {}

    @Override
    public void delivered(long queueId, long upTo) {}
  }
}
