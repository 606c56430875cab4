package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataCheck;
import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.LogCheck;
import io.mayflymq.core.store.stream.StreamCheck;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonValue;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.logging.IoReason;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * {@code check-data}: reports the content of a data directory and damage in it. It reads every
 * record and changes nothing. A broker may use the directory meanwhile; a broker that starts while
 * the metadata is read finds it locked.
 */
final class DataCheck {
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param out for what is found
   * @param err for one line that says why nothing could be
   */
  DataCheck(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** The result, as printed in JSON. */
  private record Found(
      String directory,
      String format,
      boolean inUse,
      List<String> vhosts,
      Map<String, Integer> metadata,
      List<Log> logs,
      List<StreamLog> streams,
      List<String> problems,
      boolean refuses,
      boolean damaged)
      implements JsonValue {
    @Override
    public Object json() {
      return Json.object(
          "directory", directory,
          "format", format,
          "inUse", inUse,
          "vhosts", vhosts,
          "metadata", metadata,
          "logs", logs,
          "streams", streams,
          "problems", problems,
          "refuses", refuses,
          "damaged", damaged);
    }
  }

  /**
   * A log of messages.
   *
   * @param replica what it is a replica of; null if it is the log of a shard
   */
  private record Log(
      String directory,
      CheckedReplica replica,
      List<LogCheck.SegmentFile> segments,
      List<QueueContent> queues,
      List<Harm> damages,
      List<String> quarantined)
      implements JsonValue {
    @Override
    public Object json() {
      return Json.object(
          "directory", directory,
          "replica", replica,
          "segments", segments.stream().map(Log::json).toList(),
          "queues", queues,
          "damages", damages,
          "quarantined", quarantined);
    }

    private static Map<String, Object> json(LogCheck.SegmentFile segment) {
      return Json.object(
          "file", segment.file(),
          "bytes", segment.bytes(),
          "records", segment.records(),
          "live", segment.live(),
          "settled", segment.settled(),
          "index", segment.index());
    }
  }

  /** The unsettled messages of a queue. Without vhost and name if the log does not contain them. */
  private record QueueContent(long id, String vhost, String name, long messages)
      implements JsonValue {
    static QueueContent of(LogCheck.QueueCount queue) {
      return queue.name() == null
          ? new QueueContent(queue.id(), null, null, queue.live())
          : new QueueContent(queue.id(), queue.name().vhost(), queue.name().name(), queue.live());
    }

    @Override
    public Object json() {
      return Json.object("id", id, "vhost", vhost, "name", name, "messages", messages);
    }

    @Override
    public String toString() {
      return name == null
          ? "%d of the queue with id %d, whose name is not known".formatted(messages, id)
          : "%d of queue '%s' in vhost '%s' (id %d)".formatted(messages, name, vhost, id);
    }
  }

  private record StreamLog(
      String directory, List<StreamCheck.SegmentFile> segments, List<Harm> damages)
      implements JsonValue {
    @Override
    public Object json() {
      return Json.object(
          "directory", directory,
          "segments", segments.stream().map(StreamLog::json).toList(),
          "damages", damages);
    }

    private static Map<String, Object> json(StreamCheck.SegmentFile segment) {
      return Json.object(
          "file", segment.file(),
          "bytes", segment.bytes(),
          "messages", segment.messages(),
          "firstOffset", segment.firstOffset(),
          "lastOffset", segment.lastOffset(),
          "index", segment.index());
    }
  }

  private record Harm(String file, String kind, long from, long to, boolean harmless)
      implements JsonValue {
    static Harm of(Damage damage) {
      return new Harm(
          damage.file(),
          damage.kind().toString(),
          damage.from(),
          damage.to(),
          damage.kind().isHarmless());
    }

    @Override
    public Object json() {
      return Json.object("file", file, "kind", kind, "from", from, "to", to, "harmless", harmless);
    }
  }

  /** Looks at the directory, prints what there is and returns the exit code. */
  int run(CheckOptions options) {
    Path directory = options.directory();
    try {
      String format = format(directory);
      Found found = inspect(directory, format);
      if (options.formatter() == CheckOptions.Formatter.JSON) {
        out.println(JsonWriter.indentedText(found));
      } else {
        table(found);
      }
      out.flush();
      return found.damaged ? ExitCode.DATA : ExitCode.OK;
    } catch (IOException e) {
      err.println("mayfly: cannot check " + directory + ": " + IoReason.of(e));
      return ExitCode.NO_INPUT;
    }
  }

  private static String format(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      throw new IOException("there is nothing there");
    }
    if (!Files.isDirectory(directory)) {
      throw new IOException("it is no directory");
    }
    Path file = directory.resolve(DataDirectory.FORMAT_FILE);
    if (!Files.exists(file)) {
      throw new IOException(
          "it is no data directory of a broker, as it has no file " + DataDirectory.FORMAT_FILE);
    }
    String format = Files.readString(file).strip();
    if (!format.isEmpty() && !format.equals(DataDirectory.FORMAT)) {
      throw new IOException("it " + DataDirectory.unknown(format));
    }
    return format.isEmpty() ? "unknown (its file is empty)" : format;
  }

  private static Found inspect(Path directory, String format) throws IOException {
    boolean inUse = isInUse(directory.resolve(DataDirectory.LOCK_FILE));
    DataFaults faults = DataFaults.of(directory, inUse);
    MetadataCheck metadata = faults.metadata();
    List<String> problems = new ArrayList<>();
    faults.faults().stream()
        .filter(fault -> fault.refuses() || fault.isMetadata())
        .forEach(fault -> problems.add(fault.toString()));
    List<Log> logs = new ArrayList<>();
    boolean damaged = faults.faults().stream().anyMatch(DataFaults.Fault::isDamage);
    Path messages = directory.resolve(DataFaults.MESSAGES_DIRECTORY);
    for (Path path : directories(messages, "shard-\\d+|replica-\\d+(\\.copied)?")) {
      LogCheck check = LogCheck.of(path);
      List<Harm> harms = check.damages().stream().map(Harm::of).toList();
      damaged |= !harms.stream().allMatch(Harm::harmless);
      CheckedReplica replica = null;
      try {
        replica = CheckedReplica.of(path, check.end());
      } catch (IOException e) {
        problems.add(name(directory, path) + ": " + IoReason.of(e));
        damaged = true;
      }
      List<QueueContent> queues = check.queues().stream().map(QueueContent::of).toList();
      logs.add(
          new Log(
              name(directory, path),
              replica,
              check.segments(),
              queues,
              harms,
              check.quarantined()));
    }
    List<StreamLog> streams = new ArrayList<>();
    for (Path path : directories(messages, "stream-\\d+")) {
      try {
        StreamCheck check = StreamCheck.of(path);
        List<Harm> harms = check.damages().stream().map(Harm::of).toList();
        damaged |= !harms.stream().allMatch(Harm::harmless);
        streams.add(new StreamLog(name(directory, path), check.segments(), harms));
      } catch (NoSuchFileException e) {
        // A broker that is running has deleted the stream meanwhile.
      }
    }
    return new Found(
        directory.toString(),
        format,
        inUse,
        metadata == null ? List.of() : List.copyOf(metadata.vhosts()),
        metadata == null ? Map.of() : metadata.entries(),
        logs,
        streams,
        problems,
        faults.refuses(),
        damaged);
  }

  private static String name(Path directory, Path path) {
    return directory.relativize(path).toString();
  }

  private static List<Path> directories(Path messages, String pattern) throws IOException {
    if (!Files.isDirectory(messages)) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(messages)) {
      return children
          .filter(child -> child.getFileName().toString().matches(pattern))
          .filter(Files::isDirectory)
          .sorted()
          .toList();
    }
  }

  /**
   * Returns whether a broker has the directory: a shared lock is to be had, for a moment, if none
   * has.
   */
  private static boolean isInUse(Path lockFile) throws IOException {
    if (!Files.exists(lockFile)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.READ);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    } catch (OverlappingFileLockException e) {
      return true;
    }
  }

  private void table(Found found) {
    out.println("data directory " + found.directory + ", format " + found.format);
    if (found.inUse) {
      out.println(
          "A broker is using it: metadata is not read, and what is being written may look torn.");
    } else {
      out.println("vhosts\t" + (found.vhosts.isEmpty() ? "-" : String.join(" ", found.vhosts)));
      found.metadata.forEach((name, count) -> out.println(name + "\t" + count));
    }
    found.problems.forEach(out::println);
    for (Log log : found.logs) {
      out.println();
      out.println(log.directory + (log.replica == null ? "" : ": " + log.replica));
      out.printf(
          "  %-16s %12s %10s %10s %10s %10s  %s%n",
          "segment", "bytes", "records", "entries", "live", "settled", "index");
      for (LogCheck.SegmentFile segment : log.segments) {
        out.printf(
            "  %-16s %12d %10d %10d %10d %10d  %s%n",
            segment.file(),
            segment.bytes(),
            segment.records(),
            segment.entries(),
            segment.live(),
            segment.settled(),
            segment.index() ? "yes" : "no");
      }
      log.queues.forEach(queue -> out.println("  live: " + queue));
      table(log.damages);
      log.quarantined.forEach(file -> out.println("  damaged bytes, copied by a start: " + file));
    }
    found.streams.forEach(this::table);
    out.println();
    if (found.refuses) {
      out.println("A broker does not start with this unless --accept-loss says that it may.");
    }
    out.println(found.damaged ? "There is damage." : "Nothing is damaged.");
  }

  private void table(StreamLog stream) {
    out.println();
    out.println(stream.directory);
    out.printf(
        "  %-16s %12s %10s %20s %20s  %s%n",
        "segment", "bytes", "messages", "first offset", "last offset", "index");
    for (StreamCheck.SegmentFile segment : stream.segments) {
      out.printf(
          "  %-16s %12d %10d %20s %20s  %s%n",
          segment.file(),
          segment.bytes(),
          segment.messages(),
          segment.messages() == 0 ? "-" : segment.firstOffset(),
          segment.messages() == 0 ? "-" : segment.lastOffset(),
          segment.index() ? "yes" : "no");
    }
    table(stream.damages);
  }

  private void table(List<Harm> damages) {
    for (Harm damage : damages) {
      out.printf(
          "  %s in %s, bytes %d to %d%s%n",
          damage.kind,
          damage.file,
          damage.from,
          damage.to,
          damage.harmless ? ": left by a crash, nothing confirmed is lost" : "");
    }
  }
}
